"""What became of the findings of A in B, and which are new: findings of two runs are one by their `subject`.

carried over : B raised it too
retested     : B measured it again and the criterion of A is met; a person closes it
closed, withdrawn : B's register says so, and by whom
not retested : B did not measure it, or did not meet it, so it stays open
new          : raised in B alone
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ragassay.decision import earlier_findings, error_rates
from ragassay.decision.earlier_findings import (
    CLOSED,
    NOT_INDEPENDENT,
    NOT_MEASURED,
    NOT_MET,
    RETESTED,
    WITHDRAWN,
)
from ragassay.diff.runs import Side

NEW, CARRIED, NOT_RETESTED = "new", "carried over", "not retested"
LIVES = (NEW, CARRIED, NOT_RETESTED, RETESTED, WITHDRAWN, CLOSED)  # the order in which they are shown
OF_B = (RETESTED, WITHDRAWN, CLOSED)  # states of B's register that say what became of a finding
NEEDS = (
    *("finding_id", "subject", "severity", "title", "status", "rule", "name", "aspect", "metric", "slice"),
    *("bound", "threshold", "closed_by", "carried_from"),
)
COLUMNS = ["life", "finding_a", "finding_b", "severity_a", "severity_b", "title", "subject", "why"]
MEASURED = {  # what B measured, as `earlier_findings.is_met` takes it
    "gates": ("gates", ("gate", "low", "high", "outcome", "decides")),
    "checks": ("checks", ("check", "aspect", "n", "outcome")),
    "weak": ("weakness", ("metric", "dimension", "level", "q", "flagged")),
}
Row = Mapping[str, Any]


def compare_findings(a: Side, b: Side) -> pd.DataFrame:
    """One row per finding of either run, COLUMNS, in the order of LIVES; `why` says what that rests on."""
    of_a, of_b = (side.read_rows("findings", needs=NEEDS).to_dict("records") for side in (a, b))
    before = {row["subject"]: row for row in of_a if row["status"] not in (WITHDRAWN, CLOSED)}
    now = {row["subject"]: row for row in of_b}
    measured: dict[str, pd.DataFrame] = {}
    if before.keys() - now.keys():
        measured = {name: b.read_rows(table, needs=needs) for name, (table, needs) in MEASURED.items()}
        taxonomy = b.read_rows("taxonomy", needs=("case_id", "category", "judged_by"))
        cases = b.read_rows("cases", needs=("case_id", "answerable"))
        measured["errors"] = error_rates.error_rates(taxonomy, cases, {}, rng=np.random.default_rng(0))
    rows = [_life(row, now.get(subject), measured, b) for subject, row in before.items()]
    known = {row["subject"] for row in of_a}
    rows += [
        _row(NEW, None, row, "not open in A")
        for subject, row in now.items()
        if subject not in known and row["status"] not in OF_B
    ]
    found = pd.DataFrame(rows, columns=COLUMNS)
    return found.sort_values("life", key=lambda life: life.map(LIVES.index), kind="stable", ignore_index=True)


def _life(row: Row, again: Row | None, measured: dict[str, pd.DataFrame], b: Side) -> dict[str, Any]:
    if again is None:
        met = earlier_findings.is_met(row, **measured)
        independent = "" not in b.parts("labels") or b.record("raters.json").get("independent") == "yes"
        if met and earlier_findings.rests_on_labels(row) and not independent:
            return _row(NOT_RETESTED, row, None, NOT_INDEPENDENT)
        why = NOT_MEASURED if met is None else "its criterion is met in B" if met else NOT_MET
        return _row(RETESTED if met else NOT_RETESTED, row, None, why)
    if again["status"] in OF_B:
        return _row(again["status"], row, again, str(again["closed_by"] or "by B's register"))
    return _row(CARRIED, row, again, f"carried from {again['carried_from'] or row['finding_id']}")


def _row(life: str, a: Row | None, b: Row | None, why: str) -> dict[str, Any]:
    shown = b or a or {}
    return {
        "life": life,
        "finding_a": a["finding_id"] if a else "",
        "finding_b": b["finding_id"] if b else "",
        "severity_a": a["severity"] if a else "",
        "severity_b": b["severity"] if b else "",
        "title": shown["title"],
        "subject": shown["subject"],
        "why": why,
    }
