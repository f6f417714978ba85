"""What may go wrong, and what of a run tests each risk: whether it was tested is read from the run's tables,
and so is which of its aspects no test covers."""

import csv
from collections.abc import Collection, Iterator, Mapping
from importlib import resources
from importlib.resources.abc import Traversable

import pandas as pd

from ragassay.analysis.checks import CLEAR, NOT_APPLICABLE, RAISED
from ragassay.analysis.safety.attack_checks import ALL as TOTAL
from ragassay.analysis.slicing import scorecard_slices
from ragassay.decision.closing.earlier_findings import OPEN, sources
from ragassay.decision.findings.behaviours import metric_of
from ragassay.decision.findings.error_findings import FROM_ERRORS
from ragassay.decision.findings.finding_texts import FROM_CHECK
from ragassay.scores.display_names import display_name
from ragassay.scores.metric_registry import METRICS
from ragassay.tables import SEVERITIES

TESTED, PARTLY, UNTESTED = "tested", "in part", "not tested"
CHECK = "check:"  # before the name of a check, and `/` its aspect
FAILED, NOT_SHOWN = "failed its examination", "not shown better than chance"
NO_TEST = "no test of this run covers it"
UNTAKEN = "none of its measures was taken"
NO_VERDICT = "none of its checks came to a verdict"
NOT_REQUIRED = "nothing is required of it: it has no gate, and raises no finding"
LEFT = "points left: {n}"  # of a risk that was tested
COUNTED = ("answers", "latency", "load")  # evidence beside metrics that nothing judges by itself
WORDS = {  # evidence that is no measure -> what it counts
    "answers": "questions answered",
    "latency": "answers timed",
    "load": "answers under load",
    "slices": "comparisons of slices",
    "machine_decisions": "decisions of the calibrated rule beside raters",
    "check:perturbation": "kinds of perturbation",
    "check:misuse": "families of requests",
    "check:bias": "comparisons of groups",
    "check:stereotypes": "stereotypes: conditions measured",
}


def evidence(card: pd.DataFrame, checks: pd.DataFrame, further: Mapping[str, int]) -> dict[str, int]:
    """What was measured -> how much: of a metric the cases behind its value over all answers; of
    `check:NAME` and `check:NAME/ASPECT` the rows that rest on a case, without their total; and what is given
    by name.

    card : the scorecard; checks : the table `checks`; further : such as the comparisons of slices
    """
    whole = card[(card["slice"] == scorecard_slices.ALL) & card["value"].notna()]
    tried = checks[(checks["outcome"] != NOT_APPLICABLE) & (checks["n"] > 0) & (checks["aspect"] != TOTAL)]
    named = CHECK + tried["check"].astype(str)
    rows = pd.concat([named, named + "/" + tried["aspect"].astype(str)]).value_counts()
    return {**whole.groupby("metric")["n"].max().astype(int), **rows.astype(int), **further}


def register(
    found: Mapping[str, int],
    checks: pd.DataFrame | None = None,
    barred: Collection[str] = (),
    required: Collection[str] | None = None,
    unproven: Collection[str] = (),
    left: Mapping[str, int] | None = None,
) -> pd.DataFrame:
    """The risks of the kit as a chapter shows them: risk, how it shows, tested in, in this run (a state),
    measured. A risk is tested where all its evidence is there, in part where some is, where some of its
    checks were left out, or where an outcome of one follows from the design. It is not tested where no
    measure of it gave a verdict: none of its checks did, or nothing is required of it: no gate, no check, and
    no kind of error that would be a finding.

    found : of `evidence`; checks : the table `checks`; barred : metrics that failed their examination, and
    unproven : scores that labels do not show to predict raters better than chance, neither of which is
    evidence; required : metrics that have a gate, None where that is not known; left : risk -> points of it
    that were not tested
    """
    left_out = dict.fromkeys(unproven, NOT_SHOWN) | dict.fromkeys(barred, FAILED)
    table, short = risks(), {} if checks is None else _shortfalls(checks)
    silent = [] if required is None else _without_requirement(table, required)
    for risk in silent:
        short.setdefault(risk, []).append(NOT_REQUIRED)
    undecided = [] if checks is None else _undecided(table, checks, required or ())
    for risk in undecided:
        short.setdefault(risk, []).append(NO_VERDICT)
    names = [cell.split("; ") for cell in table["evidence"]]
    state = [_state([found.get(name, 0) > 0 and name not in left_out for name in each]) for each in names]
    state = [
        UNTESTED if risk in (*silent, *undecided) else PARTLY if one == TESTED and risk in short else one
        for one, risk in zip(state, table["risk"], strict=True)
    ]
    for risk in [risk for one, risk in zip(state, table["risk"], strict=True) if one == TESTED]:
        short.setdefault(risk, []).extend([LEFT.format(n=left[risk])] if left and left.get(risk) else [])
    told = [
        "; ".join([*(_told(name, found, left_out.get(name, "")) for name in each), *short.get(risk, [])])
        for each, risk in zip(names, table["risk"], strict=True)
    ]
    return table.drop(columns=["evidence", "severity", "checks", "errors"]).assign(
        **{"in this run": state, "measured": told}
    )


