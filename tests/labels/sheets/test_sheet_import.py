"""Labels that came back: what was written is read, every flaw is named at once, nothing is lost."""

import csv
import json

import openpyxl
import pytest

from labels.sheets.test_sheet import a_sheet, answers
from ragassay.errors import InputError, LabelError
from ragassay.labels import human_labels
from ragassay.labels.sheets import argilla, csv_sheet, excel, label_studio, returned_sheets, sheet_import
from ragassay.labels.sheets.returned_sheets import Entry, Returned
from ragassay.labels.sheets.sheet import row_id

ANSWERS = answers(4)
WRITERS = {
    "csv": (csv_sheet, "s.csv"),
    "xlsx": (excel, "s.xlsx"),
    "labelstudio": (label_studio, "s.json"),
    "argilla": (argilla, "s.json"),
}


def entry(case: int, at: str = "row 2", rater: str = "A", drawn: str = "random", **cells) -> Entry:
    return Entry(
        at,
        row_id(f"c{case}", "secret-system", drawn),
        human_labels.answer_sha256(f"answer {case}"),
        rater,
        cells,
    )


def a_file(*entries: Entry, name: str = "s.csv", scale: str = "1-5") -> Returned:
    from ragassay.labels.dimensions import Dimension

    return Returned(name, (Dimension("relevant", scale),), entries)


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


def annotated(tasks: list[dict], values) -> list[dict]:
    """Label Studio's export of the tasks."""
    for number, task in enumerate(tasks):
        task |= {"id": number + 1, "annotations": []}
        if number < len(values):
            picked = zip(("grounded", "relevant"), values[number], strict=True)
            result = [
                {"from_name": name, "to_name": "answer", "type": "choices", "value": {"choices": [value]}}
                for name, value in picked
            ]
            result.append(
                {"from_name": "comment", "to_name": "answer", "type": "textarea", "value": {"text": ["good"]}}
            )
            cancelled = {
                "was_cancelled": True,
                "completed_by": 2,
                "result": [{"from_name": "relevant", "value": {"choices": ["1"]}}],
            }
            made = {
                "completed_by": {"id": 7, "email": "a@bank.example"},
                "created_at": "2026-01-02T03:04:05Z",
                "result": result,
            }
            task["annotations"] = [made, cancelled]
    return tasks


def answered(records: list[dict], values) -> list[dict]:
    """Argilla's export of the records."""
    for record, (grounded, relevant) in zip(records, values, strict=False):
        given = {"grounded": grounded, "relevant": relevant, "comment": "good"}
        record["responses"] = {name: [{"value": value, "user_id": "u-1"}] for name, value in given.items()}
    return records


@pytest.mark.parametrize("kind", WRITERS)
def test_what_was_labelled_comes_back(tmp_path, kind):
    writer, name = WRITERS[kind]
    path, values = tmp_path / name, [("1", "4"), ("0", "2"), ("1", "5")]
    writer.write(a_sheet(ANSWERS), path)
    if path.suffix == ".json":
        change = annotated if kind == "labelstudio" else answered
        path.write_text(json.dumps(change(json.loads(path.read_text("utf-8")), values)), "utf-8")
    else:
        filled(path, values)
    found = sheet_import.check([returned_sheets.read(path)], ANSWERS)
    assert not found.flaws and (found.empty, found.repeated, found.changed) == (2, 0, 0)
    table = found.labels.pivot(index="case_id", columns="dimension", values="label")
    assert table.to_numpy().tolist() == [[1, 4], [0, 2], [1, 5]] and list(table.index) == ["c0", "c1", "c2"]
    assert set(found.labels.rater) == {
        {"labelstudio": "a@bank.example", "argilla": "u-1"}.get(kind, "A")
    } and set(found.labels.drawn) == {"random"}
    assert set(found.labels.remark) == {"=not a formula" if kind == "csv" else "good"}


def test_every_flaw_is_named_at_once():
    lost = Entry("row 9", "r-unknown", "0" * 64, "A", {"relevant": 4})
    hashless = Entry("row 8", entry(1).row, "abc", "A", {"relevant": 4})
    files = [
        a_file(
            entry(0, relevant="good"),
            entry(1, "row 3", relevant=9),
            entry(2, "row 4", rater="", relevant=3),
            lost,
            hashless,
        )
    ]
    found = sheet_import.check(files, ANSWERS)
    assert [(flaw.at, flaw.column, flaw.found) for flaw in found.flaws] == [
        ("row 2", "relevant", "good"),
        ("row 3", "relevant", "9"),
        ("row 4", "rater", ""),
        ("row 9", "row", "r-unknown"),
        ("row 8", "answer_sha256", "abc"),
    ]
    with pytest.raises(
        LabelError,
        match=r"(?s)5 cells.*s.csv, row 2, relevant: found 'good', expected 1, 2, 3, 4 or 5.*row 3.*row 4.*row 9.*row 8",
    ):
        sheet_import.refuse_flaws(found)
    assert found.labels.empty


def test_who_judged_may_be_said_once_for_all():
    found = sheet_import.check([a_file(entry(0, rater="", relevant=3))], ANSWERS, rater="B")
    assert found.labels.rater.tolist() == ["B"] and not found.flaws
    assert (
        sheet_import.check([a_file(entry(0, rater="=cmd", relevant=3))], ANSWERS).flaws[0].column == "rater"
    )


