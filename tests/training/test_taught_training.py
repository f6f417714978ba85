"""One head taught by two: what it follows, what it learns from."""

import math

import pytest
import torch

import data
import taught
import unlabelled


def test_the_loss_by_hand():
    """KL of one half and one half from (0.8, 0.1, 0.1) as the scores have it, and 0.15 of the labels' loss."""
    scores = torch.log(torch.tensor([[0.8, 0.1, 0.1], [0.2, 0.2, 0.6]]))
    wanted = torch.tensor([[0.5, 0.5, 0.0], [0.2, 0.2, 0.6]])
    followed = (0.5 * math.log(0.5 / 0.8) + 0.5 * math.log(0.5 / 0.1)) / 2
    smooth = (0.95 + 0.05 / 3) * -math.log(0.8) + 2 * 0.05 / 3 * -math.log(0.1)
    found = taught.loss(scores, wanted, torch.tensor([0, taught.UNLABELLED]))
    assert found.item() == pytest.approx(followed + 0.15 * smooth / 2, rel=1e-5)


def test_a_head_that_says_what_its_teachers_say_loses_nothing_where_there_is_no_label():
    wanted = torch.tensor([[0.7, 0.2, 0.1]])
    assert taught.loss(wanted.log(), wanted, torch.tensor([taught.UNLABELLED])).item() == pytest.approx(0)
    assert taught.loss(wanted.log(), wanted, torch.tensor([2])).item() > 0


def test_teachers_are_averaged_in_log_probabilities(monkeypatch):
    """sqrt(0.8 * 0.2) = 0.4 each of both, and 0.1 of the third: 4/9, 4/9, 1/9."""
    told = iter([torch.tensor([[0.8, 0.2, 0.1]]), torch.tensor([[0.2, 0.8, 0.1]])])
    monkeypatch.setattr(taught, "as_teacher", lambda name, folder, rank: (None, None))
    monkeypatch.setattr(taught.entailment, "probabilities", lambda model, tokenizer, pairs: next(told))
    assert taught.said([("a", "b", "")], data.TEACHERS, 16)[0].tolist() == pytest.approx(
        [4 / 9, 4 / 9, 1 / 9]
    )


def test_sentences_of_answers_come_once_and_without_a_label(monkeypatch):
    judged = [([("a", "b"), ("c", "d")], 1), ([("a", "b")], 0)]
    monkeypatch.setattr(unlabelled.whole_answers, "items", lambda folder: judged)
    assert sorted(unlabelled.of_answers(data.HEADS)) == [("a", "b", ""), ("c", "d", "")]


def test_the_second_pass_reads_all_that_is_new_and_as_much_that_is_not():
    places = taught.second(10, 14)
    assert places[:4] == [10, 11, 12, 13] and len(set(places)) == 8 and max(places[4:]) < 10
    assert sorted(taught.second(2, 9)) == list(range(9))


def test_the_nearest_other_sentence_is_the_neighbour():
    read = ["The fee is 28 dollars.", "The fee is 29 dollars.", "Whales sing."]
    assert set(unlabelled._neighbours(read)) >= {(read[1], read[0]), (read[0], read[1])}
    assert unlabelled._neighbours(read[:1]) == []


def test_nothing_that_is_measured_on_is_among_the_unlabelled_pairs(monkeypatch):
    kinds = {"_alone": [("a", "b")], "_of_the_next": [("kept", "b")], "_near": [("c", "kept"), ("a", "b")]}
    for name, found in kinds.items():
        monkeypatch.setattr(unlabelled, name, lambda cases, found=found: found)
    for name in ("_turned", "_automatic"):
        monkeypatch.setattr(unlabelled, name, lambda folder: [])
    monkeypatch.setattr(unlabelled.support, "cases", lambda folder: [])
    monkeypatch.setattr(unlabelled.entailment, "human", lambda folder: ([], [("kept", "x", "neutral")]))
    assert unlabelled.pairs(data.HEADS) == [("a", "b", "")]


@pytest.mark.slow
@pytest.mark.parametrize("name", taught.TEACHERS)
def test_the_teachers_are_in_the_tree(name):
    tokenizer, model = taught.as_teacher(name, taught.Path(taught.__file__).parent / "teachers", 16)
    (says,) = taught.entailment.probabilities(model, tokenizer, [("It rains in Bern.", "It rains.", "")])
    assert says.argmax().item() == 0
