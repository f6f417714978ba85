"""The playbook: each symptom from what was measured, with its evidence; none where all is well."""

import re

import numpy as np
import pandas as pd
import pytest
from ragassay.analysis.playbook_rules import RULES

from ragassay import tables
from ragassay.analysis import playbook

WELL = {
    "answerable": [True] * 20 + [False] * 20,
    "declined": [0.0] * 20 + [1.0] * 20,
    "misled": 0.0,
    "accepted": 1.0,
    "decision": "accept",
    "origin": "own",
    "retrieval_recall": [1.0] * 20 + [np.nan] * 20,
    "judged_complete": 1.0,
    "judged_relevant": 1.0,
    "citations_present": 1.0,
    "citation_correctness": 1.0,
    "language_match": 1.0,
    "superseded_cited_rate": 0.0,
    "staff_only_reach_rate": 0.0,
}
ILL = {
    "Evidence is not found": {"retrieval_recall": 0.5},
    "Evidence is found, and the answer is not grounded": {"misled": 1.0},
    "Answers are grounded, and incomplete": {"judged_complete": 0.0},
    "Answers are grounded, and beside the question": {"judged_relevant": 0.0},
    "Questions without an answer are answered": {"declined": 0.0},
    "Questions are refused although their evidence was retrieved": {"declined": 1.0},
    "Citations name passages that were not retrieved": {"citation_correctness": 0.5},
    "The language of the answer is not that of the question": {"language_match": 0.0},
    "Superseded documents are cited": {"superseded_cited_rate": 1.0},
    "Documents for staff reach customers": {"staff_only_reach_rate": 1.0},
    "The calibrated rule would release answers that raters reject": {"accepted": 0.0},
}


def facts(**changed) -> pd.DataFrame:
    ids = [f"c{i:02d}" for i in range(40)]
    return pd.DataFrame({"case_id": ids, **WELL, **changed})


def test_where_all_is_well_there_is_no_symptom():
    found = playbook.diagnose(facts())
    assert found.empty
    tables.check("playbook", found)


def test_every_rule_has_its_symptom_here():
    assert set(ILL) == {rule.symptom for rule in RULES}


@pytest.mark.parametrize("symptom", list(ILL))
def test_each_symptom_is_read_from_what_was_measured(symptom):
    found = playbook.diagnose(facts(**ILL[symptom]))
    tables.check("playbook", found)
    row = found.set_index("symptom").loc[symptom]
    assert row["value"] == 0 and len(row["case_ids"]) == row["n"] >= 20
    assert f"of {row['n']}" in row["measured"] and row["what_to_do"] and row["likely_cause"]


def test_a_system_without_a_prompt_is_not_told_to_change_one():
    for rule in RULES:
        told = [
            playbook.diagnose(facts(**ILL[rule.symptom]), has_prompt=prompt).set_index("symptom")
            for prompt in (True, False)
        ]
        with_prompt, without = (found.loc[rule.symptom, "what_to_do"] for found in told)
        assert without == rule.what_to_do and with_prompt.startswith(without)
        assert not re.search("instruct|prompt|generat", f"{without} {rule.likely_cause}")
        assert bool(rule.prompted) == (with_prompt != without)


def test_what_failures_were_laid_to_is_named():
    blame = pd.DataFrame(
        {"case_id": ["c00", "c01", "c02"], "blamed": ["retriever", "retriever", "undetermined"]}
    )
    found = playbook.diagnose(facts(retrieval_recall=0.0), blame).set_index("symptom")
    assert found.loc["Evidence is not found", "evidence"].endswith(
        "attributed to: retriever 2, not determined 18, of 20"
    )


def test_generated_questions_do_not_count_beside_own_ones():
    mixed = facts(origin=["own"] * 10 + ["generated"] * 10 + ["own"] * 20)
    mixed.loc[10:19, "retrieval_recall"] = 0.0
    assert "Evidence is not found" not in set(playbook.diagnose(mixed)["symptom"])
    assert "Evidence is not found" in set(playbook.diagnose(mixed.assign(origin="generated"))["symptom"])


def test_what_was_not_measured_is_no_symptom():
    bare = facts()[["case_id", "answerable", "origin"]].assign(
        declined=np.nan, misled=np.nan, accepted=np.nan, decision=None
    )
    assert playbook.diagnose(bare).empty


def test_the_heading_names_the_first_symptom_and_says_where_no_rater_read():
    symptoms = pd.DataFrame({"symptom": ["Evidence is not found", "x"]})
    told = "2 symptoms were measured, first of all: evidence is not found"
    assert playbook.heading(symptoms, rated=True) == told
    assert (
        playbook.heading(symptoms, rated=False) == f"By instruments alone, {told}; no rater read the answers"
    )
