"""Numbers traced: each verdict by hand in each layout, the steps spelled out, laws, hostile texts, time."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from number_tables import LAYOUTS, MARKDOWN

from ragassay.scores.numbers.number_tracing import (
    DERIVED,
    GIVEN,
    NOT_FOUND,
    OTHER_ITEM,
    OTHER_PERIOD,
    OTHER_SCALE,
    OTHER_SIGN,
    OTHER_UNIT,
    STATED,
    trace,
)

ASKED = "What did tea sales come to in 2023?"


def verdicts(sentence: str, passage: str, question: str = "") -> list[str]:
    return [one.verdict for one in trace(sentence, (passage,), question)]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "sentence, expected",
    [
        ("Tea sales were £4,310 thousand in 2023.", [STATED]),
        ("Tea sales were £4.31 million in 2023.", [STATED]),
        ("Tea sales were about £4.3 million in 2023.", [STATED]),
        ("Tea sales were £4,310 in 2023.", [STATED]),
        ("Tea sales were £4.31 billion in 2023.", [OTHER_SCALE]),
        ("Tea sales were €4.31 million in 2023.", [OTHER_UNIT]),
        ("Tea sales were £3.92 million in 2023.", [OTHER_PERIOD]),
        ("The result was £1.25 million in 2023.", [OTHER_ITEM]),
        ("Tea sales were £4.13 million in 2023.", [NOT_FOUND]),
        ("Fern lost £215,000 in 2023.", [STATED]),
        ("Fern made a profit of £215,000 in 2023.", [OTHER_SIGN]),
        ("The gross margin was 41.5% in 2023.", [STATED]),
        ("The gross margin was 41.5 basis points in 2023.", [OTHER_UNIT]),
        ("The gross margin rose by 2.5 percentage points.", [DERIVED]),
        ("The gross margin fell by 2.5 percentage points.", [OTHER_SIGN]),
        ("Tea sales rose from £3.92 million to £4.31 million.", [STATED, STATED]),
        ("Tea sales fell from £4.31 million to £3.92 million.", [OTHER_PERIOD, OTHER_PERIOD]),
        ("The lease runs for 12 years.", [STATED]),
        ("The lease runs for 12 months.", [OTHER_UNIT]),
        ("It is 2023.", []),
    ],
)
def test_each_verdict_by_hand(layout, sentence, expected):
    assert verdicts(sentence, LAYOUTS[layout]) == expected


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "sentence, step",
    [
        ("Tea sales rose by £390 thousand.", "4,310 - 3,920 = 390,000"),
        ("Tea and coffee sales together came to £5.56 million in 2023.", "4,310 + 1,250 = 5,560,000"),
        ("Tea sales grew by 9.9% in 2023.", "(4,310 - 3,920) / 3,920 = 9.949"),
        ("Tea sales were 3.45 times coffee sales in 2023.", "4,310 / 1,250 = 3.448"),
        ("Coffee sales were 29.0% of tea sales in 2023.", "1,250 / 4,310 = 29.0023"),
        ("Tea sales averaged £4.115 million over both years.", "(4,310 + 3,920) / 2 = 4,115,000"),
        ("The gross margin rose by 250 basis points.", "41.5% - 39.0% = 250"),
    ],
)
def test_one_step_is_derivable_and_shown(layout, sentence, step):
    (found,) = trace(sentence, (LAYOUTS[layout],), "")
    assert (found.verdict, found.step) == (DERIVED, step)


def test_where_a_number_stands_is_told():
    (found,) = trace("Tea sales were £4.31 million.", ("Nothing here.", MARKDOWN), ASKED)
    assert (found.text, found.found, found.item, found.column, found.passage) == (
        "4.31 million", "4,310", "Tea sales", "2023", 1,
    )  # fmt: skip


def test_the_question_tells_the_period_and_gives_its_own_numbers():
    assert verdicts("They were £3.92 million.", MARKDOWN, ASKED) == [OTHER_PERIOD]
    assert verdicts("They were £3.92 million the year before.", MARKDOWN, ASKED) == [STATED]
    assert verdicts("For 77 cups it is free.", MARKDOWN, "What is the price of 77 cups?") == [GIVEN]


def test_a_number_of_the_right_item_scores_above_one_of_another():
    right, wrong = (
        trace(f"Tea sales were £{value} thousand in 2023.", (MARKDOWN,))[0].score
        for value in ("4,310", "1,250")
    )
    assert right > wrong > 0


@given(st.integers(100, 99_999), st.sampled_from(["{:,}", "{}", "{:,} units", "£{:,}"]))
@settings(deadline=None)
def test_a_sentence_is_borne_out_by_itself_and_more_passages_take_nothing_away(number, form):
    said = f"The stock holds {form.format(number)}."
    assert all(one.held for one in trace(said, (said,)))
    assert all(one.score > 0 for one in trace(said, (said, MARKDOWN)))


@given(st.text(max_size=200), st.text(max_size=200), st.text(max_size=50))
@settings(deadline=None)
def test_any_texts(sentence, passage, question):
    for one in trace(sentence, (passage,), question):
        assert 0 <= one.score <= 1 and sentence[one.start : one.end] == one.text


def filing(lines: int) -> str:
    """A made page of a filing: rows of three words and three numbers."""
    draw = random.Random(0)
    words = [
        "net",
        "income",
        "sales",
        "cost",
        "property",
        "total",
        "assets",
        "cash",
        "operating",
        "goodwill",
        "revenue",
        "other",
    ]
    rows = (
        f"{' '.join(draw.sample(words, 3))} {draw.randint(100, 99_999):,} {draw.randint(100, 99_999):,}"
        for _ in range(lines)
    )
    return "Statements (in millions)\n2018 2017\n" + "\n".join(rows)


def test_a_random_number_is_seldom_derivable():
    """Of 400 numbers drawn at random, told of items of a page with 400 numbers, under 5 %."""
    draw, page = random.Random(1), filing(200)
    told = [
        f"Net income {verb} {draw.uniform(1, 99):.1f}% in 2018." if place % 2 else
        f"Net income {verb} by ${draw.randint(1_000, 90_000):,} million in 2018."
        for place in range(200)
        for verb in ("rose", "fell")
    ]  # fmt: skip
    derivable = [one for said in told for one in trace(said, (page,)) if one.step]
    assert len(derivable) / len(told) < 0.05
