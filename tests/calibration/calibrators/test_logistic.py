"""The logistic calibrator, of one score and of several: by hand, against scikit-learn, laws, refusals."""

from math import log

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from calibration.calibrators.drawn_scores import tabled
from ragassay.calibration import calibrators
from ragassay.calibration.calibrators.base import platt_targets
from ragassay.calibration.calibrators.logistic import fit, fit_multivariate
from ragassay.errors import LabelError


def labelled(n=101, seed=0):
    draw = np.random.default_rng(seed)
    score = draw.normal(size=n)
    return pd.DataFrame({"score": score, "label": (draw.random(n) < expit(1 + 1.5 * score)).astype(int)})


def test_fit_by_hand():
    """Two score values, 10 labels each, 2 and 8 positive: the calibrator passes through the smoothed shares (hits t+, misses t-)."""
    scores, labels = np.repeat([0.0, 1.0], 10), np.tile([1, 1, 0, 0, 0, 0, 0, 0, 0, 0], 2)
    labels[10:] = 1 - labels[10:]
    high, low = 11 / 12, 1 / 12
    found = fit(scores, labels).predict([0.0, 1.0])
    assert found == pytest.approx([(2 * high + 8 * low) / 10, (8 * high + 2 * low) / 10], abs=1e-8)


@pytest.mark.parametrize("seed", range(10))
def test_fit_agrees_with_platt_scaling_in_scikit_learn(seed):
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.frozen import FrozenEstimator
    from sklearn.linear_model import LogisticRegression

    rows = labelled(60, seed)
    x = rows[["score"]].to_numpy()
    machine = LogisticRegression().fit(x, rows["label"])
    rival = CalibratedClassifierCV(FrozenEstimator(machine), method="sigmoid").fit(x, rows["label"])
    ours = fit(machine.decision_function(x), rows["label"]).predict(machine.decision_function(x))
    assert ours == pytest.approx(rival.predict_proba(x)[:, 1], abs=2e-3)


@pytest.mark.parametrize("seed", range(10))
def test_fit_is_the_maximum_likelihood_of_the_smoothed_targets(seed):
    """Each row twice, as a 1 and as a 0, weighted by its target: plain logistic regression must find the same calibrator."""
    from sklearn.linear_model import LogisticRegression

    rows = labelled(50, seed)
    positive = rows["label"].sum()
    target = np.where(rows["label"] == 1, (positive + 1) / (positive + 2), 1 / (50 - positive + 2))
    x = np.tile(rows["score"], 2)[:, None]
    weights = np.concatenate([target, 1 - target])
    rival = LogisticRegression(C=1e12, tol=1e-10, max_iter=5000).fit(
        x, np.repeat([1, 0], 50), sample_weight=weights
    )
    assert fit(rows["score"], rows["label"]).predict(rows["score"]) == pytest.approx(
        rival.predict_proba(x)[:50, 1], abs=1e-4
    )


@pytest.mark.parametrize("gap", [1.0, 1e-6, 1e6])
@pytest.mark.parametrize("n", [10, 400])
def test_perfect_separation_stays_finite(n, gap):
    """Two points a gap apart: the calibrator reaches exactly the smoothed targets, and promises nothing beyond them there."""
    found = fit(np.repeat([0.0, gap], n // 2), np.repeat([0, 1], n // 2))
    limit = log((n / 2 + 1) / 1)
    assert np.isfinite([found.slope, found.intercept]).all() and found.slope == pytest.approx(limit, rel=1e-4)
    spread = fit(np.arange(n, dtype=float), np.repeat([0, 1], n // 2)).predict([-1e9, 1e9])
    assert np.isfinite(spread).all()


def test_recovers_the_truth():
    """20,000 labels drawn from a known calibrator: slope 1.5, intercept 1 (standard errors about 0.02)."""
    rows = labelled(20_000)
    found = fit(rows["score"], rows["label"])
    assert found.slope / found.scale == pytest.approx(1.5, abs=0.1)
    assert found.predict([0.0])[0] == pytest.approx(expit(1), abs=0.02)


@pytest.mark.parametrize("penalty", [0.1, 10.0])
def test_several_is_ridge_logistic_regression(penalty):
    """The rival: scikit-learn's L2 penalty, C = 1/penalty, each row as a 1 and as a 0 weighted by its target."""
    from sklearn.linear_model import LogisticRegression

    table, label = tabled()
    z = ((table - table.mean()) / table.std(ddof=0)).to_numpy()
    low, high = platt_targets(label)
    target = np.where(label == 1, high, low)
    rival = LogisticRegression(C=1 / penalty, tol=1e-12, max_iter=10_000).fit(
        np.vstack([z, z]), np.repeat([1, 0], len(z)), sample_weight=np.r_[target, 1 - target]
    )
    found = calibrators.fit("multivariate", table, label, penalties=[penalty])
    assert found.slopes == pytest.approx(rival.coef_[0], abs=1e-4) and found.intercept == pytest.approx(
        rival.intercept_[0], abs=1e-4
    )


def test_several_reads_columns_by_name():
    """Length says nothing of the label: of 1,500 labels its effect per standard deviation has a standard error of about 0.06."""
    table, label = tabled(1500)
    found = calibrators.fit("multivariate", table, label)
    assert found.names == ("support", "length", "copy")
    assert (found.predict(table[["copy", "support", "length"]]) == found.predict(table.to_numpy())).all()
    assert abs(dict(zip(found.names, found.slopes, strict=True))["length"]) < 0.2


@pytest.mark.parametrize(
    "change, complaint",
    [
        ({"support": np.nan}, "a score of 'support' is missing"),
        ({"length": 3.0}, "every score of 'length' is the same"),
    ],
)
def test_several_refuses_by_name(change, complaint):
    table, label = tabled()
    with pytest.raises(LabelError, match=complaint):
        calibrators.fit("multivariate", table.assign(**change), label)


def test_several_refuses_shapes_that_do_not_fit():
    table, label = tabled()
    with pytest.raises(LabelError, match="every row of scores needs one label"):
        calibrators.fit("multivariate", table["support"], label)
    with pytest.raises(LabelError, match="a name of its own"):
        fit_multivariate(table, label, names=["a", "a", "b"])
    with pytest.raises(LabelError, match="one column of scores per metric"):
        calibrators.fit("multivariate", table, label).predict(np.zeros((4, 2)))
