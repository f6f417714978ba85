"""What became of the previous validation's findings.

open : raised again, or its subject was not measured again. retested : measured again, and what it was held
against then is met. closed : retested, and `closures` names who closed it. withdrawn : not measured again,
and `closures` says who withdraws it, why and on what evidence.
"""

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pandas as pd

from ragassay import provenance, tables
from ragassay.analysis.checks import CLEAR
from ragassay.decision.findings import CHECK, ERROR, GATE, OPEN, SLICE
from ragassay.decision.gates import PASS, meets, rated_by_people
from ragassay.errors import InputError, ParameterError

RETESTED, CLOSED, WITHDRAWN = "retested", "closed", "withdrawn"
SETTLED = (CLOSED, WITHDRAWN)  # what the next run is not asked about
WITHDRAWAL = re.compile(r"\s*withdrawn by ([^:]{1,200}): (\S.{0,2000}; evidence: \S.{0,500})", re.DOTALL)
NOT_MEASURED, NOT_MET, RAISED_AGAIN = "not measured again", "measured again, and not met", "raised again"
NOT_INDEPENDENT = "no independent rater's label shows it"


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
    path = folder / "tables" / "findings.parquet"
    if not path.is_file():
        raise InputError(
            "the previous run has no register of findings",
            where="parameter previous_run",
            found="no tables/findings.parquet in it",
            expected="the folder of a finished run",
        )
    provenance.reads_input(path)
    found = tables.check("findings", pd.read_parquet(path), path)
    return found[~found["status"].isin(SETTLED)].assign(run=Path(run_dir).name or folder.name)


def carry(
    findings: pd.DataFrame,
    previous: pd.DataFrame | None,
    closures: Mapping[str, str],
    *,
    gates: pd.DataFrame,
    checks: pd.DataFrame,
    errors: pd.DataFrame,
    weak: pd.DataFrame,
    labels_count: bool = True,
) -> pd.DataFrame:
    """The findings of this run, with the day on which each was first opened, and after them those of the
    previous run that were not raised again, numbered on.

    Findings of two runs are one where they have one subject. A finding is retested where this run measured
    what raised it and the unfavourable bound meets the threshold of then.

    closures : finding of the previous run -> who closed it, when, on what evidence; or `withdrawn by NAME,
        DATE: REASON; evidence: WHERE`
    labels_count : whether raters of this run are said to be independent; else their labels close nothing

    Raises
    ------
    ParameterError
        If a closure names no finding of the previous run.
    """
    rows = [] if previous is None else previous.to_dict("records")
    if unknown := sorted(set(closures) - {row["finding_id"] for row in rows}):
        raise ParameterError(
            "a closure names no open finding of the previous run",
            where="parameter closures",
            found=unknown,
            expected=[row["finding_id"] for row in rows] or "previous_run first",
        )
    raised = findings.to_dict("records")
    now = {row["subject"]: row for row in raised}
    for row in rows:
        again, origin = now.get(row["subject"]), f"{row['run']} {row['finding_id']}"
        if again is not None:
            again |= {"carried_from": origin, "opened": min(again["opened"], row["opened"])}
            again["closed_evidence"] = RAISED_AGAIN
            continue
        met = is_met(row, gates, checks, errors, weak)
        if met and not labels_count and (row["rule"] == ERROR or rated_by_people(str(row["metric"]))):
            status, reason = OPEN, NOT_INDEPENDENT
        else:
            status, reason = (RETESTED, "") if met else (OPEN, NOT_MEASURED if met is None else NOT_MET)
        closure, by = closures.get(row["finding_id"], ""), ""
        leaves = WITHDRAWAL.fullmatch(closure)
        if leaves and met is None:
            status, by, reason = WITHDRAWN, leaves[1], leaves[2]
        elif closure and not leaves and status == RETESTED:
            status, by = CLOSED, closure
        row |= {"status": status, "closed_by": by, "closed_evidence": reason, "carried_from": origin}
        raised.append(row | {"finding_id": f"F{len(raised) + 1}"})
    return pd.DataFrame(raised, columns=findings.columns)


def is_met(
    row: Mapping, gates: pd.DataFrame, checks: pd.DataFrame, errors: pd.DataFrame, weak: pd.DataFrame
) -> bool | None:
    """Whether this run meets what a finding of before was held against; None where it did not measure it."""
    if row["rule"] == GATE:
        decides = gates["decides"].astype(bool) & gates["low"].notna()
        own = gates[(gates["gate"] == row["name"]) & decides]
        held = own[row["bound"]].map(partial(meets, row["bound"], row["threshold"])).astype(bool)
        are_met = held & (own["outcome"] == PASS)
    elif row["rule"] == CHECK:
        is_own = (checks["check"] == row["name"]) & (checks["aspect"] == row["aspect"])
        are_met = checks.loc[is_own & (checks["n"] > 0), "outcome"] == CLEAR
    elif row["rule"] == ERROR:
        is_own = (errors["kind"] == row["name"]) & (errors["n"] > 0)
        are_met = errors.loc[is_own, "high"] <= max(row["threshold"], 0.0)
    elif row["rule"] == SLICE:
        is_own = (weak["metric"] == row["name"]) & weak["q"].notna()
        here = is_own & (weak["dimension"] + "=" + weak["level"] == row["slice"])
        are_met = weak.loc[here, "flagged"].astype(bool).eq(False)
    else:  # of the process: a flaw that there still is would have been raised again
        return True
    return bool(are_met.all()) if len(are_met) else None
