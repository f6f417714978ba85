"""The worst answers: ranked by harm, shown whole, masked."""

import json

import pandas as pd
import pytest
from made import answers_of, cases_of, scores_of

from ragassay import tables
from ragassay.analysis import answer_facts, error_taxonomy, worst_answers

N = 7
DETAIL = json.dumps(
    [{"text": "Type the code.", "evidence": "Type the code.", "evidence_id": "a#p1", "score": 0.9, "x": 1}]
)


@pytest.fixture
def facts() -> pd.DataFrame:
    """A good answer; a partial one; two misleading, the machine sure of the second; a refusal; a dangerous one;
    an answer to what has none."""
    cases = cases_of("T" * N, answerable=[True] * 6 + [False], language="en")
    answers = answers_of(cases, "Type the code.")
    answers["contexts"] = [[] for _ in range(N)]
    measured = {
        "abstains": [0, 0, 0, 0, 1, 0, 0],
        "judged_in_every_respect": [1, 0, 0, 0, 0, 0, 0],
        "judged_grounded": [1, 1, 0, 0, 0, 0, 0],
    }
    scores = pd.concat([scores_of(values, metric) for metric, values in measured.items()])
    labels = pd.DataFrame({"case_id": ["c005"], "remark": ["dangerous"]})
    verdicts = cases[["case_id"]].assign(
        probability=[0.9, 0.9, 0.2, 0.8, 0.9, 0.1, 0.9], dimension="relevant"
    )
    verdicts["decision"] = ["accept", "accept", "review", "accept", "review", "review", "accept"]
    return answer_facts.gather(cases, answers, scores, labels, verdicts)


def ranked(facts) -> pd.DataFrame:
    scores = scores_of([0.9] * N, metric="support").assign(detail=DETAIL)
    return worst_answers.rank_by_harm(facts, error_taxonomy.classify(facts), scores)


def test_the_gravest_stands_first_and_the_good_are_not_there(facts):
    found = ranked(facts)
    tables.check("worst", found)
    assert found["case_id"].tolist() == ["c005", "c003", "c002", "c006", "c001", "c004"]
    assert found["harm"].tolist()[:2] == ["danger", "misleading"]
    assert found["rank"].tolist() == list(range(1, N))
    assert found["remark"].iloc[0] == "dangerous" and "accept it unseen" in found["why"].iloc[1]


def test_personal_data_are_masked(facts):
    leaked = facts.assign(answer="Write to jane.doe@example.com now.")
    found = ranked(leaked.assign(remark="dangerous: gives jane.doe@example.com, SSN 123-45-6789"))
    assert "jane.doe@example.com" not in found["answer"].iloc[0] + found["evidence"].iloc[0]
    shown = " ".join(found["remark"])
    assert "jane.doe" not in shown and "123-45" not in shown and "dangerous: gives xxxx.xxx@" in shown


def test_one_of_each_category_the_gravest_first(facts):
    scores = scores_of([0.9] * N, metric="support").assign(detail=DETAIL)
    found = worst_answers.one_of_each(facts, error_taxonomy.classify(facts), scores)
    assert found["category"].tolist() == [
        *("unsafe", "misleading", "should have declined", "partial", "needless refusal")
    ]
    assert found.loc[0, ["support", "evidence", "remark"]].tolist() == ["0.90", "a#p1", "dangerous"]
    few = worst_answers.one_of_each(facts[:0], error_taxonomy.classify(facts[:0]), scores)
    assert few.empty and "answer" in few
