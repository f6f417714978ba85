"""Sets of levels on a longer scale: by hand, kept promise in simulation, levels nobody gave, few labels, refusals."""

import numpy as np
import pandas as pd
import pytest

from ragassay.calibration import conformal
from ragassay.calibration.ordinal_levels import calibrate_levels, level_probabilities
from ragassay.errors import LabelError

LEVELS = [1, 2, 3, 4, 5]


def labelled(n, seed=0, cluster=1):
    """Scores and levels 1 to 5, related."""
    draw = np.random.default_rng(seed)
    value = draw.normal(size=n)
    level = np.clip(np.round(3 + value + 0.7 * draw.logistic(size=n)), 1, 5)
    return pd.DataFrame(
        {
            "case_id": [f"c{i:04d}" for i in range(n)],
            "value": value,
            "level": level,
            "cluster": [f"k{i // cluster}" for i in range(n)],
        }
    )


def test_sets_are_ranges_and_hold_more_when_less_may_be_wrong():
    rows = labelled(300)
    strict, loose = calibrate_levels(rows, LEVELS, alpha=0.05), calibrate_levels(rows, LEVELS, alpha=0.4)
    for narrow, wide in zip(loose.sets(rows.value), strict.sets(rows.value), strict=True):
        assert set(narrow) <= set(wide) and wide == list(range(int(wide[0]), int(wide[-1]) + 1))


def test_the_threshold_is_that_of_the_held_out_labels():
    found = calibrate_levels(labelled(120), LEVELS, alpha=0.2)
    chances = level_probabilities(found.calibrator, found.held_out.value, LEVELS)
    scores_held = np.sort(conformal.ordinal.nonconformity(chances, found.held_out.level, LEVELS))
    assert found.q_hat == scores_held[int(np.ceil((len(scores_held) + 1) * 0.8)) - 1]


def test_few_labels_leave_every_set_full():
    found = calibrate_levels(labelled(40), LEVELS, alpha=0.02)
    assert np.isinf(found.q_hat) and found.sets([0.0]) == [LEVELS]


@pytest.mark.parametrize(
    "rows",
    [labelled(0), labelled(1), labelled(8), labelled(60).assign(level=3.0), labelled(60).assign(value=0.5)],
)
def test_labels_that_carry_nothing_are_refused(rows):
    with pytest.raises(LabelError):
        calibrate_levels(rows, LEVELS)


@pytest.mark.parametrize("alpha", [0.1, 0.2])
def test_the_promise_is_kept(alpha, simulations):
    """150 simulations of 100 labels: mean coverage of 50 new answers at least nominal less three standard errors, and at most 1/51 + 0.03 above."""
    shares = []
    for seed in range(simulations(150)):
        new = labelled(50, seed=10_000 + seed)
        sets = calibrate_levels(labelled(100, seed=seed), LEVELS, alpha=alpha, seed=seed).sets(new.value)
        shares.append(np.mean([level in found for found, level in zip(sets, new.level, strict=True)]))
    error = 3 * np.std(shares) / np.sqrt(len(shares))
    assert 1 - alpha - error <= np.mean(shares) <= 1 - alpha + 1 / 51 + 0.03 + error
