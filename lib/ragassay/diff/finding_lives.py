"""What became of the findings of A in B, and which are new: told apart by what raised them (`source`), not by
their numbers.

carried over : B raised it too, by itself or as part of a finding (`also`)
retested     : B measured it again and its own criterion, that of A, is met; nobody has closed it
closed       : as retested, and B's register says who closed it
withdrawn    : B's register says who withdrew it though it was not measured again
not retested : B did not measure it, so it stays open, in B's register too where that carries it over
new          : raised in B alone
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ragassay.decision import independence
from ragassay.decision.closing import criteria
from ragassay.decision.closing.criteria import Criterion
from ragassay.decision.closing.earlier_findings import (
    CLOSED,
    RETESTED,
    SETTLED,
    WITHDRAWN,
    is_only_carried,
    sources,
)
from ragassay.decision.findings import error_findings
from ragassay.decision.findings.finding_texts import FROM_GATE, FROM_WEAKNESS
from ragassay.diff.run_side import Side
from ragassay.errors import KitError

CARRIED, NOT_RETESTED, NEW = "carried over", "not retested", "new"
LIVES = (NEW, CARRIED, NOT_RETESTED, RETESTED, WITHDRAWN, CLOSED)  # the order in which they are told
COLUMNS = ["life", "finding_a", "finding_b", "severity_a", "severity_b", "title", "source", "why"]
GATES, CHECKS = ("gate", "outcome", "n"), ("check", "aspect", "metric", "outcome", "n")
TAXONOMY = ("case_id", "category", "judged_by")
NEEDS = ("finding_id", "source", "severity", "title")
NOT_RAISED = (RETESTED, *SETTLED)  # of a register that holds findings of before
A_MET, A_DID_NOT = "A measured it, and its criterion was met", "A did not measure it, or did not decide it"
REMADE = "the topics of both runs are not the same, so that this slice is another one"


def compare_findings(a: Side, b: Side) -> pd.DataFrame:
    """One row per finding of either run, COLUMNS, in the order of LIVES; `why` says what that rests on."""
    of_a, of_b = (side.read_rows("findings", needs=NEEDS).to_dict("records") for side in (a, b))
    raised = [
        row for row in of_b if str(row.get("status", "")) not in NOT_RAISED and not is_only_carried(row)
    ]
    known = {name: row for row in of_b for source in _sources(row) for name in _names(source)}
    known |= {name: row for row in of_b for name in _names(row["source"])}  # raised by it, not carried too
    then, now, same_topics = _measured(a), _closing(b), _same_topics(a, b)
    met_before = {source for source, each in then.items() if not each.unmet(each)}
    rows = [_life(row, known, then, now, same_topics) for row in of_a if row.get("status") not in SETTLED]
    of_before = {source for row in of_a for source in _sources(row)}
    rows += [
        _row(NEW, None, row, A_MET if row["source"] in met_before else A_DID_NOT)
        for row in raised
        if not of_before & {name for source in _sources(row) for name in _names(source)}
    ]
    found = pd.DataFrame(rows, columns=COLUMNS)
    return found.sort_values("life", key=lambda life: life.map(LIVES.index), kind="stable", ignore_index=True)


def _life(
    row: Mapping,
    known: Mapping[str, Mapping],
    then: Mapping[str, Criterion],
    now: Mapping[str, Criterion],
    same_topics: bool,
) -> dict[str, Any]:
    """What became of one finding of A; `then`, `now` : source -> what A and B measured."""
    again = next((known[source] for source in _sources(row) if source in known), None)
    if again is not None and str(again.get("status", "")) in NOT_RAISED:
        return _row(str(again["status"]), row, again, str(again.get("closed_by") or "by B's register"))
    if again is not None and is_only_carried(again):
        return _row(NOT_RETESTED, row, again, "carried over, not measured again in B")
    if again is not None:
        part = "" if again["source"] == row["source"] else f" as part of {again['finding_id']}"
        return _row(CARRIED, row, again, f"raised again{part}")
    asked = {**then, **criteria.recorded(row)}
    for source, reason in _reasons(_sources(row), asked, now, same_topics).items():
        part = "" if source == row["source"] else f" (of the part {source})"
        return _row(NOT_RETESTED, row, None, reason + part)
    sizes = sorted({now[source].n for source in _sources(row)})
    n = " to ".join(str(each) for each in dict.fromkeys((sizes[0], sizes[-1])))
    return _row(RETESTED, row, None, f"its criterion is met in B, n = {n}")


def _reasons(
    asked_by: list[str], then: Mapping[str, Criterion], now: Mapping[str, Criterion], same_topics: bool
) -> dict[str, str]:
    """Source -> why a criterion of before counts as not retested; empty if all are met."""
    remade = [
        source
        for source in asked_by
        if source.startswith(FROM_WEAKNESS) and "topic" in source.split("|")[1] and not same_topics
    ]
    return {**criteria.still_open(asked_by, then, now), **dict.fromkeys(remade, REMADE)}


def _measured(side: Side) -> dict[str, Criterion]:
    """Source -> what a run measured: gates, checks, slices that were tested, kinds of error that it counted
    and did not raise."""
    gates = side.read_rows("gates", needs=GATES)
    found = [
        *criteria.of_gates(gates),
        *criteria.of_checks(side.read_rows("checks", needs=CHECKS)),
        *criteria.of_slices(_slices(side), gates),
        *_errors(side),
    ]
    return {each.source: each for each in found}


def _closing(side: Side) -> dict[str, Criterion]:
    """What a run measured, as far as it may close a finding: labels of raters who are not independent close
    none."""
    path = independence.FILES["raters"]
    raters = side.record(path, "04_calibration") if side.content(path) else {}
    standing = independence.read(side.engagement, raters)
    return {each.source: each for each in independence.barred(_measured(side).values(), standing)}


def _errors(side: Side) -> list[Criterion]:
    """The kinds of error that a run counted: those not raised, and of those raised what they ask; none of an
    earlier release."""
    conclusion = (side.manifest.get("parameters") or {}).get("07_conclusion") or {}
    most = conclusion.get("tolerated_errors")
    if not isinstance(most, dict) or "" not in side.parts("taxonomy"):
        return []
    cases, counted = side.read_rows("cases"), side.read_rows("taxonomy", needs=TAXONOMY)
    try:
        raised, passed = error_findings.error_findings(counted, cases, most, rng=np.random.default_rng(0))
    except (KitError, KeyError):
        return []
    return [*(replace(draft["asked"], passed=False) for draft in raised), *passed]


def _slices(side: Side) -> pd.DataFrame:
    return side.read_rows("weakness", needs=("metric", "dimension", "level", "n", "q", "flagged"))


def _same_topics(a: Side, b: Side) -> bool:
    needs = ("chunk_id", "topic")
    one, other = (
        side.read_rows("chunks", "strata", needs=needs).set_index("chunk_id")["topic"] for side in (a, b)
    )
    return one.to_dict() == other.to_dict() and len(one) > 0


def _sources(row: Mapping) -> list[str]:
    """What raised a finding, and what it absorbed."""
    also = row.get("also")
    return sources({**row, "also": [] if np.ndim(also) == 0 else list(also)})  # type: ignore[arg-type]


def _names(source: str) -> list[str]:
    """A source, and for a gate of one origin the gate: runs of before judged all origins as one."""
    return [source.partition("|")[0], source] if source.startswith(FROM_GATE) else [source]


def _row(life: str, a: Mapping | None, b: Mapping | None, why: str) -> dict[str, Any]:
    told = b if b is not None else a or {}
    return {
        "life": life,
        "finding_a": a["finding_id"] if a else "",
        "finding_b": b["finding_id"] if b else "",
        "severity_a": a["severity"] if a else "",
        "severity_b": b["severity"] if b else "",
        "title": told["title"],
        "source": (a or told)["source"],
        "why": why,
    }
