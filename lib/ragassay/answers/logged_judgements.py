"""Judgements of people that a log carries, as rows of a labels file: in columns (ARES, or named by the user),
or as MTRAG keeps them, answers of several systems that annotators have judged.

Of MTRAG's JSON Lines (id, turns, query, contexts, answer, system, human) the question is the last turn of the
user; the turns before it are kept in the case's column `turns`, and no metric reads them.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ragassay.answers.log_schemas import Unfit, dig, first_value, is_empty, resolve
from ragassay.answers.tool_scores import as_value
from ragassay.documents.record_files import Record, broken_record, read_records
from ragassay.errors import LabelError
from ragassay.tables import is_blank

OF_MTRAG = {"id", "turns", "answer", "system"}
JUDGED = "id, system, answer, and turns with a text each"
COMPARISONS = ("win-rate", "win_rate", "winrate")  # they rank systems and judge no single answer
QUERY_TYPE_OF = {
    "composite": "multi_hop",
    "comparative": "multi_hop",
    "explanation": "inference",
    "factoid": "factual",
}
Label = dict[str, Any]


def read_log(path: Path) -> Iterator[Record]:
    """The records of a log in a file of any kind; those of MTRAG with case_id, system, question, answer,
    contexts, context_ids, and what is known of the case, or broken if they are not what they should be.

    case_id is the first 8 signs of the conversation and the number of the turn (`f0d2873b-3`); `task_id`
    keeps the whole.
    """
    return map(_of_mtrag, read_records(path))


def _of_mtrag(record: Record) -> Record:
    values = record.values
    if not set(values) >= OF_MTRAG:
        return record
    try:
        task = values["id"].removesuffix(f"|{values['system']}")
        conversation, _, turn = task.partition("<::>")
        kinds = values.get("question_type") or []
        named = [kinds] if isinstance(kinds, str) else kinds
        lower = {kind.lower() for kind in named}
        answerability, collection = (values.get(name) or "" for name in ("answerability", "collection"))
        answerable = answerability.upper() != "UNANSWERABLE"
        answer_type = "instruction" if "how-to" in lower else "short_fact"
        domain = re.fullmatch(r"mt-rag-([a-z]+)-.*", collection)
        turns = [{"speaker": one.get("speaker", ""), "text": one["text"]} for one in values["turns"]]
        row = {
            "case_id": f"{conversation[:8]}-{turn}" if turn else conversation,
            **({"answerable": answerable} if answerability else {}),
            "system": values["system"],
            "answer": values["answer"] + "",  # a text, or TypeError
            "question": turns[-1]["text"],
            "contexts": values.get("contexts") or [],
            "context_ids": values.get("context_ids") or [],
            "reference_answer": values.get("reference") or "",
            "answer_type": answer_type if answerable else "no_answer",
            "query_type": next((ours for theirs, ours in QUERY_TYPE_OF.items() if theirs in lower), "open"),
            "topic": domain[1] if domain else collection,
            "conversation_id": values.get("conversation_id") or conversation,
            "answerability": answerability,
            "question_type": ", ".join(named),
            "task_id": task,
            "turns": json.dumps(turns, ensure_ascii=False),
        }
    except (KeyError, TypeError, IndexError, AttributeError) as problem:
        why = f"{type(problem).__name__}: {problem}"
        return broken_record(record.where, why, JUDGED, "correct the line")
    return record._replace(values=row)


def label_rows(
    records: Sequence[Record], where: str, mapping: Mapping[str, str] | None = None
) -> list[Label]:
    """The judgements of a log: case_id (the row's number where it names none), question, system, dimension,
    rater, label, scale, where; `numbered` says that the case_id is a number of ours. Of MTRAG case_id (as in
    `read_log`), system, dimension, rater, label, scale, answer_sha256, where.

    A column that the user names is `label:DIMENSION=COLUMN`, or `label:DIMENSION:1-5=COLUMN` where the scale
    is not 0-1. LabelError if the file carries none, or one is no number.
    """
    is_mtrag = set(records[0].values) >= OF_MTRAG
    found = _of_annotators(records) if is_mtrag else _of_columns(records, where, mapping)
    if not found:
        raise LabelError(
            "the file holds no judgements of people",
            where=where,
            found=", ".join(dict.fromkeys(name for one in records[:20] for name in one.values))[:300],
            do="name your column: label:DIMENSION=COLUMN, with its scale as label:DIMENSION:1-5=COLUMN",
        )
    return found


def _of_annotators(records: Sequence[Record]) -> list[Label]:
    found = []
    for raw in records:
        values, judged = _of_mtrag(raw).values, raw.values.get("human") or {}
        for dimension, raters in judged.items() if values else ():  # none of a broken line
            for rater, value in raters.items() if dimension.lower() not in COMPARISONS else ():
                answer = values["answer"].encode("utf-8", "surrogatepass")
                found.append(
                    {
                        "case_id": values["case_id"],
                        "system": values["system"],
                        "answer_sha256": hashlib.sha256(answer).hexdigest(),
                        "dimension": dimension,
                        "rater": rater,
                        "label": str(value),
                        "scale": "1-4",
                        "where": f"{raw.where}, {dimension} by {rater}",
                    }
                )
    return found


def _of_columns(records: Sequence[Record], where: str, mapping: Mapping[str, str] | None) -> list[Label]:
    needed = ("case_id", "question", "answer")
    schema = resolve([record.values for record in records], where, mapping=mapping, needed=needed)
    columns = schema.labels or {dimension: column for column, dimension in schema.label_columns.items()}
    found: list[Label] = []
    for number, record in enumerate(records, 1):
        paths = {ours: schema.columns.get(ours, ours) for ours in ("case_id", "system", "question")}
        values = {ours: first_value(record.values, path)[1] for ours, path in paths.items()}
        values["rater"] = first_value(record.values, "rater|annotator")[1]
        key: Label = {
            ours: "" if is_empty(one) or is_blank(one) else str(one) for ours, one in values.items()
        }
        key |= {"rater": key["rater"] or "not named", "numbered": not key["case_id"], "where": record.where}
        key["case_id"] = key["case_id"] or str(number)
        for name, column in columns.items():
            (dimension, _, scale), value = name.partition(":"), dig(record.values, column)
            if is_empty(value) or is_blank(value):
                continue
            try:
                label = as_value(value)
            except Unfit as why:
                raise LabelError(
                    "a label is no number", where=f"{record.where}, {dimension}", found=value, expected=why
                ) from None
            found.append(key | {"dimension": dimension, "label": label, "scale": scale or "0-1"})
    return found
