"""Values and tables as readers see them, in the lab and in what the report reads of it."""

import math

import numpy as np
import pandas as pd
import pytest
from lxml import html

from ragassay import readable, show
from ragassay.report import markup
from ragassay.stats.intervals import Interval


@pytest.mark.parametrize(
    "value, text",
    [
        (0.8234, "0.823"), (1.2345, "1.23"), (12.345, "12.3"), (1234.5, "1,234"), (3.0, "3"), (-0.5, "−0.500"), (0.00002, "2.0e-05"), (0.0, "0"),
        (math.nan, "—"), (math.inf, "∞"), (None, "—"), (pd.NA, "—"), (pd.NaT, "—"), (True, "yes"), (np.False_, "no"), (1200, "1,200"), ([], "none"),
        (["a", "b"], "a, b"), (np.array([1, 2]), "1, 2"), ({"b": 1, "a": 2}, '{"a": 2, "b": 1}'), (pd.Timestamp("2026-11-20"), "2026-11-20"),
        (Interval(0.82, 0.78, 0.86, 240, 6), "0.82 [0.78, 0.86] n=240, 6 not measured"),
    ],
)  # fmt: skip
def test_values_by_hand(value, text):
    assert show.value_text(value) == text


ROWS = pd.DataFrame(
    {
        "metric": ["judged_grounded", "<script>alert(1)</script>"],
        "value": [0.625, np.nan],
        "low": [0.55, np.nan],
        "high": [0.7, np.nan],
        "n": [1200, 7],
        "left_out": [np.nan, 2.0],
        "weak": [True, False],
        "p_value": [0.031, 0.5],
    }
)


def cells(styler) -> list[list[str]]:
    rows = html.fromstring(styler.to_html()).xpath("//tr")
    return [[cell.text_content().strip() for cell in row.xpath("./th|./td")] for row in rows]


def test_estimates_names_counts_and_truth_are_in_words():
    head, first, second = cells(readable(ROWS))
    assert head == ["metric", "value [interval]", "n", "left out", "weak", "p value"]
    assert first == ["grounded (raters)", "0.62 [0.55, 0.70]", "1,200", "–", "yes", "0.03"]
    assert second == ["<script>alert(1)</script>", "–", "7", "2", "no", "0.50"]


def test_shares_digits_and_raw_names():
    first = cells(readable(ROWS, percent=["value", "p_value"], names=False))[1]
    assert first[:2] == ["judged_grounded", "62 % [55, 70]"] and first[-1] == "3 %"
    assert cells(readable(ROWS, digits=3))[1][-1] == "0.031"


def test_nothing_in_a_cell_or_heading_is_markup():
    page = readable(pd.DataFrame({"<b>x</b>": ["<img src=x>", ["<i>a</i>"], {"k": "<u>"}]})).to_html()
    assert not html.fromstring(page).xpath("//b|//img|//i|//u")


def test_the_report_reads_what_the_lab_shows():
    (table,) = markup.table_blocks(readable(ROWS, percent=["value"]).to_html())
    printed = [["".join(span.text for span in cell) for cell in row] for row in table.rows]
    assert printed[0][:3] == ["grounded (raters)", "62 % [55, 70]", "1,200"]
    assert printed[1][:2] == ["<script>alert(1)</script>", "–"]
    assert table.align[:4] == ["l", "r", "r", "r"]


def test_a_named_index_is_a_column_and_empty_tables_are_shown():
    assert cells(readable(ROWS.groupby("metric")[["n"]].sum()))[0] == ["metric", "n"]
    crossed = pd.crosstab([1, 1, 2], [[3, 3, 4], [5, 6, 5]], rownames=["a"], colnames=["b", "c"])
    assert cells(readable(crossed))[0] == ["a", "3 · 5", "3 · 6", "4 · 5"]
    for empty in (pd.DataFrame(), ROWS.head(0)):
        assert readable(empty).to_html()
