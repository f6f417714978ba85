"""A cause is established by the diagnosis of most failing answers, or it is not."""

import pandas as pd

from ragassay.decision.causes import BEFORE_ANSWERS, diagnosed, find_cause, find_symptom
from ragassay.decision.finding_texts import NOT_ESTABLISHED

IDS = [f"c{i}" for i in range(20)]


def blamed(name: str, count: int = 20, *, rest: str = "generator") -> dict[str, str]:
    return {case: name if place < count else rest for place, case in enumerate(IDS)}


def test_the_cause_of_most_answers_is_established_with_its_count():
    cause, evidence = find_cause(IDS, blamed("retriever", 18))
    assert cause == "Retrieval misses the passages."
    assert "18 of 20" in evidence and "tables/blame.parquet" in evidence


def test_a_bare_majority_is_not_enough():
    cause, evidence = find_cause(IDS, blamed("retriever", 12))
    assert cause == NOT_ESTABLISHED and "12 of 20" in evidence


def test_few_diagnosed_nothing_established():
    for known, said in (({}, "None of the cases was"), ({"c1": "retriever"}, "1 of the cases was")):
        assert find_cause(IDS, known) == (NOT_ESTABLISHED, f"{said} diagnosed.")
    six = dict.fromkeys(IDS[:6], "retriever")
    assert find_cause(IDS, six)[0] != NOT_ESTABLISHED, "six of six: the lower bound is 0.54"


def test_what_follows_from_how_the_diagnosis_is_made_is_no_cause():
    """Of a question without an answer the diagnosis always says: the generator."""
    blame = pd.DataFrame({"case_id": ["a", "b"], "blamed": ["generator", "retriever"]})
    cases = pd.DataFrame({"case_id": ["a", "b"], "answerable": [False, True]})
    assert diagnosed(blame, cases) == {"b": "retriever"}
    assert diagnosed(None, cases) == diagnosed(blame, None) == {}


def test_undetermined_is_no_cause():
    assert find_cause(IDS, blamed("undetermined"))[0] == NOT_ESTABLISHED


def playbook(**cases: list[str]) -> pd.DataFrame:
    return pd.DataFrame([{"symptom": name, "case_ids": ids} for name, ids in cases.items()])


def test_the_symptom_with_the_likest_cases_is_found():
    table = playbook(wide=IDS, near=IDS[:8], other=["x"])
    assert find_symptom(IDS[:6], table, IDS)["symptom"] == "near"
    assert find_symptom(["p1", *IDS[:6]], table, IDS)["symptom"] == "near", "probes are not compared"


def test_a_symptom_that_shares_too_few_cases_points_to_nothing():
    assert find_symptom(IDS[:3], playbook(wide=IDS), IDS) is None
    assert find_symptom([], playbook(wide=IDS), IDS) is None
    assert find_symptom(IDS, None, IDS) is None


def test_the_diagnosis_of_answers_is_no_cause_of_a_metric_of_retrieval():
    assert find_cause(IDS, blamed("generator"), "retrieval_recall") == (NOT_ESTABLISHED, BEFORE_ANSWERS)
    assert find_cause(IDS, blamed("generator"), "answer_relevancy")[0] != NOT_ESTABLISHED
