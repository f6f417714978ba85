"""Whether there is what a value names (files, models, metrics, dimensions, columns, endpoints), and whether a
gate asks for something that its metric can be: its name, grammar, direction and threshold.

Nothing is run for it, and nothing but what the value names is opened. `READERS` read or refuse a whole value,
by the annotation or the name of its parameter; `CHECKS` say what is wrong with one entry of it.
"""

import ast
import contextlib
import datetime
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from ragassay import engagement_registers, http_requests, models, network_seal, search_paths, tables
from ragassay.analysis.case_scores import ALL, SYSTEM, nearest, parse_slice, value_range
from ragassay.analysis.slices import FACTORS
from ragassay.answers.log_import import open_log
from ragassay.answers.system_under_test import read_described
from ragassay.answers.tool_scores import is_given
from ragassay.assistant.ask_described import missing
from ragassay.assistant.description import is_described
from ragassay.cases.attack_probes import probe_families, split_probes
from ragassay.cases.llm_questions import EXTRA
from ragassay.cases.own_questions import read_records
from ragassay.decision import gates, severity
from ragassay.documents.collection import is_passage_file
from ragassay.errors import InputError, KitError, ParameterError, did_you_mean
from ragassay.examination.examine import read_suite
from ragassay.labels import human_labels
from ragassay.models.judge import make_judge
from ragassay.provenance import source
from ragassay.run.parameters import MODELS, Parameter
from ragassay.scores import METRICS, own_metrics
from ragassay.scores.metric_registry import RATES, direction

Known = Mapping[str, Any]  # what every parameter is set to, by its name
Found = tuple[tuple, str]  # where in the value (a key, a place in a list, or nothing), and what is wrong
RISK_MATRIX = ("likelihoods", "matrix", "impacts")  # parameters that have to fit each other
JUDGED = "judged_"  # what chapter 4 adds: one for each dimension of accept_from
PORTS = {"postgresql": 5432, "mysql": 3306, "mariadb": 3306, "mssql": 1433, "oracle": 1521}


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


def opened_log(known: Known) -> Any:
    """The log of answers; None without one, or where it cannot be read, which is said of `answers_log`."""
    with contextlib.suppress(Exception):  # readers of other formats raise what they happen to raise
        if known.get("answers_log"):
            return open_log(source(known["answers_log"]), known.get("map"))
    return None


def _columns(known: Known) -> list[str] | None:
    """The columns of the cases: declared, of the questions that a run makes, of the log or the user's
    questions; None where these cannot be read."""
    log, questions = opened_log(known), known.get("own_questions")
    with contextlib.suppress(KitError):
        records = read_records(source(questions)) if questions else []
        if log or not known.get("answers_log"):
            more = [*log.columns, *log.present] if log else []
            own = [name for _, record in records for name in record]
            return [*tables.TABLES["cases"].columns, *EXTRA, *own, *more]
    return None


def _dimensions(known: Known) -> list[str] | None:
    """Those that raters judge; None where they are not known."""
    accept_from = known.get("accept_from")
    return list(map(str, accept_from)) if isinstance(accept_from, dict) else None


def _read_labels(value: str, known: Known) -> None:
    if human_labels.read(source(value), None, known.get("label_columns") or {})[0].empty:
        raise InputError("the file holds no label", found=value, expected="a row for each label")


def _read_probes(value: str, known: Known) -> None:
    families = probe_families(known.get("prohibited_uses", []))
    engagement_registers.read_questions(split_probes(value)[1], "family", families)


def _read_folder(value: str, known: Known, passages: bool = False) -> None:
    if not (source(value).is_dir() or (passages and is_passage_file(value))):
        raise InputError("this is a file", found=value, expected="a folder" + ", or a .jsonl" * passages)


def _check_device(value: str, known: Known) -> None:
    with models.model_files.naming(device=value):
        models.batching.check_device()


def _check_thresholds(value: str, known: Known) -> None:
    """Whether they were chosen for the models of the run."""
    with models.model_files.naming(entailment=known["entailment"], thresholds=value):
        models.entailment_thresholds.own()


def _check_judge(value: str, known: Known) -> None:
    judge = make_judge(known.get("judge") or "", known.get("judge_model") or "")
    _check_permitted(http_requests.host_and_port(judge.endpoint) if judge else "", known)


def _check_database(url: str, known: Known) -> None:
    """Drivers connect in their own code, where no hook of Python sees them: hence before the run."""
    parts = urlsplit(url)
    kind = parts.scheme.split("+")[0]
    if parts.password:
        raise ParameterError("a password stands in the parameters", do="leave it to PGPASSWORD")
    if "://" in url and kind != "sqlite":
        _check_permitted(f"{parts.hostname or 'localhost'}:{parts.port or PORTS.get(kind, 0)}", known)


def _check_permitted(host: str, known: Known) -> None:
    if host and not network_seal.permits(known.get("allow") or (), host):
        raise ParameterError("the sealed run may not reach it", found=host, do=f"run: allow: ['{host}']")


