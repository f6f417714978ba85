"""One head taught by nine: what it follows, what it learns from."""

import math

import pytest
import torch
from torch import nn

import entailment
import loop
import taught
from judged_pairs import Sentence

SCORES = torch.log(torch.tensor([[0.8, 0.1, 0.1], [0.2, 0.2, 0.6]]))


class Words:
    """Reads a pair as one number and its place among three: enough to learn a few pairs by heart."""

    device = "cpu"

    def __call__(self, pairs):
        return torch.eye(3)[[len(premise) for premise, *_ in pairs]]


def learner():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 3))


def test_the_loss_by_hand():
    """KL of one half and one half from (0.8, 0.1, 0.1) as the scores have it, and 0.15 of the labels' loss."""
    wanted = torch.tensor([[0.5, 0.5, 0.0], [0.2, 0.2, 0.6]])
    followed = (0.5 * math.log(0.5 / 0.8) + 0.5 * math.log(0.5 / 0.1)) / 2
    smooth = (0.95 + 0.05 / 3) * -math.log(0.8) + 2 * 0.05 / 3 * -math.log(0.1)
    found = taught.loss(SCORES, wanted, torch.tensor([0, taught.UNLABELLED]))
    assert found.item() == pytest.approx(followed + 0.15 * smooth / 2, rel=1e-5)


def test_a_head_that_says_what_its_teachers_say_loses_nothing_where_there_is_no_label():
    wanted = torch.tensor([[0.7, 0.2, 0.1]])
    assert taught.loss(wanted.log(), wanted, torch.tensor([taught.UNLABELLED])).item() == pytest.approx(0)
    assert taught.loss(wanted.log(), wanted, torch.tensor([2])).item() > 0


def test_teachers_are_averaged_in_log_probabilities():
    """sqrt(0.8 * 0.2) = 0.4 each of both, and 0.1 of the third: 4/9, 4/9, 1/9."""
    each = [torch.log(torch.tensor([one])) for one in ([0.8, 0.2, 0.1], [0.2, 0.8, 0.1])]
    assert taught.together(each)[0].tolist() == pytest.approx([4 / 9, 4 / 9, 1 / 9])


def test_what_a_teacher_says_is_asked_once_for_the_same_pairs(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(taught.teachers, "first", lambda device: (None, None))
    monkeypatch.setattr(taught.entailment, "scores", lambda *given: asked.append(given) or SCORES)
    pairs = [("a", "b", ""), ("c", "d", "")]
    first, again = (taught.said(None, [], pairs, "cpu", tmp_path / "said") for _ in range(2))
    assert len(asked) == 1 and torch.equal(first, again)
    assert first.exp().sum(1).tolist() == pytest.approx([1, 1])
    taught.said(None, [], pairs[::-1], "cpu", tmp_path / "said")
    assert len(asked) == 2


def test_the_head_comes_to_say_what_its_teachers_say():
    pairs = [("", "", ""), ("a", "", ""), ("bb", "", "contradiction")]
    wanted = torch.tensor([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.0, 0.1, 0.9]])
    model = learner()
    taught.teach(model, Words(), pairs, wanted, loop.Plan(epochs=200, rate=0.1, batch=2))
    assert model(Words()(pairs)).softmax(1).detach().numpy() == pytest.approx(wanted.numpy(), abs=0.05)


def test_the_seed_of_a_plan_orders_the_batches():
    def order(seed):
        read, model = [], learner()

        def loss(places):
            read.append(places)
            return model(torch.eye(3)).sum()

        loop.fit(model, [1] * 40, loss, loop.Plan(1, 0.0, batch=4, seed=seed))
        return read

    assert order(1) == order(1) != order(2)
    assert sorted(place for places in order(1) for place in places) == list(range(40))


def test_what_is_learned_from_is_counted():
    pairs = [("a", "b", "neutral"), ("c", "d", ""), ("e", "f", "")]
    found = taught.sources(pairs, [Sentence("a", "neutral", {})] * 4)
    assert [one["rows"] for one in found[-2:]] == [4, 2]
    assert sum(one["rows"] for one in found if "by rule" in one["name"]) == taught.RULES


def test_pairs_without_a_label_hold_no_premise_that_is_kept(monkeypatch, tmp_path):
    rows = [
        {"premise": "m", "hypothesis": "n", "label": "entailment", "source": entailment.AUTOMATIC},
        {"premise": "x", "hypothesis": "kept", "label": "entailment", "source": entailment.AUTOMATIC},
        {"premise": "p", "hypothesis": "q", "label": "neutral", "source": "snli"},
    ]
    learn, keep = [("p", "q", "neutral"), ("p", "kept", "neutral")], [("kept", "y", "neutral")]
    monkeypatch.setattr(entailment, "human", lambda folder: (learn, keep))
    monkeypatch.setattr(entailment.data, "read", lambda path: rows)
    assert entailment.unlabelled(tmp_path) == [("q", "p", ""), ("m", "n", ""), ("n", "m", "")]
