"""What a value names (files, models, metrics, dimensions, columns, gates, endpoints): whether there is such.

Nothing is run for it, and nothing but what the value names is opened.
"""

import ast
import datetime
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from ragassay import provenance, regulatory_profiles, search_paths
from ragassay.analysis.scorecard_slices import SYSTEM, nearest
from ragassay.analysis.slice_factors import FACTORS
from ragassay.answers import described_systems
from ragassay.answers.log_formats.tool_scores import is_given
from ragassay.assistant.described import is_described, missing
from ragassay.decision import severity, waivers
from ragassay.documents.collection import is_passage_file
from ragassay.errors import InputError, KitError, ParameterError
from ragassay.run import permitted_endpoints
from ragassay.run.parameter_checks import gate_rules, input_files
from ragassay.run.parameter_checks.input_files import in_words
from ragassay.run.parameter_file.run_settings import MODELS
from ragassay.run.parameters import TYPES, Parameter
from ragassay.scores import METRICS, own_metrics

BUDGETS = ("words", "seconds")  # of an answer
RISK_MATRIX = ("likelihoods", "matrix", "impacts")  # parameters that have to fit each other
Found = tuple[tuple, str]  # where in the value (a key, a place in a list, or nothing), and what is wrong
MOST = 50  # flaws told of one value
BESIDE_COLUMNS = {"segments": (SYSTEM,), "dimensions": tuple(FACTORS)}  # what such a parameter may name too


@dataclass(frozen=True)
class Names:
    """What other parameters name.

    dimensions : those of the labels; None where they are not known
    gates : those of the section
    log, mapping : the log of answers, and which of its columns is which; label_columns : those of the labels
    questions : the user's own
    matrix : likelihoods, impacts and matrix of the section
    date, next_review : of the report
    missing : dimensions that a flaw was told of already, so that what follows from it is not told again
    """

    dimensions: Collection[str] | None = None
    gates: Collection[str] | None = None
    log: str = ""
    mapping: Mapping[str, str] = field(default_factory=dict)
    questions: str = ""
    date: str = ""
    next_review: str = ""
    missing: set[str] = field(default_factory=set)
    matrix: Mapping[str, Any] = field(default_factory=dict)
    label_columns: Mapping[str, str] = field(default_factory=dict)


Check = Callable[[Parameter, Any, Names], Iterator[Found]]


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


def _documents(parameter: Parameter, value: str, names: Names) -> Iterator[Found]:
    """What is wrong with the place."""
    if not value:
        return
    try:
        path = provenance.source(value)
    except InputError:
        yield (), f"{parameter.name} {value!r} does not exist"
    else:
        if not (path.is_dir() or is_passage_file(value)):
            yield (), f"{value!r} is a file; expected a folder, or a .jsonl of passages"


def _assistant(parameter: Parameter, value: Any, names: Names) -> Iterator[Found]:
    """The form, and of a file whether it is there and is Python; of a description everything, the variables
    of its headers too."""
    spec = parameter.as_taken(value)
    place, colon, name = spec.rpartition(":")
    if is_described(spec):
        try:
            yield from (((), flaw) for flaw in missing(described_systems.read(spec).description.headers))
        except KitError as problem:
            yield (), in_words(problem)
    elif spec and not (colon and place and name.isidentifier()):
        yield (), f"must be module:name, path/to/file.py:name or a description, found {spec!r}"
    elif place.endswith(".py"):
        path = search_paths.find(place)
        try:
            ast.parse(path.read_bytes())
        except (SyntaxError, ValueError, RecursionError) as problem:
            yield (), f"the assistant's file is no Python; at {path}; found {str(problem)[:200]}"
        except OSError as problem:
            absent = "does not exist" if not path.exists() else "cannot be read"
            yield (), f"the assistant's file {absent}; at {path}; found {problem.strerror}"


def _refusals(check: Callable[[Parameter, Any, Names], object]) -> Check:
    """A check by something of the library that refuses the value; one of another type is a flaw already."""

    def found(parameter: Parameter, value: Any, names: Names) -> Iterator[Found]:
        try:
            check(parameter, value, names)
        except KitError as problem:
            yield (), in_words(problem)
        except (TypeError, AttributeError):
            return

    return found


def _risk_matrix(parameter: Parameter, value: dict, names: Names) -> None:
    """Whether likelihoods, impacts and matrix fit each other."""
    parts: list[Any] = [names.matrix.get(name) for name in RISK_MATRIX]
    if all(isinstance(part, dict) for part in parts):
        severity.RiskMatrix(*parts)


