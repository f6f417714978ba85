"""Whether the slice that a gate names can be there, as far as that is known before anything runs."""

import re
from collections.abc import Iterator, Mapping

from ragassay import tables
from ragassay.analysis.case_scores import NO_LEVEL
from ragassay.analysis.slicing import scorecard_slices
from ragassay.decision import gate_grammar
from ragassay.run.parameter_checks import input_files

LANGUAGE = re.compile(r"[a-z]{2,3}")  # what the kit calls the languages of documents and questions
MADE = (
    "topic",
    "kind",
    "difficulty",
    "family",
)  # levels that a run may add to those of the user's own questions


def problems(name: str, log: str, questions: str, mapping: Mapping[str, str]) -> Iterator[str]:
    """What is wrong with the slice of a gate's name, `metric in factor=level`, in words.

    Factors are the columns of the cases, declared or of the log or the user's own questions, and `system`.
    Levels are known where the table declares them or the files hold them all.
    """
    _, part = gate_grammar.split_name(name)
    if part == scorecard_slices.ALL:
        return
    chosen, more = scorecard_slices.parse(part), input_files.columns(log, questions, mapping)
    factors = dict.fromkeys([*case_columns(), scorecard_slices.SYSTEM, *(more or ())])
    if chosen.factor not in factors:
        if more is not None:
            near = scorecard_slices.nearest(chosen.factor, factors)
            yield f"the cases have no column {chosen.factor!r}{near}"
        return
    known = _levels(chosen, log, questions, mapping)
    if known is not None and chosen.level not in {*known, NO_LEVEL}:
        yield f"no case can have {chosen}{scorecard_slices.nearest(chosen.level, known)}"


def case_columns() -> list[str]:
    """The columns that every run's cases may have: those declared, and those of the questions it makes."""
    from ragassay.cases.llm_questions import EXTRA

    return [*tables.TABLES["cases"].columns, *EXTRA]


def _levels(
    chosen: scorecard_slices.Slice, log: str, questions: str, mapping: Mapping[str, str]
) -> list[str] | None:
    """The levels a factor can have; None where only the run will tell."""
    rule = tables.TABLES["cases"].columns.get(chosen.factor)
    if rule is not None and rule.allowed:
        return list(map(str, rule.allowed))
    if rule is not None and rule.kind == "true/false":
        return ["True", "False"]
    if chosen.factor == scorecard_slices.SYSTEM:
        return input_files.systems(log, mapping) or None
    if chosen.factor == "language" and LANGUAGE.fullmatch(chosen.level):
        return None
    if chosen.factor in MADE and not log:
        return None
    return input_files.levels(log, questions, mapping, chosen.factor) or None
