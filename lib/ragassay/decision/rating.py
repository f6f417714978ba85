"""The overall rating: the rule that leads from gates and raised checks to it, and its rationale (the report's
first sentences)."""

from collections.abc import Mapping, Sequence

import pandas as pd

from ragassay.analysis.quoting import is_by_design
from ragassay.decision.closing.earlier_findings import sources
from ragassay.decision.findings import presuppositions
from ragassay.decision.findings.error_findings import FROM_ERRORS
from ragassay.decision.findings.finding_texts import FROM_CHECK, FROM_PROCESS, FROM_WEAKNESS
from ragassay.decision.gates import gate_texts
from ragassay.decision.gates.gate_grammar import rated_by_people
from ragassay.decision.gates.gates import FAIL, INCOMPLETE, PASS, VALUE, worst_rows
from ragassay.scores.display_names import display_name
from ragassay.tables import is_blank

FIT, CONDITIONS, NOT_FIT, NOT_ASSESSABLE = "Fit for use", "Fit with conditions", "Not fit", "Not assessable"
MOST_MISSED = 1  # gates whose value may miss before the system is not fit; a critical one alone suffices
RULES = {  # rating -> when, the first that holds
    NOT_FIT: "the measured value of a critical gate misses its threshold, those of two gates do, or an open "
    "Critical finding comes from a check or from errors in answers",
    NOT_ASSESSABLE: "otherwise, if a gate is incomplete, only the bound of a critical gate misses (the "
    "evidence is too small), there is no gate, none rests on what raters say, or the evidence covers less "
    "than was asked for",
    CONDITIONS: "otherwise, if any gate failed or an open High finding comes from a check, from errors, from "
    "a weak slice, or from raters or a validator who are not independent",
    FIT: "every gate passed and there is no such finding",
}
COUNTED = (
    "A gate that people rated is critical unless its rule says why not. A gate counts by the worst of the "
    "origins that decide; no gate that passes makes up for one that fails. A waiver changes no outcome and "
    "no rating. A gate that was set aside, because a log cannot be asked, counts for none of these, and the "
    "rating names it."
)
RATING_RULE = " ".join([*(f"{name}: {when}." for name, when in RULES.items()), COUNTED])
RATED = "gates on what raters say of the answers"
Coverage = Mapping[str, tuple[float, float]]


def rate(
    gates: pd.DataFrame,
    *,
    coverage: Coverage | None = None,
    aside: pd.DataFrame | None = None,
    findings: pd.DataFrame | None = None,
) -> dict:
    """The rating by `RATING_RULE`: dict of rating, rationale (a list of sentences), exit_code, and the gates
    set aside.

    gates : of `gates.evaluate`
    coverage : what the evidence had to reach, name -> (found, least): {"topics with 6 cases or more": (0.7,
        0.8)}
    aside : the gates that `gates.set_aside` left unjudged
    findings : of `findings.raise_findings`; the open Critical and High ones of checks, errors, weak slices
        and independence count
    exit_code : 0 fit, 2 a gate failed or such a finding is open, 3 neither, but the evidence is incomplete
    """
    left = [] if aside is None else aside.to_dict("records")
    worst = worst_rows(gates)
    failed, open_ = worst[worst["outcome"] == FAIL], worst[worst["outcome"] == INCOMPLETE]
    missed, short = failed[failed["missed"] == VALUE], shortfalls(coverage, worst)
    critical, high = open_checks(findings, "Critical"), open_checks(findings, "High")
    if missed["critical"].any() or len(missed) > MOST_MISSED or critical:
        rating = NOT_FIT
    elif len(open_) or short or worst.empty or failed["critical"].any():
        rating = NOT_ASSESSABLE
    else:
        rating = CONDITIONS if len(failed) or high else FIT
    return {
        "rating": rating,
        "rationale": _rationale(worst, short, left, critical, high, findings),
        "exit_code": 2 if len(failed) or critical or high else 3 if rating == NOT_ASSESSABLE else 0,
        "set_aside": left,
    }


def shortfalls(coverage: Coverage | None, worst: pd.DataFrame) -> list[str]:
    """What the evidence does not cover as far as was asked, in words; a gate on what raters say always is."""
    rated = sum(map(rated_by_people, worst["metric"]))
    return [
        f"{name}: {found:g} found, at least {least:g} asked for"
        for name, (found, least) in {**(coverage or {}), RATED: (rated, 1)}.items()
        if not found >= least
    ]