def _model(parameter: Parameter, value: str, names: Names) -> None:
    from ragassay import models

    if value:
        models.check_model(parameter.name, value)


def _device(parameter: Parameter, value: str, names: Names) -> None:
    from ragassay.models import devices, model_files

    with model_files.naming(device=value if value in devices.DEVICES else ""):
        devices.check_device()


def _date(parameter: Parameter, value: str, names: Names) -> Iterator[Found]:
    try:
        datetime.date.fromisoformat(value or "2000-01-01")
    except ValueError:
        yield (), f"must be a date, YYYY-MM-DD, found {value!r}"


def _dimension(parameter: Parameter, value: str, names: Names, place: tuple = ()) -> Iterator[Found]:
    if names.dimensions is not None and value not in {*names.dimensions, *names.missing}:
        names.missing.add(value)
        yield place, f"{value!r} is no dimension of accept_from{nearest(value, names.dimensions)}"


def _meanings(parameter: Parameter, value: dict[str, str], names: Names) -> Iterator[Found]:
    for dimension in value:
        yield from _dimension(parameter, dimension, names, (dimension,))


def _pairs(parameter: Parameter, value: dict[str, str], names: Names) -> Iterator[Found]:
    for metric, dimension in value.items():
        yield from _unknown_metric((metric,), metric, metrics_and_given(metric, names))
        yield from _dimension(parameter, dimension, names, (metric,))


def _metric(parameter: Parameter, value: str, names: Names) -> Iterator[Found]:
    yield from _unknown_metric((), value, metrics_and_given(value, names))


def _metrics_in_text(parameter: Parameter, value: str | list[str], names: Names) -> Iterator[Found]:
    for name in filter(None, map(str.strip, parameter.as_taken(value).split(","))):
        try:
            yield from _unknown_metric((), own_metrics.resolve([name])[0], {*METRICS, "all"})
        except KitError as problem:
            yield (), in_words(problem)


def _metrics_in_list(parameter: Parameter, value: list[str], names: Names) -> Iterator[Found]:
    for place, name in enumerate(value):
        yield from _unknown_metric((place,), name, METRICS)


def _scorecard_metrics(parameter: Parameter, value: str | list[str], names: Names) -> Iterator[Found]:
    named = (
        [((), value)] if isinstance(value, str) else [((place,), each) for place, each in enumerate(value)]
    )
    for place, name in named:
        yield from _unknown_metric(place, name, gate_rules.on_scorecard(name, _dimensions_of(names)))


def _gates(parameter: Parameter, value: dict[str, str], names: Names) -> Iterator[Found]:
    for name, rule in value.items():
        flawed = not_given(name, names) or gate_rules.flaws(name, rule, _dimensions_of(names))
        flawed = flawed or list(gate_rules.slice_problems(name, names.log, names.questions, names.mapping))
        yield from (((name,), problem) for problem in flawed)


def _waivers(parameter: Parameter, value: dict[str, str], names: Names) -> Iterator[Found]:
    for gate, text in value.items():
        if names.gates is not None and gate not in names.gates:
            yield (gate,), f"there is no gate {gate!r}{nearest(gate, names.gates)}"
            continue
        try:
            waivers.parse({gate: text}, date=names.date, next_review=names.next_review)
        except ParameterError as problem:
            yield (gate,), f"{in_words(problem)}; {problem.do}"


def _accept_from(parameter: Parameter, value: dict[str, float], names: Names) -> Iterator[Found]:
    if not value:
        yield (), "must name one dimension or more, found {}"


def _budgets(parameter: Parameter, value: dict[str, float], names: Names) -> Iterator[Found]:
    for name in (name for name in value if name not in BUDGETS):
        yield (name,), f"there is no budget {name!r}{nearest(name, BUDGETS)}"


def _case_columns(parameter: Parameter, value: list[str], names: Names) -> Iterator[Found]:
    """Columns of the cases table: those of every run, what the log or the user's questions add, and what else
    the parameter may name."""
    known = [*gate_rules.case_columns(), *BESIDE_COLUMNS[parameter.name]]
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


def _columns(parameter: Parameter, value: dict[str, str], names: Names) -> Iterator[Found]:
    from ragassay.answers.log_formats.schemas import OURS, is_target
    from ragassay.labels.human_labels import OF_TABLE

    known = OF_TABLE if parameter.name == "label_columns" else set(OURS)
    for ours in value:
        if not (ours in known or (is_target(ours) and ours not in OURS)):
            yield (ours,), f"{ours!r} is no column of ours{nearest(ours, known)}"


