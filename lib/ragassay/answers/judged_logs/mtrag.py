"""MTRAG with human labels, one answer per line (.jsonl, .jsonl.gz)."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from ragassay.answers.judged_logs.task import Judged, Task, record_of_error
from ragassay.answers.log_files import Record, read_records
from ragassay.errors import InputError, KitError

SIGNATURE = {"id", "turns", "answer", "system"}
SCALE = "1-4"  # of every dimension in this file
SUFFIXES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")


def fits(path: Path) -> bool:
    """Whether the first record has MTRAG's columns."""
    if not path.name.lower().endswith(SUFFIXES):
        return False
    try:
        return any(set(record.values) >= SIGNATURE for record in islice(read_records(path), 1))
    except (KitError, OSError):
        return False


def read(path: Path) -> Iterator[Judged | Record]:
    """One judged answer per line; a line that is broken or holds a value of another kind is a broken
    record."""
    for record in read_records(path):
        if record.flaws:
            yield record._replace(values={}, broken=True)
            continue
        try:
            yield _judged_answer(record)
        except InputError as problem:
            yield record_of_error(problem)


def _judged_answer(record: Record) -> Judged:
    values, where = record.values, record.where
    human = {
        name: _dict(given, where, f"human.{name}")
        for name, given in _dict(values.get("human"), where, "human").items()
    }
    return Judged(
        _task(values, where),
        _text(values, "system", where),
        _text(values, "answer", where),
        where,
        human,
        dict.fromkeys(human, SCALE),
    )


def _task(values: dict, where: str) -> Task:
    task_id = _text(values, "id", where).removesuffix(f"|{values['system']}")
    turns = tuple(
        (str(turn.get("speaker", "")), turn["text"])
        for turn in _list(values, "turns", where, dict)
        if isinstance(turn.get("text"), str)
    )
    question = values.get("query")
    if not turns or (question is not None and question != turns[-1][1]):
        raise InputError(
            "the last turn is not the question",
            where=where,
            found=question,
            expected="turns that end with `query`",
            do="correct the line",
        )
    kinds = values.get("question_type") or []
    return Task(
        task_id,
        turns,
        tuple(_list(values, "contexts", where, str)),
        tuple(map(str, values.get("context_ids") or [])),
        str(values.get("reference") or ""),
        str(values.get("collection") or ""),
        str(values.get("answerability") or ""),
        (kinds,) if isinstance(kinds, str) else tuple(map(str, kinds)),
    )


def _text(values: dict, name: str, where: str) -> str:
    if not isinstance(values.get(name), str):
        raise InputError(
            f"{name!r} is no text",
            where=where,
            found=repr(values.get(name))[:120],
            expected="a text",
            do="correct the line",
        )
    return values[name]


def _list(values: dict, name: str, where: str, kind: type) -> list[Any]:
    found = values.get(name) or []
    if not isinstance(found, list) or not all(isinstance(one, kind) for one in found):
        raise InputError(
            f"{name!r} is no list of {kind.__name__}",
            where=where,
            found=repr(found)[:120],
            do="correct the line",
        )
    return found


def _dict(value: object, where: str, name: str) -> dict[str, Any]:
    if value is not None and not isinstance(value, dict):
        raise InputError(
            f"{name!r} is no object",
            where=where,
            found=repr(value)[:120],
            expected="dimension: {rater: value}",
            do="correct the line",
        )
    return dict(value or {})
