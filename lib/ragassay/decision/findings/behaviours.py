"""What is done about a behaviour that a finding states: one row a behaviour (`behaviours.csv`) with its
remedy, its interim control and what is asked again to close it, so that the three concern the same."""

import csv
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import resources

from ragassay.decision.findings.finding_texts import FROM_CHECK, FROM_GATE, FROM_WEAKNESS
from ragassay.scores.display_names import level_name

NONE: Mapping[str, str] = {}
QUESTIONS = "{questions}"  # in a text: the questions of a weak slice
OF_FINDING = "those of the finding"


def behaviour(source: str, strata: Sequence[str] = ()) -> Mapping[str, str]:
    """The row of what raised a finding: that of its source, by the longest beginning, else that of its
    metric; empty for a check or a metric of the engagement's own. Of a weak slice it names the questions.

    strata : of the finding: that of its slice, or the first
    """
    rows = behaviours()
    begins = [of for of in rows if source.startswith(of)]
    row = rows[max(begins, key=len)] if begins else rows.get(metric_of(source), NONE)
    named = next((each for each in strata if each == _slice(source)), next(iter(strata), "") or OF_FINDING)
    return {name: text.replace(QUESTIONS, named) for name, text in row.items()}


def metric_of(source: str) -> str:
    """The metric that a check, a gate or a weak slice measures; "" of other sources."""
    if source.startswith(FROM_CHECK):
        return source.rpartition("|")[2]
    for begins in (FROM_GATE, FROM_WEAKNESS):
        if source.startswith(begins):
            return source.removeprefix(begins).partition("|")[0].partition(" in ")[0]
    return ""


def _slice(source: str) -> str:
    """What the questions of a weak slice are called; "" of other sources."""
    _, dimension, level = [*source.split("|", 2), "", ""][:3]
    return level_name(dimension, level) if source.startswith(FROM_WEAKNESS) else ""


@lru_cache(maxsize=1)
def behaviours() -> Mapping[str, Mapping[str, str]]:
    """Behaviour (a kind of error, a metric, or how sources begin) -> its row of `behaviours.csv`.

    Columns: `concerns`, words of which each text holds one; `fits`, the causes (`tables.BLAMED`) that the
    remedy follows from where a diagnosis names one; `remedy`, the first action; `also`; `pulls`, in which
    direction the remedy moves the assistant (`joint_tests.AXES`); `again`, what is asked again; `enough`,
    whether the interim `control` suffices while a Critical finding is open; `shown_by`, what shows that it
    holds (cases, or a search of the documents). `{questions}` in a text stands for those of a weak slice.
    """
    file = resources.files("ragassay.decision.findings") / "behaviours.csv"
    return {row["of"]: row for row in csv.DictReader(file.read_text(encoding="utf-8").splitlines())}
