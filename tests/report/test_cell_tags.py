"""Which cell goes where: by its tags, or to the chapter of its notebook; nothing is printed twice or lost."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from ragassay import show
from ragassay.report import cell_tags
from ragassay.report.blocks import Heading, Paragraph, plain
from ragassay.report.chapters import CHAPTERS
from ragassay.report.notebook_chapter import walk


def said(words, *tags):
    return new_markdown_cell(words, metadata={"tags": list(tags)})


def walked(name, *cells):
    return walk(nbformat.from_dict(new_notebook(cells=list(cells))), name)


def texts(blocks):
    return [plain(block.words) for block in blocks if isinstance(block, Paragraph | Heading)]


def of(*notebooks):
    return {one.name: one for one in notebooks}


def test_an_untagged_cell_stands_in_the_chapter_of_its_notebook():
    made = cell_tags.chapters(of(walked("02_functionality", said("# 2 · F"), said("here"))))
    assert texts(made["quality"].blocks) == ["here"] and made["quality"].title == "Answer quality"


def test_a_cell_tagged_with_a_chapter_stands_there_before_its_own_cells_or_last():
    found = of(
        walked("02_functionality", said("# 2 · F\nopening"), said("own")),
        walked(
            "04_calibration", said("first", "chapter-quality"), said("at the end", "chapter-quality", "last")
        ),
    )
    made = cell_tags.chapters(found)
    assert texts(made["quality"].blocks) == ["opening", "first", "own", "at the end"]
    assert texts(made["instruments"].blocks) == []


@pytest.mark.parametrize("tag", ["annex", "file"])
def test_what_is_annexed_or_filed_stands_in_no_chapter(tag):
    found = of(walked("05_robustness", said("## 5.1 Kept"), said("kept"), said("more", tag)))
    made = cell_tags.chapters(found)
    assert texts(made["robustness"].blocks) == ["Kept", "kept"]
    assert ("more" in texts(cell_tags.further(found))) == (tag == "annex")
    assert (texts(cell_tags.filed(found)) == ["more"]) == (tag == "file")


def test_the_annex_names_the_chapter_and_lowers_its_headings():
    found = of(walked("05_robustness", said("## 5.1 Kept"), said("## More\nwords", "annex")))
    headings = [block for block in cell_tags.further(found) if isinstance(block, Heading)]
    assert [(block.level, plain(block.words)) for block in headings] == [(2, "Robustness"), (3, "More")]


def test_a_heading_under_which_nothing_is_left_vanishes():
    cells = [said("## A"), said("### B"), said("gone", "file"), said("## C"), said("kept"), said("## D")]
    made = cell_tags.chapters(of(walked("06_weakness", *cells)))
    assert texts(made["weakness"].blocks) == ["C", "kept"]


def test_a_failure_is_printed_whatever_the_tag():
    error = new_output("error", ename="E", evalue="broken", traceback=[])
    cell = new_code_cell("f()", execution_count=1, outputs=[error], metadata={"tags": ["file"]})
    found = of(walked("03_risk_safety", cell))
    assert "broken" in str(cell_tags.chapters(found)["safety"].blocks) and cell_tags.filed(found) == []


def test_a_users_own_notebook_is_a_chapter_before_the_decision():
    found = of(walked("08_mine", said("# 8 · Mine"), said("words")), walked("07_conclusion", said("end")))
    made = cell_tags.chapters(found)
    assert list(made) == [*list(CHAPTERS)[:-1], "08_mine", "decision"] and made["08_mine"].title == "Mine"


def test_a_shown_heading_is_a_heading_of_the_chapter_and_its_values_are_data():
    shown = show.heading("Retrieval finds {share} of **them**", share="<b>87 %</b> # 1")
    output = new_output("display_data", data=shown._repr_mimebundle_())
    cells = [new_code_cell("h", execution_count=1, outputs=[output]), said("words")]
    heading, _ = cell_tags.chapters(of(walked("02_functionality", *cells)))["quality"].blocks
    assert (heading.level, plain(heading.words)) == (2, "Retrieval finds <b>87 %</b> # 1 of them")
    assert heading.anchor == "chapter-02_functionality-1"
