"""The report's date cannot precede its evidence: told before anything runs, and never printed as if it could."""

import datetime

import pytest

from ragassay.errors import ParameterError
from ragassay.run.parameter_file import engagement
from ragassay.run.parameters import Parameter

HEAD = "case_id,system,dimension,rater,label,scale,labelled_at\n"


def flaw(**values):
    return engagement.report_date_flaw(values.get)


@pytest.fixture
def labels(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(*days):
        rows = [f"c{n},s,grounded,ann,1,0-1,{day}\n" for n, day in enumerate(days)]
        (tmp_path / "labels.csv").write_text(HEAD + "".join(rows))
        return "labels.csv"

    return write


def test_a_label_after_the_report_is_named_with_its_line(labels):
    file = labels("2026-11-20", "2026-11-21T10:00:00Z", "")
    found = flaw(date="2026-09-01", labels=file)
    assert "dated 2026-09-01, before its evidence: a label (labels.csv, line 3) of 2026-11-21" in found
    assert flaw(date="2026-11-21", labels=file) == "" and flaw(date="2026-12-01", labels=file) == ""


def test_no_date_is_today(labels):
    today = datetime.date.today()
    assert flaw(date="", labels=labels(today.isoformat())) == ""
    assert "before its evidence" in flaw(date="", labels=labels((today + datetime.timedelta(3)).isoformat()))


def test_the_data_cut_off_and_challenges_are_evidence_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.csv").write_text("date,raised by,challenge\n2026-10-02,Ann,Why?\n")
    assert "data_cutoff" in flaw(date="2026-09-01", data_cutoff="2026-09-02")
    assert "challenge log of 2026-10-02" in flaw(date="2026-09-01", challenges="log.csv")
    assert flaw(date="2026-10-02", data_cutoff="not stated", challenges="log.csv") == ""


def test_the_times_of_a_log_are_evidence_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    row = '{"question": "q?", "answer": "a.", "contexts": ["c."], "timestamp": "%s"}\n'
    (tmp_path / "log.jsonl").write_text(
        row % "2026-10-01T10:00:00Z" + row % "2026-10-03" + row % "1790000000"
    )
    found = flaw(date="2026-10-02", answers_log="log.jsonl")
    assert "an answer of the log (log.jsonl, line 2) of 2026-10-03" in found
    assert flaw(date="2026-10-03", answers_log="log.jsonl") == ""


@pytest.mark.parametrize("day", ["21.11.2026", "yesterday", "", "9999"])
def test_a_day_in_other_words_is_not_compared(labels, day):
    assert flaw(date="2026-09-01", labels=labels(day)) == ""


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"date": 3},
        {"date": "soon"},
        {"date": "2026-09-01", "labels": "gone.csv"},
        {"date": "2026-09-01", "labels": 7},
    ],
)
def test_what_is_told_elsewhere_is_not_told_here(values):
    assert flaw(**values) == ""


def test_nothing_runs_and_the_line_is_named(labels, tmp_path):
    labels("2026-11-21")
    (tmp_path / "mine.yml").write_text(
        '00_scope:\n  date: "2026-09-01"\n04_calibration:\n  labels: labels.csv\n'
    )
    schemas = {
        "00_scope": [Parameter("date", "Date", "", "the date")],
        "04_calibration": [Parameter("labels", "File", "", "labels")],
    }
    with pytest.raises(ParameterError, match="line 2: the report is dated 2026-09-01"):
        engagement.load(tmp_path / "mine.yml", schemas)
