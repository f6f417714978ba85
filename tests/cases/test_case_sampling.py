"""Allocation and drawing: by hand, against the plain rule, laws, refusals."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.cases.case_sampling import allocate, draw

SIZES = st.dictionaries(st.text("abcdef", min_size=1, max_size=3), st.integers(0, 60), min_size=1, max_size=8)


def test_by_hand_largest_remainder():
    """Quotas of 10 over 50, 30, 15: 5.26, 3.16, 1.58 -> 5, 3, 1 and the tenth to the largest remainder."""
    assert allocate({"a": 50, "b": 30, "c": 15}, 10) == {"a": 5, "b": 3, "c": 2}


def test_by_hand_equal_and_weighted():
    assert allocate({"a": 50, "b": 30, "c": 2}, 12, "equal") == {"a": 5, "b": 5, "c": 2}
    assert allocate({"a": 50, "b": 30}, 8, "weighted", {"a": 1, "b": 3}) == {"a": 2, "b": 6}


@pytest.mark.parametrize("seed", range(20))
def test_agrees_with_hamilton_where_nothing_is_capped_or_raised(seed):
    rng = np.random.default_rng(seed)
    sizes = {f"T{i}": int(size) for i, size in enumerate(rng.integers(40, 200, size=5))}
    n = 60
    quota = {name: n * size / sum(sizes.values()) for name, size in sizes.items()}
    plain = {name: int(q) for name, q in quota.items()}
    for name in sorted(quota, key=lambda name: -(quota[name] % 1))[: n - sum(plain.values())]:
        plain[name] += 1
    assert allocate(sizes, n) == plain


@given(SIZES, st.integers(0, 400), st.sampled_from(["proportional", "equal"]))
def test_adds_up_and_never_exceeds_a_topic(sizes, n, how):
    counts = allocate(sizes, n, how)
    assert sum(counts.values()) == min(n, sum(sizes.values()))
    assert all(0 <= counts[name] <= sizes[name] for name in sizes)


@given(SIZES, st.integers(0, 400))
def test_every_stratum_gets_one_where_n_allows(sizes, n):
    filled = [name for name in sizes if sizes[name]]
    counts = allocate(sizes, n)
    assert n < len(filled) or all(counts[name] for name in filled)


@given(SIZES, st.integers(0, 200), st.lists(st.floats(0, 10), min_size=8, max_size=8))
def test_weights_keep_the_laws(sizes, n, weights):
    counts = allocate(sizes, n, "weighted", dict(zip(sizes, weights, strict=False)))
    assert sum(counts.values()) == min(n, sum(sizes.values())) and all(
        counts[name] <= sizes[name] for name in sizes
    )


def test_draws_what_was_allocated_and_the_same_for_the_same_seed():
    rows = pd.DataFrame({"topic": ["a"] * 9 + ["b"] * 4, "i": range(13)})
    one, other = (draw(rows, {"a": 3, "b": 2}, np.random.default_rng(5)) for _ in range(2))
    assert one.equals(other)
    assert one["topic"].value_counts().to_dict() == {"a": 3, "b": 2}
    assert one["i"].is_monotonic_increasing and one["i"].is_unique


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (({"a": -1}, 3), "0 or more"),
        (({"a": 1}, -3), "0 or more"),
        (({"a": 1}, 1, "random"), "proportional, equal, weighted"),
        (({"a": 1}, 1, "weighted"), "'a' needs a finite weight"),
        (({"a": 1}, 1, "weighted", {"a": -2}), "found -2"),
    ],
)
def test_refuses(arguments, complaint):
    with pytest.raises(ValueError, match=complaint):
        allocate(*arguments)
