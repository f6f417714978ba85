"""The chain of evidence: paths found, hashes taken, and a trace only where a runner asked for one."""

import json
import os

import pytest

from ragassay import provenance
from ragassay.errors import InputError


@pytest.fixture
def trace(tmp_path, monkeypatch):
    monkeypatch.setenv("RAGASSAY_TRACE", str(tmp_path / "trace"))
    return lambda: [json.loads(line) for line in (tmp_path / "trace").read_text().splitlines()]


def test_a_run_folder_is_found_from_below(tmp_path, monkeypatch):
    inner = tmp_path / "reports" / "bank" / "notebooks"
    inner.mkdir(parents=True)
    (inner.parent / ".state").mkdir()
    monkeypatch.chdir(inner)
    assert provenance.find("reports/bank") == tmp_path / "reports" / "bank"


def test_a_folder_hash_sees_content_and_names(tmp_path):
    (tmp_path / "a").write_text("1")
    before = provenance.sha256_of(tmp_path)
    (tmp_path / "a").rename(tmp_path / "b")
    renamed = provenance.sha256_of(tmp_path)
    (tmp_path / "b").write_text("2")
    assert len({before, renamed, provenance.sha256_of(tmp_path)}) == 3


def test_a_folder_hash_does_not_see_its_place_or_hidden_files(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.txt").write_text("1")
    before = provenance.sha256_of(tmp_path / "a")
    (tmp_path / "a" / ".DS_Store").write_text("noise")
    (tmp_path / "a").rename(tmp_path / "b")
    assert provenance.sha256_of(tmp_path / "b") == before


def test_what_is_saved_is_traced(tmp_path, trace):
    provenance.save(tmp_path, "sections/x.json", {"b": 1, "a": "é"})
    assert provenance.load(tmp_path, "sections/x.json") == {"a": "é", "b": 1}
    assert [(e["event"], e["path"]) for e in trace()] == [
        ("write", "sections/x.json"),
        ("read", "sections/x.json"),
    ]


def test_nothing_is_traced_without_a_runner(tmp_path, monkeypatch):
    monkeypatch.delenv("RAGASSAY_TRACE", raising=False)
    provenance.save(tmp_path, "x.json", {})
    assert list(tmp_path.iterdir()) == [tmp_path / "x.json"]


def test_a_record_not_written_yet_says_what_to_do(tmp_path):
    with pytest.raises(InputError, match="00_scope"):
        provenance.load(tmp_path, "engagement.json")


def test_the_file_of_a_module_is_found_without_executing_its_package(tmp_path, monkeypatch):
    (tmp_path / "installed" / "somebodys" / "inner").mkdir(parents=True)
    for name in ("somebodys/__init__.py", "somebodys/inner/__init__.py"):
        (tmp_path / "installed" / name).write_text("raise SystemExit('executed')")
    (tmp_path / "installed/somebodys/inner/bot.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path / "installed")
    found = provenance.located("module:somebodys.inner.bot")
    assert found == tmp_path / "installed/somebodys/inner/bot.py"
    assert (
        provenance.located("module:somebodys.outer.bot") is None
        and provenance.located("module:nobodys") is None
    )


def test_a_folder_hash_reads_nothing_without_an_end(tmp_path):
    (tmp_path / "a").write_text("1")
    before = provenance.sha256_of(tmp_path)
    for name, target in {"zero": "/dev/zero", "core": "/proc/kcore", "gone": "nowhere"}.items():
        (tmp_path / name).symlink_to(target)
    os.mkfifo(tmp_path / "pipe")
    assert provenance.sha256_of(tmp_path) == before
