"""Isotonic and boosted calibrators: by hand and against scikit-learn."""

import numpy as np
import pytest

from calibration.calibrators.drawn_scores import labelled
from ragassay.calibration import calibrators
from ragassay.calibration.calibrators.base import platt_targets

TEN = np.arange(10.0)


@pytest.mark.parametrize("seed", range(5))
def test_isotonic_is_scikit_learn_s_at_every_labelled_score_and_takes_no_other_value(seed):
    """HCAT 5.1: piecewise constant. scikit-learn fits the same and predicts straight lines between."""
    from sklearn.isotonic import IsotonicRegression

    score, label = labelled(60, seed)
    low, high = platt_targets(label)
    rival = low + (high - low) * IsotonicRegression().fit(score, label).predict(score)
    found = calibrators.fit("isotonic", score, label)
    assert found.predict(score) == pytest.approx(rival, abs=1e-12)
    assert set(found.predict(np.linspace(-4, 4, 2000))) <= set(found.predict(score))


@pytest.mark.parametrize("seed", range(5))
def test_interpolated_isotonic_is_scikit_learn_s_squeezed_between_platt_s_targets(seed):
    from sklearn.isotonic import IsotonicRegression

    score, label = labelled(60, seed)
    low, high = platt_targets(label)
    grid = np.linspace(-3, 3, 200)
    rival = IsotonicRegression(out_of_bounds="clip").fit(score, label).predict(grid)
    assert calibrators.fit("isotonic_interpolated", score, label).predict(grid) == pytest.approx(
        low + (high - low) * rival, abs=1e-12
    )


def test_isotonic_by_hand():
    """0 1 0 1 ... pools each falling pair: shares 0, 1/2, 1 over 2, 4 and 4 labels, squeezed between 1/6 and 7/8."""
    labels, (low, high) = [0, 0, 1, 0, 1, 0, 1, 1, 1, 1], (1 / 6, 7 / 8)
    middle = (low + high) / 2
    steps, lines = (calibrators.fit(kind, TEN, labels) for kind in ("isotonic", "isotonic_interpolated"))
    for found in (steps, lines):
        assert found.predict(TEN) == pytest.approx([low] * 2 + [middle] * 4 + [high] * 4)
        assert found.predict([-3, 99]) == pytest.approx([low, high])
    assert steps.edges == (1.5, 5.5) and steps.values == pytest.approx([low, middle, high])
    assert steps.predict([1.25, 1.5, 1.75]) == pytest.approx([low, low, middle])
    assert lines.predict([1.25, 1.5, 1.75]) == pytest.approx(
        [low + share * (middle - low) for share in (0.25, 0.5, 0.75)]
    )


@pytest.mark.parametrize("n", [80, 2000])
def test_boosted_is_scikit_learn_s_at_every_labelled_score(n):
    from sklearn.ensemble import HistGradientBoostingClassifier

    from ragassay.calibration.calibrators.monotone import RATE, ROUNDS

    score, label = labelled(n)
    low, high = platt_targets(label)
    settings = {"max_leaf_nodes": 4, "min_samples_leaf": max(5, n // 20), "monotonic_cst": [1]}
    settings |= {"early_stopping": False, "random_state": 0}
    model = HistGradientBoostingClassifier(max_iter=ROUNDS, learning_rate=RATE, **settings)
    rival = model.fit(score[:, None], label).predict_proba(score[:, None])[:, 1]
    assert calibrators.fit("boosted", score, label).predict(score) == pytest.approx(
        low + (high - low) * rival, abs=1e-9
    )


def test_boosted_steps_lie_halfway_and_belong_to_the_lower_side():
    calibrator = calibrators.fit("boosted", np.repeat([0.0, 1.0], 30), np.repeat([0.0, 1.0], 30))
    assert calibrator.edges == (0.5,) and calibrator.predict([0.5, np.nextafter(0.5, 1)]) == pytest.approx(
        calibrator.values
    )
