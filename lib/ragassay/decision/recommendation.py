"""What the system may be used for now: release, a supervised pilot or no use. What must happen first is
`first_steps`.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import isnan

import pandas as pd

from ragassay.decision.closing.earlier_findings import sources
from ragassay.decision.closing.finding_phases import is_seen_in_one
from ragassay.decision.findings.behaviours import behaviour
from ragassay.decision.findings.finding_texts import FROM_WEAKNESS
from ragassay.decision.gates import gate_texts
from ragassay.decision.gates.gate_grammar import rated_by_people
from ragassay.decision.gates.gates import PASS, worst_rows
from ragassay.decision.pilot.pilot_staff_reading_test import Rated, Reading
from ragassay.decision.rating import FIT, checked_sources, open_checks

RELEASE, PILOT, NONE = "release", "pilot", "none"
RULES = {  # recommended use -> when, the first that holds
    RELEASE: f"the rating is {FIT}, what a pilot asks of raters, gates and findings holds, and no finding is "
    "open that one used answer shows",
    PILOT: "otherwise, if raters judged the answers and every lower bound of theirs was measured, a test can "
    "show that staff keep those they use to the pilot's ceiling, every other critical gate that decides "
    "passed (which one by design is no evidence of), and each open Critical finding has an interim control "
    "that suffices by the kit's list (who confirms the start judges whether it works); staff alone use it",
    NONE: "otherwise",
}
SENTENCES = {
    RELEASE: "Release, under the conditions of use.",
    PILOT: "Do not release. A supervised pilot with staff who open every citation is acceptable once its "
    "start conditions are met{start}.",
    NONE: "Do not release, and do not pilot",
}
IN_HEADING = {
    RELEASE: "release, under conditions",
    PILOT: "no release, a supervised pilot at most",
    NONE: "no release and no pilot",
}


def recommend(
    gates: pd.DataFrame,
    rating: str,
    findings: pd.DataFrame | None = None,
    *,
    reading: Reading | None = None,
    start: str = "",
) -> dict:
    """The recommended use by `RULES`: dict of recommendation (release, pilot, none) and
    recommendation_sentence.

    gates, findings : as of `rating.rate`; rating : its rating; reading : what staff must find of bad answers,
        without which there is no pilot; start : what a pilot's start takes, and by when
            (`pilot_start_day.in_short`)
    """
    critical = open_checks(findings, "Critical")
    against = next(_against_any_use(gates, worst_rows(gates), critical), "")
    ready = rating == FIT and not _any_seen_in_one(findings)
    if not against and not ready:
        against = (reading or Reading(Rated())).why_not()
    use = NONE if against else RELEASE if ready else PILOT
    why = f": {against}." if use == NONE else ""
    return {"recommendation": use, "recommendation_sentence": SENTENCES[use].format(start=start) + why}


def _any_seen_in_one(findings: pd.DataFrame | None) -> bool:
    return findings is not None and any(map(is_seen_in_one, findings.to_dict("records")))


def other_critical_gates(gates: pd.DataFrame) -> str:
    """Which critical gates, beside those of raters, the rule for a pilot finds passed, by name, and which of
    them by design, which is no evidence for a start.

    gates : of `gates.evaluate`
    """
    rows = [row for row in worst_rows(gates).to_dict("records") if row["critical"]]
    others = [row for row in rows if not rated_by_people(row["metric"])]
    if not others:
        return "Beside those of raters there is no critical gate that had to pass."
    told = [f"{gate_texts.name(row)} ({_how_it_stands(row)})" for row in others]
    designed = [row for row in others if row.get("by_design")]
    said = f"Beside those of raters every critical gate had to pass: {'; '.join(told)}."
    return f"{said} A pass by design is no evidence for a start." if designed else said


def _how_it_stands(row: Mapping) -> str:
    return "passed by design" if row.get("by_design") else str(row["outcome"])


def _against_any_use(gates: pd.DataFrame, worst: pd.DataFrame, critical: Sequence[Mapping]) -> Iterator[str]:
    """Why not even a pilot is acceptable, the first reason first; nothing where it is."""
    rated = [row for row in gates[gates["decides"]].to_dict("records") if rated_by_people(row["metric"])]
    if not any(row["n"] and not isnan(row["low"]) for row in rated):
        yield "no gate rests on what raters say of the answers"
    for row in rated:
        if isnan(row["low"]):
            yield f"{gate_texts.name(row)}: {gate_texts.measured(row)}"
    for row in worst.to_dict("records"):
        if row["critical"] and not rated_by_people(row["metric"]) and row["outcome"] != PASS:
            yield gate_texts.sentence(row).rstrip(".")
    for finding in critical:
        if not all(row.get("enough") == "yes" for row in controls_of(finding)):
            yield f"Critical finding {finding['finding_id']} has no interim control that suffices"


def controls_of(finding: Mapping) -> list[Mapping[str, str]]:
    """The behaviour of each check, kind of error or weak slice in a finding, which names its interim control;
    empty where there is none."""
    slices = [source for source in sources(finding) if source.startswith(FROM_WEAKNESS)]
    return [behaviour(source, finding.get("strata", ())) for source in [*checked_sources(finding), *slices]]
