"""Budgets: words counted, amounts held against a limit."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.scores.budgets import WORDS, within, words


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
    assert words(text) == n


@given(st.lists(st.text(alphabet="abcXYZ019é", min_size=1)))
def test_words_of_plain_text_are_those_between_spaces(found):
    assert words(" ".join(found)) == len(found) == len(" ".join(found).split())


@given(st.floats(0, 1e9), st.floats(1e-3, 1e9))
def test_within_is_the_comparison_and_never_rises_with_the_amount(amount, budget):
    assert within(amount, budget) == float(amount <= budget) >= within(amount * 2 + 1, budget)


def test_the_limit_itself_is_within():
    assert within(120, WORDS) == 1.0 and within(121, WORDS) == 0.0


@pytest.mark.parametrize(
    "amount, budget", [(1, 0), (1, -1), (-1, 1), (math.nan, 1), (1, math.nan), (math.inf, 1)]
)
def test_refusals(amount, budget):
    with pytest.raises(ValueError, match="a budget is above 0"):
        within(amount, budget)
