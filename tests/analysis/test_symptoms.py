"""The playbook: each symptom from what was measured, with its evidence; none where all is well."""

import numpy as np
import pandas as pd
import pytest

from ragassay import tables
from ragassay.analysis import error_taxonomy

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
}
ILL = {
    "evidence_not_found": {"retrieval_recall": 0.5},
    "found_not_grounded": {"misled": 1.0},
    "grounded_incomplete": {"judged_complete": 0.0},
    "not_grounded": {"misled": 1.0, "retrieval_recall": np.nan},
    "grounded_irrelevant": {"judged_relevant": 0.0},
    "unanswerable_answered": {"declined": 0.0},
    "refused_with_evidence": {"declined": 1.0},
    "foreign_citations": {"citation_correctness": 0.5},
    "other_language": {"language_match": 0.0},
    "wrong_release": {"accepted": 0.0},
}


BLAME = pd.DataFrame({"case_id": ["c00", "c01", "c02"], "blamed": ["retriever", "retriever", "undetermined"]})


def diagnosed(facts, blame=BLAME, alpha=0.1) -> pd.DataFrame:
    found = error_taxonomy.list_symptoms(facts, blame, pd.DataFrame({"allowed": [alpha]}))
    tables.check("playbook", found)
    return found


def facts(**changed) -> pd.DataFrame:
    ids = [f"c{i:02d}" for i in range(40)]
    return pd.DataFrame({"case_id": ids, **WELL, **changed})


def test_where_all_is_well_there_is_no_symptom():
    assert diagnosed(facts()).empty


def test_generated_questions_do_not_count_beside_own_ones():
    mixed = facts(origin=["own"] * 10 + ["generated"] * 10 + ["own"] * 20)
    mixed.loc[10:19, "retrieval_recall"] = 0.0
    assert "evidence_not_found" not in set(diagnosed(mixed)["rule"])
    assert "evidence_not_found" in set(diagnosed(mixed.assign(origin="generated"))["rule"])


def test_what_was_not_measured_is_no_symptom():
    bare = facts()[["case_id", "answerable", "origin"]]
    assert diagnosed(bare.assign(declined=np.nan, misled=np.nan, accepted=np.nan, decision=None)).empty


def test_every_rule_has_its_case_here_and_its_words():
    assert set(ILL) == {rule["rule"] for rule in error_taxonomy.PLAYBOOK}


@pytest.mark.parametrize("rule", list(ILL))
def test_each_symptom_is_read_from_what_was_measured(rule):
    row = diagnosed(facts(**ILL[rule])).set_index("rule").loc[rule]
    assert row["value"] == 0 and len(row["case_ids"]) == row["n"] >= 20
    assert row["low"] == 0 < row["high"] < row["line"]


def test_the_calibrated_rule_is_held_to_its_own_error_rate():
    """Four in five of what it accepts are right: too few at an error rate of 0.1, enough at 0.3."""
    four_of_five = facts(accepted=[1.0, 1.0, 1.0, 1.0, 0.0] * 8)
    assert diagnosed(four_of_five, alpha=0.1).set_index("rule").loc["wrong_release", "line"] == 0.9
    assert diagnosed(four_of_five, alpha=0.3).empty
