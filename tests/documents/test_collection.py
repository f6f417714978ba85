"""A folder of documents, or an assistant's own passages: what is read, under which name; what is left out, and why."""

import hashlib
import json
import os
import socket
from pathlib import Path

import pytest
from document_files import docx, pdf

from ragassay import documents, provenance, tables
from ragassay.cases.rule_questions import askable_units
from ragassay.documents import load, read_collection
from ragassay.errors import InputError

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
    assert (
        askable_units.passages(read_collection("mine.jsonl").chunks)[0].title
        == PASSAGES[0]["title"]
        == "Fees"
    )


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


def test_every_format_in_order_of_path(folder):
    (folder / "b.md").write_text("# Fees\n\nThe fee is **$5**.")
    (folder / "a.txt").write_text("The fee is $5.")
    (folder / "c.html").write_text("<title>Fees of the bank</title><p>The fee is $5.</p>")
    (folder / "d.htm").write_text("<p>The fee is $5.</p>")
    docx(folder / "e.docx")
    pdf(folder / "f.pdf", [["The fee is $5."]])
    documents, left_out = load(folder)
    assert " ".join(documents["doc_id"]) == "a b c d e f"
    assert documents["title"].tolist()[:5] == ["a", "Fees", "Fees of the bank", "d", "Card fees"]
    assert " ".join(documents["path"]) == "a.txt b.md c.html d.htm e.docx f.pdf"
    assert left_out.empty
    assert list(left_out.columns) == ["path", "reason", "do"]
    assert documents.loc[0, "sha256"] == hashlib.sha256(b"The fee is $5.").hexdigest()
    tables.check("documents", documents)


@pytest.mark.parametrize(
    "name, content, reason",
    [
        ("x.txt", b"caf\xe9", "not UTF-8: byte 0xe9 at offset 3"),
        ("x.html", b"<html><script>1</script></html>", "no text"),
        ("x.docx", b"PK not a zip", "cannot be read: PackageNotFoundError"),
        ("x.pdf", b"%PDF-1.7 nothing", "cannot be read: PdfiumError"),
        ("x.xlsx", b"PK", "format is not read: .xlsx"),
    ],
)
def test_a_flawed_file_is_left_out_and_named(folder, name, content, reason):
    (folder / "good.txt").write_text("The fee is $5.")
    (folder / name).write_bytes(content)
    documents, left_out = load(folder)
    assert documents["doc_id"].tolist() == ["good"]
    assert left_out["path"].tolist() == [name]
    assert reason in left_out.loc[0, "reason"]
    assert left_out.loc[0, "do"]


def test_refuses_what_holds_nothing(folder, tmp_path):
    with pytest.raises(InputError, match="nothing there"):
        load(tmp_path / "missing")
    with pytest.raises(InputError, match="no file"):
        load(folder)
    (folder / "x.txt").write_bytes(b"\xff")
    with pytest.raises(InputError, match=r"x\.txt: The file is not UTF-8"):
        load(folder)
    with pytest.raises(InputError, match="a file"):
        load(folder / "x.txt")


@pytest.fixture
def good(folder) -> Path:
    """A folder with one document that can be read."""
    (folder / "good.txt").write_text("The fee is $5.")
    return folder


def refused(folder: Path) -> dict[str, str]:
    """path -> reason, where good.txt is read all the same, and the folder can be hashed."""
    documents, left_out = load(folder)
    assert "good" in documents["doc_id"].tolist()
    assert len(provenance.sha256_of(folder)) == 64
    assert left_out["do"].all()
    return dict(zip(left_out["path"], left_out["reason"], strict=True))


def test_what_is_no_file_is_never_opened(good, monkeypatch):
    monkeypatch.chdir(good)  # a socket's path is short
    os.mkfifo(good / "pipe.txt")
    (good / "device.txt").symlink_to("/dev/zero")
    (good / "gone.txt").symlink_to(good / "nowhere.txt")
    (good / "round.txt").symlink_to(good / "round.txt")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket.txt")
        assert refused(good) == {
            "device.txt": "The link leads out of the folder",
            "gone.txt": "The link leads nowhere",
            "pipe.txt": "It is no file: a pipe, or such",
            "round.txt": "The link leads nowhere",
            "socket.txt": "It is no file: a pipe, or such",
        }


def test_links_out_of_the_folder_are_left_out_and_those_inside_are_read(good, tmp_path):
    (tmp_path / "secret.txt").write_text("The password is 1234.")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "secret.txt").write_text("The password is 1234.")
    (good / "out.txt").symlink_to("../secret.txt")
    (good / "far").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    (good / "endless.txt").symlink_to("/proc/kmsg")
    (good / "inside.txt").symlink_to("good.txt")
    (good / "loop").symlink_to(".", target_is_directory=True)
    assert refused(good) == dict.fromkeys(
        ["endless.txt", "far", "out.txt"], "The link leads out of the folder"
    )
    assert load(good)[0]["doc_id"].tolist() == ["good", "inside"]


def test_the_sidecar_says_what_a_document_is_and_is_none(folder):
    (folder / "a.md").write_text("---\nstatus: superseded\n---\n\n# Fees\n\nThe fee is $5.\n")
    (folder / "b.txt").write_text("The fee is $5.")
    (folder / "documents.csv").write_text("path,status,audience\na.md,current,\nb.txt,,Staff only\n")
    read, left_out = documents.load(folder)
    assert read["status"].fillna("").tolist() == ["current", ""]
    assert read["audience"].fillna("").tolist() == ["", "staff"]
    assert left_out.empty and read["doc_id"].tolist() == ["a", "b"]
    tables.check("documents", read)


@pytest.mark.parametrize(
    "row, complaint", [("a.md,supersded,", "status that is not known"), ("z.md,current,", "not there")]
)
def test_a_wrong_sidecar_is_refused(folder, row, complaint):
    (folder / "a.md").write_text("The fee is $5.")
    (folder / "documents.csv").write_text(f"path,status,audience\n{row}\n")
    with pytest.raises(InputError, match=complaint):
        documents.load(folder)


@pytest.mark.parametrize("name, document", [
    ("fees#p3", "fees"), ("fees", "fees"), ("fees.md", "fees"), ("./docs/fees.md#3", "fees"), ("hr/leave#p1", "hr/leave"),
    ("docs/b/rates.md", "b-rates.md"), ("my#own", "my#own"), ("v1.2", "v1.2"), ("faq-7#p1", "faq-7"), ("", ""),
])  # fmt: skip
def test_the_document_that_an_id_means(name, document):
    assert documents.document_of(name, ["fees", "hr/leave", "b-rates.md", "my#own", "v1.2"]) == document
