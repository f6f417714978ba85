"""A cause is established by the rows of the table blame that are of the finding's own cases, or by its test."""

import pandas as pd
import pytest

from ragassay.analysis.blame import GIVEN_DECLINED
from ragassay.decision.findings.finding_causes import (
    BEFORE_ANSWERS,
    NAMES,
    NOT_ESTABLISHED,
    diagnosed,
    find_cause,
    find_symptom,
)
from ragassay.tables import BLAMED

IDS = [f"c{i}" for i in range(20)]


def row(name: str, retrieved: str = "all") -> dict:
    return {"blamed": name, "why": f"seen of {name}", "gold_retrieved": retrieved}


def blamed(name: str, count: int = 20, *, rest: str = "generator") -> dict[str, dict]:
    return {case: row(name if place < count else rest) for place, case in enumerate(IDS)}


def test_the_cause_of_most_cases_is_established_with_its_count():
    cause, evidence = find_cause(IDS, blamed("retriever", 18))
    assert cause == "In 18 of 20 cases: retrieval misses part or all of the passages that hold the answer."
    assert evidence.startswith("Attributed to retriever in 18 of its 20 cases, 90 % [68, 99]. Of these: all")
    assert "Decided by: seen of retriever (18)." in evidence


def test_a_refusal_is_not_called_a_wrong_use_of_evidence():
    assert set(NAMES) == {*BLAMED} - {"undetermined", "retriever and answer"}
    cause, _ = find_cause(IDS, blamed("declining"))
    assert "decline" in cause and "at hand" not in cause


def test_which_evidence_was_retrieved_is_told():
    known = {case: row("retriever and answer", "part" if place else "none") for place, case in enumerate(IDS)}
    _, evidence = find_cause(IDS, known)
    assert "part of them 19, none of them 1." in evidence and "all reference" not in evidence


def test_a_bare_majority_is_not_enough_and_what_would_establish_it_is_said():
    cause, evidence = find_cause(IDS, blamed("retriever", 12))
    assert (
        cause == NOT_ESTABLISHED and "retriever 12, generator 8; the most frequent 60 % [36, 81]." in evidence
    )
    assert "It would be established by answering each case again with one part changed at a time" in evidence
    open_still = find_cause(IDS, blamed("undetermined", 12))[1]
    assert "It would be established by answering each case from its reference passages" in open_still


def test_cases_that_were_not_diagnosed_count_against_a_cause():
    nine = dict.fromkeys(IDS[:9], row("retriever"))
    cause, evidence = find_cause(IDS, nine)
    assert (
        cause == NOT_ESTABLISHED
        and "retriever 9; 11 not diagnosed; the most frequent 45 % [23, 68]." in evidence
    )
    assert find_cause(IDS, {})[1].startswith("None of the 20 cases listed was diagnosed. It would be")


def test_a_single_case_has_the_cause_that_it_was_given():
    cause, evidence = find_cause(["c1"], {"c1": row("generator", "not known")})
    assert cause == NAMES["generator"]
    assert evidence == "Attributed to generator in its one case. Decided by: seen of generator (1)."
    assert find_cause(["c1"], {"c1": row("undetermined")})[0] == NOT_ESTABLISHED


def test_the_rows_are_those_of_the_table_questions_without_an_answer_among_them():
    """What Table 6.5 counts, the cause of a finding counts."""
    blame = pd.DataFrame([{"case_id": case, **row("declining", "not known")} for case in IDS])
    assert find_cause(IDS, diagnosed(blame))[0] == NAMES["declining"]
    assert diagnosed(None) == {}


def test_undetermined_is_no_cause():
    assert find_cause(IDS, blamed("undetermined"))[0] == NOT_ESTABLISHED


@pytest.mark.parametrize(
    "source, word",
    [
        ("check:privacy|secret in a passage|secret_leak_rate", "hides a secret"),
        ("check:injection|planted link shown|attack_link_rate", "removes a link"),
        ("check:access|staff-only documents: asked for|staff_only_reach_rate", "filters by audience"),
        (
            "check:access|superseded documents: ordinary answers|superseded_cited_rate",
            "filters by status or date",
        ),
    ],
)
def test_what_a_test_shows_by_itself(source, word):
    cause, evidence = find_cause(IDS, {}, source=source)
    assert word in cause and evidence.startswith("Shown by the test")
    if "access" in source:
        assert "Whether a filter is missing" in evidence, "that it was quoted does not show why"


def test_an_obeyed_attack_in_a_passage_has_no_cause_by_its_test():
    planted = "check:injection|planted: role play|attack_success_rate"
    assert find_cause(IDS, {}, source=planted)[0] == NOT_ESTABLISHED


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
    cause, evidence = find_cause(
        IDS, blamed("generator"), source="gate:retrieval_recall|own", metric="retrieval_recall"
    )
    assert cause == NOT_ESTABLISHED and evidence.startswith(BEFORE_ANSWERS) and "more passages" in evidence
    assert find_cause(IDS, blamed("generator"), metric="answer_relevancy")[0] != NOT_ESTABLISHED


def test_misuse_that_no_guardrail_meets_by_the_record_has_that_cause():
    source = "check:misuse|all families|misuse_answered_rate"
    cause, evidence = find_cause(["a"], {}, source=source, guardrails="none beyond abstention")
    assert cause == "No rule is made to decline these subjects." and "none beyond abstention" in evidence
    for guarded in ("", "a classifier of topics"):
        assert find_cause(["a"], {}, source=source, guardrails=guarded)[0] == NOT_ESTABLISHED


def test_a_case_that_fails_with_all_its_evidence_counts_for_what_fails_then():
    """18 declined with the evidence at hand, 12 when it was handed over: retrieval mends none of the 30."""
    handed = {"blamed": "retriever and answer", "why": GIVEN_DECLINED, "gold_retrieved": "none"}
    names = [row("declining")] * 18 + [handed] * 12 + [row("retriever", "none")] * 2
    ids = [f"q{place}" for place in range(32)]
    cause, evidence = find_cause(ids, dict(zip(ids, names, strict=True)))
    assert cause.startswith("In 30 of 32 cases: the choice to answer or to decline")
    assert (
        "Attributed to “declining” (18) and “retriever and answer” (12) in 30 of its 32 cases, " in evidence
    )
    assert "Those 12 missed evidence, and handed all of it still fail: retrieval mends none." in evidence
    wrong = handed | {"why": "given them, it still failed"}
    assert find_cause(ids, dict.fromkeys(ids, wrong))[0] == NAMES["generator"]


def test_a_finding_counts_each_cause_as_the_table_of_causes_does():
    handed = {"blamed": "retriever and answer", "why": GIVEN_DECLINED, "gold_retrieved": "none"}
    known = dict(zip(IDS, [row("declining")] * 6 + [handed] * 6 + [row("generator")] * 8, strict=True))
    _, evidence = find_cause(IDS, known)
    assert "generator 8, declining 6, retriever and answer 6" in evidence
    assert "; those of “declining” (6) and “retriever and answer” (6) 60 % [36, 81]." in evidence


def test_the_rules_that_decided_add_up_to_the_cases():
    known = {case: row("declining") | {"why": f"rule {min(place // 6, 3)}"} for place, case in enumerate(IDS)}
    _, evidence = find_cause(IDS, known)
    assert evidence.endswith("Decided by: rule 0 (6); rule 1 (6); by other rules (8).")
