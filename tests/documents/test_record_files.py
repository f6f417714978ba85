"""Files as records: every form, every flaw with its place, nothing lost."""

import csv
import json
from pathlib import Path

import pytest

from ragassay.documents.record_files import read_records
from ragassay.errors import InputError

ROWS = [
    {"question": "Why?", "answer": 'So,\n"there".', "contexts": ["One.", "Two."]},
    {"question": "Who?", "answer": "Señor 😀 שלום", "contexts": []},
]


def read(path: Path) -> list:
    return list(read_records(path))


def jsonl(path: Path, *lines) -> Path:
    path.write_bytes(
        b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines) + b"\n"
    )
    return path


def as_csv(path: Path, rows: list[dict], **options) -> Path:
    with path.open("w", newline="", encoding=options.pop("encoding", "utf-8")) as file:
        writer = csv.DictWriter(file, list(rows[0]), **options)
        writer.writeheader()
        writer.writerows(
            {name: json.dumps(value) if isinstance(value, list) else value for name, value in row.items()}
            for row in rows
        )
    return path


@pytest.mark.parametrize(
    "content",
    [
        {"results": {"results": ROWS}},
        {
            "question": ["Why?", "Who?"],
            "answer": [ROWS[0]["answer"], ROWS[1]["answer"]],
            "contexts": [["One.", "Two."], []],
        },
        {"version": 1, "examples": ROWS},
    ],
)
def test_json_in_other_forms(tmp_path, content):
    (tmp_path / "a.json").write_text(json.dumps(content))
    assert [record.values for record in read(tmp_path / "a.json")] == ROWS


def test_answers_of_a_run_are_joined_to_the_items_of_the_lesson(tmp_path):
    (tmp_path / "a.json").write_text(
        json.dumps({"items": [{"query_id": 1, "question": "Why?"}], "run_answers": {"1": "So."}})
    )
    assert read(tmp_path / "a.json")[0].values == {"query_id": 1, "question": "Why?", "run_answer": "So."}


@pytest.mark.parametrize(
    "name, options",
    [
        ("a.csv", {}),
        ("a.csv", {"delimiter": ";"}),
        ("a.tsv", {"delimiter": "\t"}),
        ("a.csv", {"encoding": "utf-8-sig"}),
        *(("a.csv", {"encoding": encoding}) for encoding in ("utf-16", "utf-16-le", "utf-16-be")),
    ],
)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_delimited(tmp_path, name, options, ending):
    found = read(as_csv(tmp_path / name, ROWS, lineterminator=ending, **options))
    assert [record.values | {"contexts": json.loads(record.values["contexts"])} for record in found] == ROWS
    assert [record.where for record in found] == [f"{name}, line 2", f"{name}, line 4"]


def test_excel_takes_the_first_sheet_that_is_a_table(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["About this workbook"])
    sheet = book.create_sheet("log")
    for cells in (
        ["question", "answer", None],
        ["Why?", 42, "aside"],
        [None] * 3,
        ["How?", "One._x000D_\nTwo."],
        ["Rate?", 0.0525],
        ["Share?", 0.5],
    ):
        sheet.append(cells)
    sheet["B5"].number_format, sheet["B6"].number_format = "0.00%", "0%"
    book.save(tmp_path / "a.xlsx")
    found = read(tmp_path / "a.xlsx")
    assert [tuple(record.values.values()) for record in found] == [
        *(("Why?", 42), ("How?", "One.\nTwo.")),
        *(("Rate?", "5.25%"), ("Share?", "50%")),
    ]
    assert found[1].where == "a.xlsx, sheet 'log', row 4"
    book.remove(sheet)
    book.save(tmp_path / "b.xlsx")
    with pytest.raises(InputError, match="found: Sheet"):
        read(tmp_path / "b.xlsx")


def test_a_broken_line_is_told_and_the_next_is_read(tmp_path):
    deep = b"[" * 100_000
    path = jsonl(
        tmp_path / "a.jsonl", ROWS[0], b'{"question": "Wh', b"[1, 2]", b"", b"  ", b"\x00\x00", deep, ROWS[1]
    )
    found = read(path)
    assert [record.broken for record in found] == [False, True, True, True, True, False]
    assert [record.where for record in found if record.broken] == [f"a.jsonl, line {n}" for n in (2, 3, 6, 7)]
    assert "one JSON object per line" in str(found[1].flaws[0])
    assert found[-1].values == ROWS[1]


def test_a_broken_row_is_told_and_the_next_is_read(tmp_path):
    content = b'question,answer\nWhy?,So.\none cell\na,b,c\n"quoted"x,b\n\nWho?,cafe\nWhen?,"two\nlines"\nLast?,Yes.\n'
    (tmp_path / "a.csv").write_bytes(content)
    found = read(tmp_path / "a.csv")
    assert [(record.where.rpartition(" ")[2], record.broken) for record in found] == [
        ("2", False), ("3", True), ("4", True), ("5", True), ("7", False), ("8", False), ("10", False),
    ]  # fmt: skip
    assert "1 cells" in found[1].flaws[0].found and "2 cells" in found[1].flaws[0].expected
    assert found[-1].values == {"question": "Last?", "answer": "Yes."}


@pytest.mark.parametrize(
    "name, content, words",
    [
        ("a.txt", b"x", "another kind"),
        ("a.json", b"{", "not JSON"),
        ("a.jsonl", b"\xff", "not UTF-8"),
        ("a.json", b'{"a": 1, "b": 2}', "keys a, b"),
        ("a.json", b"[1, 2]", "no records"),
        ("a.csv", b"question,question\n1,2\n", "two columns have the same name"),
        ("a.csv", b'"question"x,answer\n', "header of the CSV is broken"),
        ("a.parquet", b"PAR1", "Parquet file is broken"),
        ("a.xlsx", b"PK", "no Excel workbook"),
        ("a.jsonl.gz", b"not packed", "compressed file is broken"),
    ],
)
def test_a_file_that_is_broken_as_a_whole_is_refused(tmp_path, name, content, words):
    if name.endswith("xlsx"):
        pytest.importorskip("openpyxl")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=words):
        read(tmp_path / name)


def test_the_line_in_which_excel_names_its_delimiter(tmp_path):
    (tmp_path / "a.csv").write_text("sep=;\nquestion;answer\nWhy?;1,5\n")
    assert read(tmp_path / "a.csv")[0][:2] == ({"question": "Why?", "answer": "1,5"}, "a.csv, line 3")
