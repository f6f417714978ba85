"""Cells: no text of a stranger runs in a spreadsheet, numbers stay numbers, and reading takes the guards off again."""

import csv
import json
import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ragassay
from ragassay.answers import open_answers, write_answers
from ragassay.api import calibrating, score_files
from ragassay.labels import human_labels, sheets
from ragassay.sanitized_text import guard_table, guarded, unguarded

CMD = "=cmd|' /C calc'!A0"
FORMULAS = [CMD, "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "\ufeff=1", '"=1"', "\u200b=1", "＝1", "'=1", "''=1", "-5 EUR", "-5 ", "|calc", "%a"]  # fmt: skip
NUMBER = re.compile(r"[-+][\d.,]*(e[-+]?\d+)? ?%?(?<! )")
HARMLESS = ["-5", "+0.25", "-1e-05", "-3,5", "'tis so", "a=b", "", "1-5", "-5%", "-5 %"]


@pytest.mark.parametrize("text", FORMULAS)
def test_what_would_run_is_guarded(text):
    assert guarded(text) == "'" + text and unguarded(guarded(text)) == text


@pytest.mark.parametrize("text", HARMLESS)
def test_what_would_not_run_stays(text):
    assert guarded(text) == text == unguarded(text)


@given(st.text() | st.text("='+- \"\ufeff\t5.", max_size=8))
def test_a_guard_is_taken_off_again(text):
    assert unguarded(guarded(text)) == text


@given(st.text("='+-@ 5e.,%cmd", max_size=9))
def test_nothing_guarded_begins_as_a_formula(text):
    cell = guarded(text)
    assert cell.lstrip()[:1] not in ("=", "@", "%") and (cell[:1] not in ("+", "-") or NUMBER.fullmatch(cell))


def test_numbers_of_a_table_stay_numbers():
    table = guard_table(pd.DataFrame({"=n": [-1.5, 2.0], "text": ["-x", None], "mixed": [-1, "=1"]}))
    assert list(table) == ["'=n", "text", "mixed"] and table["'=n"].tolist() == [-1.5, 2.0]
    assert table["text"].tolist()[0] == "'-x" and table["mixed"].tolist() == [-1, "'=1"]


def cells_of(path, delimiter=","):
    with path.open(encoding="utf-8-sig", newline="") as file:
        return [cell for row in csv.reader(file, delimiter=delimiter) for cell in row]


def runs(cell):
    return cell.lstrip("\ufeff\"' \u200b")[:1] in ("=", "@") and not cell.startswith("'")


@pytest.fixture
def log(tmp_path):
    rows = [
        {"case_id": text, "question": text, "answer": text, "contexts": [text], text: text}
        for text in FORMULAS
    ]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path / "log.jsonl"


def test_scores_in_a_csv_run_nothing_and_are_read_back(log, tmp_path):
    found = ragassay.score(log, metrics="privacy_leaks", out=tmp_path / "s.csv")
    assert not any(map(runs, cells_of(tmp_path / "s.csv")))
    again = pd.concat(score_files.batches(tmp_path / "s.csv"))
    assert (
        again["case_id"].tolist()
        == found.to_pandas()["case_id"].tolist()
        == [text.strip() or text for text in FORMULAS]
        or again["case_id"].tolist() == FORMULAS
    )
    assert calibrating.read(tmp_path / "s.csv")["case_id"].tolist() == again["case_id"].tolist()
    assert pd.api.types.is_float_dtype(again["value"])


@pytest.mark.parametrize("kind, delimiter", [(".csv", ","), (".tsv", "\t")])
def test_a_converted_log_runs_nothing_and_is_read_back(log, tmp_path, kind, delimiter):
    given = pd.concat(open_answers(log), ignore_index=True)
    path = write_answers(given, tmp_path / f"a{kind}", "ragas")
    assert not any(map(runs, cells_of(path, delimiter)))
    again = pd.concat(open_answers(path, schema="ragas"), ignore_index=True)
    for column in ("question", "answer"):
        assert again[column].tolist() == given[column].tolist()
    assert [list(one) for one in again["contexts"]] == [list(one) for one in given["contexts"]]


def test_labels_run_nothing_and_are_read_back(tmp_path):
    row = dict.fromkeys(sheets.COLUMNS, "") | {"dimension": "d", "rater": "A", "label": 1.0, "scale": "0-1"}
    labels = pd.DataFrame([row | {"case_id": text, "system": CMD, "remark": text} for text in FORMULAS])
    sheets.write_labels(labels, tmp_path / "l.csv")
    assert not any(map(runs, cells_of(tmp_path / "l.csv")))
    again = human_labels.read(tmp_path / "l.csv", None)[0]
    assert sorted(again["case_id"]) == sorted(FORMULAS) and set(again["system"]) == {CMD}
