"""Numbers of headings, tables and figures; chapters are referred to by their ids, and nobody types their numbers."""

import ast
import json
import re
from pathlib import Path

import pytest

import ragassay
from ragassay.report.blocks import (
    Callout,
    Chapter,
    Heading,
    Link,
    Paragraph,
    Table,
    Text,
    data_table,
    plain,
    words,
)
from ragassay.report.chapters import ANCHORS
from ragassay.report.numbering import REFERENCE, number, resolve

LIBRARY = Path(ragassay.__file__).parent
NOTEBOOKS = LIBRARY.parents[1] / "notebooks"
TYPED = re.compile(r"\b(?:chapters?|annex(?:es)?) (?:\d+\b|[A-F]\b)", re.IGNORECASE)
YEAR = re.compile(r"\b(?:19|20)\d\d\b")  # of a work cited, whose chapters are its own
NAMED = re.compile("chapter|annex", re.IGNORECASE)
DATA = ("examination/suites", "example", "cases/data")


def _texts() -> list[tuple[str, str]]:
    """Every string of the library's files that name one, and of its tables of words, and every cell of the
    notebooks."""
    sources = [(path.name, path.read_text(encoding="utf-8")) for path in sorted(LIBRARY.rglob("*.py"))]
    found = [
        (name, node.value)
        for name, source in sources
        if NAMED.search(source)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    found += [(path.name, path.read_text(encoding="utf-8")) for path in sorted(LIBRARY.glob("*/*.csv"))]
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        found += [(path.name, "".join(cell["source"])) for cell in cells]
    return found


def test_no_number_of_a_chapter_is_typed_and_what_is_pointed_at_exists():
    lines = [(name, line) for name, text in _texts() for line in text.splitlines()]
    typed = [(name, line) for name, line in lines if TYPED.search(line) and not YEAR.search(line)]
    lost = [(name, found[2]) for name, line in lines for found in REFERENCE.finditer(line)]
    assert not typed
    assert not [(name, target) for name, target in lost if target not in ANCHORS and target != "ID"]


def _chapters(*blocks: object) -> list[Chapter]:
    home, away = (
        Chapter("1", "One", "chapter-00_scope", [*blocks]),
        Chapter("7", "Seven", ANCHORS["quality"], []),
    )
    return [home, away, Chapter("B", "Files", "annex-environment", [], "annex")]


def test_words_name_the_number_wherever_they_stand():
    said = "See [chapter](#quality) and [Annex](#annex-environment)."
    table = Table("A", [(Text("x"),)], [[(Text(said),)]], ["l"], note=said)
    box = Callout("limit", "Limit", [Paragraph((Text(said),))])
    chapters = _chapters(Paragraph((Link((Text("chapter"),), ANCHORS["quality"]),)), table, box)
    resolve(chapters)
    link, table, box = chapters[0].blocks
    told = "See chapter 7 and Annex B."
    assert plain(link.words) == "chapter 7" and plain(table.rows[0][0]) == told == table.note
    assert plain(box.blocks[0].words) == told
    assert Link((Text("chapter 7"),), ANCHORS["quality"]) in table.rows[0][0]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("see [chapter](#safety)", "see chapter"),  # the document lacks it
        ("[chapter](#nowhere) [chapter](x)", "[chapter](#nowhere) [chapter](x)"),  # data
    ],
)
def test_what_cannot_be_numbered_stays_words(said, told):
    chapters = _chapters(Paragraph((Text(said),)))
    resolve(chapters)
    assert plain(chapters[0].blocks[0].words) == told


def test_headings_of_level_2_are_numbered():
    levels = [(2, "Gates"), (3, "Below"), (2, "Four of eight gates failed")]
    chapter = Chapter("8", "Decision", "d", [Heading(level, words(text)) for level, text in levels])
    number([chapter])
    assert [plain(block.words) for block in chapter.blocks] == [
        "8.1 Gates",
        "Below",
        "8.2 Four of eight gates failed",
    ]


def test_tables_are_numbered_in_their_chapter_and_not_in_front_matter():
    front = Chapter("", "Summary", "s", [data_table("A", ["a"], [["1"]])], "front")
    body = Chapter("2", "Questions", "q", [data_table("B", ["a"], [["1"]]), data_table("C", ["a"], [["1"]])])
    number([front, body])
    assert [block.label for block in [*front.blocks, *body.blocks]] == ["", "Table 2.1", "Table 2.2"]


def test_no_heading_skips_a_level():
    chapter = Chapter("A", "Annex", "a", [Heading(4, words("x")), Heading(4, words("y"))], "annex")
    number([chapter])
    assert [block.level for block in chapter.blocks] == [2, 3]
