"""Whether a gate asks for something that its metric can be: its name, grammar, direction and threshold.
`ragassay run` asks before anything runs, notebook 07 itself where it is executed alone."""

import math
from collections.abc import Collection, Mapping

from ragassay.analysis.case_scores import ALL, SYSTEM, nearest, parse_slice, value_range
from ragassay.answers.tool_scores import is_given
from ragassay.decision import gate_grammar, gates
from ragassay.errors import KitError, ParameterError, did_you_mean
from ragassay.labels.human_labels import IN_EVERY_RESPECT
from ragassay.scores.metric_registry import RATES, direction

JUDGED = "judged_"  # what chapter 4 adds: one for each dimension of accept_from


def check_gates(rules: Mapping[str, str], columns: Collection[str]) -> list[gate_grammar.GateRule]:
    """The rules of the gates, in the order given; ParameterError with all that `flaws` says of them.

    columns : those of the cases, which a slice may name, beside `system`
    """
    found = [flaw for name, rule in rules.items() for flaw in flaws(name, rule, columns=columns)]
    if found:
        raise ParameterError("gates cannot be read", where="07_conclusion.gates", found="; ".join(found))
    return gate_grammar.parse(rules)


def flaws(
    name: str, rule: str, dimensions: Collection[str] | None = None, columns: Collection[str] | None = None
) -> list[str]:
    """What is wrong with one gate, in words: with the metric's name, or else with its rule.

    name : as in the parameters, `metric` or `metric in slice`; rule : `low >= 0.80`
    dimensions : those that raters judge; columns : of the cases; None where they are not known
    """
    metric = name.partition(" in ")[0].strip()
    if unknown := unknown_metric(metric, on_scorecard(metric, dimensions)):
        return unknown
    try:
        (gate,) = gate_grammar.parse({name: rule})
    except ParameterError as problem:
        return [error_line(problem)]
    found, threshold = list[str](), gate.threshold
    low, high = value_range(metric) or ((-math.inf, math.inf) if is_given(metric) else (0.0, 1.0))
    if not low <= threshold <= high:
        share = high == 1 and 1 < threshold <= 100
        hint = f"; for a share write {threshold / 100:g} or {threshold:g}%" if share else ""
        found += [f"the threshold {threshold:g} of {gate.name!r} is outside [{low:g}, {high:g}]{hint}"]
    elif threshold == (low if gate.bound == "low" else high):
        found += [f"the threshold {threshold:g} of {gate.name!r} is the end of its range"]
    if gate.if_asked and metric not in gates.ASKED:
        found += [f"'if asked' in {rule!r} fits only {', '.join(gates.ASKED)}"]
    better = direction(metric)
    bound = {"higher": "low >=", "lower": "high <="}.get(better, "")
    if bound and not bound.startswith(gate.bound):
        found += [f"{metric} is better the {better} it is: write {bound} {threshold:g}, found {rule!r}"]
    factor = "" if gate.slice == ALL else parse_slice(gate.slice)[0]
    if factor and columns is not None and factor not in (*columns, SYSTEM):
        found += [f"there is no column of the cases {factor!r}{nearest(factor, columns)}"]
    return found


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
    near = did_you_mean(
        name, known, "`ragassay score --list` shows the metrics; 02_functionality.metrics names yours"
    )
    do = f"write {name.rpartition(':')[2]!r}" if ".py:" in name else near
    return [] if name in known else [f"there is no metric {name!r}; {do}"]


def error_line(problem: KitError) -> str:
    """An error of the library in one line."""
    parts = {"at": problem.where, "found": problem.found, "expected": problem.expected}
    said = [f"{name} {str(part)[:200]}" for name, part in parts.items() if part is not None]
    return "; ".join(filter(None, [problem.what, *said, problem.do]))
