"""A threshold for each label and each topic: by hand, the promise within each, groups too small named, refusals."""

import functools
from math import inf, sqrt

import numpy as np
import pytest
from scipy.special import expit

from ragassay.calibration import conformal
from ragassay.calibration.conformal import (
    expected_coverage,
    nonconformity,
    sets,
    threshold,
    thresholds_by_class,
)


def of_class(label, n, draw):
    """Probabilities of n cases that people gave this label, from a machine that is blind to half of the rejected answers."""
    z = draw.normal(1.5 if label else np.where(draw.random(n) < 0.5, 1.0, -2.0), 1.0, n)
    return expit(z)


def test_by_class_by_hand():
    found = thresholds_by_class([*range(1, 10), 5.0], [1] * 9 + [0], 0.1)
    assert found.tolist() == [[inf, 9.0]]
    assert sets([0.9, 0.1], [[inf, 0.3]]) == [[0, 1], [0]]
    assert sets([0.9, 0.5, 0.1], [[0.2, 0.6]]) == [[1], [1], [0]]


def test_by_class_is_the_threshold_of_each_class():
    draw = np.random.default_rng(1)
    s, y = draw.random(120), draw.integers(0, 2, 120)
    assert thresholds_by_class(s, y, 0.1)[0].tolist() == [threshold(s[y == label], 0.1) for label in (0, 1)]
    assert thresholds_by_class(s, y + 1, 0.1, classes=(1, 2, 3))[0].tolist()[2] == inf


ALPHAS = (0.05, 0.1, 0.2)


@functools.cache
def class_shares(n):
    """Of 2,000 simulations: the shares of new cases of either label that are covered, at each alpha."""
    draw, shares = np.random.default_rng([51, n]), {alpha: [] for alpha in ALPHAS}
    drawn = [nonconformity(of_class(label, (2000, n + 20), draw), label) for label in (0, 1)]
    for s in np.stack(drawn, axis=1):
        for alpha in ALPHAS:
            limits = thresholds_by_class(s[:, :n].ravel(), np.repeat([0, 1], n), alpha)[0]
            shares[alpha].append((s[:, n:] <= limits[:, None]).mean(axis=1))
    return shares


@functools.cache
def topic_shares(n):
    """Of 2,000 simulations: the shares of new cases of either topic that are covered, at each alpha."""
    draw, shares = np.random.default_rng([52, n]), {alpha: [] for alpha in ALPHAS}
    z = draw.normal(size=(2000, 2, n + 20))
    y = draw.random(z.shape) < expit(np.array([[2.0], [-1.0]]) * z)
    for s in nonconformity(expit(z), y.astype(int)):
        for alpha in ALPHAS:
            found = conformal.thresholds_by_group(s[:, :n].ravel(), np.repeat(["cards", "loans"], n), alpha)
            limits = conformal.threshold_per_case(["cards", "loans"], found)
            shares[alpha].append((s[:, n:] <= limits[:, None]).mean(axis=1))
    return shares


def is_as_promised(shares, n, alpha):
    error = 3 * np.std(shares, axis=0) / sqrt(len(shares)) + 1e-12
    return (np.abs(np.mean(shares, axis=0) - expected_coverage(n, alpha).value) <= error).all()


@pytest.mark.slow
@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("n", [9, 19, 50, 100, 500])
def test_covers_each_class_as_promised(n, alpha):
    """n cases of either label, a machine blind to half of those rejected, 2,000 simulations of 20 new cases each, 3 standard errors."""
    assert is_as_promised(class_shares(n)[alpha], n, alpha)


@pytest.mark.slow
@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("n", [9, 19, 50, 100, 500])
def test_covers_each_topic_as_promised(n, alpha):
    """Two topics of n cases, the machine right in one and reversed in the other, 2,000 simulations of 20 new cases each, 3 SE."""
    assert is_as_promised(topic_shares(n)[alpha], n, alpha)


def test_one_threshold_for_all_misses_the_rare_class():
    """Why `thresholds_by_class`: 10 % rejected; the pooled sets hold 90 % of all labels but under 70 % of the rejected ones."""
    draw, pooled, own = np.random.default_rng(53), [], []
    for _ in range(200):
        y = (draw.random(600) < 0.9).astype(int)
        p = np.where(y == 1, of_class(1, 600, draw), of_class(0, 600, draw))
        s, new = nonconformity(p[:300], y[:300]), slice(300, 600)
        for limit, kept in ((threshold(s, 0.1), pooled), (thresholds_by_class(s, y[:300], 0.1), own)):
            found = conformal.coverage(sets(p[new], limit), y[new])
            kept.append(found.set_index("stratum")["value"].reindex(["all", "0", "1"]).to_numpy())
    assert np.mean(pooled, axis=0)[0] > 0.89 and np.mean(pooled, axis=0)[1] < 0.7
    assert (np.mean(own, axis=0) > 0.89).all()


def test_groups_too_small_are_named():
    found = conformal.group_sizes(np.arange(12.0), ["b"] * 9 + ["a"] * 3, 0.1)
    assert found[["group", "n", "needed", "q_hat"]].to_numpy().tolist() == [
        ["a", 3, 9, inf],
        ["b", 9, 9, 8.0],
    ]
    assert found["reason"].tolist() == ["3 labels, 9 needed: every set is full", ""]


def test_refuses():
    with pytest.raises(ValueError, match="label among"):
        thresholds_by_class([0.1, 0.2], [0, 2], 0.1)
    with pytest.raises(ValueError, match="label among"):
        thresholds_by_class([0.1, 0.2], [0, np.nan], 0.1)
    with pytest.raises(ValueError, match="NaN"):
        thresholds_by_class([0.1, np.nan], [0, 1], 0.1)
    with pytest.raises(ValueError, match="alpha"):
        thresholds_by_class([0.1, 0.3], [0, 1], 1)
