"""An assistant's own passages, with its own ids: validated as they are, not cut anew."""

from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

import pandas as pd

from ragassay import provenance
from ragassay.assistant.described import reply_parsing
from ragassay.defaults import MAX_TOKENS
from ragassay.documents import folder, passage_stores
from ragassay.documents.chunking import as_passages, chunk
from ragassay.documents.document_status import CURRENT, EVERYONE, STAFF, SUPERSEDED, WORDS
from ragassay.errors import InputError

STRICTEST = (SUPERSEDED, STAFF, CURRENT, EVERYONE)  # what a document is if one of its passages is
PLAIN = (str, int, float, UUID, Decimal)  # of a database: the last two
LEFT_OUT = ["path", "reason", "do"]


class Collection(NamedTuple):
    """The documents, their passages (both as tables), and what was left out, and why."""

    documents: pd.DataFrame
    chunks: pd.DataFrame
    left_out: pd.DataFrame


def read_collection(given: str, *, max_tokens: int = MAX_TOKENS) -> Collection:
    """A folder of documents cut into passages of at most `max_tokens` tokens, or a store of passages
    (`passage_stores`) as they are; noted as read.

    Raises
    ------
    InputError
        If nothing can be read.
    ParameterError
        If a description is flawed, or max_tokens is below 8.
    """
    path = provenance.reads_input(given)
    if not passage_stores.is_store(given):
        documents, left_out = folder.load(path)
        return Collection(documents, chunk(documents, max_tokens=max_tokens), left_out)
    store = passage_stores.read_store(given)
    if store.path and store.path != given:
        provenance.reads_input(store.path)
    return _of_store(store, given)


def of_passages(documents: pd.DataFrame, left_out: pd.DataFrame) -> Collection:
    """Documents of which each is a passage, such as those of a log."""
    return Collection(documents, as_passages(documents), left_out)


def _of_store(store: passage_stores.Store, name: str) -> Collection:
    found, gaps, seen = list[dict[str, Any]](), list[dict[str, str]](), set[str]()
    for number, record in enumerate(passage_stores.records(store), start=1):
        row, notes = _passage(record, store.names)
        if row["chunk_id"] in seen:
            row, notes = {}, [("its id stands twice", "give each passage an id of its own")]
        if row.get("text"):
            seen.add(row["chunk_id"])
            found.append(row)
        gaps += [{"path": f"{name}, record {number}", "reason": why, "do": do} for why, do in notes]
    if not found:
        why = gaps[0]["reason"] if gaps else "it is empty"
        raise InputError("the store holds no passage", where=name, found=why, do=passage_stores.DO)
    if store.kind == "sql":  # which gives its rows in any order
        found.sort(key=lambda row: (row["doc_id"], row["chunk_id"]))
    passages = pd.DataFrame(found)
    documents = pd.DataFrame([_document(rows, name) for _, rows in passages.groupby("doc_id", sort=False)])
    return Collection(documents, as_passages(passages), pd.DataFrame(gaps, columns=LEFT_OUT))


def _passage(record: dict[str, Any], fields: Any) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """A passage, without text if it is left out; what is wrong with it, and what to do."""
    given = {name: _value(record, name, fields.get(name)) for name in passage_stores.FIELDS}
    row = {"chunk_id": given["id"], "doc_id": given["document"] or given["id"], "title": given["title"]}
    if not given["id"] or not given["text"].strip():
        what = "id" if not given["id"] else "text"
        return row, [(f"it has no {what}", f"name the field that holds it: fields: {what}: ...")]
    marks = {name: WORDS[name].get(given[name].strip().lower()) for name in WORDS}
    notes = [
        (f"its {name} {given[name][:40]!r} is not known", f"write one of {', '.join(sorted(WORDS[name]))}")
        for name, meaning in marks.items()
        if given[name].strip() and meaning is None
    ]
    language = folder.language(given["text"])
    return row | {"text": given["text"], "language": language} | marks, notes


def _value(record: dict[str, Any], name: str, path: str | None) -> str:
    """A field as text, "" where there is none."""
    for each in (path,) if path else passage_stores.USUAL[name]:
        try:
            value = reply_parsing.find(record, each)
        except reply_parsing.NothingThere:
            continue
        if isinstance(value, PLAIN) and not isinstance(value, bool):
            return str(value).encode("utf-8", "replace").decode()
    return ""


def _document(rows: pd.DataFrame, name: str) -> dict[str, Any]:
    """A document as its passages tell of it: superseded or for staff if one of them is."""
    text, title = "\n\n".join(rows["text"]), next(filter(None, rows["title"]), "")
    said = {column: set(rows[column]) for column in WORDS}
    marks = {column: next((word for word in STRICTEST if word in said[column]), None) for column in WORDS}
    found = folder.of_text(rows["doc_id"].iloc[0], text, name, title=title)
    return found | marks | {"language": rows["language"].mode().iloc[0], "headings": []}
