"""Sheets: blind, in random order, harmless in a spreadsheet, and read back as they were written."""

import csv
import io
from itertools import combinations

import numpy as np
import openpyxl
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.errors import InputError, ParameterError
from ragassay.labels import dimensions
from ragassay.labels.dimensions import Dimension
from ragassay.labels.sheets import csv_sheet, excel, sheet

HOSTILE = (
    "=HYPERLINK(1)",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "'quoted",
    "a\x00b\u202ec",
    "<b>x</b>",
    '",\n"',
    "x" * 100_000,
)


def answers(n: int, texts_of=lambda place: f"answer {place}") -> pd.DataFrame:
    rows = [
        {
            "case_id": f"c{place}",
            "system": "secret-system",
            "repeat": 0,
            "question": f"q{place}?",
            "answer": texts_of(place),
            "contexts": ["p1", "p2"],
            "error": "",
        }
        for place in range(n)
    ]
    return pd.DataFrame(rows)


def a_sheet(table: pd.DataFrame, rater: str = "A") -> sheet.Sheet:
    asked = dimensions.parse("grounded:0-1,relevant:1-5")
    return sheet.Sheet(
        sheet.tasks(table.assign(drawn="random")), asked, tuple(sheet.guide_lines(asked)), rater
    )


def rows_of(path):
    return list(csv_sheet.read(path) if path.suffix == ".csv" else excel.read(path))


@given(st.text(st.characters(), max_size=60))
def test_what_is_shown_hides_nothing_and_can_be_written(text):
    shown = sheet.visible(text)
    assert not [c for c in shown if ord(c) < 32 and c not in "\n\t"] and "\u202e" not in shown
    assert shown.encode("utf-8").decode("utf-8") == shown


def test_a_long_text_is_cut_and_says_so():
    shown = sheet.visible("y" * 40_000)
    assert len(shown) < 32_767 and "40,000 characters" in shown


@pytest.mark.parametrize("ending", [".csv", ".xlsx"])
def test_hostile_texts_come_back_as_shown_and_run_nowhere(tmp_path, ending):
    made = a_sheet(answers(len(HOSTILE), HOSTILE.__getitem__))
    path = tmp_path / f"s{ending}"
    (csv_sheet if ending == ".csv" else excel).write(made, path)
    head, *rows = rows_of(path)
    assert [row[3] for row in rows] == [sheet.visible(text) for text in HOSTILE]
    assert head[:5] == ["row", "rater", "question", "answer", "contexts"]
    assert head[5:] == ["grounded (0-1)", "relevant (1-5)", "comment", "answer_sha256"]
    if ending == ".xlsx":
        cells = [
            cell for row in openpyxl.load_workbook(path)["labels"].iter_rows() for cell in row if cell.value
        ]
        assert {cell.data_type for cell in cells} == {"s"} and all(cell.quotePrefix for cell in cells)
    else:
        cells = [
            cell for row in csv.reader(io.StringIO(path.read_text("utf-8-sig"), newline="")) for cell in row
        ]
        assert not [cell for cell in cells if cell.lstrip()[:1] in tuple("=+-@") and cell not in ("+1", "-1")]


@pytest.mark.parametrize("ending", [".csv", ".xlsx"])
def test_a_sheet_is_blind_and_the_same_twice(tmp_path, ending):
    made = a_sheet(answers(4))
    writer = csv_sheet if ending == ".csv" else excel
    first, second = tmp_path / f"a{ending}", tmp_path / f"b{ending}"
    writer.write(made, first)
    writer.write(made, second)
    assert first.read_bytes() == second.read_bytes()
    text = str(rows_of(first))
    assert "secret-system" not in text and "'c1'" not in text and "random" not in text


