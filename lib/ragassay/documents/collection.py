"""What an engagement's documents are: a folder cut into passages, or the assistant's own passages as a JSONL
file, taken as they are, with their ids."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from ragassay import provenance
from ragassay.defaults import MAX_TOKENS
from ragassay.documents import folder
from ragassay.documents.chunking import as_passages, chunk
from ragassay.documents.document_status import CURRENT, EVERYONE, STAFF, SUPERSEDED, WORDS
from ragassay.errors import InputError

NAMES = {  # of a field, the first that holds something, also below `metadata`
    "id": ("id", "chunk_id", "passage_id"),
    "text": ("text", "page_content", "content", "document", "passage", "chunk", "body"),
    "document": ("doc_id", "document_id", "source"),
    "title": ("title",),
    "status": ("status",),
    "audience": ("audience",),
}
STRICTEST = (SUPERSEDED, STAFF, CURRENT, EVERYONE)  # what a document is if one of its passages is


class Collection(NamedTuple):
    """The documents, their passages (both as tables), and what was left out, and why."""

    documents: pd.DataFrame
    chunks: pd.DataFrame
    left_out: pd.DataFrame


def is_passage_file(given: str) -> bool:
    """Whether documents are named by a .jsonl file of passages."""
    return given.lower().endswith(".jsonl")


def read_collection(given: str, *, max_tokens: int = MAX_TOKENS) -> Collection:
    """A folder of documents cut into passages of at most `max_tokens` tokens, or a .jsonl file of passages as
    they are; noted as read.

    InputError if nothing can be read. ParameterError if max_tokens is below 8.
    """
    path = provenance.reads_input(given)
    if is_passage_file(given):
        return _of_records(path, given)
    documents, left_out = folder.load(path)
    return Collection(documents, chunk(documents, max_tokens=max_tokens), left_out)


def of_passages(documents: pd.DataFrame, left_out: pd.DataFrame) -> Collection:
    """Documents of which each is a passage, such as those of a log."""
    return Collection(documents, as_passages(documents), left_out)


def _of_records(path: Path, name: str) -> Collection:
    """The passages of a file, a line each; one without id or text, or with an id that was there before, is
    left out."""
    rows: dict[str, dict[str, Any]] = {}
    gaps: list[tuple[str, str, str]] = []
    lines = path.read_text(encoding="utf-8-sig", errors="replace").split("\n")
    for number, line in enumerate(filter(str.strip, lines), start=1):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            record = None  # which has no id
        record = record if isinstance(record, dict) else {}
        found, where = {field: _value(record, field) for field in NAMES}, f"{name}, record {number}"
        absent = next((field for field in ("id", "text") if not found[field].strip()), "")
        if absent:
            gaps.append((where, f"it has no {absent}", f"name it {' or '.join(NAMES[absent][:3])}"))
            continue
        if found["id"] in rows:
            gaps.append((where, "its id stands twice", "give each passage an id of its own"))
            continue
        marks = {column: words.get(found[column].strip().lower()) for column, words in WORDS.items()}
        for column in (name for name in WORDS if found[name].strip() and marks[name] is None):
            reason = f"its {column} {found[column][:40]!r} is not known"
            gaps.append((where, reason, f"write one of {', '.join(WORDS[column])}"))
        row = {"chunk_id": found["id"], "doc_id": found["document"] or found["id"], "title": found["title"]}
        rows[found["id"]] = row | {"text": found["text"], "language": folder.language(found["text"])} | marks
    if not rows:
        why, do = gaps[0][1] if gaps else "it is empty", "give each line an `id` and a `text`"
        raise InputError("the file holds no passage", where=name, found=why, do=do)
    passages = pd.DataFrame(rows.values())
    documents = []
    for doc_id, part in passages.groupby("doc_id", sort=False):
        text, title = "\n\n".join(part["text"]), next(filter(None, part["title"]), "")
        document = folder.of_text(str(doc_id), text, name, title=title)
        for column in WORDS:  # superseded or for staff if one of its passages is
            document[column] = next((word for word in STRICTEST if word in set(part[column])), None)
        documents.append(document | {"language": part["language"].mode().iloc[0], "headings": []})
    return Collection(
        pd.DataFrame(documents), as_passages(passages), pd.DataFrame(gaps, columns=folder.LEFT_OUT)
    )


def _value(record: dict[str, Any], field: str) -> str:
    """A field as text, "" where there is none."""
    below = record.get("metadata")
    for place in (record, below if isinstance(below, dict) else {}):
        for name in NAMES[field]:
            value = place.get(name)
            if isinstance(value, str | int | float) and not isinstance(value, bool):
                return str(value).encode("utf-8", "replace").decode()
    return ""
