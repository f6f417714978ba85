"""What a trace says a notebook did; one run at a time; the list of every file: complete, in the form of sha256sum, and
read back whatever the names."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from ragassay import provenance
from ragassay.errors import ParameterError
from ragassay.run import run_records
from ragassay.run.run_records import lock

READ = {"event": "read", "path": "tables/cases.parquet", "sha256": "11", "cell": 1}
SYSTEM = {"event": "system", "assistant": "bot.py"}
WRITE = {"event": "write", "path": "tables/scores.parquet", "sha256": "22", "cell": 2}


def model(name: str, file: str, sha256: str) -> dict:
    return {"event": "model", "name": name, "file": file, "sha256": sha256}


def summary(tmp_path, *entries: dict) -> dict:
    trace = tmp_path / "trace"
    trace.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return run_records.summary(trace)


def test_every_model_that_took_part_is_listed_once(tmp_path):
    """Two files of one name are two models, and so is a file that changed under its name."""
    given = [model("h", "heads/h", "aa"), model("h", "mine/h", "bb"), model("h", "mine/h", "cc")]
    found = summary(tmp_path, *given, given[0])
    assert [entry["sha256"] for entry in found["models"]] == ["aa", "bb", "cc"]


def test_of_several_sets_of_questions_all_failures_and_reused_answers_count(tmp_path):
    sets = [
        {"event": "system", "assistant": "bot.py", "failed": n, "why": {"down": n}, "reused": reused}
        for n, reused in ((2, {"n": 3, "first": "2026-09-02", "last": "2026-09-04"}), (1, None))
    ]
    found = summary(tmp_path, READ, *sets)["system"]
    assert (found["assistant"], found["failed"], found["why"]) == ("bot.py", 3, {"down": 3})
    assert found["reused"] == {"n": 3, "first": "2026-09-02", "last": "2026-09-04"}
    assert summary(tmp_path, READ)["system"] is None


def answered(journal, by, *parts):
    """The event of one set of answers: version, how many, first and last case of each part."""
    told = [dict(zip(("version", "n", "first", "last"), part, strict=True)) for part in parts]
    return {"event": "versions", "journal": journal, "by": by, "parts": told}


def test_the_versions_that_answered_are_counted_over_all_notebooks(tmp_path):
    one = summary(tmp_path, SYSTEM, answered("answers", "reply", ("7.1", 2, "a", "b")))
    two = summary(tmp_path, SYSTEM, answered("probes", "reply", ("7.1", 1, "c", "c"), ("8", 1, "d", "d")))
    rows = run_records.versions([one, two])
    counted = [(row["version"], row["answers"], row["last"]["case_id"]) for row in rows]
    assert counted == [("7.1", 3, "c"), ("8", 1, "d")]
    assert rows[1]["first"] == {"journal": "probes", "case_id": "d"}


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"key": 3}', "[" * 100_000, '{"writes": [3]}'])
def test_a_broken_record_is_no_record(tmp_path, text):
    (tmp_path / ".state").mkdir()
    (tmp_path / ".state/00_scope.json").write_text(text)
    assert run_records.load(tmp_path, "00_scope") is None
    assert run_records.why_execute(tmp_path, "00_scope", "k")


HOLD = """
import pathlib, sys, time
from ragassay.run.run_records import lock
with lock(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_the_second_is_refused_and_what_a_dead_process_left_does_not_block(tmp_path):
    (tmp_path / ".state").mkdir()
    command = [sys.executable, "-c", HOLD, tmp_path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        for _ in range(2):
            with pytest.raises(ParameterError, match="another run"), lock(tmp_path):
                pass
        process.kill()
    with lock(tmp_path):
        pass


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
    assert run_records.list_files(folder) == provenance.sha256_of(folder / "SHA256SUMS")
    lines = os.fsdecode((folder / "SHA256SUMS").read_bytes()).splitlines()
    assert {line[66:] for line in lines} == {*NAMES, os.fsdecode(b"\xff\xfe")}
    assert run_records.find_changes(folder) == [] and run_records.list_files(
        folder
    ) == run_records.list_files(folder)


@pytest.mark.skipif(not shutil.which("sha256sum"), reason="no coreutils")
def test_coreutils_reads_it(folder):
    run_records.list_files(folder)
    done = subprocess.run(["sha256sum", "--strict", "-c", "SHA256SUMS"], cwd=folder, capture_output=True)
    assert done.returncode == 0, done.stderr


def test_what_is_no_regular_file_of_the_folder_is_named_and_not_listed(folder):
    os.mkfifo(folder / "pipe")
    (folder / "zero").symlink_to("/dev/zero")
    (folder / "out").symlink_to("/etc/hostname")
    (folder / "new\nline").touch()
    run_records.list_files(folder)
    names = ("new␊line", "out", "pipe", "zero")
    assert run_records.find_changes(folder) == [f"{name}: is not in SHA256SUMS" for name in names]


@pytest.mark.parametrize("line", ["../x", "/dev/zero", "/etc/hostname", "a/../../x"])
def test_a_listed_path_that_leads_out_is_not_followed(folder, line):
    run_records.list_files(folder)
    with (folder / "SHA256SUMS").open("a") as file:
        file.write(f"{'0' * 64}  {line}\n")
    assert run_records.find_changes(folder) == [f"{line}: a path leads out of the run folder"]


@pytest.mark.parametrize("text", ["", "nonsense\n", f"{'0' * 63}  a.txt\n", f"{'0' * 64}\n"])
def test_a_list_that_is_none_is_told(folder, text):
    (folder / "SHA256SUMS").write_text(text)
    assert "ragassay report" in run_records.find_changes(folder)[0]
