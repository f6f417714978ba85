"""What is never opened, or cannot be: left out and named, and the other documents are read."""

import os
import socket
from pathlib import Path

import pytest

from ragassay import provenance
from ragassay.documents import load


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


def test_a_name_that_is_not_utf8_is_left_out_and_named_by_its_bytes(good):
    Path(os.fsdecode(os.fsencode(good) + b"/caf\xe9.txt")).write_text("The fee is $6.")
    Path(os.fsdecode(os.fsencode(good) + b"/d\xff")).mkdir()
    Path(os.fsdecode(os.fsencode(good) + b"/d\xff/fees.txt")).write_text("The fee is $6.")
    found = refused(good)
    assert found == {
        "caf\\xe9.txt": "The file's name is not UTF-8",
        "d\\xff/fees.txt": "The file's name is not UTF-8",
    }
    "".join(found).encode()


def test_a_file_without_permission_is_left_out(good, monkeypatch):
    (good / "locked.txt").write_text("The fee is $6.")
    opened = Path.open

    def refuse(path, *arguments, **options):
        if path.name == "locked.txt":
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *arguments, **options)

    monkeypatch.setattr(Path, "open", refuse)
    assert refused(good) == {"locked.txt": "The file cannot be read: PermissionError: Permission denied"}


def test_a_folder_without_permission_is_left_out(good, monkeypatch):
    (good / "locked").mkdir()
    for name in ("scandir", "listdir"):
        monkeypatch.setattr(os, name, _refusing(getattr(os, name)))
    assert refused(good) == {"locked": "The file cannot be read: PermissionError: Permission denied"}


def _refusing(listed):
    def refuse(path="."):
        if os.fspath(path).endswith("locked"):
            raise PermissionError(13, "Permission denied", os.fspath(path))
        return listed(path)

    return refuse


def test_a_library_that_stumbles_over_a_file_stops_no_other(good, monkeypatch):
    from ragassay.documents import file_loaders

    (good / "bad.txt").write_text("The fee is $6.")
    read = file_loaders.read
    monkeypatch.setattr(
        file_loaders, "read", lambda path, name: 1 // 0 if path.name == "bad.txt" else read(path, name)
    )
    assert list(refused(good)) == ["bad.txt"]


def test_what_is_no_file_is_never_opened(good, monkeypatch):
    monkeypatch.chdir(good)  # a socket's path is short
    os.mkfifo(good / "pipe.txt")
    (good / "folder.txt").mkdir()
    (good / "device.txt").symlink_to("/dev/zero")
    (good / "gone.txt").symlink_to(good / "nowhere.txt")
    (good / "round.txt").symlink_to(good / "round.txt")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket.txt")
        assert refused(good) == {
            "device.txt": "The link leads out of the folder",
            "folder.txt": "It is no file: a folder; the files in it are read by their own names",
            "gone.txt": "The link leads nowhere",
            "pipe.txt": "It is no file: a pipe",
            "round.txt": "The link leads nowhere",
            "socket.txt": "It is no file: a socket",
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


def test_a_folder_that_is_a_link_itself_is_read(good, tmp_path):
    (tmp_path / "link").symlink_to(good, target_is_directory=True)
    assert load(tmp_path / "link")[0]["doc_id"].tolist() == ["good"]
