"""The life of a finding over runs: open, retested, closed; what the previous run left, held against this one.

open : its criterion is broken, or it was not measured again. retested : it was measured again and its own
criterion, that of then, is met (`criteria`); a person has to close it. closed : retested, and `closures`
names who closed it. withdrawn : not measured again in this run, and `closures` says who withdraws it, why and
on what evidence; never what this run raised or measured as unmet.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from ragassay import provenance, tables
from ragassay.decision.closing import criteria
from ragassay.decision.closing.criteria import Criterion
from ragassay.decision.findings.finding_texts import FROM_GATE
from ragassay.errors import InputError, ParameterError
from ragassay.tables import is_blank

OPEN, RETESTED, CLOSED, WITHDRAWN = "open", "retested", "closed", "withdrawn"
SETTLED = (CLOSED, WITHDRAWN)  # what the next run is not asked about
OF_ITS_KIND = re.compile(r"\b(\d{1,6}) of its kind\b")  # in a closure: cases that a person counted
WITHDRAWAL = re.compile(r"\s*withdrawn by ([^:]{1,200}): (\S.{0,2000}); evidence: (\S.{0,500})", re.DOTALL)
NOT_AGAIN = "Carried over, not measured again in this run."
NOT_RETESTED = "Carried over, not retested."
MISSED = criteria.OWN_MISSED.partition("{")[0]  # how the reason begins where its own criterion was measured
CANDIDATES = 2  # put to a criterion at most: each more gives an unfit system another chance to pass
TOO_MANY = (
    " It was put to {candidates} candidates, which runs count; by the rule {most} may be, as each more gives "
    "an unfit system another chance."
)
FILE = "tables/findings.parquet"
WORDS = ("opened", "closed_by", "closed_evidence", "carried_from")


def read_previous(run_dir: str) -> pd.DataFrame | None:
    """The findings of the previous run that were not closed or withdrawn, with `run`, its folder's name;
    None without one.

    Raises
    ------
    InputError
        If the folder holds no register of findings.
    TableError
        If the register does not fit its declaration.
    """
    if not run_dir:
        return None
    folder = provenance.source(run_dir)
    path = folder / FILE
    if not path.is_file():
        raise InputError(
            "the previous run has no register of findings",
            where="parameter previous_run",
            found=f"no {FILE} in it",
            expected="the folder of a finished run",
        )
    provenance.reads_input(path)
    found = tables.check("findings", pd.read_parquet(path), path)
    return found[~found["status"].isin(SETTLED)].assign(run=Path(run_dir).name or folder.name)


def met_criteria(
    gates: pd.DataFrame, weak: pd.DataFrame | None, checks: pd.DataFrame | None, errors: Iterable[Criterion]
) -> set[Criterion]:
    """What this run measured and did not raise: gates passed, checks clear, slices tested and not flagged,
    kinds of error (`errors`) that were counted. Whether that meets what an earlier finding asked, its own
    criterion says."""
    found = [*criteria.of_gates(gates), *criteria.of_slices(weak, gates), *criteria.of_checks(checks)]
    return {each for each in (*found, *errors) if each.passed}


def carry(
    raised: list[dict],
    previous: pd.DataFrame | None,
    met: Collection[Criterion],
    closures: Mapping[str, str],
    where: str,
) -> list[dict]:
    """The findings of this run with what is known of them from the previous one, and after them those that
    were not raised again.

    Parameters
    ----------
    raised : rows of this run, each with `source`, `also`, `opened`
    met : of `met_criteria`
    closures : finding of the previous run -> who closed it, when, on what evidence; it closes only what was
        retested. What a person counts it states as `72 of its kind`. As `withdrawn by NAME, DATE: REASON;
        evidence: WHERE` it withdraws what was not measured again
    where : what the retest rests on, such as a run's folder

    Raises
    ------
    ParameterError
        If a closure names no finding of the previous run.
    """
    rows = [] if previous is None else [_read(row) for row in previous.to_dict("records")]
    unknown = sorted(set(closures) - {row["finding_id"] for row in rows})
    if unknown:
        raise ParameterError(
            "a closure names no open finding of the previous run",
            where="parameter closures",
            found=unknown,
            expected=[row["finding_id"] for row in rows] or "previous_run first",
        )
    now = _by_source(raised)
    measured = {each.source: each for each in met}
    left: list[dict] = []
    for row in rows:
        again = next((now[source] for source in sources(row) if source in now), None)
        if again is None:
            left.append(_retested(row, measured, closures.get(row["finding_id"], ""), where))
        else:
            _carried(again, row, closures.get(row["finding_id"], ""))
    return [*raised, *left]


def followed_up(findings: pd.DataFrame) -> pd.DataFrame:
    """What became of the previous run's findings, a row each: `then`, its number there; `now`, its number
    here; `finding`, `state`, `closed by`, `evidence`."""
    rows = findings[findings["carried_from"] != ""]
    names = {"carried_from": "then", "finding_id": "now", "title": "finding", "status": "state"}
    names |= {"closed_by": "closed by", "closed_evidence": "evidence"}
    told = rows["closed_evidence"].where(rows["closed_evidence"] != "", "Raised again.")
    return rows.assign(closed_evidence=told)[[*names]].rename(columns=names)


def is_only_carried(row: Mapping) -> bool:
    """Whether an open finding stands in a register because an earlier run raised it, and its own did not."""
    told = str(row.get("closed_evidence") or "")
    return row.get("status") == OPEN and told.startswith(("Carried over, ", "Not retested."))


def sources(row: Mapping) -> list[str]:
    """What raised a finding, and what it absorbed."""
    return [row["source"], *row["also"]]


def asked_of(row: Mapping) -> list[str]:
    """What its retest asks: what raised a finding, and what its criteria name beside."""
    return list(dict.fromkeys([*sources(row), *criteria.recorded(row)]))


def _by_source(raised: Sequence[dict]) -> dict[str, dict]:
    """Source -> the finding that it raised, else the first by name of those that carry it: a gate may be in
    several."""
    ordered = sorted(raised, key=lambda row: str(row["source"]), reverse=True)
    absorbed = {name: row for row in ordered for source in row["also"] for name in _names(source)}
    return absorbed | {name: row for row in ordered for name in _names(row["source"])}


def _names(source: str) -> list[str]:
    """A source, and of a gate its name without the origin, as earlier releases wrote it."""
    pooled = source.partition("|")[0]
    return [source, pooled] if source.startswith(FROM_GATE) and pooled != source else [source]


def _read(row: dict) -> dict:
    """A row of a register, of an earlier release too."""
    also = row.get("also")
    listed = list(also) if isinstance(also, list | tuple | np.ndarray) else []
    absent = {name: "" for name in WORDS if is_blank(row.get(name))}
    absent |= {"by_itself": row["severity"]} if is_blank(row.get("by_itself")) else {}
    absent |= {} if row.get("source") else {"source": ""}
    candidates = 0 if is_blank(row.get("candidates")) else int(row["candidates"])
    return {**row, **absent, "also": listed, "candidates": candidates}


def _carried(again: dict, row: Mapping, closure: str) -> None:
    """Raised again: the older date of opening and the older criteria stay, and a closure is refused in
    words."""
    then = criteria.recorded(row)
    own = {
        name: then[name]
        for source in sources(again)
        for name in _names(source)
        if name in then and not then[name].is_no_rule
    }
    both = criteria.recorded(again) | own
    again["asked"] = criteria.criteria_as_json(both, both)
    names = [again["carried_from"], f"{row['run']} {row['finding_id']}"]
    again["carried_from"] = ", ".join(filter(None, names))
    again["candidates"] = max(again.get("candidates", 0), int(row["candidates"]) + 1)
    again["opened"] = min(filter(None, (again["opened"], row["opened"])))
    if closure:
        again["closed_evidence"] = f"Not closed: raised again, in spite of “{closure}”."


def _retested(row: Mapping, met: Mapping[str, Criterion], closure: str, where: str) -> dict:
    """Not raised again: retested where each of its own criteria was measured and met; withdrawn where a
    person says so of what was not measured again; else still open."""
    counted = max((int(n) for n in OF_ITS_KIND.findall(closure)), default=0)
    reasons = criteria.still_open(asked_of(row), criteria.recorded(row), met, counted)
    leaves = WITHDRAWAL.fullmatch(closure)
    missed = any(reason.startswith(MISSED) for reason in reasons.values())
    status = CLOSED if closure and not leaves else RETESTED
    status = status if not reasons else WITHDRAWN if leaves and not missed else OPEN
    candidates = row["candidates"] + any(source in met for source in sources(row))
    many = TOO_MANY.format(candidates=candidates, most=CANDIDATES) if candidates > CANDIDATES else ""
    told = {
        OPEN: _still_open(reasons) + (f" Not closed, in spite of “{closure}”." if closure else ""),
        RETESTED: f"Retested, its criterion is met: {where}. Nobody has closed it.{many}",
        CLOSED: f"Retested, its criterion is met: {where}.{many}",
        WITHDRAWN: f"{NOT_AGAIN} Withdrawn: {leaves[2]} Evidence: {leaves[3]}" if leaves else "",
    }
    by = leaves[1] if leaves and status == WITHDRAWN else closure if status == CLOSED else ""
    return {
        **row,
        "status": status,
        "closed_by": by,
        "closed_evidence": told[status],
        "candidates": candidates,
        "carried_from": f"{row['run']} {row['finding_id']}",
    }


def _still_open(reasons: Mapping[str, str]) -> str:
    """That a finding is carried over, and why it is not retested."""
    said = "; ".join(f"{source}: {reason}" for source, reason in list(reasons.items())[:3])
    if set(reasons.values()) <= {criteria.NOT_MEASURED}:
        return f"{NOT_AGAIN} It closes when it is measured again, or is withdrawn: {said}."
    return f"{NOT_RETESTED} {said}."
