"""Who is asked for what: sums, turns, partners, refusals."""

from collections import Counter
from math import ceil

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.cases.llm_questions.request_planning import Order, Wanted, passages_of, tasks
from ragassay.cases.question_filter import Index
from ragassay.errors import ParameterError

WORDS = ["fee", "limit", "card", "branch", "safe", "loan", "rate", "year", "month", "cash", "note", "key"]


def passages(sizes: list[int], words: int = 5):
    rng = np.random.default_rng(0)
    rows = [
        {
            "chunk_id": f"d{t}#p{i}",
            "doc_id": f"d{t}",
            "topic": f"T{t}",
            "text": " ".join(rng.choice(WORDS, words)),
        }
        for t, size in enumerate(sizes)
        for i in range(size)
    ]
    return passages_of(pd.DataFrame(rows))


def planned(found, n: int, wanted: Wanted, seed: int = 0):
    return tasks(found, n, wanted, Index([passage.text for passage in found]), np.random.default_rng(seed))


def orders(made) -> list[Order]:
    return [order for task in made for order in task.orders]


def test_by_hand():
    """Eight questions of two topics of two passages each: four of each topic, two of each passage, types in turns."""
    made = planned(
        passages([2, 2]), 8, Wanted(types=["factual", "open"], difficulties=["easy"], per_passage=2, spare=0)
    )
    assert [task.passages[0].chunk_id for task in made] == ["d0#p0", "d0#p1", "d1#p0", "d1#p1"]
    assert [len(task.orders) for task in made] == [2, 2, 2, 2] and Counter(
        order.query_type for order in orders(made)
    ) == {"factual": 4, "open": 4}


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(1, 8), min_size=1, max_size=4),
    st.integers(0, 40),
    st.integers(1, 4),
    st.floats(0, 1),
)
def test_laws(sizes, n, per_passage, spare):
    """As many orders as n and the spare ask for, as far as the passages hold them; no passage above its most; every topic served."""
    found = passages(sizes)
    made = planned(
        found, n, Wanted(types=["factual", "open", "multi_hop"], per_passage=per_passage, spare=spare)
    )
    asked = min(ceil(n * (1 + spare)), len(found) * per_passage)
    first = Counter(task.passages[0].chunk_id for task in made for _ in task.orders)
    assert len(orders(made)) == asked and max(first.values(), default=0) <= per_passage
    assert asked < len(sizes) or {task.passages[0].topic for task in made} == {
        f"T{t}" for t in range(len(sizes))
    }
    assert all((len(task.passages) == 2) == (task.orders[0].query_type == "multi_hop") for task in made)
    assert made == planned(
        found, n, Wanted(types=["factual", "open", "multi_hop"], per_passage=per_passage, spare=spare)
    )


def test_the_second_passage_is_the_most_alike_of_the_stratum_and_no_copy():
    texts = [
        "annual fee of the gold card",
        "annual fee of the gold card",
        "annual fee of the blue card",
        "annual fee of the gold loan",
        "night safe",
    ]
    topics = ["T1", "T1", "T1", "T2", "T1"]
    rows = [
        {"chunk_id": f"d#p{i}", "doc_id": "d", "topic": topic, "text": text}
        for i, (topic, text) in enumerate(zip(topics, texts, strict=True))
    ]
    found = passages_of(pd.DataFrame(rows))
    made = planned(found, 5, Wanted(types=["multi_hop"], per_passage=1, spare=0))
    pairs = {tuple(passage.chunk_id[-1] for passage in task.passages) for task in made}
    assert (
        ("0", "2") in pairs
        and ("1", "2") in pairs
        and not {("0", "1"), ("1", "0")} & pairs
        and all(first != "4" for first, _ in pairs)
    )


def test_weights_and_equal_shares():
    def shares(**how) -> dict[str, int]:
        made = planned(passages([12, 4]), 8, Wanted(types=["factual"], per_passage=2, spare=0, **how))
        return dict(Counter(task.passages[0].topic for task in made for _ in task.orders))

    assert shares() == {"T0": 6, "T1": 2} and shares(allocation="equal") == {"T0": 4, "T1": 4}
    assert shares(allocation="weighted", weights={"T0": 1.0, "T1": 3.0}) == {"T0": 2, "T1": 6}


@pytest.mark.parametrize(
    "wrong",
    [
        {"types": ["factul"]},
        {"types": []},
        {"difficulties": ["harder"]},
        {"per_passage": 0},
        {"spare": -0.1},
        {"spare": float("nan")},
    ],
)
def test_refusals(wrong):
    with pytest.raises(ParameterError):
        Wanted(**wrong)
