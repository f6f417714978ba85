"""Slopes over the levels of a perturbation: by hand, against scipy, refusals."""

import numpy as np
import pandas as pd
import pytest
from made import scores_of
from scipy import stats

from ragassay.analysis.robustness import dose_response


def asked(levels, n=12) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "case_id": [f"v{i:03d}" for i in range(n * len(levels))],
            "parent_id": [f"c{i % n:03d}" for i in range(n * len(levels))],
            "kind": "spelling",
            "intensity": np.repeat(np.array(levels, dtype=float), n),
        }
    )


def found(base, after, variants, rng):
    given = scores_of(base), scores_of(after, prefix="v"), variants
    return dose_response(*given, metrics=["groundedness"], rng=rng).iloc[0]


def test_by_hand(rng):
    """Each parent loses 0.1 a level, and some a little more or less."""
    noise = np.resize([0.01, -0.01], 12)
    after = np.concatenate([0.9 - (0.1 + noise) * level for level in (1, 2, 3)])
    row = found([0.9] * 12, after, asked([1, 2, 3]), rng)
    assert row["slope"] == pytest.approx(-0.1) and row["slope_parents"] == 12
    assert row["slope_low"] < -0.1 < row["slope_high"] < 0


def test_agrees_with_scipy_for_each_parent(rng):
    base, after = rng.uniform(0.4, 0.9, 12), rng.uniform(0.2, 0.9, 36)
    lines = [stats.linregress([0, 1, 2, 3], [0, *(after[i::12] - base[i])]).slope for i in range(12)]
    assert found(base, after, asked([1, 2, 3]), rng)["slope"] == pytest.approx(np.mean(lines))


def test_a_parent_with_one_level_counts_and_one_without_a_score_does_not(rng):
    after = np.concatenate([[0.8] * 12, [np.nan] * 12])
    after[0] = np.nan
    row = found([0.9] * 12, after, asked([1, 2]), rng)
    assert row["slope"] == pytest.approx(-0.1) and row["slope_parents"] == 11


def test_a_kind_without_levels_has_no_slope(rng):
    variants = asked([1]).assign(intensity=np.nan)
    given = scores_of([0.9] * 12), scores_of([0.8] * 12, prefix="v"), variants
    assert dose_response(*given, metrics=["groundedness"], rng=rng).empty


def test_too_few_parents_have_no_interval(rng):
    after = np.concatenate([[0.8, 0.7, 0.6], [0.7, 0.6, 0.5]])
    row = found([0.9] * 3, after, asked([1, 2], n=3), rng)
    assert np.isnan(row["slope_low"]) and "at least" in row["slope_reason"]
