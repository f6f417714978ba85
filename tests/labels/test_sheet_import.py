"""Labels that came back: what was written is read, every flaw is named at once, nothing is lost."""

import csv
import json

import openpyxl
import pytest

from labels.test_sheets import a_sheet, answers
from ragassay.errors import LabelError
from ragassay.labels import human_labels, sheet_formats, sheet_import
from ragassay.labels.dimensions import Dimension
from ragassay.labels.sheet_formats import Entry
from ragassay.labels.sheets import row_id

ANSWERS = answers(4)


def entry(case: int, where: str = "s.csv, line 2", *, rater="A", scale="1-5", **changed) -> Entry:
    cells = {Dimension("relevant", scale): changed.pop("relevant")}
    row, sha256 = row_id(f"c{case}", "secret-system"), human_labels.answer_sha256(f"answer {case}")
    return Entry(where, changed.get("row", row), changed.get("sha256", sha256), rater, cells)


def filled(path, values) -> None:
    """Labels put into the first rows of an exported sheet, as a rater would; (grounded, relevant) or nothing."""
    if path.suffix == ".csv":
        rows = list(csv.reader(path.open(encoding="utf-8-sig", newline="")))
        for row, (grounded, relevant) in zip(rows[1:], values, strict=False):
            row[5], row[6], row[7] = grounded, relevant, "=not a formula"
        with path.open("w", encoding="utf-8-sig", newline="") as file:
            csv.writer(file, delimiter=";").writerows(rows)  # as Excel saves it in half of Europe
    elif path.suffix == ".xlsx":
        book = openpyxl.load_workbook(path)
        for at, (grounded, relevant) in enumerate(values, 2):
            book["labels"].cell(at, 6).value, book["labels"].cell(at, 7).value = int(grounded), int(relevant)
            book["labels"].cell(at, 8).value = "good"
        book.save(path)
    else:
        tasks = json.loads(path.read_text("utf-8"))
        path.write_text(json.dumps(annotated(tasks, values)), "utf-8")


def annotated(tasks: list[dict], values) -> list[dict]:
    """Label Studio's export of the tasks."""
    for number, task in enumerate(tasks):
        task |= {"id": number + 1, "annotations": []}
        if number < len(values):
            given = zip(("grounded", "relevant"), values[number], strict=True)
            result = [{"from_name": name, "value": {"choices": [value]}} for name, value in given]
            result.append({"from_name": "comment", "value": {"text": ["good"]}})
            made = {"completed_by": {"id": 7, "email": "a@bank.example"}, "result": result}
            cancelled = {"was_cancelled": True, "completed_by": 2, "result": result[:1]}
            task["annotations"] = [made, cancelled]
    return tasks


@pytest.mark.parametrize(
    "name, rater, remark",
    [("s.csv", "A", "=not a formula"), ("s.xlsx", "A", "good"), ("s.json", "a@bank.example", "good")],
)
def test_what_was_labelled_comes_back(tmp_path, name, rater, remark):
    path, values = tmp_path / name, [("1", "4"), ("0", "2"), ("1", "5")]
    sheet_formats.write(a_sheet(ANSWERS), path)
    filled(path, values)
    found = sheet_import.check(sheet_formats.read(path)[0], ANSWERS)
    assert not found.flaws and (found.empty, found.repeated, found.changed) == (2, 0, 0)
    table = found.labels.pivot(index="case_id", columns="dimension", values="label")
    assert table.to_numpy().tolist() == [[1, 4], [0, 2], [1, 5]] and list(table.index) == ["c0", "c1", "c2"]
    assert set(found.labels.rater) == {rater} and set(found.labels.remark) == {remark}


def test_every_flaw_is_named_at_once():
    entries = [
        entry(0, relevant="good"),
        entry(1, "line 3", relevant=9),
        entry(2, "line 4", rater="", relevant=3),
        entry(2, "line 9", row="r-unknown", relevant=4),
        entry(1, "line 8", sha256="abc", relevant=4),
    ]
    found = sheet_import.check(entries, ANSWERS)
    assert [(flaw.where, flaw.column, flaw.found) for flaw in found.flaws] == [
        ("s.csv, line 2", "relevant", "good"),
        ("line 3", "relevant", "9"),
        ("line 4", "rater", ""),
        ("line 9", "row", "r-unknown"),
        ("line 8", "answer_sha256", "abc"),
    ]
    assert found.labels.empty and "found 'good', expected 1, 2, 3, 4 or 5" in str(found.flaws[0])


def test_a_changed_answer_is_kept_counted_and_set_aside_when_read(tmp_path):
    now = ANSWERS.assign(answer=["new", *ANSWERS.answer[1:]])
    found = sheet_import.check([entry(0, relevant=3), entry(1, "line 3", relevant=2)], now)
    assert found.changed == 1 and not found.flaws
    sheet_import.write_labels(found.labels, tmp_path / "l.csv")
    kept, aside = human_labels.read(tmp_path / "l.csv", now)
    assert kept.case_id.tolist() == ["c1"] and aside.case_id.tolist() == ["c0"]


@pytest.mark.parametrize("name, content, complaint", [
    ("s.csv", b"a,b\n1,2\n", "head of a sheet"),
    ("s.csv", b"", "head of a sheet"),
    ("s.json", b"[" * 100_000, "no export"),
    ("s.json", b'[{"data": 1}]', "no export"),
    ("s.json", b'[{"data": {"scales": {"a": "x"}}, "annotations": []}]', "scale cannot be read"),
])  # fmt: skip
def test_files_that_are_no_sheets_are_refused(tmp_path, name, content, complaint):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(LabelError, match=complaint):
        sheet_formats.read(tmp_path / name)
