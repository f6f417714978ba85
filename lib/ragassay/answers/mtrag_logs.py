"""MTRAG's JSON Lines: answers of several systems that people have judged (id, turns, query, contexts, answer,
system, human), as records of a log and as labels.

The question is the last turn of the user; the turns before it are kept in the case's column `turns`, and no
metric reads them.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from ragassay.answers import log_files
from ragassay.answers.log_files import Record, broken_record
from ragassay.errors import InputError, KitError

SUFFIXES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
COLUMNS = {"id", "turns", "answer", "system"}
SCALE = "1-4"  # of every dimension
SEPARATOR = "<::>"  # between the conversation and the turn in MTRAG's ids
COMPARISONS = ("win-rate", "win_rate", "winrate")  # they rank systems and judge no single answer
QUERY_TYPES = {
    "composite": "multi_hop",
    "comparative": "multi_hop",
    "explanation": "inference",
    "factoid": "factual",
}


def fits(path: Path) -> bool:
    """Whether the file is such a log, by its suffix and its first line; False where it cannot be read."""
    if not (path.is_file() and path.name.lower().endswith(SUFFIXES)):
        return False
    try:
        return any(set(record.values) >= COLUMNS for record in islice(log_files.read_records(path), 1))
    except (KitError, OSError):
        return False


def read_records(path: Path) -> list[Record]:
    """The answers as records of a log: case_id, system, question, answer, contexts, context_ids, and what is
    known of the case; a line that is not what it should be is a broken record.

    case_id is the first 8 signs of the conversation and the number of the turn (`f0d2873b-3`) where that
    tells the tasks apart, else the task's whole id; `task_id` keeps it.
    """
    return [
        record if record.broken else record._replace(values=_row(record.values, case_id))
        for record, case_id in _read(path)
    ]


def labels(path: Path) -> list[dict[str, str]]:
    """The judgements as rows of a labels file: case_id (as in `read_records`), system, dimension, rater,
    label, scale, answer_sha256, and `where`; InputError if no line is what it should be."""
    read = _read(path)
    if all(record.broken for record, _ in read):
        flaw = read[0][0].flaws[0]
        raise InputError("a judged answer cannot be read", where=flaw.place, found=flaw.found, do=flaw.do)
    return [
        {
            "case_id": case_id,
            "system": record.values["system"],
            "dimension": dimension,
            "rater": rater,
            "label": str(value),
            "scale": SCALE,
            "answer_sha256": hashlib.sha256(
                record.values["answer"].encode("utf-8", "surrogatepass")
            ).hexdigest(),
            "where": f"{record.where}, {dimension} by {rater}",
        }
        for record, case_id in read
        for dimension, raters in (record.values.get("human") or {}).items()
        if dimension.lower() not in COMPARISONS
        for rater, value in raters.items()
    ]


def _read(path: Path) -> list[tuple[Record, str]]:
    """The records, those that are none of MTRAG's as broken ones, each with its case_id."""
    records = [_checked(record) for record in log_files.read_records(path)]
    whole = dict.fromkeys(_task_id(record.values) for record in records if not record.broken)
    short = {}
    for task in whole:
        conversation, _, turn = task.partition(SEPARATOR)
        short[task] = f"{conversation[:8]}-{turn}" if turn else conversation
    are_distinct = len(set(short.values())) == len(whole)
    names = short if are_distinct else {task: task for task in whole}
    return [(record, "" if record.broken else names[_task_id(record.values)]) for record in records]


def _checked(record: Record) -> Record:
    if record.flaws:
        return record._replace(values={}, broken=True)
    values = record.values
    absent = next((name for name in ("id", "system", "answer") if not isinstance(values.get(name), str)), "")
    if absent:
        return broken_record(record.where, values.get(absent), f"a text in {absent!r}", "correct the line")
    turns = values.get("turns")
    texts = [one.get("text") for one in turns if isinstance(one, dict)] if isinstance(turns, list) else []
    if not texts or not all(isinstance(text, str) for text in texts):
        return broken_record(record.where, turns, "turns with a text each", "correct the line")
    if values.get("query") and values["query"] != texts[-1]:
        return broken_record(record.where, values["query"], "turns that end with `query`", "correct the line")
    return record


def _task_id(values: dict[str, Any]) -> str:
    """The id of the question, whoever answers it."""
    return values["id"].removesuffix(f"|{values['system']}")


def _row(values: dict[str, Any], case_id: str) -> dict[str, Any]:
    kinds = values.get("question_type") or []
    named = [kinds] if isinstance(kinds, str) else kinds
    lower = {kind.lower() for kind in named}
    answerability = values.get("answerability") or ""
    answerable = answerability.upper() != "UNANSWERABLE"
    answer_type = "instruction" if "how-to" in lower else "short_fact"
    turns = [{"speaker": one.get("speaker", ""), "text": one.get("text", "")} for one in values["turns"]]
    domain = re.fullmatch(r"mt-rag-([a-z]+)-.*", values.get("collection") or "")
    return {
        "case_id": case_id,
        **({"answerable": answerable} if answerability else {}),
        "system": values["system"],
        "answer": values["answer"],
        "question": turns[-1]["text"],
        "contexts": values.get("contexts") or [],
        "context_ids": values.get("context_ids") or [],
        "reference_answer": values.get("reference") or "",
        "answer_type": answer_type if answerable else "no_answer",
        "query_type": next((ours for theirs, ours in QUERY_TYPES.items() if theirs in lower), "open"),
        "topic": domain[1] if domain else values.get("collection") or "",
        "conversation_id": values.get("conversation_id") or _task_id(values).split(SEPARATOR)[0],
        "answerability": answerability,
        "question_type": ", ".join(named),
        "task_id": _task_id(values),
        "turns": json.dumps(turns, ensure_ascii=False),
    }


def file_records(path: Path) -> Iterator[Record]:
    """The records of a log in a file of any kind, also of one of MTRAG."""
    return iter(read_records(path)) if fits(path) else log_files.read_records(path)