def _dimensions_of(names: Names) -> Collection[str] | None:
    """The dimensions that raters judge, those found missing too; None if they are not known."""
    return None if names.dimensions is None else [*names.dimensions, *names.missing]


def _unknown_metric(place: tuple, name: str, known: Collection[str]) -> Iterator[Found]:
    yield from ((place, problem) for problem in gate_rules.unknown_metric(name, known))


def metrics_and_given(name: str, names: Names) -> Collection[str]:
    """The metrics, and where a name is that of a score given with a log, those that the log gives; the name
    itself where the log cannot be read."""
    if not is_given(name):
        return METRICS
    given = input_files.given_scores(names.log, names.mapping)
    return [*METRICS, *([name] if given is None else given)]


def not_given(gate: str, names: Names) -> list[str]:
    """That the log gives no such score, where a gate names one; nothing where it does, or names another
    metric."""
    metric = gate.partition(" in ")[0].strip()
    known = metrics_and_given(metric, names)
    if not is_given(metric) or metric in known:
        return []
    return [f"the log of answers gives no score {metric!r}{nearest(metric, filter(is_given, known))}"]


def check_thresholds(path: Path, settings: Mapping[str, Any]) -> None:
    """Refuse thresholds that were not chosen for the models of these settings.

    Raises
    ------
    ParameterError
        If they were not, or cannot be read.
    """
    from ragassay.models import entailment_thresholds, model_files

    try:
        with model_files.naming(**{kind: settings[kind] for kind in MODELS}):
            entailment_thresholds.own()
    except KitError as problem:
        raise ParameterError(f"run.thresholds: {in_words(problem)}", where=path, do=problem.do) from problem


CHECKS: dict[str, Check] = {
    "File": _path,
    "Folder": _path,
    "Documents": _documents,
    "Date": _date,
    "Profile": _refusals(lambda parameter, value, names: regulatory_profiles.read(value)),
    "Model": _refusals(_model),
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
CHECKS_BY_NAME: dict[str, Check] = {
    "waivers": _waivers,
    **dict.fromkeys(RISK_MATRIX, _refusals(_risk_matrix)),
    "days_until_due": _refusals(lambda parameter, value, names: severity.DueDays(value)),
    "accept_from": _accept_from,
    "budgets": _budgets,
    "meanings": _meanings,
    "dimensions": _case_columns,
    "segments": _case_columns,
    "challengers": _challengers,
    "assistant": _assistant,
    "allow": _endpoints,
    "device": _refusals(_device),
}


def flaws(parameter: Parameter, value: Any, names: Names) -> list[Found]:
    """What is wrong with the value, each with its place in it and in words; empty if it fits."""
    if problems := type_problems(parameter.annotation, value):
        return problems[:MOST]
    checks = [CHECKS.get(parameter.annotation), CHECKS_BY_NAME.get(parameter.name)]
    found = [flaw for check in checks if check for flaw in islice(check(parameter, value, names), MOST)]
    return found or list(islice(_out_of_range(parameter, value), MOST))


def type_problems(annotation: str, value: Any) -> list[Found]:
    """Where the value is not of the type, and why."""
    from pydantic import ConfigDict, TypeAdapter, ValidationError

    if annotation == "float" and isinstance(value, int) and not isinstance(value, bool):
        return []
    found: list[Found] = []
    try:
        TypeAdapter(TYPES[annotation], config=ConfigDict(strict=True)).validate_python(value)
    except ValidationError as problem:
        for error in problem.errors()[:MOST]:
            place = tuple(part for part in error["loc"] if part != "[key]")
            as_text = annotation == "float" and isinstance(error["input"], str)
            hint = "; YAML 1.1 reads 1e-3 as text: write 0.001" if as_text else ""
            shown = value_text(error["input"])
            found.append((place, f"must be {annotation}, found {shown} ({error['msg']}{hint})"))
    return found


def value_text(value: Any) -> str:
    """A value in a message, cut short."""
    text = repr(value)
    return text if len(text) <= 120 else f"{text[:120]}..."


def _out_of_range(parameter: Parameter, value: Any) -> Iterator[Found]:
    if parameter.annotation == "Profile" or parameter.range is None:  # a path is no word; see CHECKS
        return
    parts: Any = [((), value)]
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        parts = [((place,), part) for place, part in items]
    for place, part in parts:
        if not parameter.range.holds(part):
            near = nearest(part, parameter.range.words) if hasattr(parameter.range, "words") else ""
            yield place, f"must be {parameter.range}, found {value_text(part)}{near}"
