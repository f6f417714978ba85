"""What became of the findings of A in B, and which are new: matched by what raised them, not by number.

carried over : B raised it too
retested     : B measured it again and the criterion of A is met; a person closes it
closed, withdrawn : B's register says so, and by whom
not retested : B did not measure it, or did not decide it, so it stays open
new          : raised in B alone
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from ragassay.diff.run_side import Side
from ragassay.scores.metric_directions import JUDGED
from ragassay.stats import clopper_pearson

NEW, CARRIED, NOT_RETESTED, RETESTED = "new", "carried over", "not retested", "retested"
WITHDRAWN, CLOSED = "withdrawn", "closed"
LIVES = (NEW, CARRIED, NOT_RETESTED, RETESTED, WITHDRAWN, CLOSED)  # the order in which they are shown
KEY = ["rule", "name", "aspect", "metric", "slice"]  # what raised a finding
OF_B = (RETESTED, WITHDRAWN, CLOSED)  # states of B's register that say what became of a finding
NEEDS = ("finding_id", "severity", "title", "status", *KEY)
COLUMNS = ["life", "finding_a", "finding_b", "severity_a", "severity_b", "title", *KEY, "why"]
SHORTFALL = 0.1  # a slice is mended where it is at most so much worse than the rest, by its interval
Row = Mapping[str, Any]


def compare_findings(a: Side, b: Side) -> pd.DataFrame:
    """One row per finding of either run, COLUMNS, in the order of LIVES; `why` says what that rests on."""
    of_a, of_b = (side.read_rows("findings", needs=NEEDS).to_dict("records") for side in (a, b))
    before = {_key(row): row for row in of_a if row["status"] not in (WITHDRAWN, CLOSED)}
    now = {_key(row): row for row in of_b}
    measures = _Measures(a, b) if before.keys() - now.keys() else None
    rows = [_life(row, now.get(key), measures) for key, row in before.items()]
    known = {_key(row) for row in of_a}
    rows += [
        _row(NEW, None, row, "not open in A")
        for key, row in now.items()
        if key not in known and row["status"] not in OF_B
    ]
    found = pd.DataFrame(rows, columns=COLUMNS)
    return found.sort_values("life", key=lambda life: life.map(LIVES.index), kind="stable", ignore_index=True)


def _life(row: Row, again: Row | None, measures: "_Measures | None") -> dict[str, Any]:
    if again is None:
        assert measures is not None
        reason = measures.still_open(row)
        return _row(NOT_RETESTED if reason else RETESTED, row, None, reason or "its criterion is met in B")
    if again["status"] in OF_B:
        return _row(again["status"], row, again, str(again.get("closed_by") or "by B's register"))
    return _row(CARRIED, row, again, f"carried from {again.get('carried_from') or row['finding_id']}")


class _Measures:
    """What B measured, held against the findings of A."""

    def __init__(self, a: Side, b: Side):
        self.gates = b.read_rows("gates", needs=("gate", "outcome"))
        self.checks = b.read_rows("checks", needs=("check", "aspect", "metric", "outcome"))
        self.slices = b.read_rows(
            "weakness", needs=("metric", "dimension", "level", "flagged", "difference_low")
        )
        self.errors = b.read_rows("taxonomy", needs=("case_id", "category"))
        self.same_topics = _topics(a) == _topics(b) != {}
        self.independent = "" not in b.parts("labels") or b.record("raters.json").get("independent") == "yes"

    def still_open(self, row: Row) -> str:
        """Why B's measures do not retest a finding of A; "" where its criterion is met."""
        judged = row["rule"] == "errors" or str(row["metric"]).startswith(JUDGED)
        if judged and not self.independent:
            return "the raters of B are not stated to be independent"
        reasons = {"gate": self._gate, "check": self._check, "slice": self._slice, "errors": self._errors}
        return reasons[row["rule"]](row) if row["rule"] in reasons else "a person decides"

    def _gate(self, row: Row) -> str:
        rows = self.gates[self.gates["gate"] == row["name"]]
        of_slice = rows["origin"] == row["slice"] if "origin" in rows else rows.index < 0
        return _unmet(rows[of_slice] if of_slice.any() else rows, "pass", row)

    def _check(self, row: Row) -> str:
        columns = {"check": "name", "aspect": "aspect", "metric": "metric"}
        same = [self.checks[ours] == row[theirs] for ours, theirs in columns.items()]
        return _unmet(self.checks[same[0] & same[1] & same[2]], "clear", row)

    def _slice(self, row: Row) -> str:
        names = self.slices["dimension"].astype(str) + "|" + self.slices["level"].astype(str)
        rows = self.slices[(names == str(row["slice"])) & (self.slices["metric"] == row["metric"])]
        if "topic" in str(row["slice"]).partition("|")[0] and not self.same_topics:
            return "the topics of both runs are not the same"
        if rows.empty:
            return "not measured in B"
        bounded = ~rows["flagged"].astype(bool) & (rows["difference_low"] >= -SHORTFALL)
        return "" if bounded.all() else f"a shortfall above {SHORTFALL:g} is not excluded"

    def _errors(self, row: Row) -> str:
        if self.errors.empty:
            return "not measured in B"
        hits = int((self.errors["category"] == row["name"]).sum())
        high = clopper_pearson(hits, len(self.errors)).high
        return "" if high <= _number(row.get("threshold")) else f"its upper bound in B is {high:.3f}"


def _unmet(rows: pd.DataFrame, outcome: str, finding: Row) -> str:
    """Why rows of B do not meet the criterion of a finding: another outcome, or the bound that A asked."""
    if rows.empty:
        return "not measured in B"
    if others := sorted(set(rows["outcome"]) - {outcome}):
        return f"in B: {', '.join(others)}"
    bound, asked = str(finding.get("bound") or ""), _number(finding.get("threshold"))
    if bound not in ("low", "high") or bound not in rows or pd.isna(asked):
        return ""
    short = rows[bound] < asked if bound == "low" else rows[bound] > asked
    return f"B asks less than A: {bound} {asked:g}" if short.any() else ""


def _topics(side: Side) -> dict[str, str]:
    rows = side.read_rows("chunks", "strata", needs=("chunk_id", "topic"))
    return dict(zip(rows["chunk_id"], rows["topic"], strict=True))


def _number(value: object) -> float:
    return float(pd.to_numeric(value, errors="coerce"))  # type: ignore[call-overload]


def _key(row: Row) -> tuple[str, ...]:
    return tuple("" if pd.isna(row[name]) else str(row[name]) for name in KEY)


def _row(life: str, a: Row | None, b: Row | None, why: str) -> dict[str, Any]:
    shown = b or a or {}
    return {
        "life": life,
        "finding_a": a["finding_id"] if a else "",
        "finding_b": b["finding_id"] if b else "",
        "severity_a": a["severity"] if a else "",
        "severity_b": b["severity"] if b else "",
        "title": shown["title"],
        **dict(zip(KEY, _key(shown), strict=True)),
        "why": why,
    }