def _without_requirement(table: pd.DataFrame, required: Collection[str]) -> list[str]:
    """The risks measured by metrics alone, of which none has a gate, nor anything else that raises a
    finding."""
    measured = table[(table["checks"] == "") & (table["errors"] == "")]
    return [
        row.risk
        for row in measured.itertuples()
        if (names := set(row.evidence.split("; "))) <= {*METRICS, *COUNTED} and names.isdisjoint(required)
    ]


def _undecided(table: pd.DataFrame, checks: pd.DataFrame, required: Collection[str]) -> list[str]:
    """The risks whose checks came to no verdict, all of them, and which have no gate and no kind of error."""
    decided = set(checks.loc[checks["outcome"].isin([CLEAR, RAISED]), "check"])
    tried = set(checks["check"])
    return [
        row.risk
        for row in table[table["errors"] == ""].itertuples()
        if (own := set(row.checks.split("; ")) & tried)
        and own.isdisjoint(decided)
        and set(row.evidence.split("; ")).isdisjoint(required)
    ]


def _shortfalls(checks: pd.DataFrame) -> dict[str, list[str]]:
    """Risk -> of how many rows of its checks nothing was tried, and of how many the outcome follows from the
    design; no risk of which neither holds."""
    risk = checks["check"].map(risk_of_checks())
    left_out = risk[checks["outcome"] == NOT_APPLICABLE].value_counts()
    designed = risk[checks["by_design"].astype(bool)].value_counts()
    return {
        name: [
            f"{n} {words}"
            for n, words in ((left_out.get(name, 0), "left out"), (designed.get(name, 0), "by design"))
            if n
        ]
        for name in {*left_out.index, *designed.index}
    }


def untested(found: Mapping[str, int]) -> Iterator[tuple[str, str, str, str]]:
    """The risks of which no measure was taken, then the aspects that no test of this run covers: risk, what,
    why, and what a test would take."""
    table = register(found)
    for row in table[table["in this run"] == UNTESTED].to_dict("records"):
        yield row["risk"], row["how it shows"], UNTAKEN, f"Its measures ({row['measured']})"
    for row in _rows(resources.files("ragassay.decision.not_tested").joinpath("untested_aspects.csv")):
        if not found.get(row["unless"], 0):
            yield row["risk"], row["what"], NO_TEST, row["takes"]


def risks() -> pd.DataFrame:
    """What may go wrong: risk, how it shows, which notebooks test it, the evidence that they did, the gravest
    severity that a finding of it has (`finding_severity.RULES`), the checks that test it, and the kinds of
    error that raters find of it."""
    return pd.DataFrame(_rows(resources.files("ragassay").joinpath("risks.csv")))


def severities() -> dict[str, str]:
    """Risk -> the gravest severity that a finding of it has, in the register's order."""
    table = risks()
    return dict(zip(table["risk"], table["severity"], strict=True))


def graver(findings: pd.DataFrame) -> dict[str, tuple[str, str]]:
    """Risk -> severity and number of the gravest open finding on it, where that is graver than the register
    says: what was not tested of a risk ranks with what was.

    findings : the register of findings, as a table
    """
    said = severities()
    found: dict[str, tuple[str, str]] = {}
    rows = findings[findings["status"] == OPEN].to_dict("records")
    for row in sorted(rows, key=lambda row: SEVERITIES.index(row["severity"])):
        for risk in {risk for source in sources(row) for risk in _risks_of(source)}:
            if SEVERITIES.index(row["severity"]) < SEVERITIES.index(said[risk]):
                found.setdefault(risk, (row["severity"], row["finding_id"]))
    return found


def _risks_of(source: str) -> list[str]:
    """The risks that what raised a finding tests: of a check by its name, of a gate or a weak slice by its
    metric, of a kind of error by that."""
    if source.startswith(FROM_CHECK):
        risk = risk_of_checks().get(source.removeprefix(FROM_CHECK).partition("|")[0])
        return [risk] if risk else []
    column = "errors" if source.startswith(FROM_ERRORS) else "evidence"
    named = source.removeprefix(FROM_ERRORS) if column == "errors" else metric_of(source)
    return [row["risk"] for row in risks().to_dict("records") if named in row[column].split("; ")]


def risk_of_checks() -> dict[str, str]:
    """Check -> the risk that it tests."""
    return {name: row.risk for row in risks().itertuples() for name in row.checks.split("; ") if name}


def count_with_status(documents: pd.DataFrame) -> int:
    """How many documents there are where each says whether it is in force, and for whom it is; else 0."""
    if not {"status", "audience"} <= set(documents):
        return 0
    is_marked = documents[["status", "audience"]].fillna("").astype(str).ne("").all(axis=None)
    return len(documents) if is_marked else 0


def _rows(path: Traversable) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def _state(there: list[bool]) -> str:
    return TESTED if all(there) else PARTLY if any(there) else UNTESTED


def _told(name: str, found: Mapping[str, int], why_left_out: str) -> str:
    n = found.get(name, 0)
    if name in WORDS:
        return f"{WORDS[name]}: {n:,}"
    if n and why_left_out:
        return f"{display_name(name)}: {why_left_out}"
    return f"{display_name(name)}: n = {n:,}" if n else f"{display_name(name)}: not measured"
