"""Where an assistant keeps its passages: a JSONL file, a folder of Chroma or Qdrant, a table of a database,
pgvector's among them; read as records, nothing is written and no vector looked at.

A description says where: `kind` (jsonl, chroma, qdrant, sql), `path` or `url`, `collection` or `table`, and
in `fields` where in a record id, text, document, title, status and audience stand. A .jsonl file needs none.
"""

import json
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit
from uuid import UUID

import pandas as pd
from pydantic import BaseModel, Field, ValidationError, model_validator

from ragassay import provenance
from ragassay.assistant.described import reply_parsing
from ragassay.assistant.described.description import FROZEN, PATH, flaws_of
from ragassay.defaults import MAX_TOKENS
from ragassay.documents import folder
from ragassay.documents.chunking import as_passages, chunk
from ragassay.documents.document_status import CURRENT, EVERYONE, STAFF, SUPERSEDED, WORDS
from ragassay.errors import InputError, ParameterError, install

NAMES = {  # of a field, where the description does not say, the first that holds something
    "id": ("id", "chunk_id", "passage_id"),
    "text": ("text", "page_content", "content", "document", "passage", "chunk", "body"),
    "document": ("doc_id", "document_id", "source"),
    "title": ("title",),
    "status": ("status",),
    "audience": ("audience",),
}
BELOW = ("metadata", "cmetadata", "metadata_")  # of LangChain and LlamaIndex in a database: the last two
USUAL = {
    field: (*names, *(f"{head}.{name}" for head in BELOW for name in names if field != "text"))
    for field, names in NAMES.items()
}
FIELDS = tuple(NAMES)
ENDINGS = (".yml", ".yaml", ".jsonl")
NEEDED = {
    "jsonl": {"path"},
    "chroma": {"path", "collection"},
    "qdrant": {"path", "collection"},
    "sql": {"url", "table"},
}
DO = "correct the description; docs/assistant.md shows each kind"
BATCH = 1000
STRICTEST = (SUPERSEDED, STAFF, CURRENT, EVERYONE)  # what a document is if one of its passages is
PLAIN = (str, int, float, UUID, Decimal)  # of a database: the last two
LEFT_OUT = ["path", "reason", "do"]
Record = dict[str, Any]


class Store(BaseModel):
    """A description, checked: where the passages are, and which of their fields are which of ours."""

    model_config = FROZEN

    kind: Literal["jsonl", "chroma", "qdrant", "sql"]
    path: str = ""
    url: str = ""
    collection: str = ""
    table: str = ""
    names: dict[Literal["id", "text", "document", "title", "status", "audience"], PATH] = Field(
        default={}, alias="fields"
    )

    @model_validator(mode="after")
    def _agrees(self) -> "Store":
        needed = NEEDED[self.kind]
        flaws = [f"{name}: must be given" for name in sorted(needed) if not getattr(self, name)]
        others = sorted(self.model_fields_set - needed - {"kind", "names"})
        flaws += [f"{name}: not known of kind {self.kind}" for name in others]
        if urlsplit(self.url).password:
            flaws.append("url: must hold no password; leave it to the driver's environment")
        if flaws:
            raise ValueError("\n    ".join(flaws))
        return self


def is_store(given: str) -> bool:
    """Whether documents are named by a store: a description (.yml), or a .jsonl file of passages."""
    return given.lower().endswith(ENDINGS)


def read_store(given: str) -> Store:
    """The store that a .yml file describes, or that a .jsonl file is.

    Raises
    ------
    InputError
        If there is no such file.
    ParameterError
        If the description is flawed.
    """
    if given.lower().endswith(".jsonl"):
        return Store(kind="jsonl", path=given)
    import yaml

    try:
        described = yaml.safe_load(provenance.source(given).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, yaml.YAMLError, RecursionError) as problem:
        raise ParameterError(
            "the description of the documents cannot be read", where=given, found=problem
        ) from None
    try:
        return Store.model_validate(described)
    except ValidationError as problem:
        what = "\n    ".join(["the documents are not described", *flaws_of(problem)])
        raise ParameterError(what, where=given, do=DO) from None


def records(store: Store) -> Iterator[Record]:
    """What the store holds, one after the other; the same in every run, rows of a database in any order.
    InputError if it cannot be read, or the package that reads it is not installed."""
    yield from READERS[store.kind](store)


def _jsonl(store: Store) -> Iterator[Record]:
    """A record a line; a line that is none has no text, and is left out for it."""
    with provenance.source(store.path).open(encoding="utf-8-sig", errors="replace") as file:
        for line in filter(str.strip, file):
            try:
                found = json.loads(line)
            except (ValueError, RecursionError):
                found = None
            yield found if isinstance(found, dict) else {}


def _qdrant(store: Store) -> Iterator[Record]:
    """Each point's payload with its id, by Qdrant's own client in local mode."""
    try:
        from qdrant_client import QdrantClient
    except ImportError as problem:
        raise InputError("Qdrant needs the package qdrant-client", do=install("qdrant")) from problem
    try:
        with closing(QdrantClient(path=str(_folder(store)))) as client:
            offset, begun = None, False
            while offset is not None or not begun:
                points, offset = client.scroll(store.collection, limit=BATCH, offset=offset)
                begun = True
                yield from (dict(point.payload or {}) | {"id": point.id} for point in points)
    except (ValueError, RuntimeError, OSError) as problem:
        raise _unreadable(store, problem) from problem


