"""The logistic calibrator of several metrics: against ridge regression in scikit-learn, shrinkage, names, refusals."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from ragassay.calibration import calibrators
from ragassay.calibration.calibrators import multivariate
from ragassay.calibration.calibrators.base import platt_targets
from ragassay.errors import LabelError


def labelled(n=120, seed=0, slope=1.5):
    draw = np.random.default_rng(seed)
    score = draw.normal(size=n)
    return score, (draw.random(n) < expit(0.5 + slope * score)).astype(float)


def tabled(n=150, seed=0):
    score, label = labelled(n, seed)
    draw = np.random.default_rng(seed + 1)
    return pd.DataFrame(
        {"support": score, "length": draw.normal(50, 20, n), "copy": 3 * score + draw.normal(size=n)}
    ), label


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


def test_several_prints_what_each_metric_does_and_reads_columns_by_name():
    """Length says nothing of the label: of 1,500 labels its effect per standard deviation has a standard error of about 0.06."""
    table, label = tabled(1500)
    found = calibrators.fit("multivariate", table, label)
    assert found.names == ("support", "length", "copy") and found.coefficients().metric[0] in (
        "support",
        "copy",
    )
    assert all(
        f"{name} {slope:+.3g}" in str(found) for name, slope in zip(found.names, found.slopes, strict=True)
    )
    assert (found.predict(table[["copy", "support", "length"]]) == found.predict(table.to_numpy())).all()
    assert abs(dict(zip(found.names, found.slopes, strict=True))["length"]) < 0.2


def test_several_shrinks_noise_and_trusts_many_labels():
    """Eight metrics of noise, 60 labels: over 20 draws the squared slopes are on average less than half of the unpenalised ones."""
    kept, free = [], []
    for seed in range(20):
        draw = np.random.default_rng(seed)
        noise, label = draw.normal(size=(60, 8)), draw.permutation(np.repeat([0.0, 1.0], 30))
        kept.append(np.square(calibrators.fit("multivariate", noise, label).slopes).sum())
        free.append(np.square(calibrators.fit("multivariate", noise, label, penalties=[0.0]).slopes).sum())
    assert np.mean(kept) < 0.5 * np.mean(free)
    table, label = tabled(2000)
    found = calibrators.fit("multivariate", table, label)
    assert found.slopes[0] == pytest.approx(
        calibrators.fit("multivariate", table, label, penalties=[0.0]).slopes[0], abs=0.15
    )


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
        multivariate.fit(table, label, names=["a", "a", "b"])
    with pytest.raises(LabelError, match="one column of scores per metric"):
        calibrators.fit("multivariate", table, label).predict(np.zeros((4, 2)))
