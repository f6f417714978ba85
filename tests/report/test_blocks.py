"""Numbers of headings, tables and figures; chapters are referred to by their ids, and nobody types their numbers."""

import re
from pathlib import Path

import ragassay
from ragassay.report import blocks as model
from ragassay.report.markup import markdown_blocks

REFERENCE = re.compile(r"\[(?:chapter|annex)\]\(#([\w-]+)\)", re.IGNORECASE)
TYPED = re.compile(r"\b(?:chapters?|annex(?:es)?) (?:\d+\b|[A-F]\b)(?!.*\b(?:19|20)\d\d\b)", re.IGNORECASE)


def test_no_number_of_a_chapter_is_typed_and_what_is_pointed_at_exists():
    root = Path(ragassay.__file__).parent
    files = [*root.glob("*/*.csv"), *root.rglob("*.j2"), *root.parents[1].glob("notebooks/*.ipynb")]
    lines = [line for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    assert files and not [line for line in lines if TYPED.search(line)]
    assert {found[1] for line in lines for found in REFERENCE.finditer(line)} <= set(model.ANCHORS)


def resolved(*blocks: object) -> list:
    home = model.Chapter("1", "One", "chapter-00_scope", [*blocks])
    annex = model.Chapter("B", "Files", "annex-environment", [], "annex")
    model.number([home, model.Chapter("7", "Seven", model.ANCHORS["quality"], []), annex])
    return home.blocks


def test_links_name_the_number_wherever_they_stand():
    said, told = "See [chapter](#quality) and [Annex](#annex-environment).", "See chapter 7 and Annex B."
    (paragraph,) = markdown_blocks(said)
    table = model.data_table("A", ["x"], [[markdown_blocks(said)[0].words]])
    box = model.Callout("open", "Gap", markdown_blocks(f"- {said}"))
    paragraph, table, box = resolved(paragraph, table, box)
    assert model.plain(paragraph.words) == model.plain(table.rows[0][0]) == told
    assert model.plain(box.blocks[0].items[0][0].words) == told
    assert model.Span("chapter 7", "link", target=model.ANCHORS["quality"]) in table.rows[0][0]


def test_what_the_document_lacks_and_what_is_data_stays_words():
    (block,) = resolved(*markdown_blocks("see [chapter](#safety)"))
    assert model.plain(block.words) == "see chapter" and block.words[1].kind == "text"
    data = "[chapter](#quality)"
    assert resolved(model.paragraph(data))[0] == model.paragraph(data)


def test_headings_of_level_2_are_numbered_and_none_skips_a_level():
    levels = [(2, "Gates"), (4, "Below"), (2, "Four of eight gates failed")]
    chapter = model.Chapter(
        "8", "Decision", "d", [model.Heading(level, model.words(text)) for level, text in levels]
    )
    model.number([chapter])
    numbered = [(block.level, model.plain(block.words)) for block in chapter.blocks]
    assert numbered == [(2, "8.1 Gates"), (3, "Below"), (2, "8.2 Four of eight gates failed")]


def test_tables_are_numbered_in_their_chapter_and_not_in_front_matter():
    front = model.Chapter("", "Summary", "s", [model.data_table("A", ["a"], [["1"]])], "front")
    body = model.Chapter(
        "2", "Questions", "q", [model.data_table("B", ["a"], [["1"]]), model.data_table("C", ["a"], [["1"]])]
    )
    model.number([front, body])
    assert [block.label for block in [*front.blocks, *body.blocks]] == ["", "Table 2.1", "Table 2.2"]
