"""The questions of every row that a release waits for, planned together: one candidate has to meet all of
them, so that each takes more questions than a test that stands by itself."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ragassay.analysis.case_scores import is_share
from ragassay.decision.closing import criteria, finding_phases, slice_criteria
from ragassay.decision.closing.criteria import Criterion
from ragassay.decision.closing.earlier_findings import asked_of
from ragassay.decision.closing.retest_sizes import NO_LARGE_LOSS
from ragassay.decision.findings.behaviours import metric_of
from ragassay.decision.findings.error_findings import FROM_ERRORS
from ragassay.decision.findings.finding_texts import FROM_PROCESS
from ragassay.decision.gates.questions_needed import Tolerance, rescaled, retest_of_share, tolerance
from ragassay.defaults import POWER


class Rows(NamedTuple):
    """The different rows of what closes the findings that a release waits for, by source: those whose number
    is planned; those where none may fail; those of which no chance is known."""

    planned: dict[str, Criterion]
    none_fails: dict[str, Criterion]
    unknown: dict[str, Criterion]


def with_joint_numbers(rows: Sequence[dict]) -> list[dict]:
    """The rows of findings, in the order of their numbers; those that this run raised and a release waits for
    ask of each planned test so many questions that a fit system meets all of them with a chance of `POWER`,
    whatever their dependence (Bonferroni). What an earlier run recorded stays."""
    planned = of_release(rows).planned
    chance = 1 - (1 - POWER) / max(len(planned), 1)
    bound = finding_phases.bound(rows)
    return [
        _replanned(row, planned, chance) if place in bound and not row.get("carried_from") else row
        for place, row in enumerate(rows)
    ]


def of_release(rows: Sequence[Mapping]) -> Rows:
    """What one candidate has to meet for a release; a test of several findings once, with the most cases;
    nothing that is Low by itself."""
    found = Rows({}, {}, {})
    for source, each in _criteria([rows[place] for place in finding_phases.bound(rows)]):
        held = _kind(source, each, found)
        if source not in held or held[source].fewest < each.fewest:
            held[source] = each
    return found


def _criteria(rows: Sequence[Mapping]) -> Iterator[tuple[str, Criterion]]:
    for row in rows:
        recorded = criteria.recorded(row)
        measured = (source for source in asked_of(row) if not source.startswith(FROM_PROCESS))
        known = ((source, recorded[source]) for source in measured if source in recorded)
        yield from ((source, each) for source, each in known if not each.is_low)


def _kind(source: str, criterion: Criterion, rows: Rows) -> dict[str, Criterion]:
    if planned_number(source, criterion, POWER):
        return rows.planned
    held = tolerance(criterion.rule)
    never = source.startswith(FROM_ERRORS) or (held is not None and not held.most)
    return rows.none_fails if never else rows.unknown


def _replanned(row: dict, planned: Mapping[str, Criterion], chance: float) -> dict:
    asked = {
        source: _with_chance(source, each, chance) if source in planned else each
        for source, each in criteria.recorded(row).items()
    }
    return {**row, "asked": criteria.criteria_as_json(asked, asked)}


def _with_chance(source: str, criterion: Criterion, chance: float) -> Criterion:
    number = planned_number(source, criterion, chance)
    return replace(criterion, fewest=max(criterion.fewest, number), chance=chance)


def planned_number(source: str, criterion: Criterion, chance: float) -> int:
    """The questions on which a fit system passes with this chance; 0 where no number is planned.

    criterion : as planned for `POWER`
    """
    if criterion.by == slice_criteria.SHORTFALL or NO_LARGE_LOSS in criterion.rule:
        return rescaled(criterion.fewest, chance)
    held = tolerated(source, criterion)
    return retest_of_share(held.most, held.level, chance) if held else 0


def tolerated(source: str, criterion: Criterion) -> Tolerance | None:
    """The share that may fail; None where none may, where the measure is no share, or by another rule."""
    if source.startswith(FROM_ERRORS):
        return Tolerance(criterion.threshold) if criterion.threshold else None
    if criterion.by in ("low", "high"):
        low, limit = criterion.by == "low", criterion.threshold
        return Tolerance(1 - limit if low else limit) if is_share(metric_of(source)) else None
    held = tolerance(criterion.rule)
    return held if held and held.most else None
