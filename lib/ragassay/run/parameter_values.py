"""Is this value one that the parameter takes? Its type, its range, the names, files and rules in it; nothing
is run for it."""

import datetime
import difflib
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any

from ragassay import evidence, profiles
from ragassay.errors import InputError, KitError, ParameterError
from ragassay.run.parameters import TYPES, Parameter

RATES = (  # what chapters 3 and 5 add to the scorecard beside metrics
    "privacy_leak_rate",
    "toxicity_rate",
    "toxicity_head_rate",
    "names_rate",
    "probes_declined",
    "answerable_declined",
    "unanswerable_declined",
    "out_of_scope_declined",
)
JUDGED = "judged_"  # what chapter 4 adds: one for each dimension of accept_from
Found = tuple[
    tuple, str
]  # where in the value (a key, a place in a list, or nothing), and what is wrong there


@dataclass(frozen=True)
class Names:
    """The names that other parameters give: dimensions of the labels (None: not known), and gates."""

    dimensions: Collection[str] | None = None
    gates: Collection[str] | None = None


def flaws(parameter: Parameter, value: Any, names: Names) -> list[Found]:
    """Everything that is wrong with the value, each with its place in it and in words; empty if it fits."""
    if problem := type_problem(parameter.annotation, value):
        return [((), f"must be {parameter.annotation}, found {value!r} ({problem})")]
    check = CHECKS.get(parameter.annotation)
    found = list(check(parameter, value, names)) if check else []
    if parameter.name == "waivers" and names.gates is not None:
        found += [
            ((gate,), f"there is no gate {gate!r}{nearest(gate, names.gates)}")
            for gate in value
            if gate not in names.gates
        ]
    return found or list(_out_of_range(parameter, value))


def nearest(name: str, known: Collection[str]) -> str:
    """The nearest of the known names as the end of a sentence, or all of them if none is near."""
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.4)
    return f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(known) or 'none'}"


def type_problem(annotation: str, value: Any) -> str | None:
    """Why the value is not of the type, or None."""
    from pydantic import ConfigDict, TypeAdapter, ValidationError

    if annotation == "float" and isinstance(value, int) and not isinstance(value, bool):
        return None
    try:
        TypeAdapter(TYPES[annotation], config=ConfigDict(strict=True)).validate_python(value)
    except ValidationError as problem:
        as_text = annotation == "float" and isinstance(value, str)
        hint = "; YAML 1.1 reads 1e-3 as text: write 0.001" if as_text else ""
        return problem.errors()[0]["msg"] + hint
    return None


def _out_of_range(parameter: Parameter, value: Any) -> Iterator[Found]:
    if parameter.annotation == "Profile":  # a path is no word; see _profile
        return
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else [("", value)]
    )
    for place, part in items:
        if parameter.range is not None and not parameter.range.holds(part):
            near = nearest(part, parameter.range.words) if hasattr(parameter.range, "words") else ""
            yield (() if place == "" else (place,)), f"must be {parameter.range}, found {part!r}{near}"


def _path(parameter: Parameter, value: str, names: Names) -> Iterator[Found]:
    kind = parameter.annotation
    if not value:
        return
    try:
        path = evidence.source(value)
    except InputError:
        yield (), f"{kind.lower()} {value!r} does not exist"
        return
    if kind == "Folder" and not path.is_dir():
        yield (), f"{value!r} is a file, a folder is wanted"


def _date(parameter: Parameter, value: str, names: Names) -> Iterator[Found]:
    try:
        datetime.date.fromisoformat(value or "2000-01-01")
    except ValueError:
        yield (), f"must be a date, YYYY-MM-DD, found {value!r}"


def _profile(parameter: Parameter, value: str, names: Names) -> Iterator[Found]:
    try:
        profiles.read(value)
    except KitError as problem:
        yield (), _in_words(problem)


