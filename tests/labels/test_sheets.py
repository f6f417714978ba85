"""Sheets: blind, drawn and dealt evenly, harmless in a spreadsheet, in every format."""

import csv
import io
from itertools import combinations

import numpy as np
import openpyxl
import pandas as pd
import pytest

from ragassay.errors import ParameterError
from ragassay.labels import dimensions, sheet_formats, sheets

HOSTILE = (
    *("=HYPERLINK(1)", "+1", "-1", "@SUM(A1)", "\t=1", "'quoted", "a\x00b\u202ec", "<b>x</b>", '",\n"'),
    "x" * 100_000,
)


def answers(n: int, texts_of=lambda place: f"answer {place}") -> pd.DataFrame:
    rows = [(f"c{place}", f"q{place}?", texts_of(place), ["p1", "p2"]) for place in range(n)]
    table = pd.DataFrame(rows, columns=["case_id", "question", "answer", "contexts"])
    return table.assign(system="secret-system", repeat=0, error="")


def a_sheet(table: pd.DataFrame, asked: str = "grounded:0-1,relevant:1-5") -> sheet_formats.Sheet:
    wanted = dimensions.parse(asked)
    return sheet_formats.Sheet(sheets.with_hashes(table), wanted, tuple(sheets.guide_lines(wanted)), "A")


def cells_of(path):
    if path.suffix == ".xlsx":
        return [list(row) for row in openpyxl.load_workbook(path)["labels"].iter_rows(values_only=True)]
    return list(csv.reader(io.StringIO(path.read_text("utf-8-sig"), newline="")))


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_a_sheet_is_blind_and_hostile_texts_run_nowhere(tmp_path, kind):
    path = tmp_path / f"s.{kind}"
    sheet_formats.write(a_sheet(answers(len(HOSTILE), HOSTILE.__getitem__)), path)
    head, *rows = cells_of(path)
    assert head[:5] == ["row", "rater", "question", "answer", "contexts"]
    assert head[5:] == ["grounded (0-1)", "relevant (1-5)", "comment", "answer_sha256"]
    shown = [row[3] if kind == "xlsx" else row[3].removeprefix("'") for row in rows]
    assert shown[:5] == [sheet_formats.visible(text) for text in HOSTILE[:5]] and len(shown[-1]) < 32_767
    assert "secret-system" not in str(rows) and "'c1'" not in str(rows)
    if kind == "xlsx":
        page = openpyxl.load_workbook(path)["labels"]
        cells = [cell for row in page.iter_rows() for cell in row if cell.value]
        assert {cell.data_type for cell in cells} == {"s"} and all(cell.quotePrefix for cell in cells)
    else:
        everything = [cell for row in rows for cell in row]
        assert not [
            cell for cell in everything if cell.lstrip()[:1] in tuple("=+-@") and cell not in ("+1", "-1")
        ]


def test_every_pair_of_raters_shares_as_many_answers():
    parts = sheets.deal(answers(100), ("A", "B", "C", "D"), 60, rng=np.random.default_rng(0))
    read = {name: set(part.case_id) for name, part in parts.items()}
    assert [len(one & other) for one, other in combinations(read.values(), 2)] == [10] * 6
    assert [len(part) for part in parts.values()] == [40] * 4 and len(set().union(*read.values())) == 100
    assert list(parts["A"].case_id) != sorted(parts["A"].case_id)


def test_the_draw_is_within_each_stratum_and_as_likely_for_each_answer():
    """30 of 100: of 80, 15 and 5 answers 24, 4 or 5, and 1 or 2; over 400 seeds each answer 120 times."""
    strata = answers(100).assign(origin=["own"] * 80 + ["generated"] * 15 + [None] * 5)
    counts, times = [], np.zeros(100)
    for seed in range(400):
        chosen = sheets.draw(strata, 30, ["origin"], rng=np.random.default_rng(seed))
        counts.append(chosen["origin"].fillna("none").value_counts())
        times[chosen.case_id.str[1:].astype(int)] += 1
    found = pd.DataFrame(counts)
    assert set(found["own"]) <= {23, 24, 25} and set(found["none"]) <= {1, 2}
    assert abs(times / 400 - 0.3).max() < 4 * np.sqrt(0.3 * 0.7 / 400)


@pytest.mark.parametrize("raters", ["A,A", "", "0", "100", "../x", "=cmd", "A,"])
def test_names_that_do_not_fit_are_refused(raters):
    with pytest.raises(ParameterError):
        sheets.rater_names(raters)
