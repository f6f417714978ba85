"""What a run folder states, read leniently."""

import json

import pandas as pd
import pytest

from ragassay.answers.answer_journal import OF_ROW
from ragassay.report import document_control
from ragassay.report.run_folder import Run


@pytest.mark.parametrize(
    "days, printed",
    [
        (["2026-11-21", None], "2026-11-21 (stated as 2026-09-01, before the last label)"),
        (["2026-08-30", "2026-09-01T10:00"], "2026-09-01"),
        (["yesterday", "9999"], "2026-09-01"),
        (None, "2026-09-01"),
    ],
)
def test_the_date_of_the_report_does_not_precede_its_last_label(tmp_path, days, printed):
    (tmp_path / "engagement.json").write_text('{"date": "2026-09-01"}')
    (tmp_path / "tables").mkdir()
    if days is not None:
        pd.DataFrame({"labelled_at": days}).to_parquet(tmp_path / "tables/labels.parquet")
    assert Run(tmp_path).stated("date") == printed


def asked(folder, *days):
    """A journal of answers asked on these days."""
    (folder / "journal").mkdir(exist_ok=True)
    row = dict.fromkeys(OF_ROW, "")
    lines = [
        {"key": [f"c{n}", 0, "q", "s", ""], "row": row, "asked": f"{day}T08:00:00+00:00", "run": "r"}
        for n, day in enumerate(days)
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "journal/answers.jsonl").write_text(text + "torn")


@pytest.mark.parametrize(
    "date, printed",
    [
        ("2026-11-21", "2026-11-23 (stated as 2026-11-21, before the last answer)"),
        ("2026-11-23", "2026-11-23"),
    ],
)
def test_the_date_of_the_report_does_not_precede_its_last_answer(tmp_path, date, printed):
    (tmp_path / "engagement.json").write_text(json.dumps({"date": date}))
    asked(tmp_path, "2026-11-23", "2026-11-22")
    assert Run(tmp_path).stated("date") == printed
    assert document_control.asking_dates(Run(tmp_path)) == (
        "from 2026-11-22 to 2026-11-23 (UTC): 2 answers, those to probes and variations among them"
    )


def test_a_log_says_when_it_was_asked_if_it_states_times(tmp_path):
    (tmp_path / "engagement.json").write_text('{"date": "2026-09-01", "answers_log": "log.jsonl"}')
    assert "which states no times" in document_control.asking_dates(Run(tmp_path))
    (tmp_path / "tables").mkdir()
    times = ["2026-10-01T10:00:00Z", "2026-10-03", "soon", None]
    pd.DataFrame({"timestamp": times}).to_parquet(tmp_path / "tables/cases.parquet")
    found = Run(tmp_path)
    assert (
        document_control.asking_dates(found)
        == "from 2026-10-01 to 2026-10-03, by the times of 2 rows of the log"
    )
    assert found.stated("date") == "2026-10-03 (stated as 2026-09-01, before the last answer)"
