"""What the system may be used for now: release, a supervised pilot or no use; the controls that make a pilot
bearable, and what must happen before release.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import isnan

import pandas as pd

from ragassay.decision import gate_texts
from ragassay.decision.behaviours import behaviour, behaviours
from ragassay.decision.earlier_findings import OPEN, sources
from ragassay.decision.finding_texts import FROM_WEAKNESS, gate_source, too_few
from ragassay.decision.gate_grammar import rated_by_people
from ragassay.decision.gates import FAIL, INCOMPLETE, PASS, worst_rows
from ragassay.decision.presuppositions import unanswered
from ragassay.decision.rating import FIT, Coverage, checked_sources, open_checks, shortfalls
from ragassay.decision.reading import Rated, Reading
from ragassay.decision.sample_sizes import questions_to_pass

RELEASE, PILOT, NONE = "release", "pilot", "none"
RULES = {  # recommended use -> when, the first that holds
    RELEASE: f"the rating is {FIT}, and what a pilot asks of raters, gates and findings holds",
    PILOT: "otherwise, if raters judged the answers and every lower bound of theirs was measured, a test can "
    "show that staff find so many of the bad answers that those they use keep to the pilot's ceiling, every "
    "other critical gate that decides passed, and each open Critical finding has an interim control that "
    "suffices; staff alone use it",
    NONE: "otherwise",
}
SENTENCES = {
    RELEASE: "Release, under the conditions of use.",
    PILOT: "Do not release. A supervised pilot with staff who open every citation is acceptable once its "
    "start conditions are met.",
    NONE: "Do not release, and do not pilot",
}
IN_HEADING = {
    RELEASE: "release, under conditions",
    PILOT: "no release, a supervised pilot at most",
    NONE: "no release and no pilot",
}
FIRST_CONFIRM = (
    "First, confirm whether text that nobody checked can enter the index, and state it in the parameters: "
    "until then these findings count as if it could."
)
RETESTS = (
    "Validate again, on new questions: the release candidate passes every gate and every retest of a finding."
)
ALWAYS = (
    "Staff alone use the assistant; no customer sees an answer that nobody read.",
    "Staff open every citation, and use an answer only if the cited passage answers the question asked.",
    "Every answer that was used is kept with the name of the person who checked it.",
)


def recommend(
    gates: pd.DataFrame,
    rating: str,
    findings: pd.DataFrame | None = None,
    *,
    coverage: Coverage | None = None,
    aside: pd.DataFrame | None = None,
    validator: str = "the validator",
    reading: Reading | None = None,
) -> dict:
    """The recommended use by `RULES`: dict of recommendation (release, pilot, none),
    recommendation_sentence, interim_controls and before_release (lists of sentences).

    Arguments as of `rating.rate`, its rating, who answers for what no finding names, and what staff must find
    of bad answers, without which there is no pilot. A pilot has interim
    controls, release and no use have none. Each line of before_release ends with its findings, who must
    answer them and by when.
    """
    worst = worst_rows(gates)
    grave = [*open_checks(findings, "Critical"), *open_checks(findings, "High")]
    known = [] if findings is None else findings.to_dict("records")
    against = next(_against_any_use(gates, worst, open_checks(findings, "Critical")), "")
    if not against and rating != FIT:
        against = (reading or Reading(Rated())).why_not()
    use = NONE if against else RELEASE if rating == FIT else PILOT
    why = f": {against}." if use == NONE else ""
    return {
        "recommendation": use,
        "recommendation_sentence": SENTENCES[use] + why,
        "interim_controls": _controls(worst, [*grave, *open_checks(findings, "Medium")])
        if use == PILOT
        else [],
        "before_release": []
        if use == RELEASE
        else [
            _with_findings(text, rows, validator)
            for text, rows in _before_release(
                worst,
                grave,
                known,
                shortfalls(coverage, worst),
                [] if aside is None else aside.to_dict("records"),
            )
        ],
    }


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


def _controls(worst: pd.DataFrame, open_: Sequence[Mapping]) -> list[str]:
    missed = worst[worst["outcome"] != PASS]["metric"]
    found = [row for finding in open_ for row in controls_of(finding)]
    found += [behaviours().get(metric, {}) for metric in missed]
    return list(dict.fromkeys([*ALWAYS, *(row["control"] for row in found if row)]))


def controls_of(finding: Mapping) -> list[Mapping[str, str]]:
    """The behaviour of each check, kind of error or weak slice in a finding, which names its interim control;
    empty where there is none."""
    slices = [source for source in sources(finding) if source.startswith(FROM_WEAKNESS)]
    return [behaviour(source) for source in [*checked_sources(finding), *slices]]


Demand = tuple[str, list[Mapping]]  # what must happen before release, and the findings that ask for it


def named(rows: Sequence[Mapping]) -> tuple[str, str, str]:
    """The numbers of findings, who must answer them, and by which day each; empty without one."""
    numbers = dict.fromkeys(row["finding_id"] for row in rows)
    owners = dict.fromkeys(str(row.get("owner") or "") for row in rows)
    return ", ".join(numbers), ", ".join(filter(None, owners)), _days(rows)


def _days(rows: Sequence[Mapping]) -> str:
    """`by 2026-12-01`; of findings with several days each with its own: `F2 by ..., F4 by ...`."""
    held: dict[str, list[str]] = {}
    for row in rows:
        if day := str(row.get("due") or ""):
            held.setdefault(day, []).append(row["finding_id"])
    one = len(held) == 1
    return ", ".join(
        f"by {day}" if one else f"{' and '.join(numbers)} by {day}" for day, numbers in sorted(held.items())
    )


def _with_findings(text: str, rows: Sequence[Mapping], validator: str) -> str:
    """`Block this kind of answer (F1; Head of Banking, by 2026-12-01).`"""
    numbers, owners, due = named(rows)
    who = ", ".join(filter(None, (owners, due)))
    told = "; ".join(filter(None, (numbers, who))) or f"no finding; {validator}, before release"
    return f"{text.rstrip('.')} ({told})."


def _before_release(
    worst: pd.DataFrame,
    grave: Sequence[Mapping],
    known: Sequence[Mapping],
    short: Sequence[str],
    left: Sequence[Mapping],
) -> Iterator[Demand]:
    open_ = [row for row in known if row["status"] == OPEN]
    yield from _questions_first(open_)
    corrected: dict[str, list[Mapping]] = {}
    for finding in grave:
        corrected.setdefault(_first_sentence(finding["recommendation"]), []).append(finding)
    yield from corrected.items()
    rows = worst.to_dict("records")
    failed = [row for row in rows if row["outcome"] == FAIL and not too_few(row)]
    yield from _joined("Improve the system in what misses its requirement", failed, known)
    yield from ((_more_questions(row), _of_gates([row], known)) for row in rows if too_few(row))
    yield from _joined(
        "Supply the missing evidence on", [row for row in rows if row["outcome"] == INCOMPLETE], known
    )
    yield from ((f"Ask the assistant itself: {row['gate']}, {row['reason']}.", []) for row in left)
    yield from ((f"Extend the evidence: {each}.", []) for each in short)
    yield RETESTS, []


def _questions_first(open_: Sequence[Mapping]) -> Iterator[Demand]:
    """What the record leaves open and findings rest on: one answer, by the first day one of them is due."""
    asked = [row for row in open_ if unanswered(row)]
    if asked:
        first = min(str(row.get("due") or "") for row in asked)
        yield FIRST_CONFIRM, [{**row, "due": first} for row in asked]


def _of_gates(gates: Sequence[Mapping], known: Sequence[Mapping]) -> list[Mapping]:
    """The open findings that one of these gates is in."""
    asked = {gate_source(row) for row in gates}
    return [row for row in known if row["status"] == OPEN and asked & set(sources(row))]


def _first_sentence(text: str) -> str:
    """What is to be done first; the rest stands in the finding."""
    first = text.split(". ")[0].rstrip(".")
    return f"{first[:1].upper()}{first[1:]}."


def _joined(what: str, gates: Sequence[Mapping], known: Sequence[Mapping]) -> Iterator[Demand]:
    """One sentence for all gates of which the same is asked; none where there is none."""
    if gates:
        yield f"{what}: {'; '.join(map(gate_texts.name, gates))}.", _of_gates(gates, known)


def _more_questions(row: Mapping) -> str:
    needed = questions_to_pass(row)
    about = f"about {needed - row['n']:,} additional questions" if needed else "additional questions"
    return f"Fix a larger sample beforehand, then judge once more: {about} for {gate_texts.name(row)}."
