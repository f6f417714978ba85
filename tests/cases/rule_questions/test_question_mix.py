"""How hard a question is, and which come first."""

import numpy as np
import pytest

from ragassay.cases.rule_questions.question_mix import difficulty_level, take_turns

EASY = {
    "answerable": True, "stem": "What is the fee?", "reference_answer": "The fee is $6.", "query_type": "factual", "reference_chunk_ids": ["a"],
    "answer_type": "short_fact", "key_fact": "$6",
}  # fmt: skip


@pytest.mark.parametrize(
    "change, expected",
    [
        ({}, "easy"),
        ({"key_fact": "no", "query_type": "yes_no"}, "medium"),
        ({"query_type": "inference"}, "medium"),
        ({"reference_answer": "It costs nothing at all."}, "medium"),
        ({"query_type": "open", "answer_type": "multi_step"}, "hard"),
        ({"query_type": "multi_hop", "reference_chunk_ids": ["a", "b"]}, "hard"),
        ({"answerable": False, "reference_answer": None, "key_fact": None}, "hard"),
    ],
)
def test_levels(change, expected):
    assert difficulty_level(EASY | change) == expected


def test_looser_rules_come_behind_the_others_but_before_a_fact_asked_twice():
    row = {"query_type": "factual", "family": "a", "chunk_id": "p"}
    rows = [
        row | {"fact": 1, "name": "first"},
        row | {"fact": 1, "name": "asked twice"},
        row | {"fact": 2, "name": "second"},
        row | {"fact": 3, "name": "looser", "rank": 1},
    ]
    names = [one["name"] for one in take_turns(rows, 4, np.random.default_rng(0))]
    assert set(names[:2]) <= {"first", "second", "asked twice"} and names[2] == "looser"