CHROMA = """
SELECT e.embedding_id, m.key, coalesce(m.string_value, m.int_value, m.float_value) FROM embeddings e
JOIN segments s ON s.id = e.segment_id JOIN collections c ON c.id = s.collection
LEFT JOIN embedding_metadata m ON m.id = e.id WHERE c.name = ? AND s.scope = 'METADATA' ORDER BY e.id, m.key
"""


def _chroma(store: Store) -> Iterator[Record]:
    """Each entry's metadata with its id and text, of the SQLite file that Chroma keeps in its folder."""
    import itertools
    import sqlite3

    file = _folder(store) / "chroma.sqlite3"
    if not file.is_file():
        raise _unreadable(store, "there is no chroma.sqlite3 in the folder")
    try:
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
            rows = connection.execute(CHROMA, (store.collection,))
            for name, values in itertools.groupby(rows, key=lambda row: row[0]):
                given = {key: value for _, key, value in values if key is not None}
                yield given | {"id": name, "text": given.get("chroma:document")}
    except sqlite3.Error as problem:
        raise _unreadable(store, problem) from problem


def _sql(store: Store) -> Iterator[Record]:
    """Each row of a table; of its columns those that may hold a field, so that no vector is fetched."""
    import sqlalchemy
    from sqlalchemy.exc import NoSuchTableError, SAWarning, SQLAlchemyError

    schema, _, name = store.table.rpartition(".")
    try:
        with closing(sqlalchemy.create_engine(store.url).connect()) as connection:
            with warnings.catch_warnings():  # of a type that is not known, such as a vector
                warnings.simplefilter("ignore", SAWarning)
                table = sqlalchemy.Table(
                    name, sqlalchemy.MetaData(schema or None), autoload_with=connection, resolve_fks=False
                )
            wanted = _columns(store)
            chosen = sqlalchemy.select(*[column for column in table.columns if column.name in wanted])
            for row in connection.execution_options(stream_results=True).execute(chosen).mappings():
                yield {str(key): value for key, value in row.items()}
    except NoSuchTableError as problem:
        raise _unreadable(store, f"there is no such table: {store.table}") from problem
    except (SQLAlchemyError, ImportError) as problem:
        raise _unreadable(store, str(problem).partition("\n")[0]) from problem


def _columns(store: Store) -> set[str]:
    """The columns that are named for a field, and the usual names for the fields left open."""
    named = {str(reply_parsing.steps_of(path)[0]) for path in store.names.values()}
    open_ones = set(FIELDS).difference(store.names)
    return named | {path.partition(".")[0] for field in open_ones for path in USUAL[field]}


def _folder(store: Store) -> Path:
    return provenance.source(store.path)


def _unreadable(store: Store, problem: object) -> InputError:
    place = store.path or store.url
    return InputError(
        f"the {store.kind} store of documents cannot be read", where=place, found=problem, do=DO
    )


READERS: dict[str, Callable[[Store], Iterator[Record]]] = {
    "jsonl": _jsonl,
    "chroma": _chroma,
    "qdrant": _qdrant,
    "sql": _sql,
}


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
    if not is_store(given):
        documents, left_out = folder.load(path)
        return Collection(documents, chunk(documents, max_tokens=max_tokens), left_out)
    store = read_store(given)
    if store.path and store.path != given:
        provenance.reads_input(store.path)
    return _of_store(store, given)


def of_passages(documents: pd.DataFrame, left_out: pd.DataFrame) -> Collection:
    """Documents of which each is a passage, such as those of a log."""
    return Collection(documents, as_passages(documents), left_out)


def _of_store(store: Store, name: str) -> Collection:
    found, gaps, seen = list[dict[str, Any]](), list[dict[str, str]](), set[str]()
    for number, record in enumerate(records(store), start=1):
        row, notes = _passage(record, store.names)
        if row["chunk_id"] in seen:
            row, notes = {}, [("its id stands twice", "give each passage an id of its own")]
        if row.get("text"):
            seen.add(row["chunk_id"])
            found.append(row)
        gaps += [{"path": f"{name}, record {number}", "reason": why, "do": do} for why, do in notes]
    if not found:
        why = gaps[0]["reason"] if gaps else "it is empty"
        raise InputError("the store holds no passage", where=name, found=why, do=DO)
    if store.kind == "sql":  # which gives its rows in any order
        found.sort(key=lambda row: (row["doc_id"], row["chunk_id"]))
    passages = pd.DataFrame(found)
    documents = pd.DataFrame([_document(rows, name) for _, rows in passages.groupby("doc_id", sort=False)])
    return Collection(documents, as_passages(passages), pd.DataFrame(gaps, columns=LEFT_OUT))


def _passage(record: dict[str, Any], fields: Any) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """A passage, without text if it is left out; what is wrong with it, and what to do."""
    given = {name: _value(record, name, fields.get(name)) for name in FIELDS}
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
    for each in (path,) if path else USUAL[name]:
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
