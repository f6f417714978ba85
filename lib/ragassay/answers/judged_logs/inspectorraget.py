"""InspectorRAGet's experiment files (.json, .json.gz), as MTRAG's repository ships them in its evaluations.

Version 1 holds evaluations with model_response and annotations, version 2 results with output and scores;
keys are read in snake_case and camelCase. Only metrics whose author is human become labels; a label is the
numeric value that the file gives for the category. Names from its src/types.ts and src/migrator.ts.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from ragassay.answers.judged_logs.task import Judged, Task, record_of_error
from ragassay.answers.log_files import Record, json_files, json_stream
from ragassay.errors import InputError

SUFFIXES = (".json", ".json.gz")
TASKS, EVALUATIONS = "tasks", ("evaluations", "results")  # the lists by which it is known
PEOPLE = ("user", "human")


def fits(path: Path) -> bool:
    """Whether the JSON has tasks, and evaluations or results."""
    if not path.name.lower().endswith(SUFFIXES):
        return False
    try:
        if not json_stream.mentions(path, TASKS, "models"):
            return False
        found = _json(path)
    except (OSError, EOFError, InputError):
        return False
    return isinstance(found, dict) and isinstance(found.get(TASKS), list) and _evaluations(found) is not None


def read(path: Path) -> Iterator[Judged | Record]:
    """One judged answer per evaluation; one that is of no task, or whose answer is no text, is a broken
    record.

    Raises
    ------
    InputError
        If a task has no question; with the entry.
    """
    found = _json(path)
    documents = {
        str(_get(one, "document_id")): str(one.get("text") or "") for one in _entries(found, "documents")
    }
    tasks = {
        str(_get(one, "task_id")): _task(one, documents, f"{path.name}, task {n}")
        for n, one in enumerate(found["tasks"], start=1)
    }
    models = {
        str(_get(one, "model_id")): str(one.get("name") or _get(one, "model_id"))
        for one in _entries(found, "models")
    }
    metrics = {str(one.get("name")): one for one in _entries(found, "metrics") if _by_people(one)}
    for number, entry in enumerate(_evaluations(found) or [], start=1):
        where = f"{path.name}, evaluation {number}"
        try:
            task = _own(_task_of(entry, tasks, where), entry, documents)
            model = str(_get(entry, "model_id"))
            answer = _answer(entry, where)
            yield Judged(task, models.get(model, model), answer, where, *_judgements(entry, metrics))
        except InputError as problem:
            yield record_of_error(problem)


def _entries(found: dict, name: str) -> list[dict]:
    return found.get(name) or []


def _by_people(metric: dict) -> bool:
    return str(metric.get("author", "human")).lower() == "human"


def _task_of(entry: dict, tasks: dict[str, Task], where: str) -> Task:
    task_id = _get(entry, "task_id")
    if str(task_id) not in tasks:
        raise InputError(
            "an evaluation is of no task",
            where=where,
            found=task_id,
            expected="a task_id of tasks",
            do="correct the entry",
        )
    return tasks[str(task_id)]


def _json(path: Path) -> Any:
    found = path.stat()
    return _load_json(path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=1)
def _load_json(path: Path, changed: int, size: int) -> Any:
    """The file's JSON, kept while the file is unchanged: a run opens it several times."""
    with json_stream.open_unpacked(path) as file:
        try:
            return json.loads(file.read().decode("utf-8-sig"))
        except (ValueError, RecursionError) as problem:
            raise json_files.not_json(path.name, problem) from None


def _evaluations(found: dict) -> Any:
    return next((found[name] for name in EVALUATIONS if isinstance(found.get(name), list)), None)


def _get(entry: dict, name: str) -> Any:
    """A value under its snake_case or its camelCase name."""
    first, *rest = name.split("_")
    return entry.get(name, entry.get(first + "".join(part.title() for part in rest)))


