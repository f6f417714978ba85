"""load: what is found, in which order and under which name, and what is said of that which cannot be read."""

import hashlib
import os
import socket
from pathlib import Path

import pytest
from document_files import docx, pdf

from ragassay import provenance, tables
from ragassay.documents import load
from ragassay.errors import InputError


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
