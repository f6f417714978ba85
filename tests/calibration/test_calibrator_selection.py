"""Choosing a kind of calibrator: the table by hand, the one standard error rule, fallbacks, refusals."""

import numpy as np
import pandas as pd
import pytest

from calibration.test_calibrators import TRUTHS, drawn, labelled
from ragassay.calibration import calibrators
from ragassay.calibration.calibrator_selection import cross_validate, fit, simplest
from ragassay.calibration.label_split import folds_of
from ragassay.errors import LabelError, ParameterError


def compared(score, label, *, clusters=None, **options):
    rows = pd.DataFrame({"value": score, "label": label})
    return cross_validate(rows if clusters is None else rows.assign(cluster=clusters), **options)


def chosen(table):
    return table.kind[table.chosen].item()


def stepped(n=600, seed=0):
    """A truth no logistic calibrator can follow: 0.05 below 0.3, 0.5 in between, 0.95 above 0.7."""
    score = np.random.default_rng(seed).uniform(size=n)
    return score, (
        np.random.default_rng(seed + 1).random(n) < np.select([score < 0.3, score < 0.7], [0.05, 0.5], 0.95)
    ).astype(float)


def test_the_table_by_hand():
    """Log loss of each fold from a calibrator fitted without it, spelled out."""
    score, label = labelled(150)
    found = compared(score, label, seed=4, folds=3, kinds=["logistic", "isotonic"])
    fold = folds_of(label, 3, 4)
    losses = []
    for held in (fold == number for number in range(3)):
        p = calibrators.fit("isotonic", score[~held], label[~held]).predict(score[held])
        losses.append(-np.mean(np.log(np.where(label[held] == 1, p, 1 - p))))
    row = found.set_index("kind").loc["isotonic"]
    assert row.log_loss == pytest.approx(np.mean(losses)) and row.standard_error == pytest.approx(
        np.std(losses, ddof=1) / np.sqrt(3)
    )


def test_the_simplest_within_one_standard_error_wins():
    table = pd.DataFrame({"kind": ["logistic", "isotonic", "boosted"], "log_loss": [0.52, 0.51, 0.50]})
    assert simplest(table.assign(standard_error=[0.1, 0.1, 0.012])) == "isotonic"
    assert simplest(table.assign(standard_error=0.001)) == "boosted"
    assert simplest(table.assign(standard_error=0.03, log_loss=[np.nan, 0.6, 0.5])) == "boosted"
    assert simplest(table.assign(standard_error=np.nan, log_loss=np.nan)) == "logistic"


def test_a_straight_truth_gets_the_logistic_and_a_stepped_one_a_free_curve():
    kinds = [chosen(compared(*labelled(300, seed), seed=seed)) for seed in range(5)]
    assert kinds.count("logistic") >= 4
    assert chosen(compared(*stepped(3000), seed=0)) in ("isotonic", "boosted")


TEN = np.arange(10.0)


@pytest.mark.parametrize("scores, labels, options, error, complaint", [
    (TEN[:5], [0, 1, 0, 1, 1], {}, LabelError, "5 labels"),
    (TEN, [0, 1] * 5, {"folds": 1}, ParameterError, "at least two folds"),
    (TEN, [0, 1] * 5, {"kinds": ["spline"]}, ParameterError, "spline"),
    (TEN, [0, 1] * 5, {"kinds": ["ordinal"]}, ParameterError, "ordinal"),
])  # fmt: skip
def test_refuses(scores, labels, options, error, complaint):
    with pytest.raises(error, match=complaint):
        compared(scores, labels, seed=0, **options)


def test_a_calibrator_selected_among_many_promises_no_more_than_one_given(simulations):
    """Choosing on the labels one fits must not buy over-confidence: 60 choices from 150 labels of a logistic truth,
    asked of the truth."""
    grid = np.linspace(0.02, 0.98, 200)
    truth = TRUTHS["logistic"](grid)
    excess = {"given": [], "chosen": []}
    for seed in range(simulations(60)):
        score, label = drawn("logistic", 150, seed)
        rows = pd.DataFrame({"value": score, "label": label})
        for name, made in (("given", fit(rows)), ("chosen", fit(rows, cross_validate(rows, seed=seed)))):
            p = made.predict(grid)
            loss = truth * np.log(truth / p) + (1 - truth) * np.log((1 - truth) / (1 - p))
            excess[name].append(np.mean(loss))
    assert np.mean(excess["chosen"]) < np.mean(excess["given"]) + 0.01
