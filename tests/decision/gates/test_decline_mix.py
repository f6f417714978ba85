"""A gate on the choice to answer or decline says how questions without an answer fared in it."""

import pandas as pd

from decision.judged_gates import judge
from ragassay.decision.gates import decline_mix

GATES = judge(
    {"abstention_correct": "low >= 0.8", "retrieval_recall": "low >= 0.8"},
    {"abstention_correct": {"own": (3, 4), "generated": (2, 2)}, "retrieval_recall": {"own": (30, 80)}},
)
CASES = pd.DataFrame(
    {
        "case_id": list("abcdef"),
        "origin": ["own"] * 4 + ["generated"] * 2,
        "answerable": [True, True, False, False, True, True],
    }
)
SCORES = pd.DataFrame(
    {"case_id": list("abcdef"), "metric": "abstention_correct", "value": [1.0, 0.0, 0.0, 1.0, 1.0, 1.0]}
)


def test_both_kinds_of_question_are_counted_apart():
    told = dict(
        zip(
            zip(GATES["gate"], GATES["origin"], strict=True),
            decline_mix.beside_gates(GATES, SCORES, CASES),
            strict=True,
        )
    )
    assert told["abstention_correct", "own"] == (
        "of 2 without an answer 1 were answered, of 2 with one 1 declined"
    )
    assert told["abstention_correct", "generated"] == "" == told["retrieval_recall", "own"]


def test_without_scores_nothing_is_told():
    assert not any(decline_mix.beside_gates(GATES, SCORES.iloc[:0], CASES))
