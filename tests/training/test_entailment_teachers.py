"""The eight teachers: what of the encoder they change, what they learn from, that they learn."""

import pytest
import torch
from torch import nn

import entailment
import entailment_teachers as teachers
import judged_pairs
import network
from judged_pairs import FEW, SEVERAL, Sentence


class Encoder(nn.Module):
    """Embeddings and one layer, named as in the encoder."""

    def __init__(self):
        super().__init__()
        self.embeddings = nn.Embedding(4, 4)
        self.encoder = nn.ModuleDict({"layer": nn.ModuleList([nn.ModuleDict({"query": nn.Linear(4, 4)})])})


def changed(rank):
    return [name for name, _ in network.trained(network.adapt(Encoder(), rank))]


def test_rank_nought_frees_all_weights_of_the_layers_and_no_embedding():
    assert changed(0) == [f"encoder.layer.0.query.{one}" for one in ("weight", "bias")]
    assert changed(2) == [f"encoder.layer.0.query.{one}" for one in ("down", "up")]


def test_there_are_teachers_of_both_kinds_and_no_two_are_alike():
    kinds = [one.network for one in teachers.TEACHERS]
    assert kinds.count(teachers.Together) == 5 and kinds.count(teachers.Aligned) == 3
    assert [one.seed for one in teachers.TEACHERS] == list(range(8))
    plan = teachers.TEACHERS[6].plan
    assert (plan.epochs, plan.rate, plan.head_rate, plan.batch, plan.seed) == (2, 1.5e-4, 1e-3, 128, 6)


def test_teachers_learn_from_few_and_several_nearest_sentences(monkeypatch, tmp_path):
    monkeypatch.setattr(entailment, "human", lambda folder: ([("people", "h", "neutral")], []))
    rules = [(f"rule{i}", "h", "neutral") for i in range(9_000)]
    monkeypatch.setattr(entailment, "rules", lambda folder: rules)
    answer = Sentence("s", "entailment", {FEW: "few", SEVERAL: "several"})
    found = teachers.pairs(tmp_path, [answer])
    assert found[-2:] == [("few", "s", "entailment"), ("several", "s", "entailment")]
    assert len(set(rules) & set(found)) == teachers.RULES
    assert found[0][0] == "people"
    assert set(judged_pairs.LABELS.values()) == set(entailment.LABELS)


@pytest.mark.slow
def test_the_first_teacher_reads_and_any_learns():
    torch.set_num_threads(1)
    learn = [("It rains in Bern.", "It rains.", "contradiction")] * 8
    model, read = teachers.first("cpu")
    assert entailment.scores(model, read, learn).argmax(1).tolist() == [0] * 8
    teacher = teachers.Teacher(teachers.Together, 4, seed=0, epochs=20, rate=2e-3, head_rate=2e-3)
    assert entailment.scores(*teachers.train(teacher, learn, "cpu"), learn).argmax(1).tolist() == [2] * 8
