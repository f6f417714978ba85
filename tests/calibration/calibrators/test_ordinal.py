"""The ordinal calibrator: its likelihood spelled out, its gradient, its laws, its refusals."""

import numpy as np
import pytest
from scipy.special import expit

from calibration.calibrators.drawn_scores import graded, labelled
from ragassay.calibration import calibrators
from ragassay.calibration.calibrators import ordinal
from ragassay.errors import LabelError


def test_ordinal_with_two_levels_is_the_logistic_curve():
    score, label = labelled()
    grid = np.linspace(-4, 4, 50)
    found = calibrators.fit("ordinal", score, label)
    logistic = calibrators.fit("logistic", score, label)
    assert found.predict(grid)[:, 1] == pytest.approx(logistic.predict(grid), abs=1e-6)


def test_ordinal_levels_sum_to_one_and_cuts_never_cross():
    calibrator = calibrators.fit("ordinal", *graded())
    grid = np.linspace(-8, 8, 300)
    found = calibrator.predict(grid)
    assert found.shape == (300, 4) and (found > 0).all() and found.sum(axis=1) == pytest.approx(np.ones(300))
    at_least = found[:, ::-1].cumsum(axis=1)
    assert (np.diff(at_least, axis=1) >= 0).all() and (np.diff(at_least, axis=0)[:, :3] >= 0).all()


def test_ordinal_has_the_greatest_likelihood_spelled_out():
    """The loss of the definition, P(level) as a difference of two logistic calibrators, is least at the fitted calibrator."""
    score, level = graded(80)
    counts, place = np.bincount(level)[1:], np.asarray(level) - 1
    yes = [
        [
            (sum(counts[cut:]) + 1) / (sum(counts[cut:]) + 2) if at >= cut else 1 / (sum(counts[:cut]) + 2)
            for cut in (1, 2, 3)
        ]
        for at in place
    ]
    targets = np.array([[1 - a, a - b, b - c, c] for a, b, c in yes])
    calibrator = calibrators.fit("ordinal", score, level)
    z = (score - score.mean()) / score.std()

    def loss(slope, *cuts):
        above = expit(slope * z[:, None] - np.array([-np.inf, *cuts, np.inf]))
        return -np.sum(targets * np.log(above[:, :-1] - above[:, 1:]))

    best = np.array([calibrator.slope, *calibrator.cuts])
    assert ordinal._loss(np.r_[best[:2], np.log(np.diff(best[1:]))], z, targets)[0] == pytest.approx(
        loss(*best)
    )
    assert all(loss(*(best + step)) > loss(*best) for step in 0.01 * np.vstack([np.eye(4), -np.eye(4)]))


def test_ordinal_with_many_thin_levels_is_not_timid():
    """Means of three raters on a scale of 4 make ten levels, some with few labels: P(label >= 3) still agrees with the logistic calibrator's."""
    score, level = graded(90)
    thirds = np.clip(level + np.random.default_rng(1).integers(-1, 2, 90) / 3, 1, 4).round(4)
    calibrator, event = calibrators.fit("ordinal", score, thirds), (thirds >= 3).astype(float)
    assert len(calibrator.levels) == 10 and min(calibrator.counts) < 6
    at_least = calibrator.predict(score)[:, np.asarray(calibrator.levels) >= 3].sum(axis=1)
    assert at_least == pytest.approx(calibrators.fit("logistic", score, event).predict(score), abs=0.1)


def test_ordinal_with_levels_nobody_gave_and_with_perfect_separation():
    score = np.arange(30.0)
    level = np.repeat([1, 3, 5], 10)
    found = calibrators.fit("ordinal", score, level, levels=[5, 4, 3, 2, 1])
    assert found.levels == (1, 2, 3, 4, 5) and found.counts == (10, 0, 10, 0, 10)
    assert np.isfinite(found.predict(score)).all() and (found.predict(score)[:, [1, 3]] > 0).all()
    assert found.predict([0.0, 15.0, 29.0]).argmax(axis=1).tolist() == [0, 2, 4]


def test_ordinal_refuses_levels_it_does_not_know():
    score, level = graded()
    with pytest.raises(LabelError, match=r"not one of the levels[\s\S]*1, 2, 3"):
        calibrators.fit("ordinal", score, level, levels=[1, 2, 3])
    with pytest.raises(LabelError, match="9 of level 1, 2 of level 2"):
        calibrators.fit("ordinal", np.arange(11.0), [1] * 9 + [2] * 2)
