"""Means by origin: one row each, by hand; nothing pooled."""

import numpy as np
import pandas as pd
from made import scores_of

from ragassay.analysis import by_origin

CASES = pd.DataFrame(
    {"case_id": list("abcd"), "kind": ["own", "own", "generated", None], "parent_id": None, "group_id": None}
)


def summarize(cases=CASES, metrics=("retrieval_recall",)):
    scores = scores_of([1.0, 0.0, 1.0, 1.0], "retrieval_recall").assign(case_id=list("abcd"))
    return by_origin.summarize(scores, cases, list(metrics), rng=np.random.default_rng(0))


def test_by_hand():
    found = summarize().set_index("origin")
    assert found["value"].to_dict() == {"generated": 1.0, "log": 1.0, "own": 0.5}
    assert found["n"].to_dict() == {"generated": 1, "log": 1, "own": 2} and set(found["better"]) == {"higher"}


def test_a_metric_without_scores_has_no_row():
    found = summarize(metrics=["support"])
    assert found.empty and list(found) == [*by_origin.COLUMNS, "method"]
    only = by_origin.rows_of_origin(
        scores_of([1.0, 0.0, 1.0, 1.0], "support").assign(case_id=list("abcd")), CASES, "own"
    )
    rows = by_origin.summarize(only, CASES, ["support"], rng=np.random.default_rng(0))
    assert rows["origin"].tolist() == ["own"]


def test_the_questions_of_customers_come_first():
    assert by_origin.foremost(CASES) == "log" and by_origin.foremost(CASES.head(3)) == "own"
    assert summarize()["origin"].tolist() == ["log", "own", "generated"]


def test_rows_of_one_origin_by_hand():
    rows = pd.DataFrame({"case_id": list("aabd"), "value": range(4)})
    assert by_origin.rows_of_origin(rows, CASES, "own")["value"].tolist() == [0, 1, 2]