def test_the_workbook_offers_the_steps_and_holds_the_guide(tmp_path):
    asked = (Dimension("grounded", "0-1"), Dimension("share", "0-0.5"))
    excel.write(
        sheet.Sheet(sheet.tasks(answers(2).assign(drawn="random")), asked, tuple(sheet.guide_lines(asked))),
        tmp_path / "s.xlsx",
    )
    book = openpyxl.load_workbook(tmp_path / "s.xlsx")
    rules = {str(rule.sqref): rule for rule in book["labels"].data_validations.dataValidation}
    assert rules["F2:F3"].formula1 == '"0,1"' and (rules["G2:G3"].formula1, rules["G2:G3"].formula2) == (
        "0.0",
        "0.5",
    )
    assert "grounded: 0 or 1" in [row[0] for row in book["guide"].iter_rows(values_only=True)]


def test_every_pair_of_raters_shares_as_many_answers():
    chosen = answers(100).assign(drawn="random")
    parts = sheet.deal(chosen, ("A", "B", "C", "D"), 60, rng=np.random.default_rng(0))
    read = {name: set(part.case_id) for name, part in parts.items()}
    assert [len(one & other) for one, other in combinations(read.values(), 2)] == [10] * 6
    assert [len(part) for part in parts.values()] == [40] * 4 and len(set().union(*read.values())) == 100
    assert list(parts["A"].case_id) != sorted(parts["A"].case_id)


@pytest.mark.parametrize("overlap", [0, 1, 7, 10])
def test_no_sheet_is_longer_than_another_by_more_than_a_few(overlap):
    parts = sheet.deal(
        answers(10).assign(drawn="random"), ("A", "B", "C"), overlap, rng=np.random.default_rng(0)
    )
    sizes = [len(part) for part in parts.values()]
    assert sum(sizes) == 10 + overlap and max(sizes) - min(sizes) <= 1


def test_the_draw_is_within_each_stratum_and_as_likely_for_each_answer():
    """30 of 100: of 80, 15 and 5 answers 24, 4 or 5, and 1 or 2; over 400 seeds each answer 120 times."""
    strata = answers(100).assign(origin=["own"] * 80 + ["generated"] * 15 + [None] * 5)
    counts, times = [], np.zeros(100)
    for seed in range(400):
        chosen = sheet.draw(strata, 30, ["origin"], rng=np.random.default_rng(seed))
        counts.append(chosen["origin"].fillna("none").value_counts())
        times[chosen.case_id.str[1:].astype(int)] += 1
    found = pd.DataFrame(counts)
    assert (
        set(found["own"]) <= {23, 24, 25}
        and set(found["generated"]) <= {4, 5}
        and set(found["none"]) <= {1, 2}
    )
    assert abs(times / 400 - 0.3).max() < 4 * np.sqrt(0.3 * 0.7 / 400)


def test_a_random_sample_grows_without_changing():
    small, large = (sheet.draw(answers(20), n, rng=np.random.default_rng(0)) for n in (5, 15))
    assert small.case_id.tolist() == large.case_id.tolist()[:5] and set(large.drawn) == {"random"}
    assert len(sheet.draw(answers(20), 99, rng=np.random.default_rng(0))) == 20


def test_failed_and_repeated_answers_are_not_asked():
    table = answers(3).assign(error=["", "timeout", None], repeat=[0, 0, 1])
    assert list(sheet.labellable(table).case_id) == ["c0"]


@pytest.mark.parametrize(
    "raters, expected", [("1", ("",)), ("2", ("rater-1", "rater-2")), ("A", ("A",)), ("A, B", ("A", "B"))]
)
def test_names_of_raters(raters, expected):
    assert sheet.rater_names(raters) == expected


@pytest.mark.parametrize("raters", ["A,A", "", "0", "100", "../x", "=cmd", "a/b", "A,"])
def test_names_that_do_not_fit_are_refused(raters):
    with pytest.raises(ParameterError):
        sheet.rater_names(raters)


def test_a_guide_of_ones_own_follows_the_rules(tmp_path):
    (tmp_path / "g.md").write_text("Our rule", encoding="utf-8")
    lines = sheet.guide_lines(dimensions.parse("a:0-1"), tmp_path / "g.md")
    assert lines[-1] == "Our rule" and "a: 0 or 1" in lines
    (tmp_path / "l.md").write_bytes("é".encode("latin-1"))
    for path in ("absent.md", "l.md"):
        with pytest.raises(InputError):
            sheet.guide_lines((), tmp_path / path)
