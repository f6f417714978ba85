"""The beta calibrator: against scikit-learn, its least loss under the constraint, its scale, its refusal."""

import numpy as np
import pytest
from scipy.special import expit

from calibration.calibrators.drawn_scores import labelled
from ragassay.calibration import calibrators
from ragassay.calibration.calibrators.base import platt_targets
from ragassay.errors import LabelError


def test_beta_on_log_odds_of_the_scale_is_logistic_regression_on_two_logs():
    """Where both coefficients are free, the rival is logistic regression on log(s) and -log(1 - s), each row as 1 and as 0 by its target."""
    from sklearn.linear_model import LogisticRegression

    draw = np.random.default_rng(3)
    s = draw.uniform(0.02, 0.98, 300)
    label = (draw.random(300) < s).astype(float)
    low, high = platt_targets(label)
    target = np.where(label == 1, high, low)
    found = calibrators.fit("beta", s, label)
    z = np.clip((s - found.low) / (found.high - found.low), found.margin, 1 - found.margin)
    logs = np.column_stack([np.log(z), -np.log1p(-z)])
    rival = LogisticRegression(C=1e12, tol=1e-12, max_iter=10_000).fit(
        np.vstack([logs, logs]), np.repeat([1, 0], 300), sample_weight=np.r_[target, 1 - target]
    )
    assert (found.a, found.b) == pytest.approx(rival.coef_[0], abs=1e-3) and min(found.a, found.b) > 0
    assert found.predict(s) == pytest.approx(rival.predict_proba(logs)[:, 1], abs=1e-3)


@pytest.mark.parametrize("seed", range(8))
def test_beta_never_turns_and_no_allowed_neighbour_is_better(seed):
    """Noise alone asks for coefficients of opposite signs about half of the time; they are held at 0 then."""
    draw = np.random.default_rng(seed)
    s, label = draw.uniform(0.05, 0.95, 40), np.r_[np.zeros(20), np.ones(20)]
    found = calibrators.fit("beta", s, label)
    z = np.clip((s - found.low) / (found.high - found.low), found.margin, 1 - found.margin)
    sign = -1 if found.direction == "falls" else 1
    target = np.where(label == 1, 21 / 22, 1 / 22)

    def loss(a, b, c):
        p = expit(c + a * np.log(z) - b * np.log1p(-z))
        return -np.sum(target * np.log(p) + (1 - target) * np.log(1 - p))

    near = found.a, found.b, found.c
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
    with pytest.raises(LabelError, match="2 different scores"):
        calibrators.fit("beta", np.repeat([0.0, 1.0], 10), [0, 1] * 10)
