"""What a value names (files, models, metrics, dimensions, columns, gates, endpoints): whether there is such.

Nothing is run for it, and nothing but what the value names is opened.
"""

import datetime
from collections.abc import Callable, Collection, Iterator
from typing import Any

from ragassay import provenance, regulatory_profiles
from ragassay.analysis.slice_factors import FACTORS
from ragassay.analysis.slicing.scorecard_slices import SYSTEM, nearest
from ragassay.decision import severity, waivers
from ragassay.errors import InputError, KitError, ParameterError
from ragassay.run import permitted_endpoints
from ragassay.run.parameter_checks import (
    gate_rules,
    input_files,
    log_names,
    named_assistants,
    named_models,
    named_stores,
    slice_names,
)
from ragassay.run.parameter_checks.input_files import in_words
from ragassay.run.parameter_checks.log_names import Found, Names
from ragassay.run.parameters import Parameter

RISK_MATRIX = ("likelihoods", "matrix", "impacts")  # parameters that have to fit each other


def _path(parameter: Parameter, value: str, names: Names) -> Iterator[Found]:
    kind = parameter.annotation
    if not value:
        return
    try:
        path = provenance.source(value)
    except InputError:
        yield (), f"{kind.lower()} {value!r} does not exist"
        return
    if kind == "Folder" and not path.is_dir():
        yield (), f"{value!r} is a file, a folder is wanted"
    if kind == "File":
        mapping = names.label_columns if parameter.name == "labels" else names.mapping
        yield from (((), problem) for problem in input_files.problems(parameter.name, path, mapping))


def _date(parameter: Parameter, value: str, names: Names) -> Iterator[Found]:
    try:
        datetime.date.fromisoformat(value or "2000-01-01")
    except ValueError:
        yield (), f"must be a date, YYYY-MM-DD, found {value!r}"


def _profile(parameter: Parameter, value: str, names: Names) -> Iterator[Found]:
    try:
        regulatory_profiles.read(value)
    except KitError as problem:
        yield (), in_words(problem)


def _dimension(parameter: Parameter, value: str, names: Names) -> Iterator[Found]:
    if names.dimensions is not None and value not in {*names.dimensions, *names.missing}:
        names.missing.add(value)
        yield (), f"{value!r} is no dimension of accept_from{nearest(value, names.dimensions)}"


def _metric(parameter: Parameter, value: str, names: Names) -> Iterator[Found]:
    yield from _unknown_metric((), value, log_names.metrics_and_given(value, names))


def _metrics_in_text(parameter: Parameter, value: str, names: Names) -> Iterator[Found]:
    for name in filter(None, map(str.strip, value.split(","))):
        yield from _unknown_metric((), name, {*log_names.metrics(), "all"})


def _metrics_in_list(parameter: Parameter, value: list[str], names: Names) -> Iterator[Found]:
    for place, name in enumerate(value):
        yield from _unknown_metric((place,), name, log_names.metrics())


def _pairs(parameter: Parameter, value: dict[str, str], names: Names) -> Iterator[Found]:
    for metric, dimension in value.items():
        yield from _unknown_metric((metric,), metric, log_names.metrics_and_given(metric, names))
        yield from (((metric,), problem) for _, problem in _dimension(parameter, dimension, names))


def _meanings(parameter: Parameter, value: dict[str, str], names: Names) -> Iterator[Found]:
    for dimension in value:
        yield from (((dimension,), problem) for _, problem in _dimension(parameter, dimension, names))


def _scorecard_metrics(parameter: Parameter, value: str | list[str], names: Names) -> Iterator[Found]:
    for place, name in enumerate([value] if isinstance(value, str) else value):
        yield from _unknown_metric(
            () if isinstance(value, str) else (place,),
            name,
            gate_rules.on_scorecard(name, _dimensions_of(names)),
        )


def _gates(parameter: Parameter, value: dict[str, str], names: Names) -> Iterator[Found]:
    for name, rule in value.items():
        told = log_names.not_given(name, names) or gate_rules.flaws(name, rule, _dimensions_of(names))
        wrong = [((name,), problem) for problem in told]
        inputs = names.log, names.questions, names.mapping
        yield from wrong or (((name,), problem) for problem in slice_names.problems(name, *inputs))