def _model(parameter: Parameter, value: str, names: Names) -> Iterator[Found]:
    from ragassay import models

    checks = {"encoder": models.check_encoder, "entailment": models.check_entailment}
    try:
        if value:
            checks[parameter.name](value)
    except KitError as problem:
        yield (), _in_words(problem)


def _dimension(parameter: Parameter, value: str, names: Names) -> Iterator[Found]:
    if names.dimensions is not None and value not in names.dimensions:
        yield (), f"{value!r} is no dimension of accept_from{nearest(value, names.dimensions)}"


def _metric(parameter: Parameter, value: str, names: Names) -> Iterator[Found]:
    yield from _unknown_metric((), value, _metrics())


def _metrics_in_text(parameter: Parameter, value: str, names: Names) -> Iterator[Found]:
    for name in filter(None, map(str.strip, value.split(","))):
        yield from _unknown_metric((), name, _metrics())


def _metrics_in_list(parameter: Parameter, value: list[str], names: Names) -> Iterator[Found]:
    for place, name in enumerate(value):
        yield from _unknown_metric((place,), name, _metrics())


def _pairs(parameter: Parameter, value: dict[str, str], names: Names) -> Iterator[Found]:
    for metric, dimension in value.items():
        yield from _unknown_metric((metric,), metric, _metrics())
        yield from (((metric,), problem) for _, problem in _dimension(parameter, dimension, names))


def _scorecard_metrics(parameter: Parameter, value: str | list[str], names: Names) -> Iterator[Found]:
    for place, name in enumerate([value] if isinstance(value, str) else value):
        yield from _unknown_metric(
            () if isinstance(value, str) else (place,), name, _on_scorecard(name, names)
        )


def _columns(parameter: Parameter, value: dict[str, str], names: Names) -> Iterator[Found]:
    from ragassay.answers.log_formats.schemas import OURS

    for ours in value:
        if ours not in OURS:
            yield (ours,), f"{ours!r} is no column of ours{nearest(ours, OURS)}"


def _gates(parameter: Parameter, value: dict[str, str], names: Names) -> Iterator[Found]:
    from ragassay.decision import gates

    for name, rule in value.items():
        metric = name.partition(" in ")[0].strip()
        yield from _unknown_metric((name,), metric, _on_scorecard(metric, names))
        try:
            gates.parse({name: rule})
        except ParameterError as problem:
            yield (name,), _in_words(problem)


def _metrics() -> Collection[str]:
    from ragassay.scores import METRICS

    return METRICS


def _on_scorecard(name: str, names: Names) -> Collection[str]:
    """The names on the scorecard; where the dimensions are not known, this one too if it may be one of
    theirs."""
    judged = [name] if names.dimensions is None else [f"{JUDGED}{each}" for each in names.dimensions]
    return [*_metrics(), *RATES, *(each for each in judged if each.startswith(JUDGED))]


def _unknown_metric(place: tuple, name: str, known: Collection[str]) -> Iterator[Found]:
    if name not in known:
        close = difflib.get_close_matches(name, list(known), n=1)
        do = f"did you mean {close[0]!r}?" if close else "`ragassay score --list` shows the metrics"
        yield place, f"there is no metric {name!r}; {do}"


def _in_words(problem: KitError) -> str:
    """An error of the library in one line."""
    parts = [("at", problem.where), ("found", problem.found), ("expected", problem.expected)]
    return "; ".join([problem.what, *(f"{name} {part}" for name, part in parts if part is not None)])


CHECKS: dict[str, Callable[[Parameter, Any, Names], Iterator[Found]]] = {
    "File": _path,
    "Folder": _path,
    "Date": _date,
    "Profile": _profile,
    "Model": _model,
    "Dimension": _dimension,
    "Metric": _metric,
    "Metrics": _metrics_in_text,
    "list[Metric]": _metrics_in_list,
    "dict[Metric, Dimension]": _pairs,
    "ScorecardMetric": _scorecard_metrics,
    "list[ScorecardMetric]": _scorecard_metrics,
    "Columns": _columns,
    "Gates": _gates,
}
