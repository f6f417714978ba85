"""What stands first, what is told together, what stays on one page."""

import pytest

from ragassay.report.block_builders import data_table, paragraph, words
from ragassay.report.blocks import Document, Heading
from ragassay.report.typst import Writer


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
    long = writer.blocks([paragraph("word " * 60), data_table("C", ["a"], [["1"]])])
    assert long.startswith("par(")


@pytest.mark.parametrize(
    "columns, rows, whole",
    [([], 6, "true"), ([], 7, "false"), (["a", "b"], 6, "true"), (["a", "b"], 7, "false")],
)
def test_records_and_small_tables_stay_on_one_page(writer, columns, rows, whole):
    assert f"whole: {whole}" in writer.table(data_table("C", columns, [["name", "value"]] * rows))


def test_a_record_of_long_texts_may_break(writer):
    assert "whole: false" in writer.table(data_table("", [], [["name", "word " * 2000]]))
    assert "whole: false" in writer.table(data_table("", [], [["name", "line\n" * 60]]))
    assert "whole: true" in writer.table(data_table("", [], [[]]))
