"""Bootstrap intervals: by hand, against scipy, their laws, what they refuse, and how often they hold the truth."""

import re
from math import isnan, sqrt

import numpy as np
import pytest
import threadpoolctl
from scipy import stats as scipy_stats
from sklearn.cluster import KMeans

from ragassay.stats import (
    bootstrap,
    clopper_pearson,
    expand_tails,
    mean_interval,
    one_thread,
    paired_bootstrap,
    random_stream,
    resampling,
)

SIMULATIONS = 600


def rng(seed=0):
    return np.random.default_rng(seed)


def monte_carlo(promised, n):
    """Three standard errors of a share measured on n simulations."""
    return 3 * sqrt(promised * (1 - promised) / n)


def clustered(draw, n_clusters, kind):
    """Values in clusters of 1 to 5 whose true mean is 0 (normal, skew) or 0.8 (binary); strongly alike within a cluster."""
    ids = np.repeat(np.arange(n_clusters), draw.integers(1, 6, n_clusters))
    if kind == "normal":
        return draw.normal(size=n_clusters)[ids] + draw.normal(size=len(ids)), ids
    if kind == "skew":
        return draw.exponential(size=n_clusters)[ids] + draw.exponential(size=len(ids)) - 2, ids
    return (draw.random(len(ids)) < draw.beta(4, 1, size=n_clusters)[ids]).astype(float), ids


def test_the_tails_by_hand():
    """11 clusters: Student's t with 10 degrees of freedom, 2.228, times the root of 11/10."""
    low, high = expand_tails(np.array([0.025, 0.975]), 11)
    assert scipy_stats.norm.ppf(high) == pytest.approx(2.228 * sqrt(1.1), abs=1e-3) and low == pytest.approx(
        1 - high
    )


@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_scipy_draw_for_draw(seed):
    """BCa as scipy has it, at the level of the expanded tails."""
    values = rng(seed).exponential(size=40)
    found, wider = bootstrap(values, n_boot=999, rng=rng(seed)), expand_tails(np.array([0.025]), 40)[0]
    expected = scipy_stats.bootstrap(
        (values,), np.mean, n_resamples=999, batch=999, confidence_level=1 - 2 * wider, rng=rng(seed)
    ).confidence_interval
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-9)


def test_missing_values_are_left_out_and_counted():
    found = bootstrap([*range(7), np.nan, np.nan], clusters=[*"abcdefghh"], rng=rng())
    assert (found.n, found.left_out) == (7, 2) and str(found).endswith("n=7, 2 not measured")


