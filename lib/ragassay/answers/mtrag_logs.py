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

COLUMNS = {"id", "turns", "answer", "system"}
COMPARISONS = ("win-rate", "win_rate", "winrate")  # they rank systems and judge no single answer
QUERY_TYPES = {
    "composite": "multi_hop",
    "comparative": "multi_hop",
    "explanation": "inference",
    "factoid": "factual",
}


def fits(path: Path) -> bool:
    """Whether the file is such a log, by its first record; False where it cannot be read."""
    try:
        return any(set(record.values) >= COLUMNS for record in islice(log_files.read_records(path), 1))
    except (KitError, OSError):
        return False


def read_records(path: Path) -> Iterator[Record]:
    """The records of a log in a file of any kind; those of MTRAG with case_id, system, question, answer,
    contexts, context_ids, and what is known of the case, or broken if they are not what they should be.

    case_id is the first 8 signs of the conversation and the number of the turn (`f0d2873b-3`); `task_id`
    keeps the whole.
    """
    return map(_converted, log_files.read_records(path))


def labels(path: Path) -> list[dict[str, str]]:
    """The judgements as rows of a labels file: case_id (as in `read_records`), system, dimension, rater,
    label, scale, answer_sha256, and `where`; InputError if no line is what it should be."""
    found, read = [], [(raw, _converted(raw)) for raw in log_files.read_records(path)]
    if all(record.broken for _, record in read):
        flaw = read[0][1].flaws[0]
        raise InputError("a judged answer cannot be read", where=flaw.place, found=flaw.found, do=flaw.do)
    for raw, record in (pair for pair in read if not pair[1].broken):
        values = record.values
        digest = hashlib.sha256(values["answer"].encode("utf-8", "surrogatepass")).hexdigest()
        known = {"case_id": values["case_id"], "system": values["system"], "answer_sha256": digest}
        for dimension, raters in (raw.values.get("human") or {}).items():
            for rater, value in raters.items() if dimension.lower() not in COMPARISONS else ():
                where = f"{record.where}, {dimension} by {rater}"
                label = {"dimension": dimension, "rater": rater, "label": str(value), "scale": "1-4"}
                found.append({**known, **label, "where": where})
    return found


def _converted(record: Record) -> Record:
    try:
        return record._replace(values=_row(record.values)) if set(record.values) >= COLUMNS else record
    except (KeyError, TypeError, IndexError, AttributeError) as problem:
        why, expected = (
            f"{type(problem).__name__}: {problem}",
            "id, system, answer, and turns with a text each",
        )
        return broken_record(record.where, why, expected, "correct the line")


def _row(values: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(values["answer"], str):
        raise TypeError("the answer is no text")
    task = values["id"].removesuffix(f"|{values['system']}")
    conversation, _, turn = task.partition("<::>")
    kinds = values.get("question_type") or []
    named = [kinds] if isinstance(kinds, str) else kinds
    lower = {kind.lower() for kind in named}
    answerability = values.get("answerability") or ""
    answerable = answerability.upper() != "UNANSWERABLE"
    answer_type = "instruction" if "how-to" in lower else "short_fact"
    turns = [{"speaker": one.get("speaker", ""), "text": one["text"]} for one in values["turns"]]
    domain = re.fullmatch(r"mt-rag-([a-z]+)-.*", values.get("collection") or "")
    return {
        "case_id": f"{conversation[:8]}-{turn}" if turn else conversation,
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
        "conversation_id": values.get("conversation_id") or conversation,
        "answerability": answerability,
        "question_type": ", ".join(named),
        "task_id": task,
        "turns": json.dumps(turns, ensure_ascii=False),
    }
