"""The user's own questions: JSONL or CSV into rows of the cases table, evidence quotes into passages."""

import csv
import difflib
import hashlib
import io
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from ragassay import models
from ragassay.cases import case_table
from ragassay.cases.case_table import ASKED_WITH
from ragassay.cases.evidence_lookup import fill_topics, find_evidence
from ragassay.errors import InputError
from ragassay.tables import ANSWER_TYPES, QUERY_TYPES, WHY_NO_ANSWER

WHY = "why_no_answer"  # optional column: why declining is right
TRUE, FALSE = ("true", "yes", "1"), ("false", "no", "0")


def read_cases(
    path: str | Path, chunks: pd.DataFrame, *, encode: Callable = models.encode
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The questions of a .jsonl or .csv file, or of all such files in a folder, and the evidence that could
    not be found.

    Only `question` is needed; `why_no_answer` says why declining is right (`tables.WHY_NO_ANSWER`). Defaults:
    case_id "u-" and 8 hex digits of the question's SHA-256; answerable unless answer_type is no_answer;
    answer_type short_fact; query_type factual; kind "own"; the group is the case; language that of the first
    passage referred to, else "en". `evidence` (doc_id and quote) becomes reference_chunk_ids. The topic is
    that of the first passage referred to, else the topic whose mean vector is nearest.

    Returns
    -------
    cases : rows of the cases table, further columns of the input kept
    unresolved : case_id, where, doc_id, quote, reason

    Raises
    ------
    InputError
        No file, no question, broken JSON, an unknown type, a question asked twice; with file and line.
    """
    records = read_records(path)
    found, unresolved = [], []
    for where, record in records:
        case, lost = _case(where, record, chunks)
        found.append(case)
        unresolved += lost
    refuse_repeats(found, [where for where, _ in records])
    extra = sorted({key for case in found for key in case} - set(case_table.COLUMNS))
    table = fill_topics(case_table.cases_frame(found, extra), chunks, encode)
    return table, pd.DataFrame(unresolved, columns=["case_id", "where", "doc_id", "quote", "reason"])


def id_of(question: str) -> str:
    """The id of a question that states none."""
    return "u-" + hashlib.sha256(question.encode()).hexdigest()[:8]


def read_records(path: str | Path) -> list[tuple[str, dict]]:
    """Where each question of a file or folder stands, and its row as it stands there.

    Raises
    ------
    InputError
        No file, no question, a row without one, broken JSON.
    """
    records = [record for file in _files(Path(path)) for record in _records(file)]
    if not records:
        expected, do = "one question or more", "add a question, or name another file"
        raise InputError("there are no questions", where=path, found="0 rows", expected=expected, do=do)
    for where, record in records:
        _question(where, record)
    return records


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(
            file
            for file in path.iterdir()
            if file.suffix in (".jsonl", ".csv") and not file.name.startswith(".")
        )
    if not path.is_file():
        raise InputError(
            "the questions cannot be read",
            where=path,
            found="nothing there",
            expected="a .jsonl or .csv file, or a folder of them",
            do="correct the path",
        )
    return [path]


def _records(file: Path) -> Iterator[tuple[str, dict]]:
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            "the file is not UTF-8",
            where=file.name,
            found=f"byte {error.object[error.start]:#04x} at {error.start}",
            expected="UTF-8",
            do="save it as UTF-8",
        ) from None
    yield from _csv_records(file.name, text) if file.suffix == ".csv" else _json_records(file.name, text)


def _json_records(name: str, text: str) -> Iterator[tuple[str, dict]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{name}, line {number}"
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(
                "a line is not JSON",
                where=where,
                found=str(error),
                expected="one JSON object per line",
                do="correct the line",
            ) from None
        if not isinstance(record, dict):
            raise InputError(
                "a line is not a JSON object",
                where=where,
                found=type(record).__name__,
                expected='{"question": ...}',
                do="correct the line",
            )
        yield where, record


def _csv_records(name: str, text: str) -> Iterator[tuple[str, dict]]:
    reader = csv.DictReader(io.StringIO(text, newline=""))
    for record in reader:
        yield (
            f"{name}, line {reader.line_num}",
            {key: value for key, value in record.items() if key and value not in (None, "")},
        )


def _case(where: str, record: dict, chunks: pd.DataFrame) -> tuple[dict, list[dict]]:
    question = _question(where, record)
    own_id = id_of(question)
    case = {"case_id": own_id, "kind": "own", "language": None} | record | {"question": question}
    case["case_id"] = str(case["case_id"])
    case |= _types(where, case) | read_asked_with(where, record)
    ids, lost = find_evidence(
        _listed(where, case.pop("evidence", None)), _ids(case.pop("reference_chunk_ids", None)), chunks
    )
    return case | {"reference_chunk_ids": ids}, [
        {"case_id": case["case_id"], "where": where} | item for item in lost
    ]


def _question(where: str, record: dict) -> str:
    """The question of a row, in one line."""
    question = record.get("question")
    if not isinstance(question, str) or not question.strip():
        found, do = f"columns {sorted(map(str, record))}", "add the column `question`, or rename yours"
        expected = "a column `question` with text"
        raise InputError("a row has no question", where=where, found=found, expected=expected, do=do)
    return " ".join(question.split())


def _types(where: str, case: dict) -> dict:
    """answer_type, query_type and answerable, checked, each by default where it is absent."""
    answerable = _flag(where, case.get("answerable"), case.get("answer_type") != "no_answer")
    types = {
        "answer_type": case.get("answer_type") or ("short_fact" if answerable else "no_answer"),
        "query_type": case.get("query_type") or "factual",
    }
    if case.get(WHY):
        types[WHY] = case[WHY]
    checked = (("answer_type", ANSWER_TYPES), ("query_type", QUERY_TYPES), (WHY, WHY_NO_ANSWER))
    for column, allowed in checked:
        if column in types and types[column] not in allowed:
            near = difflib.get_close_matches(str(types[column]), allowed, n=1, cutoff=0.4)
            raise InputError(
                f"{column} is unknown",
                where=where,
                found=types[column],
                expected=", ".join(allowed),
                do=f"did you mean {near[0]!r}?" if near else "choose one of them",
            )
    if answerable == (types["answer_type"] == "no_answer") or (answerable and WHY in types):
        raise InputError(
            "answerable contradicts answer_type or why_no_answer",
            where=where,
            found=f"answerable={answerable}, {', '.join(types.values())}",
            expected="answer_type no_answer exactly where answerable is false, and why_no_answer only there",
            do="correct one of them",
        )
    return types | {"answerable": answerable}


def _flag(where: str, value: object, default: bool) -> bool:
    if value is None:
        return default
    word = str(value).strip().lower()
    if word not in TRUE + FALSE:
        raise InputError(
            "answerable is neither true nor false",
            where=where,
            found=value,
            expected="true or false",
            do="correct the value",
        )
    return word in TRUE


def _listed(where: str, evidence: object) -> list[dict]:
    """The evidence as a list of {doc_id, quote}; in CSV it is written as JSON."""
    try:
        evidence = json.loads(evidence) if isinstance(evidence, str) else evidence or []
    except ValueError:
        evidence = None
    if not isinstance(evidence, list) or not all(
        isinstance(item, dict) and isinstance(item.get("quote"), str) for item in evidence
    ):
        raise InputError(
            "the evidence cannot be read",
            where=where,
            found=evidence,
            expected='[{"doc_id": ..., "quote": ...}]',
            do="correct the evidence",
        )
    return evidence


def _ids(value: object) -> list[str]:
    if isinstance(value, str):
        return [
            part.strip()
            for part in value.strip("[] ").replace('"', "").replace(";", ",").split(",")
            if part.strip()
        ]
    return [str(item) for item in value] if isinstance(value, list) else []


def read_asked_with(where: str, record: dict[str, Any]) -> dict[str, Any]:
    """The columns turn, history, passages and passage_ids that the record has; in CSV the lists are written
    as JSON.

    Raises
    ------
    InputError
        If turn is no number or one of the others no list of texts.
    """
    given = {name: record[name] for name in ASKED_WITH if record.get(name) is not None}
    return {name: (_turn if name == "turn" else _texts)(where, name, value) for name, value in given.items()}


def _turn(where: str, name: str, value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (ValueError, TypeError):
        raise _wrong(where, name, value, "1, 2, ...") from None


def _texts(where: str, name: str, value: object) -> list[str]:
    try:
        texts = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        texts = None
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise _wrong(where, name, value, '["a text", "another"]')
    return texts


def _wrong(where: str, name: str, value: object, expected: str) -> InputError:
    return InputError(
        f"the column {name} cannot be read",
        where=where,
        found=str(value)[:200],
        expected=expected,
        do="correct it, or rename the column if it means something else (docs/own-data.md, hooks)",
    )


ASIDE = ("segment", "history", "passages", "conversation_id", "turn", "language")  # what makes it another one


def refuse_repeats(cases: Sequence[dict[str, Any]], places: Sequence[str]) -> None:
    """Refuse a case_id, or a question, that stands twice; a question is the same whatever its capitals, marks
    and spaces, if it is asked of the same segment with the same history and passages.

    Raises
    ------
    InputError
        If one stands twice; it names both places.
    """
    seen: dict[object, str] = {}
    for case, where in zip(cases, places, strict=True):
        for mark in (case["case_id"], _asked(case)):
            if mark in seen:
                raise InputError(
                    "a case is there twice",
                    where=f"{seen[mark]}; {where}",
                    found=case["question"],
                    expected="each question once",
                    do="remove one of them; repeats are asked by the kit itself",
                )
            seen[mark] = where


def _asked(case: dict[str, Any]) -> tuple:
    letters = "".join(letter for letter in case["question"].casefold() if letter.isalnum())
    return (letters or case["question"], *(repr(case.get(name)) for name in ASIDE))
