"""An assistant's own passages from a JSONL file, with its own ids; what is wrong is left out by name."""

import json

import pytest

from ragassay import tables
from ragassay.documents import read_collection

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


def test_status_and_audience_are_found_below_metadata(place):
    lines = [
        {
            "id": p["id"],
            "text": p["text"],
            "metadata": {k: v for k, v in p.items() if k not in ("id", "text")},
        }
        for p in PASSAGES
    ]
    (place / "mine.jsonl").write_text("\n".join(map(json.dumps, lines)))
    check(read_collection("mine.jsonl"))
