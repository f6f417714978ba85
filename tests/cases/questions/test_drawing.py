"""How hard a question is."""

import pytest

from ragassay.cases.questions.drawing import difficulty_level

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
