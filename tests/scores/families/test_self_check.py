"""SelfCheck: by hand, as GRAMMAR words it, its laws, its refusals; and the further answers that it compares."""

import pandas as pd
import pytest
from fake_tools import INSTRUMENTS

from ragassay.scores import METRICS, score
from ragassay.scores.families.self_check import add_other_answers

SAME, OTHER, NONE = "The fee is 5 dollars.", "The fee is 6 dollars.", "I could not find this."


def checked(answer: str, others, metrics=("self_check", "self_check_share")) -> pd.DataFrame:
    row = {"case_id": "c", "system": "s", "answer": answer, "other_answers": others}
    return score(pd.DataFrame([row]), metrics=list(metrics), instruments=INSTRUMENTS).set_index("metric")


@pytest.mark.parametrize(
    "answer, others, verdict, share",
    [
        (SAME, [SAME, SAME], 1, 1),
        (SAME, [SAME, OTHER], 0, 0.5),
        (SAME, [OTHER, NONE], 0, 0),
        (SAME, ["The FEE is 5 dollars [a#p1]."], 1, 1),
        (NONE, ["I could not find it in the documents.", NONE], 1, 1),
    ],
)
def test_by_hand(answer, others, verdict, share):
    found = checked(answer, others)["value"]
    assert found["self_check"] == verdict and found["self_check_share"] == share


def test_refusals():
    assert checked(SAME, [])["state"].tolist() == ["not_applicable"] * 2
    assert checked(SAME, None)["reason"].tolist() == ["other_answers not given"] * 2
    assert METRICS["self_check"].on_request


def test_the_further_answers_of_a_run():
    answers = pd.DataFrame(
        [
            {"case_id": case, "system": "s", "repeat": repeat, "answer": text, "error": error}
            for case, repeat, text, error in [
                ("a", 0, "A0", ""), ("a", 1, "A1", ""), ("a", 2, "", "timed out"), ("a-t", 0, "T0", ""), ("b", 0, "B0", None),
            ]
        ]
    )  # fmt: skip
    cases = pd.DataFrame(
        {"case_id": ["a", "a-t", "b"], "group_id": ["g", "a", None], "parent_id": [None, "a", None]}
    )
    found = add_other_answers(answers, cases).set_index("case_id")["other_answers"].to_dict()
    assert found == {"a": ["A1", "T0"], "a-t": ["A0"], "b": []}
    assert add_other_answers(answers).set_index("case_id")["other_answers"]["a-t"] == []
