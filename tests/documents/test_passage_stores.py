"""An assistant's own passages, from JSONL, Qdrant (by its own client), Chroma and SQL, with its own ids; what is wrong is left out by name."""

import json
import sqlite3

import pytest
import yaml

from ragassay import provenance, tables
from ragassay.documents import read_collection
from ragassay.documents.passage_stores import Store, records
from ragassay.errors import InputError, ParameterError

PASSAGES = [
    {
        "id": "fees-1",
        "text": "The fee is six dollars.",
        "doc_id": "fees",
        "title": "Fees",
        "audience": "public",
    },
    {"id": "fees-2", "text": "It is due in May.", "doc_id": "fees", "title": "Fees", "audience": "public"},
    {
        "id": "old-1",
        "text": "The fee is four dollars.",
        "doc_id": "old",
        "title": "Old",
        "status": "withdrawn",
    },
    {
        "id": "desk-1",
        "text": "Waive it when asked twice.",
        "doc_id": "desk",
        "title": "Desk",
        "audience": "Staff only",
    },
]


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def describe(place, **described) -> str:
    (place / "store.yml").write_text(yaml.safe_dump(described))
    return "store.yml"


def check(found):
    """The four passages with their ids, and what is said of their documents."""
    assert found.left_out.empty
    chunks, documents = tables.check("chunks", found.chunks), found.documents.set_index("doc_id")
    assert dict(zip(chunks.chunk_id, chunks.text, strict=True)) == {p["id"]: p["text"] for p in PASSAGES}
    assert dict(zip(chunks.chunk_id, chunks.doc_id, strict=True))["fees-2"] == "fees"
    assert documents.status.fillna("").to_dict() == {"fees": "", "old": "superseded", "desk": ""}
    assert documents.audience.fillna("").to_dict() == {"fees": "everyone", "old": "", "desk": "staff"}
    assert documents.title["fees"] == "Fees" and "May" in documents.text["fees"]
    tables.check("documents", found.documents.drop(columns="text"))


def test_a_jsonl_file(place):
    (place / "mine.jsonl").write_text("".join(json.dumps(each) + "\n" for each in PASSAGES))
    check(read_collection("mine.jsonl"))


def test_fields_are_mapped(place):
    lines = [{"key": {"n": 7}, "body": "The fee is six dollars."}, {"key": {"n": 8}, "body": "In May."}]
    (place / "mine.jsonl").write_text("\n".join(map(json.dumps, lines)))
    found = read_collection(
        describe(place, kind="jsonl", path="mine.jsonl", fields={"id": "key.n", "text": "body"})
    )
    assert found.chunks.chunk_id.tolist() == ["7", "8"] and found.documents.doc_id.tolist() == ["7", "8"]


def test_what_is_wrong_is_left_out_by_name(place):
    lines = [
        '{"id": "a", "text": "x"}',
        "{",
        '{"id": "b"}',
        '{"text": "no id"}',
        '{"id": "a", "text": "again"}',
    ]
    lines += ['{"id": "c", "text": "y", "status": "secret"}', '{"id": "d", "text": 7}', "[]"]
    (place / "mine.jsonl").write_text("\n".join(lines))
    found = read_collection("mine.jsonl")
    assert found.chunks.chunk_id.tolist() == ["a", "c", "d"]
    assert [row.path[-1] + row.reason[:15] for row in found.left_out.itertuples()] == [
        *("2it has no id", "3it has no text", "4it has no id", "5its id stands t"),
        *("6its status 'sec", "8it has no id"),
    ]


def test_qdrant_in_local_mode(place):
    from qdrant_client import QdrantClient
    from qdrant_client.models import Distance, PointStruct, VectorParams

    client = QdrantClient(path=str(place / "vectors"))
    client.create_collection("bank", VectorParams(size=2, distance=Distance.COSINE))
    points = [
        PointStruct(id=i, vector=[1.0, 0.5], payload=each | {"key": each["id"]})
        for i, each in enumerate(PASSAGES)
    ]
    client.upsert("bank", points)
    client.close()
    before = provenance.sha256_of(place / "vectors")
    check(
        read_collection(
            describe(place, kind="qdrant", path="vectors", collection="bank", fields={"id": "key"})
        )
    )
    assert provenance.sha256_of(place / "vectors") == before
    with pytest.raises(InputError, match="cannot be read"):
        read_collection(describe(place, kind="qdrant", path="vectors", collection="other"))


