"""A quantile with its interval: by hand, laws, refusals, and how often it holds."""

import numpy as np
import pytest

from ragassay.stats.quantiles import fewest_draws, quantile_interval


def rng(seed=0):
    return np.random.default_rng(seed)


def test_by_hand():
    """Of 1 to 100, 95 do not exceed 95; 0.95 of 100 lies in [0.887, 0.984] by Clopper and Pearson."""
    found = quantile_interval(np.arange(1, 101), 0.95, rng=rng())
    assert (found.value, found.low, found.high, found.n, found.left_out) == (95, 89, 99, 100, 0)


def test_the_fewest_by_the_law_of_the_greatest():
    assert fewest_draws(0.95) == 72 and 1 - 0.95**72 >= 0.975 > 1 - 0.95**71
    assert fewest_draws(0.5) == 6 and fewest_draws(0.05) == 72


def test_too_few_have_a_value_and_no_bounds():
    found = quantile_interval(np.arange(71), 0.95, rng=rng())
    assert found.value == 67 and np.isnan(found.low) and "at least 72 needed" in found.reason
    clustered = quantile_interval(np.arange(200), 0.95, clusters=np.arange(200) // 4, rng=rng())
    assert np.isnan(clustered.high) and "50 draws" in clustered.reason


def test_what_is_not_measured_is_left_out():
    found = quantile_interval([*range(100), np.nan, np.nan], 0.5, rng=rng())
    assert (found.n, found.left_out, found.reason) == (100, 2, "not measured")
    assert np.isnan(quantile_interval([np.nan], 0.5, rng=rng()).value)


def test_it_moves_with_the_unit_and_keeps_its_order():
    values = rng(1).lognormal(size=150)
    one, other = (quantile_interval(each, 0.9, rng=rng()) for each in (values, 3 * values))
    assert one.low <= one.value <= one.high
    assert [3 * one.low, 3 * one.value, 3 * one.high] == pytest.approx([other.low, other.value, other.high])


@pytest.mark.parametrize("share", [0.0, 1.0, -1, 2])
def test_a_share_that_is_none_is_refused(share):
    with pytest.raises(ValueError, match="between 0 and 1"):
        quantile_interval([1.0], share, rng=rng())


def coverage(runs, draw, truth):
    hits = sum(found.low <= truth <= found.high for found in (draw(rng(seed)) for seed in range(runs)))
    return hits / runs


def independent(random):
    return quantile_interval(random.lognormal(size=200), 0.95, rng=random)


def clustered(random):
    sizes = random.integers(1, 4, 100)
    shared, own = random.normal(size=100), random.normal(size=sizes.sum())
    values = np.sqrt(0.5) * (np.repeat(shared, sizes) + own)
    return quantile_interval(values, 0.95, clusters=np.repeat(np.arange(100), sizes), rng=random)


@pytest.mark.parametrize(
    "draw, truth, quoted", [(independent, np.exp(1.6448536), 0.962), (clustered, 1.6448536, 0.925)]
)
def test_it_covers_as_the_docstring_says(simulations, draw, truth, quoted):
    runs = simulations(400)
    found = coverage(runs, draw, truth)
    assert found == pytest.approx(quoted, abs=3 * np.sqrt(quoted * (1 - quoted) / runs) + 1e-9)
