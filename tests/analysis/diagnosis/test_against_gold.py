"""Evaluators without gold against gold, as GRAMMAR's table 1: by hand, against scikit-learn, laws, refusals."""

import numpy as np
import pytest
from sklearn.metrics import f1_score, precision_score, recall_score

from analysis.diagnosis.made_results import drawn_groups, results_of
from ragassay.analysis import diagnosis
from ragassay.analysis.diagnosis import against_gold
from ragassay.errors import TableError


def compared(made, evaluators=None):
    read = diagnosis.read_results(made)
    found = diagnosis.compare_evaluators(read, evaluators or {"e": 1}, rng=np.random.default_rng(0))
    return found.set_index("mark")


def test_by_hand():
    """Called correct: four, of which two are; correct: three."""
    found = compared(results_of((3, 7), e=[1.0, 1.0, 0.9, 1.0, 1.0, 0.0, np.nan]))
    assert found["value"].to_dict() == pytest.approx({"precision": 1 / 2, "recall": 2 / 3, "f1": 4 / 7})
    assert found["n"].to_dict() == {"precision": 4, "recall": 3, "f1": 6} and (found["left_out"] == 1).all()


@pytest.mark.parametrize("seed", range(10))
def test_agrees_with_scikit_learn_and_keeps_its_laws(seed):
    rng = np.random.default_rng(seed)
    said, gold = rng.random(30) < 0.6, rng.random(30) < 0.5
    marks = [against_gold.precision(said, gold), against_gold.recall(said, gold), against_gold.f1(said, gold)]
    assert marks == pytest.approx([f(gold, said) for f in (precision_score, recall_score, f1_score)])
    assert min(marks[:2]) <= marks[2] <= max(marks[:2])
    assert against_gold.f1(gold, gold) == 1


def test_intervals_are_of_groups():
    made = drawn_groups(np.random.default_rng(0)).assign(e=lambda t: t["retrieval_correct"])
    found = compared(made)
    assert ((found["low"] < found["value"]) & (found["value"] < found["high"]) | (found["value"] == 1)).all()
    assert found.loc["recall", "value"] == 1 and found.loc["recall", "low"] < 1


@pytest.mark.parametrize(
    "change, mark, reason",
    [
        ({"e": 0.0}, "precision", "the evaluator calls no answer correct"),
        ({"correct": False}, "recall", "no answer is correct"),
        ({"e": 0.0, "correct": False}, "f1", "neither side calls an answer correct"),
    ],
)
def test_what_does_not_exist(change, mark, reason):
    found = compared(results_of((2, 3), e=1.0).assign(**change)).loc[mark]
    assert np.isnan(found["value"]) and found["reason"] == reason
    assert np.isnan(against_gold.f1([0], [0])) and np.isnan(against_gold.precision([0], [1]))


@pytest.mark.parametrize("change, complaint", [({}, "is missing"), ({"e": "high"}, "holds no number")])
def test_refusals_of_evaluators(change, complaint):
    with pytest.raises(TableError, match=complaint):
        compared(results_of((2, 3), **change))
