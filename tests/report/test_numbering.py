"""Numbers of headings, tables and figures, and the chapters' numbers in links."""

from ragassay.report.block_builders import data_table, words
from ragassay.report.blocks import Chapter, Heading, Link, Paragraph, Strong, Text, plain
from ragassay.report.numbering import number


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


def test_a_link_that_says_chapter_names_its_number():
    link = Link((Text("chapter"),), "there")
    kept = Link((Text("the raters"),), "there")
    here = Chapter(
        "1", "Here", "here", [Paragraph((Strong((link,)), kept, Link((Text("chapter"),), "gone")))]
    )
    number([here, Chapter("7", "There", "there", [])])
    assert plain(here.blocks[0].words) == "chapter 7the raterschapter"


def test_no_heading_skips_a_level():
    chapter = Chapter("A", "Annex", "a", [Heading(4, words("x")), Heading(4, words("y"))], "annex")
    number([chapter])
    assert [block.level for block in chapter.blocks] == [2, 3]


def test_a_table_shown_again_is_a_reference_to_the_first():
    shown = [
        data_table(caption, ["a"], [[cell]] * 3) for caption, cell in (("B", "1"), ("C", "2"), ("D", "1"))
    ]
    first, second = Chapter("2", "Q", "q", shown[:2]), Chapter("3", "R", "r", [shown[2], shown[1]])
    number([first, second])
    assert [plain(block.words) for block in second.blocks] == ["See Table 2.1.", "See Table 2.2."]


def test_small_tables_that_happen_to_agree_both_stand():
    chapter = Chapter("2", "Q", "q", [data_table(caption, ["a"], [["1"]]) for caption in "BC"])
    number([chapter])
    assert [block.label for block in chapter.blocks] == ["Table 2.1", "Table 2.2"]
