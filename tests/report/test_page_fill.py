"""Pages without holes: tables break where the page ends, figures let the text go on, no row stands alone."""

import io

import pypdf
import pytest

from ragassay.report import pdf
from ragassay.report.block_builders import data_table, paragraph, words
from ragassay.report.blocks import Chapter, Document, Figure, Heading
from report.page_fill import fills

LINE = "Every word of this line counts, and there are a good many of them in it. "
PICTURE = (
    b'<svg xmlns="http://www.w3.org/2000/svg" width="480" height="330"><rect width="480" height="330"/></svg>'
)


def text(lines: int) -> list:
    return [paragraph(LINE * 3) for _ in range(lines)]


def rows(count: int, name: str = "row") -> list[list[str]]:
    return [[f"{name}{place}", LINE] for place in range(count)]


def pages(*blocks, chapters=()) -> tuple[list[float], list[str]]:
    """The fill and the text of each page of a document with these blocks."""
    body = [Chapter("", "First", "first", [*blocks], "front"), *chapters]
    content = pdf.render(Document("T", "e", "2026-01-01", [("a", "b")], "Fit", body))
    sheets = [sheet.extract_text() for sheet in pypdf.PdfReader(io.BytesIO(content)).pages]
    return fills(content)[2:], sheets[2:]  # after cover and contents


@pytest.mark.parametrize("before", [8, 12, 16])
@pytest.mark.parametrize("columns", [["a", "b"], []])
def test_a_large_table_begins_where_the_text_ends(before, columns):
    shares, _ = pages(
        *text(before), Heading(2, words("H")), *text(1), data_table("C", columns, rows(120), note=LINE)
    )
    assert len(shares) > 2 and min(shares[:-1]) > 0.9


@pytest.mark.parametrize("more", range(5))
def test_no_row_is_left_alone_on_a_page(more):
    _, sheets = pages(data_table("C", ["a", "b"], rows(38 + more), note="The note."))
    counts = [sheet.count("row") for sheet in sheets]
    assert sum(counts) == 38 + more and all(count == 0 or count > 1 for count in counts)
    assert counts[-1] > 1 and "The note." in sheets[-1]


def test_text_goes_on_before_a_figure_for_which_there_is_no_room():
    drawn = Figure("svg", PICTURE, "A square.", "Square", label="Figure 1.1")
    shares, sheets = pages(*text(17), drawn, *text(12))
    assert len(shares) == 2 and shares[0] > 0.9
    assert "Figure 1.1" in sheets[1] and sheets[0].count(LINE[:30]) > 45


def test_a_figure_stands_where_it_is_told_if_there_is_room():
    drawn = Figure("svg", PICTURE, "A square.", "Square", label="Figure 1.1")
    _, sheets = pages(*text(2), drawn, *text(12))
    assert "Figure 1.1" in sheets[0]


def test_a_figure_without_room_cuts_no_table_in_two():
    """One row of a table, then a figure, then its other rows: the figure goes to the foot of the page."""
    drawn = Figure("svg", PICTURE, "A square.", "Square", label="Figure 1.1")
    _, sheets = pages(*text(17), drawn, data_table("C", ["a", "b"], rows(50)))
    assert "row0" in sheets[0] and "Figure 1.1" not in sheets[0]
    assert sheets[1].rindex("row") < sheets[1].index("Figure 1.1")


@pytest.mark.parametrize(
    "table", [[], [data_table("C", ["a", "b"], rows(5))], [data_table("C", ["a", "b"], rows(20))]]
)
def test_no_chapter_begins_above_a_figure_of_the_one_before(table):
    drawn = Figure("svg", PICTURE, "A square.", "Square", label="Figure 1.1")
    later = [Chapter("2", "Second", "second", text(12))]
    _, sheets = pages(*text(17), drawn, *table, *text(1), chapters=later)
    (shown,) = (sheet for sheet in sheets if "Figure 1.1" in sheet)
    began = shown.rfind("2 · Second")  # its name, which the running header has too
    assert began == -1 or began > shown.index("Figure 1.1")


def test_a_chapter_begins_where_a_fifth_of_the_page_is_left():
    later = [Chapter("2", "Second", "second", text(3))]
    assert [len(pages(*text(before), chapters=later)[0]) for before in (13, 20)] == [1, 2]


def test_annexes_run_on_in_two_columns_and_keep_their_tables_narrow():
    names = ("annex-files", "annex-environment", "annex-methods", "annex-glossary")
    blocks = [data_table("C", ["file", "holds"], rows(26)), *text(5)]
    annexes = [
        Chapter(letter, "A", name, blocks, "annex") for letter, name in zip("ABCD", names, strict=True)
    ]
    shares, sheets = pages(*text(3), chapters=annexes)
    assert len(shares) == 3 and min(shares[:-1]) > 0.95
    assert all(f"Annex {letter}" in "".join(sheets) for letter in "ABCD")
