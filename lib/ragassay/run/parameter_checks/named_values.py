"""What a value names (files, models, metrics, dimensions, columns, gates, endpoints): whether there is such.

Nothing is run for it, and nothing but what the value names is opened. A check is given the parameter's name,
its value, and what every parameter is set to by its name; it yields where in the value a flaw is (a key, a
place in a list, or nothing), and what is wrong.
"""

import ast
import datetime
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from ragassay import engagement_registers, provenance, regulatory_profiles, search_paths, tables
from ragassay.analysis.slice_factors import FACTORS
from ragassay.analysis.slicing import scorecard_slices
from ragassay.analysis.slicing.scorecard_slices import SYSTEM, nearest
from ragassay.answers import described_systems
from ragassay.answers.log_formats.tool_scores import is_given
from ragassay.answers.log_import import open_log
from ragassay.assistant.described import is_described, missing
from ragassay.cases.own_questions import read_records
from ragassay.decision import gate_grammar, severity, waivers
from ragassay.documents import passage_stores
from ragassay.errors import InputError, KitError, ParameterError
from ragassay.run import permitted_endpoints
from ragassay.run.parameter_checks import gate_rules
from ragassay.run.parameter_checks.gate_rules import error_line
from ragassay.run.parameters import Parameter
from ragassay.scores import METRICS, own_metrics

Known = Mapping[str, Any]  # what every parameter is set to
Found = tuple[tuple, str]
Check = Callable[[str, Any, Known], Iterator[Found]]
BUDGETS = ("words", "seconds")  # of an answer
RISK_MATRIX = ("likelihoods", "matrix", "impacts")  # parameters that have to fit each other
MOST = 50  # flaws of one value


def flaws(parameter: Parameter, value: Any, known: Known) -> list[Found]:
    """What is wrong with a value of the right type: each with its place in it, and in words; empty if it
    fits."""
    found: list[Found] = []
    for kind in (parameter.annotation, parameter.name):
        try:
            if kind in REFUSALS:
                REFUSALS[kind](parameter.name, value, known)
            if kind in CHECKS:
                found += islice(CHECKS[kind](parameter.name, value, known), MOST)
        except KitError as problem:
            found.append(((), error_line(problem)))
        except (TypeError, AttributeError):  # another parameter is of another type, a flaw of its own
            continue
    return found


def without_passages(scope: Known) -> str:
    """That no documents are named and the log holds no passages that could stand for them, in words; "" where
    there are such, or the log cannot be read."""
    if scope["documents"] or not scope["answers_log"]:
        return ""
    log = _if_readable(lambda: open_log(provenance.source(scope["answers_log"]), scope["map"]))
    if log is None or log.holds("contexts"):
        return ""
    what = "no documents are named, and the log holds no passages"
    do = "name the documents, --documents, or the column of passages, --map contexts=COLUMN"
    return f"{what}; found the columns {', '.join(log.columns)[:300]}; do: {do}"


def systems(log: str, mapping: Mapping[str, str]) -> list[str] | None:
    """The systems of a log, none without one; None where it cannot be read."""

    def read() -> list[str]:
        rows = open_log(provenance.source(log), mapping).rows()
        return sorted({str(values.get("system") or "") for _, values, _ in rows} - {""})

    return _if_readable(read) if log else []


def _own_columns(known: Known) -> list[str] | None:
    """The columns that a log and the user's questions add to the cases; None where they cannot be read."""
    log, questions = known.get("answers_log") or "", known.get("own_questions") or ""

    def read() -> list[str]:
        opened = open_log(provenance.source(log), known.get("map")) if log else None
        records = read_records(provenance.source(questions)) if questions else []
        of_log = [*opened.columns, *opened.present] if opened else []
        return [*of_log, *(name for _, record in records for name in record)]

    return _if_readable(read)


def _given_scores(known: Known) -> list[str] | None:
    """The names of the scores that a log gives, none without one; None where it cannot be read."""
    log = known.get("answers_log") or ""

    def read() -> list[str]:
        opened = open_log(provenance.source(log), known.get("map"))
        for _ in opened.rows():
            pass
        return opened.scores_given.names

    return _if_readable(read) if log else []


def _if_readable(read: Callable[[], Any]) -> Any:
    """What is read; None where it cannot be, which is said of the parameter that names the file."""
    try:
        return read()
    except Exception:  # readers of other formats raise what they happen to raise
        return None


def _dimensions(known: Known) -> list[str] | None:
    """Those that raters judge; None where they are not known."""
    accept_from = known.get("accept_from")
    return list(map(str, accept_from)) if isinstance(accept_from, dict) else None


def _path(name: str, value: str, known: Known) -> Iterator[Found]:
    """Whether the file is there and, of those that a run reads whole, holds what it should."""
    if not value:
        return
    try:
        path = provenance.source(value)
    except InputError:
        yield (), f"{value!r} does not exist"
        return
    try:
        if name in OPENED:
            OPENED[name](path, known)
    except KitError as problem:
        yield (), error_line(problem)
    except Exception as problem:  # readers of other formats raise what they happen to raise
        yield (), f"{path} cannot be read: {type(problem).__name__}: {str(problem)[:200]}"