def _task(entry: dict, documents: dict[str, str], where: str) -> Task:
    turns = _turns(entry.get("input"))
    if not turns:
        raise InputError(
            "a task has no question",
            where=where,
            found=repr(entry.get("input"))[:120],
            expected="input that ends with a user's turn",
        )
    texts, ids = _passages(entry, documents)
    target: Any = next(iter(entry.get("targets") or []), {})
    kinds = _filter(entry, "Question Type")
    return Task(
        str(_get(entry, "task_id")),
        turns,
        texts,
        ids,
        str(target.get("text") or target.get("value") or "") if isinstance(target, dict) else str(target),
        str(_filter(entry, "Collection") or _filter(entry, "dataset") or ""),
        str(_first(_filter(entry, "Answerability")) or ""),
        (kinds,) if isinstance(kinds, str) else tuple(map(str, kinds or ())),
        str(_get(entry, "conversation_id") or ""),
    )


def _own(task: Task, entry: dict, documents: dict[str, str]) -> Task:
    """The task with the passages that this system retrieved, where the evaluation names its own."""
    texts, ids = _passages(entry, documents)
    return replace(task, contexts=texts, context_ids=ids) if texts else task


def _passages(entry: dict, documents: dict[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Texts and ids of the contexts that an entry names; the text stands there or among the documents."""
    given = [one for one in entry.get("contexts") or [] if isinstance(one, dict)]
    ids = [str(_get(one, "document_id")) for one in given]
    return tuple(
        str(one.get("text") or documents.get(name, "")) for one, name in zip(given, ids, strict=True)
    ), tuple(ids)


def _turns(given: Any) -> tuple[tuple[str, str], ...]:
    """The turns up to the last one of the user; a plain text is one turn."""
    if isinstance(given, str):
        return (("user", given),) if given.strip() else ()
    turns = [_turn(one) for one in given or [] if isinstance(one, dict)]
    last = max(
        (i for i, (speaker, text) in enumerate(turns) if speaker.lower() in PEOPLE and text.strip()),
        default=-1,
    )
    return tuple(turns[: last + 1])


def _turn(one: dict) -> tuple[str, str]:
    return str(one.get("speaker") or one.get("role") or ""), str(one.get("text") or one.get("content") or "")


def _filter(entry: dict, name: str) -> Any:
    """A filter of the task, however its name is written: `Question Type`, `question_type`, `questionType`."""
    wanted = "".join(name.lower().split())
    plain = {
        "".join(str(key).lower().replace("_", " ").split()): value for key, value in reversed(entry.items())
    }
    return plain.get(wanted)


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else value


def _answer(entry: dict, where: str) -> str:
    answer = entry.get("output", _get(entry, "model_response"))
    answer = answer.get("value") if isinstance(answer, dict) else answer
    if not isinstance(answer, str):
        raise InputError(
            "an answer is no text",
            where=where,
            found=repr(answer)[:120],
            expected="model_response or output",
            do="correct the entry",
        )
    return answer


def _judgements(entry: dict, metrics: dict[str, dict]) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    """dimension -> rater -> number, and the scale of each dimension."""
    annotations = entry.get("annotations", entry.get("scores")) or {}
    human = {
        name: given
        for name, given in annotations.items()
        if name in metrics and metrics[name].get("type") != "text" and isinstance(given, dict)
    }
    values = {
        name: {rater: _number(one, metrics[name]) for rater, one in given.items()}
        for name, given in human.items()
    }
    scales = {name: _scale(metrics[name], list(given.values())) for name, given in values.items()}
    return values, scales


def _number(given: Any, metric: dict) -> Any:
    """The category's number where the metric states one, else the value as it is written."""
    value = given.get("value") if isinstance(given, dict) else given
    for one in metric.get("values") or []:
        number = _get(one, "numeric_value") if isinstance(one, dict) else None
        if number is not None and str(one.get("value")) == str(value):
            return number
    return value


def _scale(metric: dict, given: list[Any]) -> str:
    """low-high from the metric's categories, its range, or its least and greatest value."""
    stated = [
        _number(one.get("value"), metric) for one in metric.get("values") or [] if isinstance(one, dict)
    ]
    stated += [one for one in metric.get("range") or [] if isinstance(one, int | float)][:2]
    stated += [
        _number(end, metric)
        for end in (_get(metric, "min_value"), _get(metric, "max_value"))
        if end is not None
    ]
    numbers = [float(one) for one in stated or given if _is_number(one)]
    return f"{min(numbers):g}-{max(numbers):g}" if numbers else ""


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
