"""Brier, log loss, calibration error, reliability, AUROC: by hand, against scikit-learn, laws, refusals, coverage."""

from math import isnan, sqrt

import numpy as np
import pytest
from scipy.special import logit, stdtrit
from scipy.stats import norm

from ragassay.calibration.probability_metrics import (
    auroc,
    brier,
    error_rates,
    expected_calibration_error,
    log_loss,
    log_loss_per_case,
    reliability,
)
from ragassay.errors import LabelError
from ragassay.stats import clopper_pearson


def rng(seed=0):
    return np.random.default_rng(seed)


def calibrated(n, seed=0):
    draw = rng(seed)
    p = draw.beta(2, 1, size=n)
    return p, (draw.random(n) < p).astype(float)


@pytest.mark.parametrize("seed", range(3))
def test_brier_and_auroc_agree_with_scikit_learn(seed):
    from sklearn.metrics import brier_score_loss, roc_auc_score

    p, y = calibrated(80, seed)
    p = p.round(1)
    assert brier(p, y, rng=rng()).value == pytest.approx(brier_score_loss(y, p))
    assert auroc(p, y).value == pytest.approx(roc_auc_score(y, p))


def test_calibration_error_by_hand():
    """Two bins of two: promises 0.2 and 0.9, observed 0.5 and 1: (0.3 + 0.1)/2."""
    assert expected_calibration_error([0.1, 0.3, 0.8, 1.0], [0, 1, 1, 1], bins=2) == pytest.approx(0.2)


@pytest.mark.parametrize("seed", range(5))
def test_reliability_agrees_with_scikit_learn(seed):
    from sklearn.calibration import calibration_curve

    p, y = calibrated(200, seed)
    found = reliability(p, y, bins=10)
    observed, promised = calibration_curve(y, p, n_bins=10, strategy="quantile")
    assert found["observed"].to_numpy() == pytest.approx(observed) and found[
        "probability"
    ].to_numpy() == pytest.approx(promised)


def test_auroc_by_hand():
    """Of 2 x 2 pairs one is reversed and one tied: (2 + 0.5)/4."""
    assert auroc([0.9, 0.4, 0.4, 0.6], [1, 1, 0, 0]).value == pytest.approx(2.5 / 4)


def drawn_one_by_one(draw, rejected, accepted, auroc):
    labels = np.repeat([0, 1], [rejected, accepted])
    return draw.normal(size=len(labels)) + sqrt(2) * norm.ppf(auroc) * labels, labels, None


def in_conversations(draw, n, size, accepted):
    """Scores and judgements alike within conversations (0.3); AUROC Phi(0.9/sqrt 2)."""
    score, judged = (
        np.repeat(draw.normal(size=n), size) * sqrt(0.3) + draw.normal(size=n * size) * sqrt(0.7)
        for _ in range(2)
    )
    labels = (judged < norm.ppf(accepted)).astype(int)
    return score + 0.9 * labels, labels, np.repeat(np.arange(n), size)


@pytest.mark.parametrize("world, shape, truth, quoted", [
    (drawn_one_by_one, (40, 40, 0.8), 0.8, 0.960),
    (drawn_one_by_one, (100, 6, 0.8), 0.8, 0.958),
    (drawn_one_by_one, (40, 40, 0.96), 0.96, 0.940),
    (in_conversations, (40, 5, 0.6), norm.cdf(0.9 / sqrt(2)), 0.956),
    (in_conversations, (12, 10, 0.6), norm.cdf(0.9 / sqrt(2)), 0.945),
])  # fmt: skip
def test_auroc_covers_as_the_docstring_says(world, shape, truth, quoted, simulations):
    runs = simulations(2000, 10)
    drawn = (world(rng(seed), *shape) for seed in range(runs))
    found = [auroc(score, labels, clusters=clusters) for score, labels, clusters in drawn]
    share = np.mean([each.low <= truth <= each.high for each in found])
    assert share == pytest.approx(quoted, abs=4 * sqrt(0.05 * 0.95 / runs))


def test_auroc_is_delongs_where_nothing_is_clustered():
    """Variance S10/m + S01/n of DeLong et al. (1988), written out."""
    p, y = calibrated(60)
    wins = (p[y == 1][:, None] > p[y == 0]) + 0.5 * (p[y == 1][:, None] == p[y == 0])
    error = sqrt(wins.mean(1).var(ddof=1) / len(wins) + wins.mean(0).var(ddof=1) / wins.shape[1])
    share, found = wins.mean(), auroc(p, y)
    reach = stdtrit(min(wins.shape) - 1, 0.975) * error / (share * (1 - share))
    assert logit([found.low, found.high]) == pytest.approx(logit(share) + np.array([-reach, reach]))


@pytest.mark.parametrize("method", [expected_calibration_error, reliability, log_loss_per_case])
def test_refuses(method):
    with pytest.raises(ValueError, match="raw score"):
        method([1.5, 0.2], [1, 0])
    with pytest.raises(LabelError, match="not 0 or 1"):
        method([0.5, 0.2], [1, 4])
    with pytest.raises(LabelError, match="one label"):
        method([0.5], [1, 0])


@pytest.mark.parametrize("seed", range(3))
def test_log_loss_agrees_with_scikit_learn(seed):
    from sklearn.metrics import log_loss as rival

    p, y = calibrated(80, seed)
    found = log_loss(p, y, rng=rng())
    assert found.value == pytest.approx(rival(y, p)) and found.low < found.value < found.high
    assert np.isnan(log_loss_per_case([np.nan, 0.5], [1, np.nan])).all()


def test_error_rates_by_hand():
    """Human 1 1 1 0 0, machine accepts 1 0 1 1 0: one bad answer let through of 2, one good one refused of 3."""
    found = error_rates([0.9, 0.2, 0.5, 0.7, 0.1, np.nan], [1, 1, 1, 0, 0, 1]).set_index("measure")
    shares = {
        "type_1": 1 / 2,
        "type_2": 1 / 3,
        "sensitivity": 2 / 3,
        "specificity": 1 / 2,
        "agreement": 3 / 5,
    }
    assert found["value"].to_dict() == pytest.approx(shares)
    assert found["n"].tolist() == [2, 3, 3, 2, 5]
    assert (found["left_out"] == 1).all() and found.loc["type_2", "high"] == clopper_pearson(1, 3).high
    none = error_rates([0.9, 0.2], [1, 1]).set_index("measure")
    assert isnan(none.loc["type_1", "value"]) and none.loc["type_1", "reason"]
