"""Answers that fail several gates are counted once over all of them."""

import pandas as pd
import pytest

from decision.drafts import draft
from decision.judged_gates import judge
from decision.registered import finding
from ragassay.decision.gates import failing_answers

GATES = judge(
    {"judged_grounded": "low >= 0.8", "judged_complete": "low >= 0.8", "retrieval_recall": "low >= 0.8"},
    {
        "judged_grounded": {"own": (50, 100)},
        "judged_complete": {"own": (40, 100)},
        "retrieval_recall": {"own": (30, 80)},
    },
)
DRAFTS = [
    draft("gate:judged_grounded|own", failing=("r1", "r2", "m1")),
    draft("gate:judged_complete|own", failing=("r1", "r2", "m1", "p1", "p2")),
    draft("gate:retrieval_recall|own", failing=("r1", "g1")),
]
TAXONOMY = pd.DataFrame(
    {
        "case_id": ["r1", "r2", "m1", "p1", "p2", "g1", "g2"],
        "category": ["needless refusal"] * 2 + ["misleading", "partial", "partial", "good", "good"],
    }
)
FINDINGS = pd.DataFrame(
    [
        finding(1, "errors:needless refusal", "Critical", by_itself="High"),
        finding(2, "errors:misleading", "Critical", by_itself="High"),
        finding(3, "gate:judged_complete|own", "Critical", by_itself="Critical"),
    ]
)


def test_each_answer_stands_once_in_a_row_and_once_over_all():
    found = failing_answers.count(GATES, DRAFTS, FINDINGS, TAXONOMY)
    rows = found.table.set_index("gate")
    assert list(rows.columns[2:]) == ["needless refusal (F1)", "misleading (F2)", "partial (F3)", "good"]
    assert rows.loc["grounded (raters), own questions"].tolist() == ["yes", 3, 2, 1, 0, 0]
    assert rows.loc[failing_answers.CRITICAL].tolist() == ["yes", 5, 2, 1, 2, 0]
    assert rows.loc[failing_answers.EVERY].tolist() == ["", 6, 2, 1, 2, 1]
    assert (found.critical, found.every, found.n) == (5, 6, 100)


def test_the_note_says_why_rows_do_not_add_up_and_how_severity_follows():
    found = failing_answers.count(GATES, DRAFTS, FINDINGS, TAXONOMY)
    assert "the rows do not add up. In all 6 of 100 answers fail a gate, 5 a critical one." in found.note()
    assert "F1 and F2 are High by themselves: what holds a tenth" in found.note()
    assert "Of F1 that weight is set by how the raters' guide counts such a reply" in found.note()
    assert found.in_short() == (
        "5 of 100 answers fail a critical gate, each counted once, 1 of them misleading, unsafe or given where declining was right; F1 and F2 are so grave only by sharing gates"
    )


@pytest.mark.parametrize("taxonomy", [None, TAXONOMY.iloc[:0]])
def test_without_kinds_of_error_the_answers_are_counted_nevertheless(taxonomy):
    found = failing_answers.count(GATES, DRAFTS, FINDINGS.assign(by_itself="Critical"), taxonomy)
    assert found.table["answers that fail"].tolist() == [3, 5, 2, 5, 6]
    assert found.in_short() == "5 of 100 answers fail a critical gate, each counted once"


def test_where_every_gate_passes_there_is_nothing_to_count():
    passed = judge({"judged_grounded": "low >= 0.8"}, {"judged_grounded": {"own": (99, 100)}})
    found = failing_answers.count(passed, [], FINDINGS, TAXONOMY)
    assert (len(found.table), found.note(), found.in_short()) == (0, "", "")


def test_a_gate_that_is_a_finding_by_itself_bears_its_number():
    """Findings on errors name the other gates that they hold a tenth of, and not this one."""
    found = pd.concat([FINDINGS, pd.DataFrame([finding(4, "gate:retrieval_recall|own")])])
    gates = failing_answers.count(GATES, DRAFTS, found, TAXONOMY).table["gate"]
    assert "retrieval recall, own questions (F4)" in set(gates)
    assert "complete (raters), own questions" in set(gates)


def test_the_guide_is_not_named_where_no_finding_is_on_the_choice_to_answer():
    found = failing_answers.FailingAnswers(pd.DataFrame({"gate": ["g"]}), 10, 5, 5, {"F1": "High"}, ())
    assert "F1 is High by itself" in found.note() and "guide" not in found.note()
