"""`ragassay label`: from a run to a sheet to labels that notebook 04 reads; a mistake is told without a traceback."""

import csv

import openpyxl
import pandas as pd
import pytest

from command_line import called
from ragassay import tables
from ragassay.labels import human_labels

N = 12


@pytest.fixture
def call(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    cases = pd.DataFrame({"case_id": [f"c{i}" for i in range(N)], "system": "s"})
    said = {"repeat": 0, "question": "q?", "answer": [f"=1+{i}" for i in range(N)], "contexts": [["p"]] * N}
    tables.write(tmp_path / "run", "answers", cases.assign(**said))

    def run(*words: str) -> tuple[int, str, str]:
        return called(["label", *words], monkeypatch, capsys)

    return run


def label_all(path, value=1) -> None:
    book = openpyxl.load_workbook(path)
    for row in range(2, book["labels"].max_row + 1):
        book["labels"].cell(row, 7).value = value
    book.save(path)


def test_from_sheet_to_labels(call, tmp_path):
    words = "export --run run --out s.xlsx --n 8 --raters 2 --overlap 2 --dimensions grounded:0-1"
    code, said, _ = call(*words.split())
    assert code == 0 and "8 of 12" in said and "2 answers judged by two" in said
    for name in ("s.rater-1.xlsx", "s.rater-2.xlsx"):
        label_all(tmp_path / name)
    code, said, _ = call("import", "s.rater-1.xlsx", "s.rater-2.xlsx", "--run", "run", "--out", "labels.csv")
    assert code == 0 and "10 labels (grounded 10) of 8 answers by 2 raters" in said
    kept, aside = human_labels.read(tmp_path / "labels.csv", tables.read("run", "answers"))
    assert len(kept) == 10 and aside.empty and set(kept.scale) == {"0-1"}


def test_wrong_cells_stop_it_unless_the_good_are_wanted(call, tmp_path):
    call("export", "--run", "run", "--out", "s.csv", "--dimensions", "grounded:0-1", "--rater", "A")
    rows = list(csv.reader((tmp_path / "s.csv").open(encoding="utf-8-sig", newline="")))
    for at, row in enumerate(rows[1:]):
        row[6] = ("1", "yes", "7")[at % 3]
    csv.writer((tmp_path / "s.csv").open("w", encoding="utf-8", newline="")).writerows(rows)
    code, _, wrong = call("import", "s.csv", "--run", "run", "--out", "l.csv")
    assert code == 1 and wrong.count("expected 0 or 1") == 8 and not (tmp_path / "l.csv").exists()
    code, said, _ = call("import", "s.csv", "--run", "run", "--out", "l.csv", "--keep-good")
    assert code == 0 and "4 labels" in said and said.count("expected 0 or 1") == 8
    assert len(pd.read_csv(tmp_path / "l.csv")) == 4


def test_sheets_of_one_origin_hold_no_other(call, tmp_path):
    origin = ["own", "generated"] * (N // 2)
    cases = pd.DataFrame({"case_id": [f"c{i}" for i in range(N)], "question": "q?", "origin": origin})
    cases = cases.reindex(columns=[*tables.TABLES["cases"].columns]).astype(object)
    cases.to_parquet(tmp_path / "run" / "tables" / "cases.parquet")
    words = ("export", "--run", "run", "--dimensions", "grounded:0-1", "--out")
    code, said, _ = call(*words, "s.csv", "--origin", "own")
    drawn = [row[0] for row in csv.reader((tmp_path / "s.csv").open(encoding="utf-8-sig", newline=""))][1:]
    assert code == 0 and len(drawn) == N // 2 and "generated" not in said
    assert len(pd.read_csv(tmp_path / "s.csv")) == N // 2
    code, _, wrong = call(*words, "t.csv", "--origin", "own,logged")
    assert code == 1 and "logged" in wrong and "generated, own" in wrong and not (tmp_path / "t.csv").exists()


def test_what_labels_buy_is_said(call):
    code, said, _ = call("plan", "--n", "50,200")
    assert code == 0 and "half widths" in said and len(said.strip().splitlines()) == 5