def _folder(name: str, value: str, known: Known) -> Iterator[Found]:
    if value and not provenance.source(value).is_dir():
        yield (), f"{value!r} is a file, a folder is wanted"


def _read_labels(path: Path, known: Known) -> None:
    from ragassay.labels import labels_file

    labels_file.check_rows(labels_file.read_rows(path, "", known.get("label_columns") or {}), None)


def _read_query_log(path: Path, known: Known) -> None:
    from ragassay.cases.question_log import read_questions

    read_questions(path)


def _read_suite(path: Path, known: Known) -> None:
    from ragassay.examination import unit_test_suite

    unit_test_suite.read(path)


OPENED: dict[str, Callable[[Path, Known], Any]] = {
    "answers_log": lambda path, known: open_log(path, known.get("map")),
    "labels": _read_labels,
    "own_questions": lambda path, _: read_records(path),
    "query_log": _read_query_log,
    "suite": _read_suite,
    "risks": lambda path, _: engagement_registers.read_risks(path),
    "challenges": lambda path, _: engagement_registers.read_challenges(path),
}


def _documents(name: str, value: str, known: Known) -> Iterator[Found]:
    """What is wrong with the place; of a store with its description too."""
    if not value:
        return
    path = provenance.source(value)
    store = passage_stores.read_store(value) if passage_stores.is_store(value) else None
    if store and store.path:
        provenance.source(store.path)
    if store is None and not path.is_dir():
        yield (), f"{value!r} is a file; expected a folder, a .jsonl or a .yml"


def _assistant(name: str, value: Any, known: Known) -> Iterator[Found]:
    """The form, and of a file whether it is there and is Python; of a description everything, the variables
    of its headers too."""
    spec = Parameter(name, "Assistant", "", "").as_taken(value)
    place, colon, function = spec.rpartition(":")
    if is_described(spec):
        yield from (((), flaw) for flaw in missing(described_systems.read(spec).description.headers))
    elif spec and not (colon and place and function.isidentifier()):
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


def _check_model(name: str, value: str) -> None:
    from ragassay import models

    if value:
        getattr(models, f"check_{name}")(value)


def _check_device(value: str) -> None:
    from ragassay.models import devices, model_files

    with model_files.naming(device=value):
        devices.check_device()


def _date(name: str, value: str, known: Known) -> Iterator[Found]:
    try:
        datetime.date.fromisoformat(value or "2000-01-01")
    except ValueError:
        yield (), f"must be a date, YYYY-MM-DD, found {value!r}"


def _dimension(name: str, value: str, known: Known, place: tuple = ()) -> Iterator[Found]:
    dimensions = _dimensions(known)
    if dimensions is not None and value not in dimensions:
        yield place, f"{value!r} is no dimension of accept_from{nearest(value, dimensions)}"


def _pairs(name: str, value: dict[str, str], known: Known) -> Iterator[Found]:
    for metric, dimension in value.items():
        yield from _metric(name, metric, known, (metric,))
        yield from _dimension(name, dimension, known, (metric,))


def _metric(name: str, value: str, known: Known, place: tuple = ()) -> Iterator[Found]:
    """A metric of the kit or of the user's, or a score that the log gives."""
    among: Collection[str] = METRICS
    if is_given(value):
        given = _given_scores(known)
        among = [*METRICS, *([value] if given is None else given)]
    yield from ((place, flaw) for flaw in gate_rules.unknown_metric(value, among))


def _metrics(parameter: str, value: str | list[str], known: Known) -> Iterator[Found]:
    for place, metric in enumerate(value.split(",") if isinstance(value, str) else value):
        where = () if isinstance(value, str) else (place,)
        try:
            names = own_metrics.resolve([metric.strip()]) if metric.strip() else []
        except KitError as problem:
            yield where, error_line(problem)
            continue
        for name in names:
            yield from ((where, flaw) for flaw in gate_rules.unknown_metric(name, {*METRICS, "all"}))


def _scorecard_metrics(name: str, value: str | list[str], known: Known) -> Iterator[Found]:
    for place, metric in enumerate([value] if isinstance(value, str) else value):
        among = gate_rules.on_scorecard(metric, _dimensions(known))
        yield from (((place,), flaw) for flaw in gate_rules.unknown_metric(metric, among))


def _gates(name: str, value: dict[str, str], known: Known) -> Iterator[Found]:
    for gate, rule in value.items():
        metric = gate.partition(" in ")[0].strip()
        given = [flaw for _, flaw in _metric(name, metric, known)] if is_given(metric) else []
        found = given or gate_rules.flaws(gate, rule, _dimensions(known)) or list(_slice_flaws(gate, known))
        yield from (((gate,), flaw) for flaw in found)


