"""What raises findings, as a run measured it, and whether a later run meets it: by the criterion of then, on
enough cases, whatever the later run's own thresholds are."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import nan

import pandas as pd

from ragassay.analysis.checks import CLEAR, RAISED, TO_CLEAR
from ragassay.decision.closing import retest_sizes, slice_criteria
from ragassay.decision.findings.finding_texts import (
    FROM_GATE,
    FROM_WEAKNESS,
    check_source,
    gate_source,
    weakness_source,
)
from ragassay.decision.gates.gate_case_counts import meets
from ragassay.decision.gates.gates import PASS
from ragassay.decision.gates.questions_needed import (
    MOST_ASKED,
    fewest_without,
    retest_of_none,
    retest_of_share,
)
from ragassay.defaults import POWER
from ragassay.tables import SEVERITIES, is_blank

STRICTER = fewest_without(0.02)  # questions of the kind that failed, where the others are too many
NOT_MEASURED = "not measured, or not met, in this run"
NOT_RECORDED = "the criterion of then is not recorded"
OTHER_RULE = "judged by another rule than then"
OWN_MISSED = "its own criterion, {word} {threshold:g}, is not met: {reached:.3g}"
NO_RULE = "its criterion of then, that nothing is significant, is no proof"
FEWER = "measured on fewer cases than its retest asks ({now} of {then}), which is no proof"
NOT_OF_ITS_KIND = (
    "none fails among all, n = {now}; of its own kind a person counts {then}, none failing, and states it in "
    "`closures` as “{then} of its kind”"
)
FIELDS = (
    "rule",
    "by",
    "threshold",
    "fewest",
    "of_kind",
    "chance",
    "today",
    "severity",
)  # in the row of a finding


@dataclass(frozen=True)
class Criterion:
    """One criterion as a run measured it.

    source : what a finding of it names
    passed : whether it was measured and raises nothing
    rule : what was measured, and for a check how, in words; another one is another criterion
    by, threshold : the end of the interval (`low`, `high`), the `shortfall` of a slice or the `value` that
        has to meet a threshold: at least for `low`, else at most; "" where cases alone decide
    fewest : cases that a retest needs; of_kind : cases of the kind that failed, which no run can tell from
        the others and a person counts; 0 where none
    barred : why what was measured closes nothing, whatever it shows; "" where it may
    chance : with which `fewest` is planned that a fit system passes, in (0, 1); today : where none may fail,
        the share that failed when it was raised, in [0, 1]
    severity : of a check that raised it, by itself; "" of all else
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
    shortfall: float = nan
    of_kind: int = 0
    barred: str = ""
    chance: float = POWER
    today: float = 0.0
    severity: str = ""

    @property
    def is_low(self) -> bool:
        """Whether what it raised is Low by itself: no release waits for it."""
        return self.severity == SEVERITIES[-1]

    @property
    def is_no_rule(self) -> bool:
        """Whether it asks of a weak slice no more than that nothing is significant, as earlier releases
        did."""
        return self.source.startswith(FROM_WEAKNESS) and not self.rule

    def unmet(self, now: "Criterion | None") -> str:
        """Why a later run's measure does not show that this criterion is met; "" if it does."""
        if now is None or not now.passed:
            return NOT_MEASURED
        if now.barred:
            return now.barred
        if self.is_no_rule:
            return NO_RULE
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
        fewest=max(each.fewest for each in every),
        n=sum(each.n for each in every),
        low=min(each.low for each in every),
        high=max(each.high for each in every),
    )


def of_slices(weak: pd.DataFrame | None, gates: pd.DataFrame | None) -> list[Criterion]:
    """Of each slice that was tested (`slice_criteria`)."""
    rows = [] if weak is None else weak[weak["q"].notna()].to_dict("records")
    return [
        Criterion(
            weakness_source(row),
            not row["flagged"],
            slice_criteria.RULE,
            *slice_criteria.asked_of_slice(row, gates),
            n=int(row["n"]),
            low=float(row.get("low", nan)),
            high=float(row.get("high", nan)),
            shortfall=slice_criteria.shortfall(row),
        )
        for row in rows
    ]


def of_checks(checks: pd.DataFrame | None) -> list[Criterion]:
    """Of each check, with the cases that a retest needs (`questions_needed.retest_of_check`)."""
    rows = [] if checks is None else checks.to_dict("records")
    return [
        Criterion(
            check_source(row),
            row["outcome"] == CLEAR,
            str(row.get("criterion", "")),
            fewest=retest_sizes.of_check(row),
            n=int(row["n"]),
            today=retest_sizes.failing_today(row),
            severity=str(row.get("severity") or "") if row["outcome"] == RAISED else "",
        )
        for row in rows
    ]


def of_errors(
    source: str, tolerated: float, n: int, value: float, low: float, high: float, *, among_all: bool = False
) -> Criterion:
    """Of a kind of error: the upper bound lies within what is tolerated; where nothing is, no answer shows
    it, of as many as `retest_of_none`.

    among_all : whether it is counted among answers of every kind, of which one question of its own kind could
        be all: then questions of that kind are asked beside, `TO_CLEAR`, or `STRICTER` where no number that
        can be asked among all shows fewer failures than today's
    """
    if tolerated:
        fewest = retest_of_share(tolerated)
        return Criterion(source, True, "", "high", tolerated, fewest, n, value, low, high)
    fewest = retest_of_none(n, value)
    own = STRICTER if fewest == MOST_ASKED else TO_CLEAR
    told = (n, value, low, high)
    today = value if value > 0 else 0.0
    of_kind = own if among_all else 0
    return Criterion(source, True, "", "value", tolerated, fewest, *told, of_kind=of_kind, today=today)


def criteria_as_json(criteria: Mapping[str, Criterion], sources: Iterable[str]) -> str:
    """The criteria of a finding, by source, for its row: JSON, source -> FIELDS."""
    known = [source for source in sources if source in criteria]
    told = {source: {name: getattr(criteria[source], name) for name in FIELDS} for source in known}
    return json.dumps(told)


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
    sources: Iterable[str], then: Mapping[str, Criterion], now: Mapping[str, Criterion], counted: int = 0
) -> dict[str, str]:
    """Source -> why this run does not show that its criterion of then is met; empty if it shows it of all.

    counted : cases of its kind, none failing, that a person states
    """
    reasons = {
        source: then[source].unmet(now.get(source)) or _of_its_kind(then[source], now[source], counted)
        if source in then
        else NOT_RECORDED
        if source in now and now[source].passed
        else NOT_MEASURED
        for source in sources
    }
    return {source: reason for source, reason in reasons.items() if reason}


def _of_its_kind(then: Criterion, now: Criterion, counted: int) -> str:
    return NOT_OF_ITS_KIND.format(now=now.n, then=then.of_kind) if counted < then.of_kind else ""


def _of_gate(row: Mapping, source: str) -> Criterion:
    low, high = (float(row.get(end, nan)) for end in ("low", "high"))
    metric, part = row.get("metric", row["gate"]), row.get("slice", "")
    return Criterion(
        source,
        row["outcome"] == PASS,
        f"{metric} {'' if part in ('', 'all') else part}".strip(),
        str(row.get("bound", "low")),
        float(row.get("threshold", nan)),
        retest_sizes.of_gate(row),
        n=int(row.get("n", 0)),
        low=low,
        high=high,
    )
