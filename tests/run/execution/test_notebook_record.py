"""What a trace says a notebook did."""

import json

from ragassay.run.execution import notebook_record, skip_unchanged

READ = {"event": "read", "path": "tables/cases.parquet", "sha256": "11", "cell": 1}
WRITE = {"event": "write", "path": "tables/scores.parquet", "sha256": "22", "cell": 2}


def model(name: str, file: str, sha256: str) -> dict:
    return {"event": "model", "name": name, "file": file, "sha256": sha256}


def summary(tmp_path, *entries: dict) -> dict:
    trace = tmp_path / "trace"
    trace.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return notebook_record.summary(trace, tmp_path)


def test_two_files_of_one_name_are_two_models(tmp_path):
    """A head of the user's may be called like one of ours, and one model may answer at two endpoints: both took part, both are listed once."""
    given = [
        model("entailment", "heads/entailment.safetensors", "aa"),
        model("entailment", "mine/entailment.safetensors", "bb"),
    ]
    found = summary(tmp_path, *given, given[0])
    assert found["models"] == [{name: entry[name] for name in ("name", "file", "sha256")} for entry in given]


def test_a_file_that_changed_under_its_name_shows_twice(tmp_path):
    found = summary(tmp_path, model("h", "h.safetensors", "aa"), model("h", "h.safetensors", "bb"))
    assert [entry["sha256"] for entry in found["models"]] == ["aa", "bb"]


def test_what_is_written_before_it_is_read_is_no_input(tmp_path):
    found = summary(tmp_path, READ, WRITE, WRITE | {"sha256": "33"}, WRITE | {"event": "read"})
    assert [entry["path"] for entry in found["reads"]] == ["tables/cases.parquet"] and [
        entry["sha256"] for entry in found["writes"]
    ] == ["33"]


def test_without_a_seal_or_a_trace_it_says_so(tmp_path):
    assert (
        summary(tmp_path)["policy"] == "not sealed"
        and notebook_record.summary(tmp_path / "none", tmp_path)["models"] == []
    )
    assert summary(tmp_path, {"event": "sealed", "policy": "sealed; allowed: a:1 (192.0.2.1)"})[
        "policy"
    ].endswith("(192.0.2.1)")


def test_a_record_that_names_files_elsewhere_is_not_followed(tmp_path):
    """Neither hashed (`/dev/zero` has no end) nor removed."""
    run_dir, kept = tmp_path / "run", tmp_path / "kept.txt"
    (run_dir / ".state").mkdir(parents=True)
    kept.write_text("dear")
    entries = [{"path": name, "sha256": "0"} for name in ("../kept.txt", str(kept), "/dev/zero")]
    record = {"key": "k", "writes": entries, "reads": [], "inputs": []}
    (run_dir / ".state" / "00_scope.json").write_text(json.dumps(record))
    assert skip_unchanged.why_execute(run_dir, "00_scope", "k")
    assert set(notebook_record.changed(run_dir, entries).values()) == {"a path leads out of the run folder"}
    notebook_record.forget(run_dir, "00_scope")
    assert kept.exists() and not (run_dir / ".state" / "00_scope.json").exists()


def asked(failed: int, reused: dict | None = None) -> dict:
    return {
        "event": "system",
        "assistant": "bot.py",
        "failed": failed,
        "why": {"down": failed} if failed else {},
        "taken_up": None,
        "reused": reused,
    }


def test_of_several_sets_of_questions_all_failures_and_reused_answers_count(tmp_path):
    sets = [
        asked(2, {"n": 3, "first": "2026-01-02", "last": "2026-01-03"}),
        asked(1),
        asked(0, {"n": 1, "first": "2026-01-01", "last": "2026-01-01"}),
    ]
    found = summary(tmp_path, READ, *sets)["system"]
    assert (found["assistant"], found["failed"], found["taken_up"]) == ("bot.py", 3, None)
    assert found["why"] == {"down": 3}
    assert found["reused"] == {"n": 4, "first": "2026-01-01", "last": "2026-01-03"}
    assert summary(tmp_path, READ)["system"] is None
