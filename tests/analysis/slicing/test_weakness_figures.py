"""The rows that figures draw; the worst scores of a metric with their evidence."""

import json

import numpy as np
import pandas as pd
import pytest

from analysis.made import cases_of, scores_of
from ragassay.analysis.lowest_scores import worst_cases
from ragassay.analysis.slicing import weakness_figures

TOPICS = ["T1"] * 20 + ["T2"] * 20 + ["T3"] * 20 + ["T4"] * 3


@pytest.fixture
def weak_topic() -> pd.DataFrame:
    values = np.random.default_rng(2).uniform(0.6, 0.9, 63)
    values[20:40] -= 0.3
    values[0] = np.nan
    return scores_of(values)


def test_the_worst_cases_carry_their_evidence():
    detail = json.dumps(
        [
            {"text": "fine", "score": 0.9},
            {
                "text": "made up",
                "score": 0.1,
                "evidence": "the fee is 5",
                "evidence_id": "fees#p1",
                "weakest": True,
            },
        ]
    )
    scores = scores_of([0.9, 0.1, 0.5, np.nan]).assign(detail=["[]", detail, "not json {", None])
    answers = pd.DataFrame(
        {
            "case_id": ["c000", "c001", "c001", "c002"],
            "system": "bank",
            "repeat": [0, 1, 0, 0],
            "answer": ["a", "later", "first", "c"],
        }
    )
    found = worst_cases(scores, answers, cases_of("TTTT"), "groundedness", n=2)
    assert found["case_id"].tolist() == ["c001", "c002"] and found["answer"].tolist() == ["first", "c"]
    assert found.loc[0, ["sentence", "sentence_score", "evidence", "evidence_id"]].tolist() == [
        "made up",
        0.1,
        "the fee is 5",
        "fees#p1",
    ]
    assert found.loc[1, "sentence"] == ""


def test_rows_for_the_figures_keep_every_case(weak_topic):
    found = weakness_figures.score_rows(weak_topic, cases_of(TOPICS), ["groundedness"])
    assert (
        len(found) == 63
        and found["value"].isna().sum() == 1
        and {"metric", "topic", "cluster", "question"} <= set(found)
    )
