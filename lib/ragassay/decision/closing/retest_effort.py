"""What the retest of a release asks in all: how many answers raters read, for how long, and how many trials a
machine judges."""

from collections.abc import Mapping

import pandas as pd

from ragassay.decision.closing import joint_plan
from ragassay.decision.closing.criteria import Criterion
from ragassay.decision.findings.behaviours import metric_of
from ragassay.decision.findings.error_findings import DECLINE, FROM_ERRORS, KINDS
from ragassay.decision.findings.finding_texts import FROM_CHECK, FROM_GATE
from ragassay.decision.gates.gate_grammar import rated_by_people

OF_ALL = "answers"  # what a kind of error is counted among where every question counts
TOLD = (
    "In all, a release asks for at least {read:,} new questions whose answers raters read, {hours:,.0f} "
    "hours a rater ({minutes:g} minutes each; one test set serves all rows of gates and errors)"
)
TRIALS = ", and for {n:,} trials that a machine judges, where one serves several rows fewer"


def in_words(findings: pd.DataFrame, minutes: float) -> str:
    """The least number of questions, in a sentence; "" where a release waits for none.

    findings : of `findings.raise_findings`; minutes : that a rater takes for an answer
    """
    rows = joint_plan.of_release(findings.to_dict("records"))
    every = {**rows.planned, **rows.none_fails, **rows.unknown}
    read, trials = (
        answers_read(every),
        sum(n for source, n in _numbers(every) if source.startswith(FROM_CHECK)),
    )
    if not read:
        return ""
    told = TOLD.format(read=read, hours=read * minutes / 60, minutes=minutes)
    return f"{told}{TRIALS.format(n=trials) if trials else ''}."


def answers_read(rows: Mapping[str, Criterion]) -> int:
    """The fewest answers of one test set that serve every row of gates of raters and of kinds of error:
    questions with an answer and without one are counted by themselves."""
    read = [(source, n) for source, n in _numbers(rows) if _is_read(source)]
    among = {False: 0, True: 0, None: 0}
    for source, n in read:
        among[_without_answer(source)] = max(n, among[_without_answer(source)])
    return max(among[None], among[True] + among[False])


def _numbers(rows: Mapping[str, Criterion]) -> list[tuple[str, int]]:
    return [(source, max(each.fewest, each.of_kind)) for source, each in rows.items()]


def _is_read(source: str) -> bool:
    return source.startswith(FROM_ERRORS) or (
        source.startswith(FROM_GATE) and rated_by_people(metric_of(source))
    )


def _without_answer(source: str) -> bool | None:
    """Whether a row is counted among questions without an answer; None of a row among all."""
    kind = KINDS.get(source.removeprefix(FROM_ERRORS))
    return None if kind is None or kind.among == OF_ALL else kind.among == KINDS[DECLINE].among
