"""One version: a finding where several gave the answers, or where it is not known which; and what closes it."""

import pandas as pd
import pytest

from decision.test_independence import CONTEXT, PASSED, stated
from ragassay.decision import rating
from ragassay.decision.closing import closure_requirements, earlier_findings, finding_phases
from ragassay.decision.findings import findings, process_findings, version_finding
from ragassay.decision.pilot import pilot_entry_conditions


def table(*versions, letter: str = "c") -> pd.DataFrame:
    rows = [(f"{letter}{at}", version, "") for at, version in enumerate(versions)]
    return pd.DataFrame(rows, columns=["case_id", "system_version", "error"])


MIXED = {"": table("A", "A"), "probes": table("A", "B", letter="p")}
SILENT = {"": table("A", None)}
NEVER_ASKED = {"": table("A").drop(columns="system_version")}


def register(answers) -> pd.DataFrame:
    return findings.raise_findings(PASSED, errors=version_finding.finding(answers)[0], context=CONTEXT)


@pytest.mark.parametrize(
    ("answers", "severity", "title"),
    [
        (MIXED, "High", "2 versions of the assistant gave the answers"),
        (SILENT, "Medium", "Which version gave 1 of 2 answers is not known"),
        ({"": table("A", "A"), "probes": table("A")}, "", ""),
        (NEVER_ASKED, "", ""),
        ({"": table("A", "B").assign(error="no connection")}, "", ""),
    ],
)
def test_how_grave_it_is(answers, severity, title):
    drafts, _ = version_finding.finding(answers)
    assert [(each["severity"], each["title"]) for each in drafts] == ([(severity, title)] if severity else [])


def test_the_finding_says_which_how_many_and_from_where():
    row = register(MIXED).iloc[0]
    assert "'A' 3, 'B' 1" in row["condition"]
    assert row["n"] == 4 and row["evidence"] == "answers sha256=ab" and "--fresh" in row["recommendation"]


def test_nothing_is_fit_for_use_while_versions_are_mixed():
    assert rating.rate(PASSED, findings=register(MIXED))["rating"] == rating.CONDITIONS
    assert rating.rate(PASSED, findings=register(NEVER_ASKED))["rating"] == rating.FIT


def test_a_pilot_starts_with_one_version():
    [row] = register(MIXED).to_dict("records")
    assert finding_phases.places(register(MIXED)) == {"F1": finding_phases.START}
    told = "Closed, or the pilot uses one version, named beforehand, of which every answer is."
    assert pilot_entry_conditions.holding_condition(row, finding_phases.START) == told


def test_it_is_closed_by_a_run_of_one_version():
    [row] = closure_requirements.proofs(register(MIXED)).to_dict("records")
    assert row["passes_if"] == "in a later run all answers are of one version of the assistant"
    met = earlier_findings.met_criteria(PASSED, None, None, version_finding.finding({"": table("B")})[1])
    earlier = findings.Earlier(register(MIXED).assign(run="last"), frozenset(met))
    now = findings.raise_findings(PASSED, context=CONTEXT, earlier=earlier)
    assert now["status"].tolist() == [earlier_findings.RETESTED]
    assert version_finding.finding(NEVER_ASKED) == ([], []), "silence closes nothing"


def test_both_findings_on_how_it_was_made():
    drafts, met = process_findings.process_findings(stated("no"), MIXED)
    assert [each["source"] for each in drafts] == ["process:independence", "process:one_version"] and not met
    assert len(process_findings.process_findings(stated(), {"": table("A")})[1]) == 2
