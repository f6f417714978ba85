"""Independence: a finding where raters or validator lack it, and what follows for rating, gates and owner."""

import pandas as pd
import pytest

from decision.judged_gates import judge
from ragassay.decision import independence, rating
from ragassay.decision.closing import closure_requirements, earlier_findings, finding_phases
from ragassay.decision.findings import finding_causes, findings
from ragassay.decision.pilot import pilot_entry_conditions

RECORD = {
    "owner": "Head of Digital Banking",
    "developer": "Assistants team",
    "validator": "Model Validation",
    "reporting_line": "Chief Risk Officer",
    "approver": "Risk Committee",
}
PASSED = judge(
    {"judged_grounded": "low >= 0.5", "retrieval_recall": "low >= 0.5"},
    {name: {"own": (99, 100)} for name in ("judged_grounded", "retrieval_recall")},
)
MISSED = judge(
    {"judged_grounded": "low >= 0.5", "retrieval_recall": "low >= 0.5"},
    {name: {"own": (10, 100)} for name in ("judged_grounded", "retrieval_recall")},
)
CONTEXT = findings.Context("Head of Digital Banking", "2026-11-21", "{} sha256=ab".format)


def stated(
    raters: str = "yes", own: str = "yes", answers: int = 264, who: str = "the team", **record
) -> independence.Independence:
    known = RECORD | {"validator_independent": own} | record
    return independence.read(known, {"independent": raters, "answers": answers, "raters": who})


def register(found: independence.Independence) -> pd.DataFrame:
    return findings.raise_findings(PASSED, errors=independence.finding(found)[0], context=CONTEXT)


@pytest.mark.parametrize(
    "found, severity, title",
    [
        (stated("no"), "High", "The raters are not independent"),
        (stated("no", "no"), "High", "The raters and the validator are not independent"),
        (stated("unstated", "no"), "High", "The validator is not independent"),
        (stated("yes", "yes", validator="assistants  Team"), "High", "The validator is not independent"),
        (stated(validator="A. Smith, Head of Digital Banking"), "High", "The validator is not independent"),
        (stated("unstated"), "Medium", "Whether the raters are independent is not stated"),
        (stated("yes", "unstated"), "Medium", "Whether the validator is independent is not stated"),
        (stated("no", answers=0, validator="not stated", owner="not stated"), None, ""),  # nobody rated
        (stated(), None, ""),
    ],
)
def test_how_grave_it_is(found, severity, title):
    drafts, met = independence.finding(found)
    assert [(each["severity"], each["title"]) for each in drafts] == ([(severity, title)] if severity else [])
    assert [each.passed for each in met] == ([False] if not severity and found.raters else []), (
        "nobody is named"
    )


def test_the_finding_says_what_is_known_and_who_must_answer():
    row = register(stated("no", "no", validator="Head of Digital Banking")).iloc[0]
    assert "They read 264 answers. The validator has the name or role of the owner." in row["condition"]
    assert row["recommendation"] == f"Have{independence.OUTSIDERS[4:]}; {independence.REVIEW}."
    assert (row["owner"], row["evidence"], row["n"]) == ("Chief Risk Officer", "raters sha256=ab", 264)


def test_its_cause_is_what_the_record_states_as_document_control_prints_it():
    why = "None: the makers of the system validate it here."
    row = register(stated("no", "no", independence=why)).iloc[0]
    assert row["cause"] == f"The record states of independence: “{why}”"
    assert row["cause_evidence"].startswith("By the engagement's record")
    role = register(stated(validator="Head of Digital Banking")).iloc[0]
    assert role["cause"] == "The validator is the owner too."
    for silent in (
        stated("no"),
        stated("no", independence="not stated"),
        stated("unstated", independence=why),
    ):
        assert register(silent).iloc[0]["cause"] == finding_causes.NOT_ESTABLISHED


@pytest.mark.parametrize(
    "line, approver, owner",
    [("not stated", "Risk Committee", "Risk Committee"), ("", "not stated", "Head of Digital Banking")],
)
def test_without_a_reporting_line_the_approver_answers_then_the_owner(line, approver, owner):
    assert register(stated("no", reporting_line=line, approver=approver)).iloc[0]["owner"] == owner


def test_nothing_is_fit_for_use_while_it_is_open_and_high():
    of = {word: rating.rate(PASSED, findings=register(stated(word))) for word in ("no", "unstated", "yes")}
    assert [of[word]["rating"] for word in of] == [rating.CONDITIONS, rating.FIT, rating.FIT]
    assert of["no"]["rationale"][-1] == "High finding F1 is open: The raters are not independent."


def test_reading_by_staff_cures_no_lack_of_independence():
    [row] = register(stated("no")).to_dict("records")
    assert (
        pilot_entry_conditions.holding_condition(row, finding_phases.START)
        == pilot_entry_conditions.OF_PROCESS[independence.SOURCE]
    )
    assert finding_phases.places(register(stated("no"))) == {"F1": finding_phases.START}


def test_it_is_closed_by_labels_of_named_raters_and_not_by_a_declaration():
    [row] = closure_requirements.proofs(register(stated("no"))).to_dict("records")
    assert row["fewest"] == 264 and row["passes_if"] == closure_requirements.INDEPENDENT


@pytest.mark.parametrize(
    "later, status",
    [
        (stated(who="Ann Meyer and Bo Li", validator="A. Smith"), earlier_findings.RETESTED),
        (stated(who="Ann Meyer"), earlier_findings.OPEN),  # the validator is a unit
        (stated(who="TBD", validator="A. Smith"), earlier_findings.OPEN),
        (stated(independence="Rated by Audit, validated by Group Risk."), earlier_findings.OPEN),
        (stated(answers=20, who="Ann Meyer", validator="A. Smith"), earlier_findings.OPEN),  # too few labels
    ],
)
def test_a_later_run_that_names_who_and_holds_their_labels_meets_the_criterion(later, status):
    """Formerly any statement of independence met it, whoever stood in it."""
    then = register(stated("no"))
    met = earlier_findings.met_criteria(PASSED, None, None, independence.finding(later)[1])
    earlier = findings.Earlier(then.assign(run="last"), frozenset(met))
    now = findings.raise_findings(PASSED, context=CONTEXT, earlier=earlier)
    assert now["status"].tolist() == [status]


def test_gates_that_such_raters_decide_say_so():
    table = PASSED.assign(beside="known")
    told = independence.mark(table, stated("no"))
    assert told["beside"].tolist() == ["known; raters not independent", "known"]
    assert independence.mark(table, stated("unstated"))["beside"].tolist() == ["known", "known"]


@pytest.mark.parametrize("raters, status", [("yes", "retested"), ("no", "open"), ("unstated", "open")])
def test_what_labels_show_closes_on_labels_of_independent_raters_alone(raters, status):
    """Formerly the labels of the same team closed what they had raised."""
    then = findings.raise_findings(MISSED, context=CONTEXT)
    met = earlier_findings.met_criteria(PASSED, None, None, [])
    earlier = findings.Earlier(then.assign(run="last"), independence.barred(met, stated(raters)))
    now = findings.raise_findings(PASSED, context=CONTEXT, earlier=earlier).set_index("source")
    assert now["status"].to_dict() == {
        "gate:judged_grounded|own": status,
        "gate:retrieval_recall|own": "retested",
    }
    assert (independence.BARRED in now["closed_evidence"]["gate:judged_grounded|own"]) == (status == "open")
