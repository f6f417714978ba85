"""Interval prints what it knows; Clopper-Pearson by hand, against scipy, their laws, exact coverage, refusals."""

from math import isnan, nan

import numpy as np
import pytest
from scipy import stats as scipy_stats

from ragassay.stats import (
    Interval,
    bootstrap,
    clopper_pearson,
    expected_half_width,
    interval_text,
    mean_interval,
    zero_event_bound,
)


@pytest.mark.parametrize(
    "interval, printed",
    [
        (Interval(0.82, 0.78, 0.86, 240, 6), "0.82 [0.78, 0.86] n=240, 6 not measured"),
        (Interval(0.82, 0.78, 0.86, 240, 6, "not applicable"), "0.82 [0.78, 0.86] n=240, 6 not applicable"),
        (Interval(nan, nan, nan, 0, 3, "no context"), "not available (no context)"),
        (Interval(0.5, nan, nan, 4, 1, "1 cluster"), "0.50 [no interval: 1 cluster] n=4, 1 left out"),
        (Interval(0.8214, 0.8211, 0.8216, 9), "0.821 [0.821, 0.822] n=9"),
    ],
)
def test_printed(interval, printed):
    """The last row: bounds that differ never print alike, which would read as certainty."""
    assert str(interval) == printed


def test_a_sample_is_planned_by_the_interval_that_is_reported():
    """One case: [0, 0.975] or [0.025, 1]. ±15 points at 80 % take 31, not the 25 of Wilson's interval."""
    assert expected_half_width(0.5, 1) == pytest.approx(0.4875) and isnan(expected_half_width(0.5, 0))
    assert expected_half_width(0.8, 31) <= 0.15 < expected_half_width(0.8, 30)
    reported = [clopper_pearson(k, 31) for k in np.random.default_rng(0).binomial(31, 0.8, 4000)]
    widths = [each.high - each.low for each in reported]
    assert expected_half_width(0.8, 31) == pytest.approx(np.mean(widths) / 2, abs=0.001)


def test_no_event_in_n_by_hand():
    """0 of n: the exact upper bound is 1 - (alpha/2)^(1/n), 3.7/n; the one-sided rule of three is level 0.90."""
    assert clopper_pearson(0, 60).high == pytest.approx(1 - 0.025 ** (1 / 60))
    assert clopper_pearson(0, 100, level=0.90).high == pytest.approx(3 / 100, rel=0.02)
    assert zero_event_bound(1) == 0.975 and zero_event_bound(1000) == pytest.approx(3.7 / 1000, rel=0.005)


@pytest.mark.parametrize("n", [1, 10, 272])
def test_there_is_one_zero_event_bound(n):
    """The exact interval's, the bootstrap's of constant data, and that of the mean of a 0/1 metric."""
    bound, rng = zero_event_bound(n, 0.9), np.random.default_rng(0)
    exact = (clopper_pearson(0, n, 0.9).high, 1 - clopper_pearson(n, n, 0.9).low)
    assert exact == pytest.approx((bound, bound))
    assert mean_interval(np.zeros(n), level=0.9, rng=rng).high == pytest.approx(bound)
    if n > 1:
        assert bootstrap(np.zeros(n), level=0.9, rng=rng).high == pytest.approx(bound)


@pytest.mark.parametrize("n", [1, 7, 40, 240])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_agrees_with_scipy(n, level):
    for successes in range(n + 1):
        rival = scipy_stats.binomtest(successes, n).proportion_ci(level, method="exact")
        found = clopper_pearson(successes, n, level)
        assert (found.low, found.high) == (
            pytest.approx(rival.low, abs=1e-12),
            pytest.approx(rival.high, abs=1e-12),
        )


def exact_coverage(n, shares):
    """Probability, by summing the binomial law, that the interval holds each true share: no simulation error at all."""
    found = [clopper_pearson(k, n) for k in range(n + 1)]
    low, high = np.array([[i.low, i.high] for i in found]).T[:, :, None]
    mass = scipy_stats.binom.pmf(np.arange(n + 1)[:, None], n, shares)
    return (mass * ((low <= shares) & (shares <= high))).sum(axis=0)


@pytest.mark.parametrize("n", [5, 10, 20, 50, 240])
def test_clopper_pearson_covers_at_every_share(n):
    assert exact_coverage(n, np.linspace(0.0005, 0.9995, 1999)).min() >= 0.95


@pytest.mark.parametrize(
    "successes, n, level",
    [(-1, 5, 0.95), (6, 5, 0.95), (2.5, 5, 0.95), (0, -1, 0.95), (1, 5, 1.0), (1, 5, 95)],
)
def test_refuses(successes, n, level):
    with pytest.raises(ValueError, match="between 0 and"):
        clopper_pearson(successes, n, level)


@pytest.mark.parametrize(
    ("interval", "told"),
    [
        ((0.38, 0.24, 0.53), "38 % [24, 53]"),
        ((0.0, 0.0, 0.014), "0.0 % [0.0, 1.4]"),
        ((1 / 264, 0.0001, 0.021), "0.4 % [0.0, 2.1]"),
        ((0.0003, 0.0, 0.5), "0.03 % [0.00, 50.00]"),
        ((np.nan, np.nan, np.nan), "not measured"),
    ],
)
def test_a_share_in_per_cent_has_the_form_of_the_house(interval, told):
    assert interval_text(*interval, percent=True) == told


@pytest.mark.parametrize(
    "numbers, bar, printed",
    [
        ((0.8505, 0.7955, 0.895), 0.8, "85.0 % [79.5, 89.5]"),  # 80 would stand on the bar
        ((0.7996, 0.75, 0.83), 0.8, "79.96 % [75.00, 83.00]"),  # so would 80.0
        ((0.85, 0.8, 0.89), 0.8, "85 % [80, 89]"),  # what is on the bar may stand there
        ((0.85, 0.7955, 0.89), nan, "85 % [80, 89]"),
    ],
)
def test_no_number_is_rounded_onto_the_bar_or_beyond(numbers, bar, printed):
    assert interval_text(*numbers, percent=True, bar=bar) == printed
