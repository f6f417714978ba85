"""What must happen first as a page prints it: remedies and controls stand with their findings, and are named
here; what is asked of every answer and gate stands in sentences."""

import re
from collections.abc import Mapping

import pandas as pd

from ragassay.decision.closing import finding_closure
from ragassay.decision.closing.earlier_findings import OPEN
from ragassay.decision.closing.first_steps import ASKED
from ragassay.decision.findings.presuppositions import QUESTION
from ragassay.decision.pilot.pilot_plan import CAPTION

SHOWN = ["finding", "first", ASKED, "ends a pilot", "before release"]
WIDTHS = {"finding": 3.4, "first": 1.1, ASKED: 2.6, "ends a pilot": 1.5, "before release": 1.1}
ITS_CONTROL, ITS_REMEDY = "its interim control", "its recommendation"
SENTENCE = re.compile(r"(?<=\.) ")


def steps_display_table(steps: pd.DataFrame, findings: pd.DataFrame) -> pd.DataFrame:
    """The findings' rows as a page prints them: controls and remedies, which stand with each finding, by
    that name, and the owner where it is not that of most; a place without a pilot has none of its columns."""
    of = {row["finding_id"]: row for row in findings.to_dict("records")}
    numbered = steps[steps["number"].isin(list(of)) & (steps["what"] != QUESTION)]
    owner = most_owned(findings)
    rows = [_referring(row, of[row["number"]], owner) for row in numbered.to_dict("records")]
    table = pd.DataFrame(rows, columns=SHOWN)
    return table if (steps[ASKED] != "").any() else table.drop(columns=[ASKED, "ends a pilot"])


def of_all(steps: pd.DataFrame, what: str) -> str:
    """What is asked of every answer (`first_steps.ALL_ANSWERS`), of every gate (`ALL_GATES`), of the owner
    (`QUESTION`), or before a pilot is prepared (`pilot_preparation`), in sentences; "" where nothing is."""
    rows = steps[steps["what"] == what].to_dict("records")
    told = [
        (f"{row['what']}, {row['first']}:", row[ASKED], _ending(row), row["before release"]) for row in rows
    ]
    return " ".join(filter(None, (part for row in told for part in row)))


def most_owned(findings: pd.DataFrame) -> str:
    """Who owns most of the open findings; "" where nobody is named."""
    owners = findings.loc[findings["status"] == OPEN, "owner"].fillna("").astype(str)
    return str(owners.value_counts().index[0]) if len(owners) else ""


def note(findings: pd.DataFrame) -> str:
    """Where controls and remedies stand, and who owns the findings whose row names nobody."""
    owner = most_owned(findings)
    owned = f" Owner, where no other is named: {owner}." if owner else ""
    return f"Interim control and recommendation stand with each finding, above.{owned}"


def _ending(row: Mapping) -> str:
    return f"What ends the pilot: table “{CAPTION}”." if row["ends a pilot"] else ""


def _referring(step: Mapping, finding: Mapping, owner: str) -> tuple:
    """A row in which what stands with the finding is named and not repeated."""
    held, done = step[ASKED], step["before release"]
    for control in finding_closure.controls(finding):
        held = held.replace(f": {control['control']}", ".")
    held = " ".join(dict.fromkeys(SENTENCE.split(held.replace("its control", ITS_CONTROL))))
    done = done.replace(finding["recommendation"].rstrip("."), ITS_REMEDY).replace(f"({owner}, ", "(")
    done = (
        done.replace(f"{ITS_REMEDY} (", "").removesuffix(").").replace("Not waited for. ", "not waited for, ")
    )
    subject = f"{step['number']}: {step['what']}"
    return subject, step["first"], held, step["ends a pilot"], done


def widths(table: pd.DataFrame) -> dict[str, float]:
    """How the columns of the printed table share a page."""
    return {name: WIDTHS[name] for name in table}