def test_the_same_label_twice_counts_once():
    found = sheet_import.check(
        [a_file(entry(0, relevant=3)), a_file(entry(0, "row 7", relevant="3"), name="again.csv")], ANSWERS
    )
    assert len(found.labels) == 1 and found.repeated == 1 and not found.flaws


def test_a_contradiction_is_a_flaw_in_both_places():
    found = sheet_import.check(
        [
            a_file(entry(0, relevant=3), entry(1, "row 3", relevant=2)),
            a_file(entry(0, "row 7", relevant=4), name="b.csv"),
        ],
        ANSWERS,
    )
    assert [(flaw.file, flaw.at) for flaw in found.flaws] == [
        ("s.csv", "row 2"),
        ("b.csv", "row 7"),
    ] and "b.csv, row 7" in found.flaws[0].expected
    assert found.labels.case_id.tolist() == ["c1"]


def test_mixed_scales_are_a_flaw_of_the_later_sheet():
    found = sheet_import.check(
        [a_file(entry(0, relevant=1)), a_file(entry(1, relevant=0), name="b.csv", scale="0-1")], ANSWERS
    )
    assert [(flaw.file, flaw.column, flaw.found) for flaw in found.flaws] == [
        ("b.csv", "relevant", "scale 0-1")
    ]
    assert found.labels.case_id.tolist() == ["c0"]


def test_a_changed_answer_is_kept_counted_and_set_aside_when_read(tmp_path):
    now = ANSWERS.assign(answer=["new", *ANSWERS.answer[1:]])
    found = sheet_import.check([a_file(entry(0, relevant=3), entry(1, "row 3", relevant=2))], now)
    assert found.changed == 1 and not found.flaws
    sheet_import.write_labels(found.labels, tmp_path / "l.csv")
    kept, aside = human_labels.read(tmp_path / "l.csv", now)
    assert kept.case_id.tolist() == ["c1"] and aside.case_id.tolist() == ["c0"]


def test_answers_that_were_not_drawn_at_random_do_not_count(tmp_path):
    found = sheet_import.check([a_file(entry(0, relevant=5), entry(1, "row 3", relevant=1))], ANSWERS)
    assert set(found.labels.drawn) == {"random"}
    sheet_import.write_labels(found.labels.assign(drawn=["random", "active"]), tmp_path / "l.csv")
    kept, _ = human_labels.read(tmp_path / "l.csv", ANSWERS)
    assert (
        human_labels.exchangeable_labels(kept).case_id.tolist()
        == human_labels.reference_labels(kept, "relevant").case_id.tolist()
        == ["c0"]
    )


def test_an_unknown_draw_is_refused(tmp_path):
    (tmp_path / "l.csv").write_text(
        "case_id,dimension,rater,label,scale,drawn\nc0,d,r,1,0-1,chosen\n", "utf-8"
    )
    with pytest.raises(LabelError, match=r"(?s)how an answer was drawn.*line 2.*chosen"):
        human_labels.read(tmp_path / "l.csv", ANSWERS)


@pytest.mark.parametrize(
    "name, content, complaint",
    [
        ("s.csv", b"a,b\n1,2\n", "head of a sheet"),
        ("s.csv", b"", "head of a sheet"),
        ("s.csv", "row,é".encode("latin-1"), "not UTF-8"),
        ("s.xlsx", b"no workbook", "no Excel workbook"),
        ("s.json", b"{", "no JSON"),
        ("s.json", b"[" * 100_000, "no JSON"),
        ("s.json", b"[]", "of no tool"),
        ("s.json", b'[{"data": 1}]', "of no tool"),
        ("s.json", b'[{"data": {"scales": {"a": "x"}}, "annotations": []}]', "scale cannot be read"),
    ],
)
def test_files_that_are_no_sheets_are_refused(tmp_path, name, content, complaint):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(LabelError, match=complaint):
        returned_sheets.read(tmp_path / name)


def test_files_that_are_not_there_or_of_another_kind(tmp_path):
    (tmp_path / "s.doc").write_text("x")
    for name in ("s.doc", "absent.csv"):
        with pytest.raises(InputError):
            returned_sheets.read(tmp_path / name)


def test_a_dimension_that_lost_its_scale_is_a_flaw():
    found = returned_sheets.from_rows(
        "s.csv",
        iter([["row", "grounded (0-1)", "relevant", "answer_sha256", "row"], ["r", "1", "4", "h", "r"]]),
    )
    assert [(flaw.column, flaw.at) for flaw in found.flaws] == [("relevant", "row 1"), ("row", "row 1")]


def test_two_choices_of_one_control_are_refused():
    both = {"from_name": "relevant", "value": {"choices": ["4", "5"]}}
    task = {
        "data": {"row": entry(0).row, "answer_sha256": entry(0).answer_sha256, "scales": {"relevant": "1-5"}},
        "annotations": [{"completed_by": 1, "result": [both]}],
    }
    file = Returned("s.json", *returned_sheets._from(label_studio, [task]))
    assert sheet_import.check([file], ANSWERS).flaws[0].found == "4 | 5"
