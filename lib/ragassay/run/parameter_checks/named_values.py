"""What a value names (files, models, metrics, dimensions, columns, gates, endpoints): whether there is such.

Nothing is run for it, and nothing but what the value names is opened. `READERS` read or refuse a whole value,
by the annotation or the name of its parameter; `CHECKS` say what is wrong with one entry of it.
"""

import ast
import datetime
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from ragassay import engagement_registers, provenance, regulatory_profiles, search_paths, tables
from ragassay.analysis import scorecard_slices
from ragassay.analysis.scorecard_slices import SYSTEM, nearest
from ragassay.analysis.slice_factors import FACTORS
from ragassay.answers.log_formats.tool_scores import is_given
from ragassay.answers.log_import import open_log
from ragassay.answers.system_under_test import read_described
from ragassay.assistant.described import is_described, missing
from ragassay.cases.own_questions import read_records
from ragassay.decision import gate_grammar, severity, waivers
from ragassay.documents.collection import is_passage_file
from ragassay.errors import InputError, KitError
from ragassay.run import permitted_endpoints
from ragassay.run.parameter_checks import gate_rules
from ragassay.run.parameter_checks.gate_rules import error_line
from ragassay.run.parameters import Parameter
from ragassay.scores import METRICS, own_metrics

Known = Mapping[str, Any]  # what every parameter is set to, by its name
Found = tuple[tuple, str]  # where in the value (a key, a place in a list, or nothing), and what is wrong
BUDGETS = ("words", "seconds")  # of an answer
RISK_MATRIX = ("likelihoods", "matrix", "impacts")  # parameters that have to fit each other


def flaws(parameter: Parameter, value: Any, known: Known) -> list[Found]:
    """What is wrong with a value of the right type: each with its place in it, and in words; empty if it
    fits.

    known : what every parameter is set to, by its name
    """
    found: list[Found] = []
    entries: list[tuple[tuple, Any, Any]] = [((), "", value)]
    if isinstance(value, list | dict) and parameter.annotation != "Assistant":
        items = value.items() if isinstance(value, dict) else enumerate(value)
        entries = [((key,), key, entry) for key, entry in items]
    for kind in (parameter.annotation, parameter.name):
        try:
            if kind in READERS and value:
                READERS[kind](value, known)
            for place, key, entry in entries if kind in CHECKS else ():
                found += [(place, text) for text in CHECKS[kind](key, entry, known)]
        except KitError as problem:
            found.append(((), error_line(problem)))
        except Exception as problem:  # readers of other formats raise what they happen to raise
            found.append(((), f"cannot be read: {type(problem).__name__}: {str(problem)[:200]}"))
    return found


def without_passages(scope: Known) -> str:
    """That no documents are named and the log holds no passages that could stand for them, in words; "" where
    there are such, or the log cannot be read."""
    log = _opened_log(scope)
    if scope["documents"] or log is None or "contexts" in log.read_from():
        return ""
    what = "no documents are named, and the log holds no passages"
    do = "name the documents, --documents, or the column of passages, --map contexts=COLUMN"
    return f"{what}; found the columns {', '.join(log.columns)[:300]}; do: {do}"


def systems_of_log(known: Known) -> list[str] | None:
    """The systems of a log, none without one; None where it cannot be read."""
    rows = _rows_of_log(known)
    return None if rows is None else sorted({str(row.get("system") or "") for row in rows} - {""})


def _opened_log(known: Known) -> Any:
    """The log of answers; None without one, or where it cannot be read, which is said of `answers_log`."""
    try:
        path = known.get("answers_log")
        return open_log(provenance.source(path), known.get("map")) if path else None
    except Exception:  # readers of other formats raise what they happen to raise
        return None


def _rows_of_log(known: Known) -> list[Mapping[str, Any]] | None:
    if not known.get("answers_log"):
        return []
    log = _opened_log(known)
    return None if log is None else [values for _, values, _ in log.rows()]


def _own_columns(known: Known) -> list[str] | None:
    """The columns that a log and the user's questions add to the cases; None where they cannot be read."""
    log, questions = _opened_log(known), known.get("own_questions")
    if known.get("answers_log") and log is None:
        return None
    try:
        records = read_records(provenance.source(questions)) if questions else []
    except KitError:
        return None
    own = [name for _, record in records for name in record]
    return [*own, *log.columns, *log.present] if log else own


