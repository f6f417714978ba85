"""Rows of tables whose cells are words: how they are read, and that a cell of another row is seen."""

import pytest

from ragassay.scores.numbers.stated_amounts import crossed, read_lines, told_rows

WORDS = """| Account | Price | Opened |
| --- | --- | --- |
| Gold | free | online |
| Silver | charged monthly | online |"""
SWAPPED = WORDS.replace("free", "x").replace("charged monthly", "free").replace("x", "charged monthly")
PROSE = ("The Gold account is free.", "The Silver account is charged monthly.", "Both are opened online.")


def rows(table: str) -> list:
    return [line for line in read_lines(table) if line.cells]


def test_a_row_of_words_is_told_with_its_headings():
    assert [(row.label, row.cells, row.headings) for row in rows(WORDS)] == [
        ("Gold", ("free", "online"), ("Price", "Opened")),
        ("Silver", ("charged monthly", "online"), ("Price", "Opened")),
    ]
    assert all(part in told_rows(WORDS)[0] for part in ("Gold", "Price free", "Opened online"))
    assert read_lines(f"{WORDS}\n\nThe Gold account was new.")[-1].cells == ()


@pytest.mark.parametrize("sentences", [PROSE, ("Gold | free | online", "Silver | charged monthly | online")])
def test_cells_of_words_are_crossed_where_they_stand_beside_another_rows_label_alone(sentences):
    assert crossed(rows(WORDS), sentences) == [False, False]
    assert crossed(rows(SWAPPED), sentences) == [True, True]


@pytest.mark.parametrize(
    ("table", "sentences"),
    [
        (SWAPPED, ("Some accounts are free, others are charged monthly.",)),  # beside no label
        (WORDS.replace("charged monthly", "free"), PROSE),  # the same cell in both rows: another word for it?
        (WORDS, (*PROSE, "The Silver account is free for the young.")),  # beside both
        (
            "| Plan | Price |\n|---|---|\n| Pro | $10 |\n| Basic | $40 |",
            ("Basic costs $10.", "Pro costs $40."),
        ),
    ],
)
def test_what_may_be_so_is_not_crossed(table, sentences):
    assert crossed(rows(table), sentences) == [False, False]