def test_a_table_of_a_database(place):
    with sqlite3.connect(place / "bank.db") as connection:
        connection.execute(
            "CREATE TABLE passages (id TEXT, text TEXT, doc_id TEXT, title TEXT, status TEXT, audience TEXT)"
        )
        for each in reversed(PASSAGES):
            names = ", ".join(each)
            connection.execute(
                f"INSERT INTO passages ({names}) VALUES ({', '.join('?' * len(each))})", list(each.values())
            )
    url = f"sqlite:///{place / 'bank.db'}"
    check(read_collection(describe(place, kind="sql", url=url, table="passages")))
    mapped = describe(place, kind="sql", url=url, table="passages", fields={"id": "doc_id", "text": "text"})
    assert sorted(set(read_collection(mapped).chunks.chunk_id)) == ["desk", "fees", "old"]
    partly = describe(place, kind="sql", url=url, table="passages", fields={"id": "id"})
    check(read_collection(partly))  # what is not named is found by its usual name
    with pytest.raises(InputError, match="no such table"):
        read_collection(describe(place, kind="sql", url=url, table="no_such"))


@pytest.mark.parametrize("below", ["metadata", "cmetadata", "metadata_"])
def test_status_and_audience_are_found_where_frameworks_keep_them(place, below):
    """LangChain's tables of pgvector have them below cmetadata, LlamaIndex's below metadata_."""
    lines = [
        {"id": p["id"], "text": p["text"], below: {k: v for k, v in p.items() if k not in ("id", "text")}}
        for p in PASSAGES
    ]
    (place / "mine.jsonl").write_text("\n".join(map(json.dumps, lines)))
    check(read_collection("mine.jsonl"))


def test_no_vector_of_a_table_is_fetched(place):
    with sqlite3.connect(place / "bank.db") as connection:
        connection.execute("CREATE TABLE t (id TEXT, document TEXT, cmetadata TEXT, embedding VECTOR(3))")
        connection.execute("INSERT INTO t VALUES ('a', 'The fee is six.', '{}', '[0.1,0.2,0.3]')")
    store = Store(kind="sql", url=f"sqlite:///{place / 'bank.db'}", table="t")
    assert list(records(store)) == [{"id": "a", "document": "The fee is six.", "cmetadata": "{}"}]


SCHEMA = """
CREATE TABLE collections (id TEXT PRIMARY KEY, name TEXT);
CREATE TABLE segments (id TEXT PRIMARY KEY, type TEXT, scope TEXT, collection TEXT);
CREATE TABLE embeddings (id INTEGER PRIMARY KEY, segment_id TEXT, embedding_id TEXT, seq_id BLOB);
CREATE TABLE embedding_metadata (id INTEGER, key TEXT, string_value TEXT, int_value INTEGER, float_value REAL, bool_value INTEGER);
INSERT INTO collections VALUES ('c', 'bank'), ('o', 'other');
INSERT INTO segments VALUES ('s', 'sqlite', 'METADATA', 'c'), ('v', 'hnsw', 'VECTOR', 'c'), ('t', 'sqlite', 'METADATA', 'o');
INSERT INTO embeddings VALUES (99, 't', 'foreign', 0);
"""


def test_chromas_folder(place):
    (place / "chroma").mkdir()
    with sqlite3.connect(place / "chroma" / "chroma.sqlite3") as connection:
        connection.executescript(SCHEMA)
        for i, each in enumerate(PASSAGES):
            connection.execute("INSERT INTO embeddings VALUES (?, 's', ?, 0)", (i, each["id"]))
            told = each | {"chroma:document": each["text"]}
            rows = [(i, key, value) for key, value in told.items() if key not in ("id", "text")]
            connection.executemany(
                "INSERT INTO embedding_metadata (id, key, string_value) VALUES (?, ?, ?)", rows
            )
    check(read_collection(describe(place, kind="chroma", path="chroma", collection="bank")))
    with pytest.raises(InputError, match="holds no passage"):
        read_collection(describe(place, kind="chroma", path="chroma", collection="nothing"))


@pytest.mark.parametrize(
    ("described", "told"),
    [
        ({}, "kind: "),
        ({"kind": "chroma", "path": "x"}, "collection: must be given"),
        ({"kind": "sql", "url": "postgresql://me:secret@h/db", "table": "t"}, "url: must hold no password"),
        ({"kind": "jsonl", "path": "x", "fields": {"colour": "x"}}, "fields.colour"),
        ({"kind": "jsonl", "path": "x", "fields": {"id": "a[b"}}, "fields.id: 'a.b' is no path"),
        ({"kind": "jsonl", "path": "x", "table": "t"}, "table: not known of kind jsonl"),
    ],
)
def test_a_flawed_description(place, described, told):
    with pytest.raises(ParameterError, match=told) as problem:
        read_collection(describe(place, **described))
    assert "secret" not in str(problem.value)