def open_checks(findings: pd.DataFrame | None, severity: str) -> list[dict]:
    """The open findings of this severity that a raised check or a kind of error is in, or that are of a weak
    slice or of how this validation was made."""
    rows = [] if findings is None else findings[findings["severity"] == severity].to_dict("records")
    return [row for row in rows if row["status"] == "open" and _counts(row)]


def _counts(finding: Mapping) -> bool:
    return bool(checked_sources(finding)) or finding["source"].startswith((FROM_WEAKNESS, FROM_PROCESS))


def checked_sources(finding: Mapping) -> list[str]:
    """What of a finding's sources is a raised check or a kind of error, not a gate or a slice."""
    return [source for source in sources(finding) if source.startswith((FROM_CHECK, FROM_ERRORS))]


def _rationale(
    worst: pd.DataFrame,
    short: Sequence[str],
    left: Sequence[Mapping],
    critical: Sequence[Mapping],
    high: Sequence[Mapping],
    findings: pd.DataFrame | None,
) -> list[str]:
    counted = _counted(worst, left, decided=bool(critical))
    return [
        f"{counted}{_fewer(len(worst), left)}{_all_open(findings)}.",
        *map(_check_sentence, critical),
        *map(gate_texts.sentence, worst[worst["outcome"] != PASS].to_dict("records")),
        *map(_check_sentence, high),
        *(f"Evidence short: {each}." for each in short if len(worst)),
    ]


def _counted(worst: pd.DataFrame, left: Sequence[Mapping], decided: bool) -> str:
    """How many gates passed, failed and are incomplete; where there is none, what that decides."""
    if worst.empty:
        return f"No gate was {'judged' if left else 'set'}{'' if decided else ', so nothing was decided'}"
    counts = {name: int((worst["outcome"] == name).sum()) for name in (PASS, FAIL, INCOMPLETE)}
    passed = f"{counts[PASS]} of {len(worst)} gates passed{by_design(worst)}"
    return f"{passed}, {counts[FAIL]} failed, {counts[INCOMPLETE]} incomplete"


def by_design(worst: pd.DataFrame) -> str:
    """How many of the gates that passed did by a test that could have failed, and how many by how the system
    works, in brackets; "" where none of these.

    worst : of `gates.worst_rows`
    """
    n = int(worst["reason"].map(is_by_design).sum()) if "reason" in worst else 0
    tested = int((worst["outcome"] == PASS).sum()) - n
    return f" ({tested} by a test that could have failed, {n} by the system's design)" if n else ""


def _all_open(findings: pd.DataFrame | None) -> str:
    """How many grave findings are open, whatever raised them, as the end of a sentence."""
    rows = [] if findings is None else findings[findings["status"] == "open"].to_dict("records")
    counts = {name: [row["severity"] for row in rows].count(name) for name in ("Critical", "High")}
    told = " and ".join(f"{n} {name}{_by_gates(rows, name)}" for name, n in counts.items() if n)
    several = sum(counts.values()) > 1
    return f"; {told} finding{'s are' if several else ' is'} open" if told else ""


def _by_gates(rows: Sequence[Mapping], severity: str) -> str:
    """Which findings of this severity are so grave by their own measurement, which of these on a condition,
    and how many only by a gate that they share, in brackets; "" where none shares one."""
    grave = [row for row in rows if row["severity"] == severity]
    own = [row for row in grave if is_blank(row.get("by_itself")) or row["by_itself"] == severity]
    measured, on_condition = (
        ", ".join(row["finding_id"] for row in own if presuppositions.is_conditional(row) == is_conditional)
        for is_conditional in (False, True)
    )
    told = [f"{measured} by own measurement"] * bool(measured)
    told += [f"{on_condition} on a condition"] * bool(on_condition)
    shared = len(grave) - len(own)
    return f" ({', '.join([*told, f'{shared} by gates that they share'])})" if shared else ""


def _check_sentence(finding: Mapping) -> str:
    return f"{finding['severity']} finding {finding['finding_id']} is open: {finding['title'].rstrip('.')}."


def _fewer(n: int, left: Sequence[Mapping]) -> str:
    """That the rating rests on fewer gates than were set, and why, as the end of a sentence."""
    named = "; ".join(f"{display_name(gate['gate'])}: {gate['reason']}" for gate in left)
    return (
        f"; the rating rests on {n} of {n + len(left)} gates, the others were set aside ({named})"
        if left
        else ""
    )
