"""What a run folder states, read leniently: dates, versions, the cover."""

import json

import pandas as pd
import pytest

from ragassay.answers.answer_journal import OF_ROW
from ragassay.diff.run_facts import about
from ragassay.report import document_control
from ragassay.report.run_folder import STATED, Run


def run_of(folder, *versions, table="", columns=None, **engagement) -> Run:
    """A run of these versions, with one table."""
    (folder / "tables").mkdir(parents=True, exist_ok=True)
    (folder / "manifest.json").write_text(json.dumps({"versions": list(versions)}))
    (folder / "engagement.json").write_text(json.dumps(engagement))
    if table:
        pd.DataFrame(columns).to_parquet(folder / f"tables/{table}.parquet")
    return Run(folder)


@pytest.mark.parametrize(
    "days, printed",
    [
        (["2026-11-21", None], "2026-11-21 (stated as 2026-09-01, before the last label)"),
        (["2026-08-30", "2026-09-01T10:00"], "2026-09-01"),
        (["yesterday", "9999"], "2026-09-01"),
    ],
)
def test_the_date_of_the_report_does_not_precede_its_last_label(tmp_path, days, printed):
    run = run_of(tmp_path, table="labels", columns={"labelled_at": days}, date="2026-09-01")
    assert run.stated("date") == printed


@pytest.mark.parametrize(
    "date, printed",
    [
        ("2026-11-21", "2026-11-23 (stated as 2026-11-21, before the last answer)"),
        ("2026-11-23", "2026-11-23"),
    ],
)
def test_the_date_of_the_report_does_not_precede_its_last_answer(tmp_path, date, printed):
    row, lines = dict.fromkeys(OF_ROW, ""), []
    for n, day in enumerate(("2026-11-23", "2026-11-22")):
        key = [f"c{n}", 0, "q", "s", ""]
        lines.append(json.dumps({"key": key, "row": row, "asked": f"{day}T08:00:00+00:00", "run": "r"}))
    (tmp_path / "journal").mkdir()
    (tmp_path / "journal/answers.jsonl").write_text("\n".join([*lines, "torn"]))
    run = run_of(tmp_path, date=date)
    said = "from 2026-11-22 to 2026-11-23 (UTC): 2 answers, those to probes and variations among them"
    assert run.stated("date") == printed and document_control.asking_dates(run) == said


def test_a_log_says_when_it_was_asked_if_it_states_times(tmp_path):
    stated = {"date": "2026-09-01", "answers_log": "log.jsonl"}
    assert "which states no times" in document_control.asking_dates(run_of(tmp_path, **stated))
    times = ["2026-10-01T10:00:00Z", "2026-10-03", "soon", None]
    run = run_of(tmp_path, table="cases", columns={"timestamp": times}, **stated)
    said = "from 2026-10-01 to 2026-10-03, by the times of 2 rows of the log"
    assert document_control.asking_dates(run) == said
    assert run.stated("date") == "2026-10-03 (stated as 2026-09-01, before the last answer)"


def version(name, n: int) -> dict:
    return {"version": name, "by": "said by each reply, at build", "answers": n}


def test_the_cover_names_what_is_stated_else_what_every_reply_said(tmp_path):
    def cover(*rows, **engagement) -> str:
        return dict(document_control.cover(run_of(tmp_path, *rows, **engagement)))["Version"]

    assert cover(version("7.1", 4), model_version="2026") == "2026"
    assert cover(version("7.1", 4)) == "7.1 (said by each reply, at build)"
    for mixed in ([version("7.1", 4), version("8", 1)], [version("7.1", 4), version(None, 1)], []):
        assert cover(*mixed) == STATED


def test_a_mixture_of_versions_is_a_warning(tmp_path):
    rows = [version("7.1", 3), version("8", 1), version(None, 2)]
    table, box = document_control.version_blocks(run_of(tmp_path, *rows))
    assert len(table.rows) == 3 and box.kind == "gap"
    assert len(document_control.version_blocks(run_of(tmp_path, rows[0]))) == 1


@pytest.mark.parametrize("row", ["text", {}, {"version": "7.1", "by": 3, "answers": "many"}])
def test_a_manifest_that_somebody_changed_is_read_leniently(tmp_path, row):
    run = run_of(tmp_path, row)
    assert document_control.cover(run) and document_control.reading(run).blocks


def test_version_against_version(tmp_path):
    run_of(tmp_path / "a", version("7.1", 4))
    run_of(tmp_path / "b", version("8", 3), version(None, 1))
    both = about(Run(tmp_path / "a"), Run(tmp_path / "b")).set_index("what")
    assert both.loc["Version that answered"].tolist() == ["7.1", "8; not known"]


def test_the_cover_holds_the_note_of_the_engagement_and_none_of_its_own(tmp_path):
    assert "Note" not in dict(document_control.cover(run_of(tmp_path)))
    noted = run_of(tmp_path, cover_note="The bank is\u202e fictional.")
    assert dict(document_control.cover(noted))["Note"].startswith("The bank is⟨")
