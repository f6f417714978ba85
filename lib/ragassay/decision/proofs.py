"""What closes each finding, criterion by criterion: what is asked again, what has to be met, on how many
questions, and why on so many.

So many that a fit system, with half as many failures as tolerated, passes with a chance of `POWER`; where
more questions alone are missing, that the bound meets it at the share measured. Where none may fail, and
where checks compare, never fewer than the run tried, which is what the next run asks of it (`criteria`).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from ragassay.analysis.case_scores import is_share
from ragassay.analysis.checks import TO_CLEAR
from ragassay.decision import closing, criteria, independence
from ragassay.decision.behaviours import behaviour, metric_of
from ragassay.decision.criteria import LEAST_OF_A_SLICE, Criterion
from ragassay.decision.earlier_findings import OPEN, sources
from ragassay.decision.error_findings import FROM_ERRORS, KINDS
from ragassay.decision.few_cases import fewest_cases
from ragassay.decision.finding_texts import (
    FROM_CHECK,
    FROM_GATE,
    FROM_PROCESS,
    FROM_WEAKNESS,
    gate_source,
    too_few,
)
from ragassay.decision.sample_sizes import (
    LEVEL,
    OF_SEVERAL,
    Tolerance,
    fewest_without,
    questions_if_half,
    questions_to_pass,
    tolerance,
)
from ragassay.scores.names import display_name, level_name
from ragassay.stats import clopper_pearson, percent_text

COLUMNS = ["finding_id", "source", "asked_again", "passes_if", "fewest", "why", "planned", "joint"]
BOUND, THIS_RUN, SLICE = "bound", "this run", "slice"  # why so many
SAME = "the same"
POWER = 0.8  # chance that a fit system passes a retest of the size planned
OUTSIDERS_READ = "a later run's answers, rated by independent raters"
INDEPENDENT = (
    "the record names the raters and the validator who neither built nor own the system, and the labels of "
    "these raters are in the run"
)
NOTE = (
    "Questions: so many that a fit system, with half the failures tolerated, passes with a chance of "
    f"{percent_text(POWER)} (plan; where questions alone are missing, for the share measured). Where none "
    "may fail, by the bound: the fewest on which it can be shown; by this run: as many as it tried, as fewer "
    f"are no proof; of a slice {LEAST_OF_A_SLICE}. The share beside: the most that may fail where none of so "
    f"many does (upper end, Clopper-Pearson, two-sided {percent_text(LEVEL)}; {percent_text(OF_SEVERAL)}"
    " where checks share an error). Joint: put with the findings named to one version, on one new set, and "
    "met at once."
)


class Proof(NamedTuple):
    """One criterion: what is put again, what has to be met, the fewest questions (0: no number), why so many,
    and how many are to be planned (0: no more than the fewest)."""

    asked: str
    passes: str
    fewest: int = 0
    why: str = ""
    planned: int = 0


def proofs(findings: pd.DataFrame, gates: pd.DataFrame | None = None) -> pd.DataFrame:
    """A row for each criterion of each open finding, in the order of their numbers; of several findings with
    one criterion one row names all. Columns COLUMNS; `planned` and `fewest` are 0 where there is no number.

    findings : of `findings.raise_findings`; gates : of `gates.evaluate`, for those of which more questions
        alone are missing
    """
    few = {} if gates is None else {gate_source(row): row for row in gates.to_dict("records")}
    rows = findings.to_dict("records")
    tests = closing.joint_tests(rows)
    held: dict[tuple, list[str]] = {}
    for place, row in enumerate(rows):
        for source, proof in _of_finding(row, few) if row["status"] == OPEN else ():
            numbers = held.setdefault((source, proof, _joint(source, place, rows, tests)), [])
            numbers += [row["finding_id"]] * (row["finding_id"] not in numbers)
    told = [(", ".join(numbers), source, *proof, joint) for (source, proof, joint), numbers in held.items()]
    return pd.DataFrame(told, columns=COLUMNS).astype({"fewest": int, "planned": int})


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """The table as a page prints it: a number that there is not stands as a dash."""
    number = table["fewest"].map(lambda n: f"{n:,}" if n else "—")
    columns = ["finding", "asked again, anew", "passes if", "questions", "by", "joint"]
    told = table.drop(columns=["source", "planned"]).assign(fewest=number)
    return told.set_axis(columns, axis=1)


def _of_finding(row: Mapping, few: Mapping[str, Mapping]) -> Iterator[tuple[str, Proof]]:
    """Each criterion that a finding records, by its source, as what has to be shown."""
    recorded, told = criteria.recorded(row), set()
    for source in sources(row):
        for proof in _of_criterion(source, recorded[source], row, few) if source in recorded else ():
            again = behaviour(source, row.get("strata", ())).get("again", "")
            is_repeated = source.startswith(FROM_CHECK) and again in told
            told.add(again)
            yield source, proof._replace(asked=proof.asked.replace(again, SAME)) if is_repeated else proof


def _of_criterion(source: str, criterion: Criterion, row: Mapping, few: Mapping[str, Mapping]) -> list[Proof]:
    kind = source.removeprefix(FROM_ERRORS)
    if kind in KINDS:
        return _of_errors(kind, criterion)
    if source.startswith(FROM_GATE):
        return [_of_gate(source, criterion, few.get(source))]
    if source.startswith(FROM_PROCESS):
        if source == independence.SOURCE:
            return [Proof(OUTSIDERS_READ, INDEPENDENT, criterion.fewest, THIS_RUN)]
        return [Proof("—", f"in a later run {_small(criterion.rule.rstrip('.'))}")]
    again = behaviour(source, row.get("strata", ())).get("again") or "the same trials"
    if source.startswith(FROM_WEAKNESS):
        why = SLICE if criterion.fewest == LEAST_OF_A_SLICE else THIS_RUN
        return [Proof(again, "not significantly worse than the rest", criterion.fewest, why)]
    aspect = level_name("kind", source.split("|")[1]) if source.count("|") > 1 else ""
    return [_of_check(f"{aspect}: {again}" if aspect else again, criterion)]


def _of_errors(kind: str, criterion: Criterion) -> list[Proof]:
    """A share that is tolerated is counted among its own kind of questions. What is never tolerated is shown
    on the kind that failed, and on all: among all, one question of that kind would do."""
    words, most = KINDS[kind], criterion.threshold
    if most:
        passes = f"at most {percent_text(most)} {words.did}, by the upper end"
        return [_of_share(f"new {words.among}", passes, Tolerance(most), criterion.fewest)]
    among, passes = f"new {words.among} that raters read, of every kind", f"none {words.one_did}"
    own = f"the questions that failed, and new ones of their kind: {behaviour(FROM_ERRORS + kind)['again']}"
    return [
        Proof(own, passes, TO_CLEAR, _left(TO_CLEAR)),
        Proof(among, passes, criterion.fewest, _why_so_many(criterion.fewest, TO_CLEAR)),
    ]


def _of_gate(source: str, criterion: Criterion, few: Mapping | None) -> Proof:
    """few : the gate's row; where more questions alone are missing, as many are asked as its share needs,
    else the system has to be better first"""
    metric, limit, low = metric_of(source), criterion.threshold, criterion.by == "low"
    word, end = ("at least", "lower") if low else ("at most", "upper")
    if not is_share(metric):
        return Proof("new questions", f"{display_name(metric)} {word} {limit:g}, by the {end} end")
    passes = f"{display_name(metric)} {word} {percent_text(limit)}, by the {end} end"
    to_pass = questions_to_pass(few) if few else 0
    tolerated = 1 - limit if low else limit
    planned = max(questions_if_half(tolerated, chance=POWER), fewest_cases(criterion.by, limit))
    fit = percent_text(1 - tolerated / 2 if low else tolerated / 2)
    measured = f"; at the {percent_text(few['value'])} measured {to_pass}" if few and to_pass else ""
    is_few = few is not None and too_few(few)
    why = f"plan, for a system at {fit}{measured}" if planned else ""
    return Proof("new questions", passes, max(planned, to_pass if is_few else 0), why, planned)


def _of_check(asked: str, criterion: Criterion) -> Proof:
    """A check by what it tolerates; one that compares, by its own words."""
    held = tolerance(criterion.rule)
    if held is None:
        return Proof(asked, "clear by the finding's own criterion", criterion.fewest, THIS_RUN)
    if not held.most:
        return Proof(asked, "none", criterion.fewest, _why_so_many(criterion.fewest, TO_CLEAR))
    return _of_share(asked, f"at most {percent_text(held.most)}, by the upper end", held, criterion.fewest)


def _of_share(asked: str, passes: str, held: Tolerance, tried: int) -> Proof:
    needed = fewest_without(held.most, held.level)
    why = _why_so_many(max(tried, needed), needed, held.level)
    if 0 < tried < needed:
        why = f"{why}; the {tried} of this run cannot show it: {_most_left(tried, held.level)}"
    planned = questions_if_half(held.most, held.level, POWER)
    if planned <= max(tried, needed):
        return Proof(asked, passes, max(tried, needed), why)
    return Proof(asked, passes, planned, f"plan, for a system at {percent_text(held.most / 2)}", planned)


def _why_so_many(n: int, needed: int, level: float = LEVEL) -> str:
    return _left(n, level, THIS_RUN if n > needed else BOUND)


def _left(n: int, level: float = LEVEL, why: str = BOUND) -> str:
    return f"{why}: {_most_left(n, level)}" if n else ""


def _most_left(n: int, level: float) -> str:
    return percent_text(clopper_pearson(0, n, level).high, 1)


def _joint(
    source: str, place: int, rows: Sequence[Mapping], tests: Sequence[tuple[tuple[str, str], list[int]]]
) -> str:
    """The findings that share one test with this criterion, and by when; "" where it has one of its own."""
    return next(
        (
            _together(members, closing.joint_due(rows, members))
            for axis, members in tests
            if place in members and closing.pulls_on(source, rows[place], axis)
        ),
        "",
    )


def _together(members: Sequence[int], day: str) -> str:
    named = ", ".join(map(closing.number, members))
    return f"{named}, by {day}" if day else named


def _small(text: str) -> str:
    return f"{text[:1].lower()}{text[1:]}"