def test_constant_zero_one_data_is_clopper_pearson_not_certainty():
    found, exact = bootstrap(np.ones(30), rng=rng()), clopper_pearson(30, 30)
    assert (found.low, found.high) == (pytest.approx(exact.low), 1.0) and "Clopper-Pearson" in found.method
    by_cluster = bootstrap(np.ones(30), clusters=np.arange(30) // 3, rng=rng())
    assert by_cluster.low == pytest.approx(clopper_pearson(10, 10).low)


@pytest.mark.parametrize(
    "values, clusters, needed",
    [
        ([], None, "no cases"),
        ([np.nan, np.nan], None, "none of 2"),
        ([0.4], None, "at least 6"),
        ([0.4, 0.8], ["a", "a"], "1 cluster"),
    ],
)
def test_no_interval_it_cannot_support(values, clusters, needed):
    found = bootstrap(values, clusters=clusters, rng=rng())
    assert isnan(found.low) and needed in found.reason


@pytest.mark.parametrize(
    "values, options, complaint",
    [
        ([[1.0, 2.0]], {}, "one-dimensional"),
        ([1.0, np.inf], {}, "row 1 is infinite"),
        ([1.0, 2.0], {"clusters": ["a"]}, "one id per value"),
        ([1.0, 2.0], {"clusters": ["a", None]}, "row 1 is None"),
        ([1.0, 2.0], {"level": 95}, "between 0 and 1"),
        ([7.0, 7.0], {"span": (1, 5)}, "outside"),
    ],
)
def test_refuses(values, options, complaint):
    with pytest.raises(ValueError, match=complaint):
        bootstrap(values, rng=rng(), **options)


def test_paired_bootstrap_is_the_bootstrap_of_differences():
    before, after = rng(1).random(30), rng(2).random(30)
    after[3] = np.nan
    found, plain = (paired_bootstrap(before, after, rng=rng(4)), bootstrap(after - before, rng=rng(4)))
    assert found == plain and found.left_out == 1
    assert paired_bootstrap(after, before, rng=rng(4)).value == pytest.approx(-found.value)
    with pytest.raises(ValueError, match="pair up"):
        paired_bootstrap(before, after[:-1], rng=rng())


def documented(kind, clusters):
    """Coverage figures of the module's docstring."""
    figures = re.search(rf"^ *{kind} +(0\.\d+) +(0\.\d+)$", resampling.__doc__, flags=re.M).groups()
    return float(figures[clusters == 100])


def coverage(interval_of, truth, kind, clusters, seed):
    draw = rng(seed)
    found = [interval_of(*clustered(draw, clusters, kind), draw) for _ in range(SIMULATIONS)]
    return float(np.mean([each.low <= truth <= each.high for each in found]))


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    "kind, truth",
    [("normal", 0.0), pytest.param("skew", 0.0, marks=SLOW), pytest.param("binary", 0.8, marks=SLOW)],
)
@pytest.mark.parametrize("clusters", [10, 100])
def test_cluster_bootstrap_covers_as_documented(kind, truth, clusters):
    """0.95 within Monte-Carlo error (600 simulations: 0.027) at 100 clusters; at 10, what the docstring admits to."""
    held = coverage(
        lambda v, c, r: bootstrap(v, clusters=c, n_boot=1000, rng=r), truth, kind, clusters, seed=11
    )
    promised = documented(kind, clusters)
    assert held == pytest.approx(
        promised, abs=monte_carlo(promised, SIMULATIONS) + monte_carlo(promised, 4000)
    )
    if clusters == 100:
        assert held == pytest.approx(0.95, abs=monte_carlo(0.95, SIMULATIONS))


def test_mean_interval_picks_the_method():
    shares, exact = mean_interval([1, 0, 1, 1, np.nan], rng=rng()), clopper_pearson(3, 4)
    assert (shares.low, shares.high, shares.left_out) == (exact.low, exact.high, 1)
    assert "BCa" in mean_interval(rng(1).random(20), rng=rng()).method
    assert (
        "10 clusters"
        in mean_interval(
            [1, 0] * 10, clusters=np.repeat(np.arange(10), 2)[rng().permutation(20)], rng=rng()
        ).method
    )


def test_mean_interval_says_why_values_are_missing():
    gone = [0.1, 0.5, 0.3, 0.9, 0.4, 0.6, np.nan, np.nan, np.nan]
    why = [None] * 6 + ["not_applicable", "not_measured", "not_applicable"]
    found = mean_interval(gone, reasons=why, rng=rng())
    assert (found.n, found.left_out) == (6, 3) and "2 not applicable, 1 not measured" in found.reason
    assert "2 not applicable" in mean_interval(gone[6:], reasons=why[6:], rng=rng()).reason
    with pytest.raises(ValueError, match="one entry per value"):
        mean_interval(gone, reasons=["x"], rng=rng())


def test_a_mean_of_constant_data_on_a_scale():
    """All 20 labels equal 4 on 1 to 5: some unseen share p of labels may be 1s, or 5s."""
    unseen = clopper_pearson(0, 20).high
    found = mean_interval(np.full(20, 4.0), span=(1, 5), rng=rng())
    assert (found.low, found.high) == (pytest.approx(4 - 3 * unseen), pytest.approx(4 + unseen))


def test_streams_depend_on_their_name_alone():
    one, again, other = (random_stream(7, name).random() for name in ("a", "a", "b"))
    assert one == again != other


def threads() -> list[int]:
    assert KMeans
    return [pool["num_threads"] for pool in threadpoolctl.threadpool_info()]


def test_one_thread_within_and_what_was_before_after_it():
    with threadpoolctl.threadpool_limits(2):
        before = threads()
        with one_thread():
            assert set(threads()) == {1}
        assert threads() == before and 2 in before
