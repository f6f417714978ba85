"""Allocation and drawing: by hand, against the plain rule, laws, refusals."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.cases.case_sampling import allocate, draw_questions

SIZES = st.dictionaries(st.text("abcdef", min_size=1, max_size=3), st.integers(0, 60), min_size=1, max_size=8)


def test_by_hand_proportional():
    """Quotas of 10 over 50, 30, 15: 5.26, 3.16, 1.58 -> 5, 3, 2."""
    assert allocate({"a": 50, "b": 30, "c": 15}, 10) == {"a": 5, "b": 3, "c": 2}


def test_by_hand_equal_and_weighted():
    assert allocate({"a": 50, "b": 30, "c": 2}, 12, "equal") == {"a": 5, "b": 5, "c": 2}
    assert allocate({"a": 50, "b": 30}, 8, {"a": 1, "b": 3}) == {"a": 2, "b": 6}


@pytest.mark.parametrize("seed", range(20))
def test_agrees_with_webster_where_nothing_is_capped_or_raised(seed):
    """Quotas by a common divisor, rounded to the nearest: no move of one row makes two topics' shares more alike."""
    rng = np.random.default_rng(seed)
    sizes = {f"T{i}": int(size) for i, size in enumerate(rng.integers(40, 200, size=5))}
    counts = allocate(sizes, 60)
    gained = min(sizes[name] / (2 * counts[name] - 1) for name in sizes)
    assert gained >= max(sizes[name] / (2 * counts[name] + 1) for name in sizes)


@given(SIZES, st.integers(0, 400), st.sampled_from(["proportional", "equal"]))
def test_adds_up_and_never_exceeds_a_topic(sizes, n, how):
    counts = allocate(sizes, n, how)
    assert sum(counts.values()) == min(n, sum(sizes.values()))
    assert all(0 <= counts[name] <= sizes[name] for name in sizes)


def question(i, **row):
    return {
        "i": i,
        "topic": "a",
        "fact": i,
        "query_type": "factual",
        "family": "price",
        "chunk_id": "p",
    } | row


def drawn(rows, n, topics="aab", allocation="proportional"):
    chunks = pd.DataFrame({"topic": list(topics)})
    return [one["i"] for one in draw_questions(rows, chunks, n, allocation, np.random.default_rng(5))]


def test_topics_are_served_by_their_passages_and_the_same_for_the_same_seed():
    rows = [question(i, topic="ab"[i % 2]) for i in range(20)]
    assert drawn(rows, 6) == drawn(rows, 6)
    assert [i % 2 for i in drawn(rows, 6)] == [0] * 4 + [1] * 2
    assert [i % 2 for i in drawn(rows, 6, allocation="equal")] == [0] * 3 + [1] * 3


def test_facts_not_yet_asked_come_first_then_types_in_turn_and_loose_ones_last():
    again = [question(0), question(1, fact=0, query_type="open"), question(2, loose=True), question(3)]
    assert (
        set(drawn(again, 2, "a")) <= {0, 1, 3}
        and 2 in drawn(again, 3, "a")
        and len(drawn(again, 9, "a")) == 4
    )
    types = [question(i, query_type="open" if i < 2 else "factual") for i in range(8)]
    assert sum(i < 2 for i in drawn(types, 4, "a")) == 2


@pytest.mark.parametrize("arguments, complaint", [
    (({"a": -1}, 3), "0 or more"), (({"a": 1}, -3), "0 or more"),
    (({"a": 1}, 1, "random"), "proportional, equal"),
    (({"a": 1}, 1, {"b": 2}), "'a' needs a finite weight"), (({"a": 1}, 1, {"a": -2}), "found -2"),
])  # fmt: skip
def test_refuses(arguments, complaint):
    with pytest.raises(ValueError, match=complaint):
        allocate(*arguments)
