"""Which questions are kept."""

import math
from math import log

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.cases import case_table
from ragassay.cases.question_filter import (
    Index,
    adequacy,
    allocate,
    draw_questions,
    minimum_detectable_effect,
    power,
    screen_questions,
)
from ragassay.errors import ParameterError

TEXTS = [
    "The fee is $6.",
    "A loan is paid back in years.",
    "The lost card is blocked at once.\nThe fee for it is $9.",
]
CHUNKS = pd.DataFrame({"chunk_id": ["a", "b", "c"], "text": TEXTS})


def test_bm25_by_hand():
    index = Index(["fee fee card", "card"])
    mean, rarity = 2.0, {"fee": log(1 + 1.5 / 1.5), "card": log(1 + 0.5 / 2.5)}
    assert index.rarity("fee") == pytest.approx(rarity["fee"]) and index.rarity("card") == pytest.approx(
        rarity["card"]
    )
    first = rarity["fee"] * 2 * 2.5 / (2 + 1.5 * (0.25 + 0.75 * 3 / mean)) + rarity["card"] * 2.5 / (
        1 + 1.5 * (0.25 + 0.75 * 3 / mean)
    )
    second = rarity["card"] * 2.5 / (1 + 1.5 * (0.25 + 0.75 * 1 / mean))
    assert index.top("fee card") == ([0, 1] if first > second else [1, 0]) and index.top("nothing") == []


def row(question, name, expected, fact="f"):
    asked = {"stem": question, "reference_chunk_ids": [name], "expected": expected, "fact": fact}
    return asked | {"reason": "", "similarity": np.nan}


def judged(pool, encode):
    screen_questions(pool, CHUNKS, Index(TEXTS), encode)
    return [one["reason"] for one in pool]


def test_each_reason(encode):
    kept, far = row("What is the fee?", "a", "$6"), row("Who sails boats?", "b", "years", "g")
    unread = row("What is blocked at once, the card?", "c", "sixty years of sailing", "h")
    again = row("What is the fee?", "c", "$9", "i")
    reasons = judged([kept, far, unread, again], encode)
    assert [reason[:12] for reason in reasons] == ["", "is far from ", "does not lea", "is asked alr"]
    assert kept["similarity"] > far["similarity"]


SIZES = st.dictionaries(st.text("abcdef", min_size=1, max_size=3), st.integers(0, 60), min_size=1, max_size=8)


def test_by_hand_proportional():
    """Quotas of 10 over 50, 30, 15: 5.26, 3.16, 1.58 -> 5, 3, 2."""
    sizes = {"a": 50, "b": 30, "c": 15}
    assert allocate(sizes, 10, sizes) == {"a": 5, "b": 3, "c": 2}


def test_by_hand_equal_and_by_passages():
    sizes = {"a": 50, "b": 30, "c": 2}
    assert allocate(sizes, 12, sizes, "equal") == {"a": 5, "b": 5, "c": 2}
    assert allocate({"a": 50, "b": 30}, 8, {"a": 1, "b": 3}) == {"a": 2, "b": 6}


@pytest.mark.parametrize("seed", range(20))
def test_agrees_with_webster_where_nothing_is_capped_or_raised(seed):
    """Quotas by a common divisor, rounded to the nearest: no move of one row makes two topics' shares more alike."""
    rng = np.random.default_rng(seed)
    sizes = {f"T{i}": int(size) for i, size in enumerate(rng.integers(40, 200, size=5))}
    counts = allocate(sizes, 60, sizes)
    gained = min(sizes[name] / (2 * counts[name] - 1) for name in sizes)
    assert gained >= max(sizes[name] / (2 * counts[name] + 1) for name in sizes)


@given(SIZES, st.integers(0, 400), st.sampled_from(["proportional", "equal"]))
def test_adds_up_and_never_exceeds_a_topic(sizes, n, how):
    counts = allocate(sizes, n, dict.fromkeys(sizes, 2), how)
    assert sum(counts.values()) == min(n, sum(sizes.values()))
    assert all(0 <= counts[name] <= sizes[name] for name in sizes)


def question(i, **row):
    plain = {"topic": "a", "query_type": "factual", "family": "price", "chunk_id": "p"}
    return plain | {"i": i, "fact": i} | row


def drawn(rows, n, topics="aab", allocation="proportional"):
    chunks = pd.DataFrame({"topic": list(topics)})
    return [one["i"] for one in draw_questions(rows, chunks, n, allocation, np.random.default_rng(5))]


def test_topics_are_served_by_their_passages_and_the_same_for_the_same_seed():
    rows = [question(i, topic="ab"[i % 2]) for i in range(20)]
    assert drawn(rows, 6) == drawn(rows, 6)
    assert [i % 2 for i in drawn(rows, 6)] == [0] * 4 + [1] * 2
    assert [i % 2 for i in drawn(rows, 6, allocation="equal")] == [0] * 3 + [1] * 3


def test_facts_not_yet_asked_come_first_then_types_in_turn():
    again = [question(0), question(1, fact=0, query_type="open"), question(2), question(3)]
    assert len({0, 1} & set(drawn(again, 3, "a"))) == 1
    assert len(drawn(again, 9, "a")) == 4
    types = [question(i, query_type="open" if i < 2 else "factual") for i in range(8)]
    assert sum(i < 2 for i in drawn(types, 4, "a")) == 2


def test_refuses_another_allocation():
    with pytest.raises(ParameterError, match="proportional, equal"):
        allocate({"a": 1}, 1, {"a": 1}, "random")


TOPICS = pd.DataFrame({"topic": ["T01", "T02"], "label": ["cards", "loans"], "n_chunks": [9, 4]})


CASE = {"question": "?", "answer_type": "short_fact", "query_type": "factual", "kind": "own", "topic": "T01"}


def cases_of(*changes):
    return case_table.cases_frame(CASE | {"case_id": str(i)} | one for i, one in enumerate(changes))


def test_counts_questions_not_their_variants():
    unanswered = {"answerable": False, "answer_type": "no_answer"}
    cases = cases_of({}, {"query_type": "yes_no"}, {"parent_id": "1"}, unanswered, {"kind": "grounded"})
    table = adequacy(cases, TOPICS)
    assert table["n_cases"].tolist() == [2, 0] and table["uncovered"].tolist() == [False, True]


def test_fall_has_the_power_it_promises():
    """The textbook sample size for the fall found is the n we started from."""
    p, n = 0.8, 150
    q = p - minimum_detectable_effect(p, n)
    middle = (p + q) / 2
    needed = (
        1.959964 * math.sqrt(2 * middle * (1 - middle)) + 0.841621 * math.sqrt(p * (1 - p) + q * (1 - q))
    ) ** 2 / (p - q) ** 2
    assert needed == pytest.approx(n, rel=1e-5)


def test_what_a_stratum_still_needs():
    table = adequacy(cases_of(*[{}] * 10), TOPICS)
    assert table["needed"].tolist() == [21, 31] and np.isnan(table.loc[1, "half_width"])


def test_what_so_many_show():
    """None among 190 bounds a rate by 2 %; none at all says nothing."""
    table = power(pd.Series({"outside": 190, "none": 0}))
    assert table.loc["outside", "bound"] == pytest.approx(0.0192, abs=1e-4)
    assert table.loc["outside", "fall"] == round(minimum_detectable_effect(0.8, 190), 4)
    assert table.loc["none", ["half_width", "fall", "bound"]].isna().all()
