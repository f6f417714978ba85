"""Sets of levels on a longer scale: by hand, algorithm 1 of Lu et al. spelled out, laws, refusals, coverage."""

from math import inf

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.calibration.ordinal_levels import (
    calibrate_levels,
    level_nonconformity,
    level_probabilities,
    level_sets,
)
from ragassay.errors import LabelError

LEVELS = [1, 2, 3, 4, 5]
PEAK = [[0.05, 0.1, 0.2, 0.4, 0.25]]


def labelled(n, seed=0):
    """Scores and levels 1 to 5, related."""
    draw = np.random.default_rng(seed)
    value = draw.normal(size=n)
    level = np.clip(np.round(3 + value + 0.7 * draw.logistic(size=n)), 1, 5)
    names = [f"c{i:04d}" for i in range(n)]
    return pd.DataFrame({"case_id": names, "value": value, "level": level, "cluster": names})


def test_sets_by_hand():
    """Grown 4, 5 (0.25 > 0.2), 3, 2, 1: the mass before each."""
    assert level_nonconformity(PEAK)[0] == pytest.approx([0.95, 0.85, 0.65, 0.0, 0.4])
    assert level_sets(PEAK, 0.5, LEVELS) == [[4, 5]] and level_sets(PEAK, 0.7, LEVELS) == [[3, 4, 5]]
    assert level_sets(PEAK, 0.0, LEVELS) == [[4]] and level_sets(PEAK, inf, LEVELS) == [LEVELS]
    assert level_sets([[np.nan] * 5, PEAK[0]], 0.0, LEVELS) == [LEVELS, [4]]


def as_printed(p, limit):
    """Lu et al. (2022), algorithm 1: while the mass is at most lambda, take the likelier of the two neighbours."""
    low = high = int(np.argmax(p))
    mass = p[low]
    while mass <= limit and (low > 0 or high < len(p) - 1):
        below, above = (p[low - 1] if low > 0 else -1), (p[high + 1] if high < len(p) - 1 else -1)
        if below >= above:
            low, mass = low - 1, mass + below
        else:
            high, mass = high + 1, mass + above
    return list(range(low, high + 1))


def test_sets_agree_with_the_algorithm_as_printed():
    draw = np.random.default_rng(5)
    for k in (2, 3, 5, 7):
        p = draw.dirichlet(np.full(k, 0.7), 300)
        for limit in draw.random(5):
            assert level_sets(p, limit, range(k)) == [as_printed(row, limit) for row in p]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.floats(0, 1), min_size=2, max_size=9).filter(lambda p: sum(p) > 1e-3),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_sets_are_nested_ranges_and_never_empty(weights, one, other):
    p = np.array([weights]) / sum(weights)
    levels = list(range(len(weights)))
    small, large = (level_sets(p, limit, levels)[0] for limit in sorted((one, other)))
    assert set(small) <= set(large) and small and large == list(range(large[0], large[-1] + 1))
    assert int(p.argmax()) in small


def test_the_threshold_is_that_of_the_held_out_labels_and_levels_nobody_gave_have_no_chance():
    found = calibrate_levels(labelled(120), [0, *LEVELS], alpha=0.2)
    chances = level_probabilities(found.calibrator, found.held_out.value, [0, *LEVELS])
    held = np.sort(level_nonconformity(chances)[np.arange(len(chances)), found.held_out.level.astype(int)])
    assert found.q_hat == held[int(np.ceil((len(held) + 1) * 0.8)) - 1] and (chances[:, 0] == 0).all()


@pytest.mark.parametrize(
    "rows", [labelled(1), labelled(8), labelled(60).assign(level=3.0), labelled(60).assign(value=0.5)]
)
def test_labels_that_carry_nothing_are_refused(rows):
    with pytest.raises(LabelError):
        calibrate_levels(rows, LEVELS)


@pytest.mark.parametrize("alpha", [0.1, 0.2])
def test_the_promise_is_kept(alpha, simulations):
    """150 simulations of 100 labels: mean coverage of 50 new answers at least nominal less three standard errors, and at
    most 1/51 + 0.03 above."""
    shares = []
    for seed in range(simulations(150)):
        new = labelled(50, seed=10_000 + seed)
        sets = calibrate_levels(labelled(100, seed=seed), LEVELS, alpha=alpha, seed=seed).sets(new.value)
        shares.append(np.mean([level in found for found, level in zip(sets, new.level, strict=True)]))
    error = 3 * np.std(shares) / np.sqrt(len(shares))
    assert 1 - alpha - error <= np.mean(shares) <= 1 - alpha + 1 / 51 + 0.03 + error
