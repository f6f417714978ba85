"""What closes each finding, criterion by criterion: what is asked again, what has to be met, on how many
questions, why on so many, and what of that a person checks.

The numbers are those that the register records and a later run asks (`criteria`): so many that a fit system,
with half as many failures as tolerated, passes with a chance of `POWER`; where more questions alone are
missing, that one at the share measured does. Where none may fail, and where checks compare, never fewer than
the run tried.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from ragassay.analysis.case_scores import is_share
from ragassay.analysis.checks import TO_CLEAR
from ragassay.analysis.safety import attack_checks
from ragassay.cases import prohibited_uses
from ragassay.decision import independence
from ragassay.decision.closing import criteria, joint_tests, slice_criteria, where_set
from ragassay.decision.closing.criteria import Criterion
from ragassay.decision.closing.earlier_findings import OPEN, asked_of
from ragassay.decision.closing.question_count_reasons import (
    THIS_RUN,
    most_that_may_fail,
    planned_for,
    why_so_many,
)
from ragassay.decision.closing.retest_sizes import NO_LARGE_LOSS
from ragassay.decision.findings.behaviours import behaviour, metric_of
from ragassay.decision.findings.error_findings import FROM_ERRORS, KINDS
from ragassay.decision.findings.finding_texts import (
    FROM_CHECK,
    FROM_GATE,
    FROM_PROCESS,
    FROM_WEAKNESS,
    gate_source,
)
from ragassay.decision.gates.questions_needed import (
    LEVEL,
    OF_SEVERAL,
    Tolerance,
    fewest_without,
    questions_to_pass,
    retest_of_share,
    tolerance,
)
from ragassay.defaults import POWER
from ragassay.scores.display_names import display_name, level_name
from ragassay.stats import percent_text

COLUMNS = ["finding_id", "source", "asked_again", "passes_if", "fewest", "why", "joint"]
A_PERSON = "a person counts"  # which cases are of its kind
NO_LOSS = "plan, for no loss"
AS_GOOD = "plan, for a slice as good as the rest"
SAME = "the same"
LOW = "; Low by itself, so no release waits for it"
OUTSIDERS_READ = "the same answers, or those of a later run, all of them rated by independent raters"
INDEPENDENT = (
    "`raters` and `validator` each name a person (by rule: given name and surname, no placeholder, role or "
    "unit), both are stated to be independent, and their labels are in the run; that these people exist and "
    "are independent a person checks"
)
NOTE = (
    "Questions: at least so many, fixed here, so that nobody stops where it happens to pass. By says why so "
    "many. Plan: a fit system, with half the failures tolerated, meets all rows that a release waits for "
    f"together with a chance of {percent_text(POWER)}, and each other row with the same chance. Bound: the "
    "fewest on which it can be shown that none fails. This run: as many as it tried. Fewer than today: so "
    "many that a system that fails as often as this one passes with at most "
    f"{percent_text((1 - LEVEL) / 2, 1)}. The share beside: the most that may still fail where none of so "
    f"many does (Clopper-Pearson, {percent_text(LEVEL)}; {percent_text(OF_SEVERAL)} where checks share an "
    "error). What harmless quotes alone raise again is Low, and keeps no release waiting. Joint: put with "
    "the findings named to one version, on one new set, and met at once. A later run and `ragassay diff` "
    "check what was measured, the bound, the number and, of independence, the names. A person checks, "
    "before `closures` names who closes it, that the questions are new and were unknown to those who "
    "corrected the system, that what is joint is of one version, how many candidates there were, and what "
    "“a person counts” stands beside."
)


class Proof(NamedTuple):
    """One criterion: what is put again, what has to be met, on how many questions (0: no number), why so
    many."""

    asked: str
    passes: str
    fewest: int = 0
    why: str = ""


def proofs(findings: pd.DataFrame, gates: pd.DataFrame | None = None) -> pd.DataFrame:
    """A row for each criterion of each open finding, in the order of their numbers; of several findings with
    one criterion one row names all. Columns COLUMNS; `fewest` is 0 where there is no number.

    findings : of `findings.raise_findings`; gates : of `gates.evaluate`, for those of which more questions
        alone are missing
    """
    few = {} if gates is None else {gate_source(row): row for row in gates.to_dict("records")}
    rows = findings.to_dict("records")
    tests = joint_tests.joint_tests(rows)
    held: dict[tuple, list[str]] = {}
    for place, row in enumerate(rows):
        for source, proof in _of_finding(row, few) if row["status"] == OPEN else ():
            numbers = held.setdefault((source, proof, _joint(source, place, rows, tests)), [])
            numbers += [row["finding_id"]] * (row["finding_id"] not in numbers)
    told = [(", ".join(numbers), source, *proof, joint) for (source, proof, joint), numbers in held.items()]
    return pd.DataFrame(told, columns=COLUMNS).astype({"fewest": int})


def requirements_display_table(table: pd.DataFrame) -> pd.DataFrame:
    """The table as a page prints it: a number that there is not stands as a dash."""
    number = table["fewest"].map(lambda n: f"{n:,}" if n else "—")
    columns = ["finding", "asked again, anew", "passes if", "questions", "by", "joint"]
    why = [_with_parameter(*each) for each in zip(table["why"], table["source"], strict=True)]
    told = table.drop(columns="source").assign(fewest=number, why=why)
    return told.set_axis(columns, axis=1)


def _with_parameter(why: str, source: str) -> str:
    name = where_set.parameter(source)
    return f"{why}; `{name}`" if why and name else why


def _of_finding(row: Mapping, few: Mapping[str, Mapping]) -> Iterator[tuple[str, Proof]]:
    """Each criterion that a finding records, by its source, as what has to be shown."""
    recorded, told = criteria.recorded(row), set()
    for source in asked_of(row):
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
        return [_of_slice(source, again, criterion)]
    aspect = aspect_in_words(*source.split("|")[:2]) if source.count("|") > 1 else ""
    return [_of_check(f"{aspect}: {again}" if aspect else again, criterion)]


def aspect_in_words(check: str, aspect: str) -> str:
    """What of a check (`check:misuse`) its row is about: a family of requests, a kind of question."""
    is_family = check == f"{FROM_CHECK}misuse" and aspect != attack_checks.ALL
    return prohibited_uses.family_in_words(aspect) if is_family else level_name("kind", aspect)


def _of_errors(kind: str, criterion: Criterion) -> list[Proof]:
    """A share that is tolerated is counted among its own kind of questions. What is never tolerated is shown
    on the kind that failed, and on all: among all, one question of that kind would do."""
    words, most, n = KINDS[kind], criterion.threshold, criterion.of_kind
    if most:
        passes = f"at most {percent_text(most)} {words.did}, by the upper end"
        return [_of_share(f"new {words.among}", passes, Tolerance(most), criterion)]
    among, passes = f"new {words.among} that raters read, of every kind", f"none {words.one_did}"
    own = f"the questions that failed, and new ones of their kind: {behaviour(FROM_ERRORS + kind)['again']}"
    return [
        *([Proof(own, passes, n, f"{A_PERSON}; {most_that_may_fail(n)}")] if n else []),
        Proof(among, passes, criterion.fewest, _where_none_fails(criterion)),
    ]


def _of_slice(source: str, again: str, criterion: Criterion) -> Proof:
    """A weak slice by its own interval; one of an earlier release, which asks for no more than that nothing
    is significant, closes by no retest."""
    if criterion.is_no_rule:
        return Proof(again, f"no retest closes it: {criteria.NO_RULE}")
    by, limit = criterion.by, criterion.threshold
    most = 1 - limit if by == "low" else limit
    planned = 0 if by == slice_criteria.SHORTFALL else retest_of_share(most, chance=criterion.chance)
    why = AS_GOOD if by == slice_criteria.SHORTFALL else planned_for(most, by)
    is_planned = criterion.fewest in (planned, 0) or by == slice_criteria.SHORTFALL
    passes = slice_criteria.in_words(metric_of(source), by, limit)
    return Proof(again, passes, criterion.fewest, why if is_planned else THIS_RUN)


def _of_gate(source: str, criterion: Criterion, few: Mapping | None) -> Proof:
    """few : the gate's row, for what its share measured would need"""
    metric, limit, low = metric_of(source), criterion.threshold, criterion.by == "low"
    word, end = ("at least", "lower") if low else ("at most", "upper")
    if not is_share(metric):
        return Proof("new questions", f"{display_name(metric)} {word} {limit:g}, by the {end} end")
    passes = f"{display_name(metric)} {word} {percent_text(limit)}, by the {end} end"
    to_pass = questions_to_pass(few) if few else 0
    measured = (
        f"; at the {percent_text(few['value'])} measured {to_pass:,}, with {percent_text(POWER)}"
        if few and to_pass
        else ""
    )
    why = f"{planned_for(1 - limit if low else limit, criterion.by)}{measured}" if criterion.fewest else ""
    return Proof("new questions", passes, criterion.fewest, why)


