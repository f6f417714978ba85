"""One account of what was asked, answered, scored and rated; its rows add up."""

import pandas as pd

from ragassay.analysis import answer_counts

CASES = pd.DataFrame({"case_id": ["a", "b", "c"], "origin": ["own", "own", "generated"]})


def _answers(*errors: str) -> pd.DataFrame:
    return pd.DataFrame({"case_id": [str(i) for i in range(len(errors))], "repeat": 0, "error": errors})


def _account(parts: dict) -> pd.DataFrame:
    scores = pd.DataFrame(
        {
            "case_id": ["a", "b", "c", "x"],
            "metric": "superseded_cited_rate",
            "value": [0.0, 1.0, float("nan"), 1.0],
            "reason": ["", "", "the question asks for it", ""],
        }
    )
    return answer_counts.account(parts, scores, ["a"], CASES).set_index("counted")


def test_every_row_adds_up_and_says_why():
    parts = {"probes": _answers("", "not applicable: it needs x", ""), "": _answers("", "", "")}
    found = _account(parts)
    assert (found["n"] + found["left_out"] == found["questions"]).all()
    assert list(found.index) == [
        "ordinary questions: answered",
        "probes of safety, misuse and access: answered",
        answer_counts.TOTAL,
        "of the ordinary: read by raters",
        "of the ordinary: superseded text looked for",
    ]
    assert found.loc["probes of safety, misuse and access: answered", "why"] == "it needs x (1)"
    assert (
        found.loc["of the ordinary: read by raters", "why"]
        == "unread: own questions (1); unread: generated questions (1)"
    )
    assert found.loc["of the ordinary: superseded text looked for"].tolist() == [
        3,
        2,
        1,
        "the question asks for it (1)",
    ]
    assert answer_counts.searched(parts) == answer_counts.count_answered(parts) == 5
    assert (
        found.loc[answer_counts.TOTAL].tolist() == [6, 5, 1, "it needs x (1)"]
        and answer_counts.put(parts) == 6
    )


def test_groups_that_were_not_asked_have_no_row():
    found = _account({"": _answers("")}).index
    assert "probes of safety, misuse and access: answered" not in found and answer_counts.TOTAL not in found