READERS: dict[str, Callable[[Any, Known], object]] = {
    "File": lambda value, known: source(value),
    "Folder": _read_folder,
    "Documents": partial(_read_folder, passages=True),
    "Date": lambda value, known: datetime.date.fromisoformat(value),
    "Profile": lambda value, known: engagement_registers.read_profile(value),
    "Probes": _read_probes,
    "answers_log": lambda value, known: open_log(source(value), known.get("map")),
    "labels": _read_labels,
    "own_questions": lambda value, known: read_records(source(value)),
    "suite": lambda value, known: read_suite(source(value)),
    "risks": lambda value, known: engagement_registers.read_risks(source(value)),
    "challenges": lambda value, known: engagement_registers.read_challenges(source(value)),
    **{name: partial(lambda name, value, _: models.check_model(name, value), name) for name in MODELS},
    "thresholds": _check_thresholds,
    "device": _check_device,
    **dict.fromkeys(("judge", "judge_model"), _check_judge),
    "database": _check_database,
    **dict.fromkeys(RISK_MATRIX, lambda _, known: severity.risk_matrix(*(known[p] for p in RISK_MATRIX))),
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
        ast.parse(path.read_bytes(), str(path))


def _among(value: str, names: Collection[str] | None, what: str) -> Iterator[str]:
    """That a value is none of the names, which is near; nothing where they are not known."""
    if names is not None and value not in names:
        yield f"there is no {what} {value!r}{nearest(value, names)}"


def _dimension(key: Any, value: str, known: Known) -> Iterator[str]:
    yield from _among(value, _dimensions(known), "dimension of accept_from")


def _metric(key: Any, value: str, known: Known) -> list[str]:
    """A metric of the kit or of the user's, or a score that the log gives."""
    log = opened_log(known) if is_given(value) else None
    for _ in log.rows() if log else ():  # they say which scores it gives
        pass
    return unknown_metric(value, [*METRICS, *(log.scores_given if log else ())])


def _metrics(key: Any, value: str, known: Known) -> Iterator[str]:
    for name in own_metrics.resolve([*filter(None, map(str.strip, value.split(",")))]):
        yield from unknown_metric(name, {*METRICS, "all"})


def _gate(name: str, rule: str, known: Known) -> list[str]:
    """The metric, its rule, and the column of its slice; levels are found by the run."""
    metric = name.partition(" in ")[0].strip()
    found = _metric("", metric, known) if is_given(metric) else []
    return found or gate_flaws(name, rule, _dimensions(known), _columns(known))


def _case_column(beside: Iterable[str], key: Any, value: str, known: Known) -> Iterator[str]:
    if value not in beside:
        yield from _among(value, _columns(known), "column of the cases")


def _waiver(gate: str, text: str, known: Known) -> Iterator[str]:
    yield from _among(gate, known.get("gates") or {}, "gate")
    if gate in (known.get("gates") or {}):
        date = known.get("date") or datetime.date.today().isoformat()
        gates.waiver_table({gate: text}, date=date, next_review=known.get("next_review") or "")


CHECKS: dict[str, Callable[[Any, Any, Known], Iterable[str]]] = {
    "Dimension": _dimension,
    "Metric": _metric,
    "Metrics": _metrics,
    "dict[Metric, Dimension]": lambda of, to, known: [*_metric("", of, known), *_dimension("", to, known)],
    **dict.fromkeys(
        ("ScorecardMetric", "list[ScorecardMetric]"),
        lambda key, value, known: unknown_metric(value, on_scorecard(value, _dimensions(known))),
    ),
    "Gates": _gate,
    "assistant": _assistant,
    "label_columns": lambda ours, theirs, known: (
        () if ours.startswith("label:") else _among(ours, human_labels.OF_TABLE, "column of ours")
    ),
    "waivers": _waiver,
    "budgets": lambda budget, most, known: _among(budget, ("words", "seconds"), "budget"),
    "meanings": lambda dimension, meaning, known: _dimension("", dimension, known),
    "dimensions": partial(_case_column, FACTORS),
    "segments": partial(_case_column, [SYSTEM]),
}


def check_gates(rules: Mapping[str, str], columns: Collection[str]) -> list[gates.GateRule]:
    """The rules of the gates, in the order given; ParameterError with all that `gate_flaws` says of them.

    columns : those of the cases, which a slice may name, beside `system`

    Example: `check_gates({"support": "low >= 0.8"}, run.cases().columns)`
    """
    found = [flaw for name, rule in rules.items() for flaw in gate_flaws(name, rule, columns=columns)]
    if found:
        raise ParameterError("gates cannot be read", where="07_conclusion.gates", found="; ".join(found))
    return gates.parse(rules)


def gate_flaws(
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
        (gate,) = gates.parse({name: rule})
    except ParameterError as problem:
        return [error_line(problem)]
    found, threshold = list[str](), gate.threshold
    low, high = value_range(metric) or ((-math.inf, math.inf) if is_given(metric) else (0.0, 1.0))
    if not low <= threshold <= high:
        hint = "; a share is written 0.8 or 80%" if high == 1 else ""
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
    if is_given(metric):
        return [metric]
    judged = [metric] if dimensions is None else [f"{JUDGED}{each}" for each in dimensions]
    return [
        *METRICS,
        *(name for name, rate in RATES.items() if rate.on_scorecard),
        human_labels.IN_EVERY_RESPECT,
        *(each for each in judged if each.startswith(JUDGED)),
    ]


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