def _dimensions(known: Known) -> list[str] | None:
    """Those that raters judge; None where they are not known."""
    accept_from = known.get("accept_from")
    return list(map(str, accept_from)) if isinstance(accept_from, dict) else None


def _read_labels(value: str, known: Known) -> None:
    from ragassay.labels import human_labels

    labels, _ = human_labels.read(provenance.source(value), None, known.get("label_columns") or {})
    if labels.empty:
        raise InputError("the file holds no label", found=value, expected="a row for each label")


def _read_query_log(value: str, known: Known) -> None:
    from ragassay.cases.question_log import read_questions

    read_questions(provenance.source(value))


def _read_suite(value: str, known: Known) -> None:
    from ragassay.examination import unit_test_suite

    unit_test_suite.read(provenance.source(value))


def _read_documents(value: str, known: Known) -> None:
    if not (provenance.source(value).is_dir() or is_passage_file(value)):
        raise InputError("this is a file", found=value, expected="a folder, or a .jsonl of passages")


def _read_folder(value: str, known: Known) -> None:
    if not provenance.source(value).is_dir():
        raise InputError("this is a file, a folder is wanted", found=value)


def _check_model(name: str, value: str, known: Known) -> None:
    from ragassay import models

    models.check_model(name, value)


def _check_device(value: str, known: Known) -> None:
    from ragassay.models import devices, model_files

    with model_files.naming(device=value):
        devices.check_device()


def _check_risk_matrix(value: Any, known: Known) -> None:
    severity.RiskMatrix(*(known[part] for part in RISK_MATRIX))


READERS: dict[str, Callable[[Any, Known], object]] = {
    "File": lambda value, known: provenance.source(value),
    "Folder": _read_folder,
    "Documents": _read_documents,
    "Profile": lambda value, known: regulatory_profiles.read(value),
    "answers_log": lambda value, known: open_log(provenance.source(value), known.get("map")),
    "labels": _read_labels,
    "own_questions": lambda value, known: read_records(provenance.source(value)),
    "query_log": _read_query_log,
    "suite": _read_suite,
    "risks": lambda value, known: engagement_registers.read_risks(provenance.source(value)),
    "challenges": lambda value, known: engagement_registers.read_challenges(provenance.source(value)),
    **{
        name: partial(_check_model, name)
        for name in ("encoder", "entailment", "support", "toxicity", "language_model")
    },
    "device": _check_device,
    **dict.fromkeys(RISK_MATRIX, _check_risk_matrix),
    "days_until_due": lambda value, known: severity.DueDays(value),
}


def _assistant(key: Any, value: Any, known: Known) -> Iterator[str]:
    """The form, and of a file whether it is there and is Python; of a description everything, the variables
    of its headers too."""
    spec = Parameter("assistant", "Assistant", "", "").as_taken(value)
    place, colon, function = spec.rpartition(":")
    if is_described(spec):
        yield from missing(read_described(spec).description.headers)
    elif spec and not (colon and place and function.isidentifier()):
        yield f"must be module:name, path/to/file.py:name or a description, found {spec!r}"
    elif place.endswith(".py"):
        path = search_paths.find(place)
        try:
            ast.parse(path.read_bytes())
        except (SyntaxError, ValueError, RecursionError) as problem:
            yield f"the assistant's file is no Python; at {path}; found {str(problem)[:200]}"
        except OSError as problem:
            absent = "does not exist" if not path.exists() else "cannot be read"
            yield f"the assistant's file {absent}; at {path}; found {problem.strerror}"


def _date(key: Any, value: str, known: Known) -> Iterator[str]:
    try:
        datetime.date.fromisoformat(value or "2000-01-01")
    except ValueError:
        yield f"must be a date, YYYY-MM-DD, found {value!r}"


def _among(value: str, names: Collection[str] | None, what: str) -> Iterator[str]:
    """That a value is none of the names, which is near; nothing where they are not known."""
    if names is not None and value not in names:
        yield f"there is no {what} {value!r}{nearest(value, names)}"


