"""Numbers of headings, tables and figures; chapters are referred to by their ids, and nobody types their numbers."""

import re
from pathlib import Path

import pytest

import ragassay
from ragassay.report.blocks import (
    ANCHORS,
    REFERENCE,
    Callout,
    Chapter,
    Heading,
    Paragraph,
    Span,
    data_table,
    number,
    plain,
    words,
)

TYPED = re.compile(r"\b(?:chapters?|annex(?:es)?) (?:\d+\b|[A-F]\b)(?!.*\b(?:19|20)\d\d\b)", re.IGNORECASE)


def test_no_number_of_a_chapter_is_typed_and_what_is_pointed_at_exists():
    root = Path(ragassay.__file__).parent
    files = [*root.glob("*/*.csv"), *root.rglob("*.j2"), *root.parents[1].glob("notebooks/*.ipynb")]
    lines = [line for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    assert files and not [line for line in lines if TYPED.search(line)]
    assert {found[2] for line in lines for found in REFERENCE.finditer(line)} <= set(ANCHORS)


def resolved(*blocks: object) -> list:
    home = Chapter("1", "One", "chapter-00_scope", [*blocks])
    annex = Chapter("B", "Files", "annex-environment", [], "annex")
    number([home, Chapter("7", "Seven", ANCHORS["quality"], []), annex])
    return home.blocks


def test_words_name_the_number_wherever_they_stand():
    said, told = "See [chapter](#quality) and [Annex](#annex-environment).", "See chapter 7 and Annex B."
    table = data_table("A", ["x"], [[said]], note=said)
    box = Callout("open", "Gap", [Paragraph(words(said))])
    link = Paragraph(words("chapter", kind="link", target=ANCHORS["quality"]))
    link, table, box = resolved(link, table, box)
    assert plain(link.words) == "chapter 7" and plain(table.rows[0][0]) == told == table.note
    assert plain(box.blocks[0].words) == told
    assert Span("chapter 7", "link", target=ANCHORS["quality"]) in table.rows[0][0]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("see [chapter](#safety)", "see chapter"),  # the document lacks it
        ("[chapter](#nowhere) [chapter](x)", "[chapter](#nowhere) [chapter](x)"),  # data
    ],
)
def test_what_cannot_be_numbered_stays_words(said, told):
    (block,) = resolved(Paragraph(words(said)))
    assert plain(block.words) == told


def test_headings_of_level_2_are_numbered_and_none_skips_a_level():
    levels = [(2, "Gates"), (4, "Below"), (2, "Four of eight gates failed")]
    chapter = Chapter("8", "Decision", "d", [Heading(level, words(text)) for level, text in levels])
    number([chapter])
    numbered = [(block.level, plain(block.words)) for block in chapter.blocks]
    assert numbered == [(2, "8.1 Gates"), (3, "Below"), (2, "8.2 Four of eight gates failed")]


def test_tables_are_numbered_in_their_chapter_and_not_in_front_matter():
    front = Chapter("", "Summary", "s", [data_table("A", ["a"], [["1"]])], "front")
    body = Chapter("2", "Questions", "q", [data_table("B", ["a"], [["1"]]), data_table("C", ["a"], [["1"]])])
    number([front, body])
    assert [block.label for block in [*front.blocks, *body.blocks]] == ["", "Table 2.1", "Table 2.2"]
