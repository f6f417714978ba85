"""What a comparison could have seen: by hand, by the binomial sum, by simulation with the test itself."""

import numpy as np
import pytest
from scipy import stats

from ragassay.analysis.detectable_differences import (
    detectable_difference,
    detectable_share,
    fewest_moved,
    share_power,
)
from ragassay.stats import paired_permutation

LEVEL = 0.05 / 94


def test_fewest_moved_is_what_the_permutation_test_needs():
    for level in (0.05, 0.001, 0.0005):
        k = fewest_moved(level)
        assert 2.0 ** (1 - k) <= level < 2.0 ** (2 - k)


def test_detectable_difference_refuses_what_does_not_vary():
    assert np.isnan(detectable_difference(0.0, 20, 0.05)) and np.isnan(detectable_difference(0.1, 1, 0.05))
    small, large = (detectable_difference(0.1, 20, level) for level in (0.05, 0.001))
    assert 0.28 < small < large


def test_the_detectable_difference_is_found_in_eight_of_ten_samples():
    """200 samples of 40 questions, differences of standard deviation 1: power within 0.72 and 0.88."""
    error, level = 1 / np.sqrt(40), 0.05 / 20
    shift = detectable_difference(error, 40, level)
    rng = np.random.default_rng(0)
    p = stats.ttest_1samp(rng.normal(shift, 1, (200, 40)), 0, axis=1).pvalue
    assert 0.72 <= (p <= level).mean() <= 0.88


def pairs(share: float, noise: float, n: int, rng: np.random.Generator):
    """Differences of 0 or 1: a share goes up, and of the rest `noise` either way."""
    apart = np.where(rng.random(n) < noise, rng.choice([-1.0, 1.0], n), 0.0)
    return np.where(rng.random(n) < share, 1.0, apart)


def found(share: float, noise: float, n: int, samples: int) -> float:
    rng = np.random.default_rng(0)
    p = [paired_permutation(pairs(share, noise, n, rng), rng=rng) for _ in range(samples)]
    return float((np.array(p) <= LEVEL).mean())


def test_by_hand():
    """16 pairs, 12 of them must move, none does so by chance: P(Bin(16, share) >= 12)."""
    assert share_power(0.75, 0, 16, LEVEL) == pytest.approx(stats.binom.sf(11, 16, 0.75))
    assert share_power(0.33, 0, 16, LEVEL) < 0.01 and share_power(0, 0, 16, LEVEL) == 0


def test_power_grows_with_the_difference_and_falls_with_noise():
    by_share = [share_power(share, 0.2, 16, LEVEL) for share in (0.2, 0.5, 0.8, 1.0)]
    by_noise = [share_power(0.8, noise, 16, LEVEL) for noise in (0.6, 0.3, 0.0)]
    assert by_share == sorted(by_share) and by_noise == sorted(by_noise)


@pytest.mark.parametrize(("noise", "n"), [(0.0, 12), (0.2, 13)])
def test_the_detectable_share_is_found_in_eight_of_ten_samples(noise, n):
    """200 samples through the permutation test itself: at least 0.72 at the share, less at 0.2 below it."""
    share = detectable_share(noise, n, LEVEL)
    assert share >= fewest_moved(LEVEL) / n - 0.1
    assert found(share, noise, n, 200) >= 0.72 and found(share - 0.2, noise, n, 200) < 0.6
