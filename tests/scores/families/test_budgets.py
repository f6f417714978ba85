"""Budgets: words counted, amounts held against a limit, and answers measured."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from word_tools import WordTools

from ragassay.scores.families.form import (
    answer_words,
    count_words,
    is_within,
    latency_within_budget,
    length_within_budget,
)
from ragassay.scores.prepared_answer import Sample


@pytest.mark.parametrize(
    "text, n",
    [
        ("", 0),
        ("?! ... 👋", 0),
        ("The fee is $1,250.50.", 4),
        ("It's an up-to-date rule.", 4),
        ("- one\n- two", 2),
        ("手数料です", 5),
        ("الرسوم الشهرية", 2),
        ("a\x00b", 2),
    ],
)
def test_words_by_hand(text, n):
    assert count_words(text) == n


@given(st.floats(0, 1e9), st.floats(1e-3, 1e9))
def test_within_is_the_comparison_and_never_rises_with_the_amount(amount, budget):
    assert is_within(amount, budget) == float(amount <= budget) >= is_within(amount * 2 + 1, budget)


@pytest.mark.parametrize(
    "amount, budget", [(1, 0), (1, -1), (-1, 1), (math.nan, 1), (1, math.nan), (math.inf, 1)]
)
def test_refusals(amount, budget):
    with pytest.raises(ValueError, match="a budget is above 0"):
        is_within(amount, budget)


TOOLS = WordTools()


def sample_of(answer: str | None, **more) -> Sample:
    return Sample("c1", "s", answer=answer, **more)


def test_budgets_measured():
    assert length_within_budget(sample_of("one two [a#p1] three"), TOOLS, budget=3) == (
        1.0,
        [{"words": 3, "budget": 3}],
    )
    assert length_within_budget(sample_of("one two three four"), TOOLS, budget=3)[0] == 0.0
    assert answer_words(sample_of("one two [1]"), TOOLS) == (2.0, [])
    assert latency_within_budget(sample_of("x", latency_s=2.0), TOOLS, budget=1.5)[0] == 0.0
    with pytest.raises(ValueError, match="a budget is above 0"):
        latency_within_budget(sample_of("x", latency_s=-1.0), TOOLS)
