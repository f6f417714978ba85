"""The interval of a difference: against Newcombe's table; why there is none."""

import numpy as np
import pytest

from ragassay.analysis import group_differences
from ragassay.stats import Interval, not_available, wilson


def test_difference_is_newcombes_method_ten():
    """Newcombe (1998), table II (a): 56/70 against 48/80 gives 0.2 [0.0524, 0.3339]."""
    found = group_differences.difference_of_means(wilson(56, 70), wilson(48, 80))
    assert (found.value, found.low, found.high) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)


def test_difference_without_an_interval_says_which_side():
    found = group_differences.difference_of_means(
        Interval(0.5, 0.4, 0.6, 10), not_available("2 values, at least 6 needed", value=0.3, n=2)
    )
    assert found.value == pytest.approx(0.2) and np.isnan(found.low) and "outside: 2 values" in found.reason