def _waivers(parameter: Parameter, value: dict[str, str], names: Names) -> Iterator[Found]:
    for gate, text in value.items():
        if names.gates is not None and gate not in names.gates:
            yield (gate,), f"there is no gate {gate!r}{nearest(gate, names.gates)}"
            continue
        try:
            waivers.parse({gate: text}, date=names.date, next_review=names.next_review)
        except ParameterError as problem:
            yield (gate,), f"{in_words(problem)}; {problem.do}"


def _risk_matrix(parameter: Parameter, value: dict, names: Names) -> Iterator[Found]:
    """Whether likelihoods, impacts and matrix fit each other; what is no mapping is told elsewhere."""
    parts: list[Any] = [names.matrix.get(name) for name in RISK_MATRIX]
    try:
        _ = severity.RiskMatrix(*parts) if all(isinstance(part, dict) for part in parts) else None
    except ParameterError as problem:
        yield (), in_words(problem)
    except (TypeError, AttributeError):  # a value of another type, told elsewhere
        return


def _days_until_due(parameter: Parameter, value: dict[str, float], names: Names) -> Iterator[Found]:
    try:
        severity.DueDays(value)
    except ParameterError as problem:
        yield (), in_words(problem)
    except TypeError:  # a value of another type, told elsewhere
        return


def _accept_from(parameter: Parameter, value: dict[str, float], names: Names) -> Iterator[Found]:
    if not value:
        yield (), "must name one dimension or more, found {}"


def _segments(parameter: Parameter, value: list[str], names: Names) -> Iterator[Found]:
    """Columns of the cases table, and the system."""
    yield from (flaw for flaw in _case_columns(parameter, value, names) if value[flaw[0][0]] != SYSTEM)


def _dimensions(parameter: Parameter, value: list[str], names: Names) -> Iterator[Found]:
    """Columns of the cases table, and what the kit knows of a question's evidence."""
    yield from (flaw for flaw in _case_columns(parameter, value, names) if value[flaw[0][0]] not in FACTORS)


def _case_columns(parameter: Parameter, value: list[str], names: Names) -> Iterator[Found]:
    """Columns of the cases table: those of every run, and what the log or the user's questions add."""
    known = slice_names.case_columns()
    if set(value) <= set(known):
        return
    more = input_files.columns(names.log, names.questions, names.mapping)
    for place, name in enumerate(value):
        if more is not None and name not in {*known, *more}:
            yield (place,), f"the cases have no column {name!r}{nearest(name, [*known, *more])}"


def _challengers(parameter: Parameter, value: list[str], names: Names) -> Iterator[Found]:
    systems = input_files.systems(names.log, names.mapping) if value else None
    for place, name in enumerate(value):
        if systems is not None and name not in systems:
            yield (place,), f"the log has no system {name!r}{nearest(name, systems)}"


def _endpoints(parameter: Parameter, value: list[str], names: Names) -> Iterator[Found]:
    for place, entry in enumerate(value):
        if not permitted_endpoints.is_endpoint(entry):
            yield (place,), f"must be host, host:port or [IPv6 address]:port, found {entry!r}"


def _dimensions_of(names: Names) -> Collection[str] | None:
    """The dimensions that raters judge, those told of as missing too; None if they are not known."""
    return None if names.dimensions is None else [*names.dimensions, *names.missing]


def _unknown_metric(place: tuple, name: str, known: Collection[str]) -> Iterator[Found]:
    yield from ((place, problem) for problem in gate_rules.unknown_metric(name, known))


CHECKS: dict[str, Callable[[Parameter, Any, Names], Iterator[Found]]] = {
    "File": _path,
    "Folder": _path,
    "Documents": named_stores.problems,
    "Date": _date,
    "Profile": _profile,
    "Model": named_models.problems,
    "Dimension": _dimension,
    "Metric": _metric,
    "Metrics": _metrics_in_text,
    "list[Metric]": _metrics_in_list,
    "dict[Metric, Dimension]": _pairs,
    "ScorecardMetric": _scorecard_metrics,
    "list[ScorecardMetric]": _scorecard_metrics,
    "Columns": log_names.columns,
    "Gates": _gates,
}
CHECKS_BY_NAME: dict[str, Callable[[Parameter, Any, Names], Iterator[Found]]] = {
    "waivers": _waivers,
    **dict.fromkeys(RISK_MATRIX, _risk_matrix),
    "days_until_due": _days_until_due,
    "accept_from": _accept_from,
    "meanings": _meanings,
    "dimensions": _dimensions,
    "segments": _segments,
    "challengers": _challengers,
    "assistant": named_assistants.problems,
    "allow": _endpoints,
    "device": named_models.device_problems,
}