def _dimension(key: Any, value: str, known: Known) -> Iterator[str]:
    yield from _among(value, _dimensions(known), "dimension of accept_from")


def _metric(key: Any, value: str, known: Known) -> list[str]:
    """A metric of the kit or of the user's, or a score that the log gives."""
    given: list[str] = []
    if is_given(value) and known.get("answers_log"):
        log = _opened_log(known)
        for _ in log.rows() if log else ():
            pass
        given = [*log.scores_given] if log else [value]
    return gate_rules.unknown_metric(value, [*METRICS, *given])


def _metrics(key: Any, value: str, known: Known) -> Iterator[str]:
    for metric in filter(None, map(str.strip, value.split(","))):
        for name in own_metrics.resolve([metric]):
            yield from gate_rules.unknown_metric(name, {*METRICS, "all"})


def _scorecard_metric(key: Any, value: str, known: Known) -> list[str]:
    return gate_rules.unknown_metric(value, gate_rules.on_scorecard(value, _dimensions(known)))


def _gate(name: str, rule: str, known: Known) -> list[str]:
    """The metric, its rule, and the column of its slice; levels are found by the run."""
    metric = name.partition(" in ")[0].strip()
    found = _metric("", metric, known) if is_given(metric) else []
    found = found or gate_rules.flaws(name, rule, _dimensions(known))
    part = scorecard_slices.ALL if found else gate_grammar.split_name(name)[1]
    factor = "" if part == scorecard_slices.ALL else scorecard_slices.parse(part).factor
    return found + (list(_case_column([SYSTEM], "", factor, known)) if factor else [])


def _case_column(beside: Iterable[str], key: Any, value: str, known: Known) -> Iterator[str]:
    """A column of the cases: declared, of the questions that a run makes, of the log or the user's questions,
    or one of those beside."""
    from ragassay.cases.llm_questions import EXTRA

    names = [*tables.TABLES["cases"].columns, *EXTRA, *beside]
    if value not in names:
        more = _own_columns(known)
        yield from _among(value, None if more is None else [*names, *more], "column of the cases")


def _waiver(gate: str, text: str, known: Known) -> Iterator[str]:
    yield from _among(gate, known.get("gates") or {}, "gate")
    if gate in (known.get("gates") or {}):
        date = known.get("date") or datetime.date.today().isoformat()
        waivers.parse({gate: text}, date=date, next_review=known.get("next_review") or "")


def _endpoint(key: Any, entry: str, known: Known) -> Iterator[str]:
    if not permitted_endpoints.is_endpoint(entry):
        yield f"must be host, host:port or [IPv6 address]:port, found {entry!r}"


def _our_column(is_of_labels: bool, ours: str, theirs: str, known: Known) -> Iterator[str]:
    from ragassay.answers.log_formats.schemas import OURS, is_target
    from ragassay.labels.human_labels import OF_TABLE

    if not (is_target(ours) and ours not in OURS):
        yield from _among(ours, OF_TABLE if is_of_labels else set(OURS), "column of ours")


CHECKS: dict[str, Callable[[Any, Any, Known], Iterable[str]]] = {
    "Date": _date,
    "Dimension": _dimension,
    "Metric": _metric,
    "Metrics": _metrics,
    "list[Metric]": _metrics,
    "dict[Metric, Dimension]": lambda metric, dimension, known: [
        *_metric("", metric, known),
        *_dimension("", dimension, known),
    ],
    "ScorecardMetric": _scorecard_metric,
    "list[ScorecardMetric]": _scorecard_metric,
    "Gates": _gate,
    "assistant": _assistant,
    "map": partial(_our_column, False),
    "label_columns": partial(_our_column, True),
    "waivers": _waiver,
    "budgets": lambda budget, most, known: _among(budget, BUDGETS, "budget"),
    "meanings": lambda dimension, meaning, known: _dimension("", dimension, known),
    "dimensions": partial(_case_column, FACTORS),
    "segments": partial(_case_column, [SYSTEM]),
    "challengers": lambda place, system, known: _among(system, systems_of_log(known), "system in the log"),
    "allow": _endpoint,
}
