"""What a run folder states, read leniently: dates, versions, the cover."""

import json

import pandas as pd
import pytest

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
    _, table, box = document_control.reading(run_of(tmp_path, *rows)).blocks
    assert len(table.rows) == 3 and box.tone == "open"
    assert len(document_control.reading(run_of(tmp_path, rows[0])).blocks) == 2
