"""Splitting labels: every row once, the same whatever the order, clusters together, refusals."""

import numpy as np
import pandas as pd
import pytest

from ragassay.calibration.label_split import split
from ragassay.errors import LabelError


def labelled(n=101, seed=0):
    draw = np.random.default_rng(seed)
    names = {"case_id": [f"c{i:03d}" for i in range(n)], "group_id": [f"g{i // 4}" for i in range(n)]}
    return pd.DataFrame({**names, "score": draw.normal(size=n), "label": (draw.random(n) < 0.6).astype(int)})


@pytest.mark.parametrize("seed", range(5))
def test_split_deals_every_row_once_and_every_label_alike(seed):
    rows = labelled()
    fitting, conformal = split(rows, seed)
    assert sorted([*fitting["case_id"], *conformal["case_id"]]) == sorted(rows["case_id"])
    for label in (0, 1):
        assert abs((fitting["label"] == label).sum() - (conformal["label"] == label).sum()) <= 1


def test_split_depends_on_the_seed_and_not_on_row_order():
    rows = labelled()
    one, two, other = split(rows, 3), split(rows.sample(frac=1, random_state=1), 3), split(rows, 4)
    assert all(a.equals(b) for a, b in zip(one, two, strict=True)) and not one[0].equals(other[0])


def test_split_keeps_together_what_belongs_together():
    parts = split(labelled(), 0, together="group_id")
    assert not set(parts[0]["group_id"]) & set(parts[1]["group_id"])
    assert sum(map(len, parts)) == 101 and abs(len(parts[0]) - len(parts[1])) <= 8


def test_split_gives_every_row_the_same_chance(simulations):
    """Exchangeability is what conformal prediction rests on: over 600 seeds each row is in `fitting` half of the time (4 SE)."""
    rows = labelled(12)
    runs = simulations(600)
    counts = pd.concat([split(rows, seed)[0] for seed in range(runs)])["case_id"].value_counts() / runs
    assert (abs(counts - 0.5) <= 4 * 0.5 / np.sqrt(runs)).all() and len(counts) == 12


@pytest.mark.parametrize("change, options, error, complaint", [
    ({}, {"stratify": "grade"}, LabelError, "'grade' is absent"),
    ({"label": [1, None, 0]}, {}, LabelError, "row 1"),
    ({"label": [1, 1, 1]}, {"shares": (0.999, 0.001)}, LabelError, "too few labels to split"),
])  # fmt: skip
def test_split_refuses(change, options, error, complaint):
    with pytest.raises(error, match=complaint):
        split(labelled(3).assign(**change), 0, **options)
