"""The list of every file: complete, in the form of sha256sum, and read back whatever the names."""

import os
import shutil
import subprocess

import pytest

from ragassay import provenance
from ragassay.run import manifest

NAMES = ["a.txt", "tables/b c.parquet", ".state/x.json", "back\\slash", "é", "esc\x1b[2J"]


@pytest.fixture
def folder(tmp_path):
    for name in NAMES:
        (tmp_path / "run" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "run" / name).write_text(name)
    (tmp_path / "run" / os.fsdecode(b"\xff\xfe")).write_text("no UTF-8")
    (tmp_path / "run" / ".state" / "lock").write_text("")
    return tmp_path / "run"


def test_every_file_is_listed_under_its_own_name(folder):
    assert manifest.list_files(folder) == provenance.sha256_of(folder / "SHA256SUMS")
    lines = os.fsdecode((folder / "SHA256SUMS").read_bytes()).splitlines()
    assert {line[66:] for line in lines} == {*NAMES, os.fsdecode(b"\xff\xfe")}
    assert manifest.find_changes(folder) == [] and manifest.list_files(folder) == manifest.list_files(folder)


@pytest.mark.skipif(not shutil.which("sha256sum"), reason="no coreutils")
def test_coreutils_reads_it(folder):
    manifest.list_files(folder)
    done = subprocess.run(["sha256sum", "--strict", "-c", "SHA256SUMS"], cwd=folder, capture_output=True)
    assert done.returncode == 0, done.stderr


def test_what_is_no_regular_file_of_the_folder_is_named_and_not_listed(folder):
    os.mkfifo(folder / "pipe")
    (folder / "zero").symlink_to("/dev/zero")
    (folder / "out").symlink_to("/etc/hostname")
    (folder / "new\nline").touch()
    manifest.list_files(folder)
    names = ("new␊line", "out", "pipe", "zero")
    assert manifest.find_changes(folder) == [f"{name}: is not in SHA256SUMS" for name in names]


@pytest.mark.parametrize("line", ["../x", "/dev/zero", "/etc/hostname", "a/../../x"])
def test_a_listed_path_that_leads_out_is_not_followed(folder, line):
    manifest.list_files(folder)
    with (folder / "SHA256SUMS").open("a") as file:
        file.write(f"{'0' * 64}  {line}\n")
    assert manifest.find_changes(folder) == [f"{line}: a path leads out of the run folder"]


@pytest.mark.parametrize("text", ["", "nonsense\n", f"{'0' * 63}  a.txt\n", f"{'0' * 64}\n"])
def test_a_list_that_is_none_is_told(folder, text):
    (folder / "SHA256SUMS").write_text(text)
    assert "ragassay report" in manifest.find_changes(folder)[0]
