"""Whether a gate asks for something that its metric can be: its name, grammar, direction and threshold.
`ragassay run` asks before anything runs, notebook 07 itself where it is executed alone."""

import contextlib
import csv
import difflib
import math
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from ragassay import examination, tables
from ragassay.analysis import scorecard_slices
from ragassay.analysis.case_scores import NO_LEVEL, value_range
from ragassay.answers.log_formats.tool_scores import is_given
from ragassay.decision import gate_grammar, gates
from ragassay.decision.gate_grammar import GateRule
from ragassay.errors import ParameterError
from ragassay.labels.human_labels import IN_EVERY_RESPECT
from ragassay.run.parameter_checks import input_files
from ragassay.run.parameter_checks.input_files import in_words
from ragassay.run.parameter_file.run_settings import MODELS
from ragassay.scores.metric_directions import RATES, direction

JUDGED = "judged_"  # what chapter 4 adds: one for each dimension of accept_from
# what the kit's examination of its own instruments excludes from gates, and what to gate on instead
EXCLUSIONS = Path(examination.__file__).parent / "shipped_exclusions.csv"


def checked(rules: Mapping[str, str], columns: Collection[str]) -> list[GateRule]:
    """The rules of the gates, in the order given, none of which `flaws` complains of.

    columns : those of the cases, which a slice may name, beside `system`

    Raises
    ------
    ParameterError
        If a rule is flawed, or names a slice by a column that the cases do not have.
    """
    found, factors = [], [*columns, scorecard_slices.SYSTEM]
    for name, rule in rules.items():
        found += flaws(name, rule)
        with contextlib.suppress(ParameterError):  # told of the rule
            part = gate_grammar.split_name(name)[1]
            factor = "" if part == scorecard_slices.ALL else scorecard_slices.parse(part).factor
            if factor and factor not in factors:
                near = scorecard_slices.nearest(factor, factors)
                found.append(f"the cases have no column {factor!r}{near}")
    if found:
        raise ParameterError(
            "gates cannot be judged as they are written",
            where="07_conclusion.gates",
            found="; ".join(found),
            do="correct the rules; `ragassay run` refuses the same",
        )
    return gate_grammar.parse(rules)


def flaws(name: str, rule: str, dimensions: Collection[str] | None = None) -> list[str]:
    """What is wrong with one gate, in words: with the metric's name, or else with its rule.

    dimensions : those that raters judge; None where they are not known
    """
    metric = name.partition(" in ")[0].strip()
    return unknown_metric(metric, on_scorecard(metric, dimensions)) or list(problems(name, metric, rule))


def excluded_metrics() -> dict[str, str]:
    """Metric that fails the kit's own examination -> the metric to gate on instead."""
    with EXCLUSIONS.open(encoding="utf-8", newline="") as file:
        return {row["metric"]: row["instead"] for row in csv.DictReader(file)}


def warnings(values: Mapping[str, Mapping[str, Any]], settings: Mapping[str, Any]) -> list[str]:
    """The gates that stay incomplete whatever the run measures, as notebook 04 excludes their metric. None
    where the instruments are not examined, or models of the user's take the place of the kit's.

    values : notebook -> its parameters; settings : of section run
    """
    given = {name: value for parameters in values.values() for name, value in parameters.items()}
    if not given.get("examine_instruments") or any(settings.get(model) for model in MODELS):
        return []
    excluded = excluded_metrics()
    return [
        f"gate {gate!r} cannot pass: its metric fails the kit's examination; use {excluded[metric]!r}"
        for gate in given.get("gates") or {}
        if (metric := gate.partition(" in ")[0].strip()) in excluded
    ]


def on_scorecard(metric: str, dimensions: Collection[str] | None) -> Collection[str]:
    """The names on the scorecard; where the dimensions are not known, this one too if it may be one of
    theirs, and any score given with a log, of which the log decides."""
    from ragassay.scores import METRICS

    if is_given(metric):
        return [metric]

    judged = [metric] if dimensions is None else [f"{JUDGED}{each}" for each in dimensions]
    rates = (name for name, rate in RATES.items() if rate.on_scorecard)
    return [*METRICS, *rates, IN_EVERY_RESPECT, *(each for each in judged if each.startswith(JUDGED))]


def unknown_metric(name: str, known: Collection[str]) -> list[str]:
    """That there is no such metric, and which is near; nothing where there is."""
    if name in known:
        return []
    close = difflib.get_close_matches(name, list(known), n=1)
    do = f"did you mean {close[0]!r}?" if close else "`ragassay score --list` shows the metrics"
    return [f"there is no metric {name!r}; {do}"]


def problems(name: str, metric: str, rule: str) -> Iterator[str]:
    """What is wrong with one rule, in words.

    name : as in the parameters, `metric` or `metric in slice`; rule : `low >= 0.80`
    """
    try:
        (found,) = gate_grammar.parse({name: rule})
    except ParameterError as problem:
        yield f"{in_words(problem)}; {problem.do}"
        return
    low, high = value_range(metric) or ((-math.inf, math.inf) if is_given(metric) else (0.0, 1.0))
    if not low <= found.threshold <= high:
        share = high == 1 and 1 < found.threshold <= 100
        hint = f"; for a share write {found.threshold / 100:g} or {found.threshold:g}%" if share else ""
        yield f"the threshold {found.threshold:g} of {name!r} is outside [{low:g}, {high:g}]{hint}"
    elif found.threshold == (low if found.bound == "low" else high):
        end = f"the end of [{low:g}, {high:g}]: nothing misses it"
        yield f"the threshold {found.threshold:g} of {name!r} is {end}"
    if found.if_asked and metric not in gates.ASKED:
        yield f"'if asked' in {rule!r} fits only {', '.join(gates.ASKED)}"
    better = direction(metric)
    bound = {"higher": "low >=", "lower": "high <="}.get(better, "")
    if bound and not bound.startswith(found.bound):
        yield f"{metric} is better the {better} it is: write {bound} {found.threshold:g}, found {rule!r}"


def slice_problems(name: str, log: str, questions: str, mapping: Mapping[str, str]) -> Iterator[str]:
    """What is wrong with the slice of a gate's name, `metric in factor=level`, in words.

    Factors are the columns of the cases, declared or of the log or the user's own questions, and `system`.
    Levels are known where the table declares them; the systems are those of the log.
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
    known = _levels(chosen, log, mapping)
    if known is not None and chosen.level not in {*known, NO_LEVEL}:
        yield f"no case can have {chosen}{scorecard_slices.nearest(chosen.level, known)}"


def case_columns() -> list[str]:
    """The columns that every run's cases may have: those declared, and those of the questions it makes."""
    from ragassay.cases.rule_questions import EXTRA

    return [*tables.TABLES["cases"].columns, *EXTRA]


def _levels(chosen: scorecard_slices.Slice, log: str, mapping: Mapping[str, str]) -> list[str] | None:
    """The levels a factor can have; None where only the run will tell."""
    rule = tables.TABLES["cases"].columns.get(chosen.factor)
    if rule is not None and rule.allowed:
        return list(map(str, rule.allowed))
    if rule is not None and rule.kind == "true/false":
        return ["True", "False"]
    if chosen.factor == scorecard_slices.SYSTEM:
        return input_files.systems(log, mapping) or None
    return None
