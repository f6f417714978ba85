"""The register of findings: every failed gate, flagged weakness and raised check becomes a numbered,
evidenced, dated finding."""

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from ragassay.analysis.checks import RAISED
from ragassay.decision import finding_texts
from ragassay.decision.gates import PASS
from ragassay.errors import ParameterError, TableError
from ragassay.tables import SEVERITIES, TABLES

DAYS = {"Critical": 30, "High": 90, "Medium": 180, "Low": 365}
SEVERITY_RULE = (
    "Critical: the measured value of a critical gate misses its threshold, or a check with zero tolerance, "
    "such as for leaks, found a case. High: that of another gate does, "
    "only the bound of a critical "
    "gate misses, or the whole interval of a weak stratum lies on the wrong side of its metric's gate. "
    "Medium: only the bound of another "
    "gate misses, a gate is incomplete, a stratum is worse than the rest, or a variation lowers the score. "
    "A check of risk or robustness is as grave as its row says. Low: a limit of the evidence."
)


@dataclass(frozen=True)
class Context:
    """What every finding needs: who owns it, the engagement's date (YYYY-MM-DD), how to name its evidence,
    and the rows behind it.

    evidence_of : `gates`, `weakness`, `robustness` or `limits` -> "tables/gates.parquet sha256=... cell=...";
        see `evidence_namer`
    days : severity -> days until due, counted from the date; scores, cases : to list the cases that show a
        finding, where given
    """

    owner: str
    date: str
    evidence_of: Callable[[str], str]
    days: Mapping[str, int] = field(default_factory=lambda: dict(DAYS))
    scores: pd.DataFrame | None = None
    cases: pd.DataFrame | None = None


def raise_findings(
    gates: pd.DataFrame,
    weak: pd.DataFrame | None = None,
    limits: Sequence[str] = (),
    *,
    checks: pd.DataFrame | None = None,
    context: Context,
    waivers: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """The findings table, F1 the gravest (`SEVERITY_RULE`); extra column `source` (`gate:groundedness`) ties
    each to what raised it.

    Parameters
    ----------
    gates : of `gates.evaluate`; every row that failed or is incomplete becomes a finding
    weak : of `weakness.marginal` or `.compare_slices`; every flagged row becomes one
    limits : sentences; each becomes a finding of severity Low
    checks : of `analysis.checks`; every row whose outcome is "raised" becomes one, as grave as it says
    waivers : gate -> "who signed, when, why"; a waived gate stays a finding, its status says `waived: ...`

    Raises
    ------
    ParameterError
        If the owner is empty, the date is no ISO date, or a waiver names no gate.
    TableError
        If `evidence_of` names no evidence for a finding: a finding cannot exist without it.
    """
    _check(context, waivers or {}, gates)
    found = [
        finding_texts.gate_finding(row, context.scores)
        for row in gates.to_dict("records")
        if row["outcome"] != PASS
    ]
    found += [
        finding_texts.weakness_finding(row, gates, context.scores, context.cases)
        for row in _chosen(weak, "flagged")
    ]
    found += [finding_texts.check_finding(row) for row in _raised(checks)]
    found += [finding_texts.limit_finding(text, number) for number, text in enumerate(limits, 1)]
    found.sort(key=lambda draft: SEVERITIES.index(draft["severity"]))
    rows = [_finished(draft, number, context, waivers or {}) for number, draft in enumerate(found, 1)]
    return pd.DataFrame(rows, columns=[*TABLES["findings"].columns, "source"]).astype({"n": int})


def breaches_without_finding(
    findings: pd.DataFrame,
    gates: pd.DataFrame,
    weak: pd.DataFrame | None = None,
    checks: pd.DataFrame | None = None,
) -> list[str]:
    """What was breached or flagged and has no finding; must be empty (decision 25: a breached threshold
    cannot exist without one)."""
    wanted = [f"gate:{name}" for name in gates.loc[gates["outcome"] != PASS, "gate"]]
    wanted += [finding_texts.weakness_source(row) for row in _chosen(weak, "flagged")]
    wanted += [finding_texts.check_source(row) for row in _raised(checks)]
    return sorted(set(wanted) - set(findings["source"]))


def evidence_namer(
    run_dir: str | Path, files: Mapping[str, str], cells: Mapping[str, int | str] | None = None
) -> Callable[[str], str]:
    """A function from what a finding rests on to `tables/gates.parquet sha256=... cell=...`, hashing the file
    as it is now.

    files : `gates`, `weakness`, `robustness`, `limits` -> path below the run folder, such as
        tables/gates.parquet
    cells : the same -> the cell that wrote it (`07_conclusion#12`)
    """
    from ragassay import evidence

    def named(rests_on: str) -> str:
        path = evidence.find(run_dir) / files.get(rests_on, f"tables/{rests_on}.parquet")
        cell = f" cell={cells[rests_on]}" if cells and rests_on in cells else ""
        return (
            f"{path.parent.name}/{path.name} sha256={evidence.sha256_of(path)}{cell}"
            if path.is_file()
            else ""
        )

    return named


def _chosen(table: pd.DataFrame | None, column: str) -> list[dict]:
    return [] if table is None or table.empty else table[table[column].astype(bool)].to_dict("records")


def _raised(checks: pd.DataFrame | None) -> list[dict]:
    return [] if checks is None else checks[checks["outcome"] == RAISED].to_dict("records")


def _finished(draft: finding_texts.Draft, number: int, context: Context, waivers: Mapping[str, str]) -> dict:
    proof = context.evidence_of(draft["table"])
    if not proof:
        name = draft["title"]
        raise TableError(
            f"finding {name!r} has no evidence",
            expected="file, sha256 and cell",
            do=f"write what {draft['table']!r} rests on first",
        )
    due = datetime.date.fromisoformat(context.date) + datetime.timedelta(days=context.days[draft["severity"]])
    waived = (
        waivers.get(draft["source"].removeprefix("gate:")) if draft["source"].startswith("gate:") else None
    )
    status = f"waived: {waived}" if waived else "open"
    return {
        **draft,
        "finding_id": f"F{number}",
        "evidence": proof,
        "owner": context.owner,
        "due": due.isoformat(),
        "status": status,
    }


def _check(context: Context, waivers: Mapping[str, str], gates: pd.DataFrame) -> None:
    if not context.owner.strip():
        raise ParameterError(
            "findings need an owner",
            where="parameter owner",
            found=repr(context.owner),
            do="name who answers for them",
        )
    try:
        datetime.date.fromisoformat(context.date)
    except ValueError as error:
        raise ParameterError(
            "the engagement's date is no date", found=context.date, expected="YYYY-MM-DD"
        ) from error
    unknown = sorted(set(waivers) - set(gates["gate"]))
    if unknown:
        raise ParameterError(
            "a waiver names no gate",
            where="parameter waivers",
            found=unknown,
            expected=gates["gate"].tolist(),
        )
