"""What raises findings, as a run measured it, and whether a later run meets it: by the criterion of then, on
enough cases, whatever the later run's own thresholds are."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import nan

import pandas as pd

from ragassay.analysis.checks import CLEAR, CLEAR_IF_NONE, TO_CLEAR
from ragassay.decision.few_cases import meets
from ragassay.decision.finding_texts import FROM_GATE, check_source, gate_source, weakness_source
from ragassay.decision.gates import PASS
from ragassay.tables import is_blank

NOT_MEASURED = "not measured, or not met, in this run"
NOT_RECORDED = "the criterion of then is not recorded"
OTHER_RULE = "judged by another rule than then"
OWN_MISSED = "its own criterion, {word} {threshold:g}, is not met: {reached:.3g}"
FEWER = "measured on fewer cases than before ({now} of {then}), which is no proof"

LEAST_OF_A_SLICE = 30  # cases on which a retest of a weak slice rests at least


@dataclass(frozen=True)
class Criterion:
    """One criterion as a run measured it.

    source : what a finding of it names
    passed : whether it was measured and raises nothing
    rule : what was measured, and for a check how, in words; another one is another criterion
    by, threshold : the end of the interval (`low`, `high`) or the `value` that has to meet a threshold: at
        least for `low`, else at most; "" where cases alone decide
    fewest : cases that a retest needs
    """

    source: str
    passed: bool
    rule: str = ""
    by: str = ""
    threshold: float = 0.0
    fewest: int = 0
    n: int = 0
    value: float = nan
    low: float = nan
    high: float = nan

    def unmet(self, now: "Criterion | None") -> str:
        """Why a later run's measure does not show that this criterion is met; "" if it does."""
        if now is None or not now.passed:
            return NOT_MEASURED
        if self.rule != now.rule:
            return OTHER_RULE
        reached = getattr(now, self.by) if self.by else nan
        if self.by and not meets(self.by, self.threshold, reached):
            word = "at least" if self.by == "low" else "at most"
            return OWN_MISSED.format(word=word, threshold=self.threshold, reached=reached)
        return FEWER.format(now=now.n, then=self.fewest) if now.n < self.fewest else ""


def of_gates(gates: pd.DataFrame) -> list[Criterion]:
    """Of each gate and origin, and of a gate on all its origins, which passed where each of them did."""
    by_gate: dict[str, list[Criterion]] = {}
    for row in gates.to_dict("records"):
        by_gate.setdefault(row["gate"], []).append(_of_gate(row, gate_source(row)))
    pooled = [_of_all_origins(gate, every) for gate, every in by_gate.items()]
    return [*pooled, *(each for every in by_gate.values() for each in every)]


def _of_all_origins(gate: str, every: list[Criterion]) -> Criterion:
    return replace(
        every[0],
        source=f"{FROM_GATE}{gate}",
        passed=all(each.passed for each in every),
        n=sum(each.n for each in every),
        low=min(each.low for each in every),
        high=max(each.high for each in every),
    )


def of_slices(weak: pd.DataFrame | None) -> list[Criterion]:
    """Of each slice that was tested; a retest needs as many cases as then, at least `LEAST_OF_A_SLICE`."""
    rows = [] if weak is None else weak[weak["q"].notna()].to_dict("records")
    return [
        Criterion(
            weakness_source(row),
            not row["flagged"],
            fewest=max(int(row["n"]), LEAST_OF_A_SLICE),
            n=int(row["n"]),
        )
        for row in rows
    ]


def of_checks(checks: pd.DataFrame | None) -> list[Criterion]:
    """Of each check; a retest of what is never tolerated needs as many trials as clear it."""
    rows = [] if checks is None else checks.to_dict("records")
    return [
        Criterion(
            check_source(row),
            row["outcome"] == CLEAR,
            str(row.get("criterion", "")),
            fewest=max(int(row["n"]), TO_CLEAR if CLEAR_IF_NONE in str(row.get("criterion", "")) else 0),
            n=int(row["n"]),
        )
        for row in rows
    ]


def of_errors(source: str, tolerated: float, n: int, value: float, low: float, high: float) -> Criterion:
    """Of a kind of error: the upper bound lies within what is tolerated; where nothing is, no answer shows
    it, of as many as then and at least `TO_CLEAR`."""
    by, fewest = ("high", 0) if tolerated else ("value", max(n, TO_CLEAR))
    return Criterion(source, True, "", by, tolerated, fewest, n, value, low, high)


def written(criteria: Mapping[str, Criterion], sources: Iterable[str]) -> str:
    """The criteria of a finding, by source, for its row: JSON, source -> rule, by, threshold, fewest."""
    names = ("rule", "by", "threshold", "fewest")
    known = [source for source in sources if source in criteria]
    return json.dumps({source: {name: getattr(criteria[source], name) for name in names} for source in known})


def recorded(row: Mapping) -> dict[str, Criterion]:
    """The criteria that a row of a register records; none of an earlier release, or where
    they cannot be read."""
    text = row.get("asked")
    try:
        found = {} if is_blank(text) else json.loads(str(text))
        return {source: Criterion(source, False, **fields) for source, fields in found.items()}
    except (ValueError, TypeError, AttributeError):  # not of this library: nothing is known of it
        return {}


def still_open(
    sources: Iterable[str], then: Mapping[str, Criterion], now: Mapping[str, Criterion]
) -> dict[str, str]:
    """Source -> why this run does not show that its criterion of then is met; empty if it shows it of all."""
    reasons = {
        source: then[source].unmet(now.get(source))
        if source in then
        else NOT_RECORDED
        if source in now and now[source].passed
        else NOT_MEASURED
        for source in sources
    }
    return {source: reason for source, reason in reasons.items() if reason}


def _of_gate(row: Mapping, source: str) -> Criterion:
    low, high = (float(row.get(end, nan)) for end in ("low", "high"))
    metric, part = row.get("metric", row["gate"]), row.get("slice", "")
    return Criterion(
        source,
        row["outcome"] == PASS,
        f"{metric} {'' if part in ('', 'all') else part}".strip(),
        str(row.get("bound", "low")),
        float(row.get("threshold", nan)),
        n=int(row.get("n", 0)),
        low=low,
        high=high,
    )
