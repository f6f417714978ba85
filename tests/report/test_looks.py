"""What stands first, what is told together, what stays on one page."""

from types import SimpleNamespace

import pandas as pd
import pytest

from ragassay.report import limitations, summary
from ragassay.report.blocks import Document, Heading, plain
from ragassay.report.compose import data_table, paragraph, words
from ragassay.report.typst import Writer


def run(gates=(), **columns):
    rows = pd.DataFrame(
        {"slice": "all", "value": 0.5, "low": 0.4, "high": 0.6, "n": 90, "left_out": 0, "reason": ""}
        | columns
    )
    made = {
        "scorecard": rows,
        "gates": pd.DataFrame({"metric": list(gates), "slice": "all", "outcome": "pass"}),
    }
    return SimpleNamespace(table=made.get, why=lambda name: name, decision={})


def column(table, position):
    return [plain(row[position]) for row in table.rows]


def test_gates_come_first_then_the_headlines_then_the_rest():
    shown = summary._scorecard(
        run(
            metric=["abstains", "bleu", "groundedness_nli", "rouge_1", "support", "zeta"],
            gates=["zeta", "support", "zeta"],
        )
    )
    assert column(shown, 0) == ["zeta", "support", "groundedness_nli", "abstains", "bleu", "rouge_1"]


def test_every_headline_is_a_number_of_the_scorecard():
    from ragassay import scores

    rates = {
        "judged_grounded",
        "judged_relevant",
        "judged_complete",
        "privacy_leak_rate",
        "toxicity_rate",
    }  # of notebooks 03 and 04
    assert set(summary.HEADLINES) - rates <= set(scores.METRICS) and len(set(summary.HEADLINES)) == len(
        summary.HEADLINES
    )


def test_what_was_left_out_is_told_by_reason_and_count():
    scorecard = run(
        metric=["a", "b", "c", "d", "e"],
        slice=["all", "all", "cards", "all", "all"],
        left_out=[5, 9, 5, 5, 0],
        n=[95, 91, 95, 95, 100],
        reason=["not applicable", "not measured", "not applicable", "error", ""],
    )
    heading, table = limitations._left_out(scorecard)
    rows = [[plain(cell) for cell in row] for row in table.rows]
    assert rows == [
        ["9", "91", "not measured", "1", "b"],
        ["5", "95", "error", "1", "d"],
        ["5", "95", "not applicable", "2", "a, c in cards"],
    ]
    assert plain(heading.words) == "Left out"


def test_no_metric_left_out_is_lost_in_the_grouping():
    names = [f"metric_{i}" for i in range(200)]
    _, table = limitations._left_out(run(metric=names, left_out=[1 + i % 3 for i in range(200)]))
    assert sorted(", ".join(column(table, 4)).split(", ")) == sorted(names) and len(table.rows) == 3


def test_groups_beyond_the_most_are_counted():
    _, table = limitations._left_out(run(metric=[f"m{i}" for i in range(50)], left_out=range(1, 51)))
    assert len(table.rows) == limitations.MOST_GROUPS and "10 more groups" in table.note


def test_nothing_left_out_says_nothing():
    assert (
        limitations._left_out(run(metric=["a"]))
        == []
        == limitations._left_out(SimpleNamespace(table=lambda name: None))
    )


@pytest.fixture
def writer():
    return Writer(Document("T", "e", "2026-01-01", [], "Fit", []))


def test_a_paragraph_stays_with_the_table_it_leads_to(writer):
    source = writer.blocks(
        [
            Heading(2, words("H")),
            paragraph("One."),
            paragraph("Two."),
            data_table("C", ["a"], [["1"]]),
            paragraph("Three."),
        ]
    )
    assert [line.split("(")[0] for line in source.splitlines()] == [
        "heading",
        "par",
        "lead",
        "records",
        "par",
    ]
    assert writer.blocks([]) == ""


@pytest.mark.parametrize(
    "columns, rows, whole",
    [([], 20, "true"), ([], 37, "false"), (["a", "b"], 12, "true"), (["a", "b"], 13, "false")],
)
def test_records_and_small_tables_stay_on_one_page(writer, columns, rows, whole):
    assert f"whole: {whole}" in writer.table(data_table("C", columns, [["name", "value"]] * rows))


def test_a_record_of_long_texts_may_break(writer):
    assert "whole: false" in writer.table(data_table("", [], [["name", "word " * 2000]]))
    assert "whole: false" in writer.table(data_table("", [], [["name", "line\n" * 60]]))
    assert "whole: true" in writer.table(data_table("", [], [[]]))
