"""Isotonic, boosted and beta calibrators: by hand and against scikit-learn; the scale of the beta calibrator."""

import numpy as np
import pytest
from scipy.special import expit

from ragassay.calibration import calibrators
from ragassay.calibration.calibrators.base import platt_targets
from ragassay.errors import LabelError, ParameterError

TEN = np.arange(10.0)


def labelled(n=120, seed=0, slope=1.5):
    draw = np.random.default_rng(seed)
    score = draw.normal(size=n)
    return score, (draw.random(n) < expit(0.5 + slope * score)).astype(float)


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

    from ragassay.calibration.calibrators.boosted import RATE, ROUNDS, min_samples_leaf

    score, label = labelled(n)
    low, high = platt_targets(label)
    model = HistGradientBoostingClassifier(
        max_iter=ROUNDS,
        learning_rate=RATE,
        max_leaf_nodes=4,
        min_samples_leaf=min_samples_leaf(n),
        monotonic_cst=[1],
        early_stopping=False,
        random_state=0,
    )
    rival = model.fit(score[:, None], label).predict_proba(score[:, None])[:, 1]
    assert calibrators.fit("boosted", score, label).predict(score) == pytest.approx(
        low + (high - low) * rival, abs=1e-9
    )


def test_boosted_steps_lie_halfway_and_belong_to_the_lower_side():
    calibrator = calibrators.fit("boosted", np.repeat([0.0, 1.0], 30), np.repeat([0.0, 1.0], 30))
    assert calibrator.edges == (0.5,) and calibrator.predict([0.5, np.nextafter(0.5, 1)]) == pytest.approx(
        calibrator.values
    )


def test_beta_on_log_odds_of_the_scale_is_logistic_regression_on_two_logs():
    """Where both coefficients are free, the rival is logistic regression on log(s) and -log(1 - s), each row as 1 and as 0 by its target."""
    from sklearn.linear_model import LogisticRegression

    draw = np.random.default_rng(3)
    s = draw.uniform(0.02, 0.98, 300)
    label = (draw.random(300) < s).astype(float)
    low, high = platt_targets(label)
    target = np.where(label == 1, high, low)
    logs = np.column_stack([np.log(s), -np.log1p(-s)])
    rival = LogisticRegression(C=1e12, tol=1e-12, max_iter=10_000).fit(
        np.vstack([logs, logs]), np.repeat([1, 0], 300), sample_weight=np.r_[target, 1 - target]
    )
    found = calibrators.fit("beta", s, label, span=(0, 1))
    assert (found.a, found.b) == pytest.approx(rival.coef_[0], abs=1e-3) and min(found.a, found.b) > 0
    assert found.predict(s) == pytest.approx(rival.predict_proba(logs)[:, 1], abs=1e-3)


@pytest.mark.parametrize("seed", range(20))
def test_beta_never_turns_and_no_allowed_neighbour_is_better(seed):
    """Noise alone asks for coefficients of opposite signs about half of the time; they are held at 0 then."""
    draw = np.random.default_rng(seed)
    s, label = draw.uniform(0.05, 0.95, 40), np.r_[np.zeros(20), np.ones(20)]
    found = calibrators.fit("beta", s, label, span=(0, 1))
    sign = -1 if found.direction == "falls" else 1
    target = np.where(label == 1, 21 / 22, 1 / 22)

    def loss(a, b, c):
        p = expit(c + a * np.log(s) - b * np.log1p(-s))
        return -np.sum(target * np.log(p) + (1 - target) * np.log(1 - p))

    near = found.__dict__["a"], found.b, found.c
    moved = np.array(near) + 1e-3 * np.vstack([np.eye(3), -np.eye(3)])
    allowed = [each for each in moved if sign * each[0] >= 0 and sign * each[1] >= 0]
    assert sign * found.a >= 0 and sign * found.b >= 0
    assert all(loss(*each) >= loss(*near) - 1e-7 for each in allowed)


def test_beta_states_its_scale():
    score, label = labelled(101)
    found = calibrators.fit("beta", score, label)
    assert (found.low, found.high) == pytest.approx(
        (score.min() - np.ptp(score) / 100, score.max() + np.ptp(score) / 100)
    )
    assert f"{found.low:.3g} to {found.high:.3g}" in str(found)
    with pytest.raises(ParameterError, match="span"):
        calibrators.fit("beta", score, label, span=(0, 1))
    with pytest.raises(LabelError, match="2 different scores"):
        calibrators.fit("beta", np.repeat([0.0, 1.0], 10), [0, 1] * 10)