def _slice_flaws(gate: str, known: Known) -> Iterator[str]:
    """What is wrong with the slice of a gate's name, `metric in factor=level`: factors are the columns of the
    cases, declared or of the log or the user's own questions, and `system`; levels are found by the run."""
    part = gate_grammar.split_name(gate)[1]
    if part != scorecard_slices.ALL:
        factor = scorecard_slices.parse(part).factor
        yield from _unknown_columns([factor], [SYSTEM], known)


def _case_columns() -> list[str]:
    """The columns that every run's cases may have: those declared, and those of the questions it makes."""
    from ragassay.cases.llm_questions import EXTRA

    return [*tables.TABLES["cases"].columns, *EXTRA]


def _columns_of_cases(name: str, value: list[str], known: Known) -> Iterator[Found]:
    beside = (SYSTEM,) if name == "segments" else tuple(FACTORS)
    yield from (((), flaw) for flaw in _unknown_columns(value, beside, known))


def _unknown_columns(names: Collection[str], beside: Collection[str], known: Known) -> Iterator[str]:
    """Those of the names that are no column of the cases, nor one of those beside, a sentence each."""
    among = [*_case_columns(), *beside]
    more = None if set(names) <= set(among) else _own_columns(known)
    for name in names:
        if more is not None and name not in {*among, *more}:
            yield f"the cases have no column {name!r}{nearest(name, [*among, *more])}"


def _waivers(name: str, value: dict[str, str], known: Known) -> Iterator[Found]:
    date = known.get("date") or datetime.date.today().isoformat()
    for gate, text in value.items():
        if gate not in (known.get("gates") or {}):
            yield (gate,), f"there is no gate {gate!r}{nearest(gate, known.get('gates') or {})}"
            continue
        try:
            waivers.parse({gate: text}, date=date, next_review=known.get("next_review") or "")
        except ParameterError as problem:
            yield (gate,), error_line(problem)


def _accept_from(name: str, value: dict[str, float], known: Known) -> Iterator[Found]:
    if not value:
        yield (), "must name one dimension or more, found {}"


def _keys_among(among: Callable[[Known], Collection[str] | None], what: str) -> Check:
    """Whether the keys of a mapping are among certain names; any may be where those are not known."""

    def check(name: str, value: dict[str, Any], known: Known) -> Iterator[Found]:
        names = among(known)
        for key in (key for key in value if names is not None and key not in names):
            yield (key,), f"there is no {what} {key!r}{nearest(key, names or ())}"

    return check


def _challengers(name: str, value: list[str], known: Known) -> Iterator[Found]:
    among = systems(known.get("answers_log") or "", known.get("map") or {}) if value else None
    for place, system in enumerate(value):
        if among is not None and system not in among:
            yield (place,), f"the log has no system {system!r}{nearest(system, among)}"


def _endpoints(name: str, value: list[str], known: Known) -> Iterator[Found]:
    for place, entry in enumerate(value):
        if not permitted_endpoints.is_endpoint(entry):
            yield (place,), f"must be host, host:port or [IPv6 address]:port, found {entry!r}"


def _columns(name: str, value: dict[str, str], known: Known) -> Iterator[Found]:
    from ragassay.answers.log_formats.schema_detection import is_target
    from ragassay.answers.log_formats.tool_schemas import OURS
    from ragassay.labels.labels_file import OF_TABLE

    among = OF_TABLE if name == "label_columns" else set(OURS)
    for ours in value:
        if not (ours in among or (is_target(ours) and ours not in OURS)):
            yield (ours,), f"{ours!r} is no column of ours{nearest(ours, among)}"


REFUSALS: dict[str, Callable[[str, Any, Known], object]] = {  # by the library, which refuses the value
    "Profile": lambda name, value, known: regulatory_profiles.read(value),
    "Model": lambda name, value, known: _check_model(name, value),
    **dict.fromkeys(
        RISK_MATRIX, lambda name, value, known: severity.RiskMatrix(*(known[part] for part in RISK_MATRIX))
    ),
    "days_until_due": lambda name, value, known: severity.DueDays(value),
    "device": lambda name, value, known: _check_device(value),
}
CHECKS: dict[str, Check] = {  # by annotation, and by name
    "File": _path,
    "Folder": _folder,
    "Documents": _documents,
    "Date": _date,
    "Dimension": _dimension,
    "Metric": _metric,
    "Metrics": _metrics,
    "list[Metric]": _metrics,
    "dict[Metric, Dimension]": _pairs,
    "ScorecardMetric": _scorecard_metrics,
    "list[ScorecardMetric]": _scorecard_metrics,
    "Columns": _columns,
    "Gates": _gates,
    "waivers": _waivers,
    "accept_from": _accept_from,
    "budgets": _keys_among(lambda known: BUDGETS, "budget"),
    "meanings": _keys_among(_dimensions, "dimension of accept_from"),
    "dimensions": _columns_of_cases,
    "segments": _columns_of_cases,
    "challengers": _challengers,
    "assistant": _assistant,
    "allow": _endpoints,
}
