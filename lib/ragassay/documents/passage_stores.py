"""Where an assistant keeps its passages: a JSONL file, a folder of Chroma or Qdrant, a table of a database,
pgvector's among them; read as records, nothing is written and no vector looked at.

A description says where: `kind` (jsonl, chroma, qdrant, sql), `path` or `url`, `collection` or `table`, and
in `fields` where in a record id, text, document, title, status and audience stand. A .jsonl file needs none.
"""

import json
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ragassay import provenance
from ragassay.assistant.described import reply_parsing
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
Record = dict[str, Any]


@dataclass(frozen=True)
class Store:
    """A description, checked: where the passages are, and which of their fields are which of ours."""

    kind: str
    path: str = ""
    url: str = ""
    collection: str = ""
    table: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)


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
        return Store("jsonl", path=given)
    import yaml

    try:
        described = yaml.safe_load(provenance.source(given).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, yaml.YAMLError, RecursionError) as problem:
        raise ParameterError(
            "the description of the documents cannot be read", where=given, found=problem
        ) from None
    described = described if isinstance(described, dict) else {}
    if flaws := list(_flaws(described)):
        raise ParameterError("\n    ".join(["the documents are not described", *flaws]), where=given, do=DO)
    return Store(**described)


def records(store: Store) -> Iterator[Record]:
    """What the store holds, one after the other; the same in every run, rows of a database in any order.

    Raises
    ------
    InputError
        If it cannot be read, or the package that reads it is not installed.
    """
    yield from READERS[store.kind](store)


def _flaws(given: Mapping[str, Any]) -> Iterator[str]:
    kind = given.get("kind")
    if kind not in NEEDED:
        yield f"kind: must be one of {', '.join(NEEDED)}, found {str(kind)[:80]!r}"
        return
    known = {"kind", "fields", *NEEDED[kind]}
    for name in given:
        if name not in known:
            yield f"{str(name)[:80]!r}: not known of kind {kind}, which takes {', '.join(sorted(known))}"
    for name in sorted(NEEDED[kind]):
        if not (isinstance(given.get(name), str) and given[name]):
            yield f"{name}: must be given"
    if urlsplit(str(given.get("url") or "")).password:
        yield "url: must hold no password; leave it to the driver's environment"
    yield from _field_flaws(given.get("fields") or {})


def _field_flaws(fields: Any) -> Iterator[str]:
    if not isinstance(fields, dict):
        yield "fields: must be names and paths"
        return
    for name, path in fields.items():
        if name not in FIELDS:
            yield f"fields: {str(name)[:80]!r} is no field; the fields are {', '.join(FIELDS)}"
            continue
        try:
            reply_parsing.steps_of(path if isinstance(path, str) else "")
        except ValueError as problem:
            yield f"fields.{name}: {problem}"


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
    from sqlalchemy import column, create_engine, select, table
    from sqlalchemy.exc import NoSuchTableError, SQLAlchemyError

    schema, _, name = store.table.rpartition(".")
    try:
        with closing(create_engine(store.url).connect()) as connection:
            wanted: list[Any] = [
                column(each) for each in _columns(connection, name, schema or None, store.fields)
            ]
            chosen = select(*wanted).select_from(table(name, schema=schema or None))
            for row in connection.execution_options(stream_results=True).execute(chosen).mappings():
                yield {str(key): value for key, value in row.items()}
    except NoSuchTableError as problem:
        raise _unreadable(store, f"there is no such table: {store.table}") from problem
    except (SQLAlchemyError, ImportError) as problem:
        raise _unreadable(store, str(problem).partition("\n")[0]) from problem


def _columns(connection: Any, name: str, schema: str | None, fields: Mapping[str, str]) -> list[str]:
    """The columns that are named for a field, and those of the usual names for the fields left open."""
    import sqlalchemy

    with warnings.catch_warnings():  # of a type that is not known, such as a vector
        warnings.simplefilter("ignore", sqlalchemy.exc.SAWarning)
        there = [each["name"] for each in sqlalchemy.inspect(connection).get_columns(name, schema=schema)]
    named = {str(reply_parsing.steps_of(path)[0]) for path in fields.values()}
    usual = {path.partition(".")[0] for field in set(FIELDS) - set(fields) for path in USUAL[field]}
    return sorted(named | usual.intersection(there)) or there


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
