"""A table as a reader sees it, in the lab and in what the report reads of it."""

import numpy as np
import pandas as pd
from lxml import html

from ragassay import readable
from ragassay.report import markup

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