def _of_check(asked: str, criterion: Criterion) -> Proof:
    """A check by what it tolerates; one that compares, by its own words."""
    held = tolerance(criterion.rule)
    if NO_LARGE_LOSS in criterion.rule:
        return Proof(asked, f"no significant fall, and {NO_LARGE_LOSS}", criterion.fewest, NO_LOSS)
    if held is None:
        return Proof(asked, "clear by the finding's own criterion", criterion.fewest, THIS_RUN)
    if not held.most:
        none = f"none{LOW * criterion.is_low}"
        return Proof(asked, none, criterion.fewest, _where_none_fails(criterion))
    return _of_share(asked, f"at most {percent_text(held.most)}, by the upper end", held, criterion)


def _where_none_fails(criterion: Criterion) -> str:
    return why_so_many(criterion.fewest, TO_CLEAR, today=criterion.today)


def _of_share(asked: str, passes: str, held: Tolerance, criterion: Criterion) -> Proof:
    """criterion : whose number, of an earlier release, may be no plan, but what the run tried"""
    n = criterion.fewest
    if n and n == retest_of_share(held.most, held.level, criterion.chance):
        return Proof(asked, passes, n, planned_for(held.most, "high"))
    return Proof(asked, passes, n, why_so_many(n, fewest_without(held.most, held.level), held.level))


def _joint(
    source: str, place: int, rows: Sequence[Mapping], tests: Sequence[tuple[tuple[str, str], list[int]]]
) -> str:
    """The findings that share one test with this criterion, and by when; "" where it has one of its own."""
    return next(
        (
            _together(members, joint_tests.joint_due(rows, members))
            for axis, members in tests
            if place in members and joint_tests.pulls_on(source, rows[place], axis)
        ),
        "",
    )


def _together(members: Sequence[int], day: str) -> str:
    named = ", ".join(map(joint_tests.number, members))
    return f"{named}, by {day}" if day else named


def _small(text: str) -> str:
    return f"{text[:1].lower()}{text[1:]}"
