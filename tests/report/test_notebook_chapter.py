"""One notebook to one chapter: its number, its state, its outputs."""

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from ragassay.errors import ENDED
from ragassay.report.blocks import Callout, Figure, Heading, Verbatim
from ragassay.report.notebook_chapter import walk

DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="


def notebook(*cells, **metadata):
    return nbformat.from_dict(new_notebook(cells=list(cells), metadata=metadata))


def ran(source, *outputs, count=1):
    return new_code_cell(source, execution_count=count, outputs=list(outputs))


def shown(**data):
    return new_output("display_data", data={name.replace("_", "/"): value for name, value in data.items()})


def kinds(walked):
    return [type(block).__name__ for block in walked.chapter.blocks]


def test_the_first_heading_names_number_and_title():
    chapter = walk(
        notebook(new_markdown_cell("# 04 · Calibration — can we?\nwords"), new_markdown_cell("## 4.1 Here")),
        "04_calibration",
    ).chapter
    assert (chapter.number, chapter.title, chapter.anchor) == (
        "4",
        "Calibration — can we?",
        "chapter-04_calibration",
    )
    assert [block.anchor for block in chapter.blocks if isinstance(block, Heading)] == [
        "chapter-04_calibration-1"
    ]


def test_without_a_heading_the_file_name_does():
    chapter = walk(notebook(new_markdown_cell("words")), "06_weakness").chapter
    assert (chapter.number, chapter.title) == ("6", "Weakness")


def test_a_chapter_that_ended_early_is_whole():
    """The reason in a box, then the limits; what was not reached is not shown, and nothing is called incomplete."""
    end = new_output("display_data", data={ENDED: {"reason": "too few labels"}})
    limits = new_markdown_cell("- kept", metadata={"tags": ["limits"]})
    walked = walk(
        notebook(ran("require()", end), new_markdown_cell("gone"), new_code_cell("later()"), limits), "04_x"
    )
    said = [repr(block) for block in walked.chapter.blocks]
    assert walked.state == "executed" and len(said) == 2
    assert "too few labels" in said[0] and "kept" in said[1]


def test_a_failed_cell_is_a_red_box_with_its_reason():
    error = new_output("error", ename="TableError", evalue="no labels\x00", traceback=[])
    walked = walk(notebook(ran("fail()", error), new_code_cell("later()")), "05_robustness")
    assert (walked.state, walked.reason) == (
        "failed",
        "a cell failed (TableError); after it 1 cell was not executed",
    )
    assert [block.kind for block in walked.chapter.blocks if isinstance(block, Callout)] == [
        "failure",
        "failure",
    ]
    assert "no labels␀" in str(walked.chapter.blocks[1]) and "fail()" in str(walked.chapter.blocks[1])


def test_a_stopped_or_never_started_notebook_is_not_executed():
    assert walk(notebook(ran("x"), papermill={"exception": True}), "x").state == "failed"
    assert walk(notebook(new_code_cell("x")), "x").state == "pending"
    assert walk(notebook(new_code_cell(" ")), "x").state == "executed"


def test_a_figure_without_words_is_marked():
    walked = walk(notebook(ran("plot()", shown(image_png=DOT))), "x")
    assert isinstance(walked.chapter.blocks[0], Figure) and walked.chapter.blocks[0].alt == "UNDESCRIBED"


def test_alt_text_is_found_where_notebooks_keep_it():
    output = new_output("display_data", data={"image/png": DOT}, metadata={"image/png": {"alt": "A line"}})
    assert walk(notebook(ran("plot()", output)), "x").chapter.blocks[0].alt == "A line"
    cell = ran("plot()", shown(image_png=DOT))
    cell.metadata["alt"] = "Of the cell"
    assert walk(notebook(cell), "x").chapter.blocks[0].alt == "Of the cell"


def test_addresses_and_bare_objects_leave_no_trace():
    walked = walk(
        notebook(
            ran("ax", shown(text_plain="<Axes: title='x'>")),
            ran("o", shown(text_plain="a\n<object at 0x7f0a1b2c>")),
        ),
        "x",
    )
    texts = [block.text for block in walked.chapter.blocks if isinstance(block, Verbatim)]
    assert texts == ["a\n<object>"]


def test_of_a_progress_bar_nothing_stays():
    stream = new_output(
        "stream", name="stderr", text="\x1b[32mdone\x1b[0m\n 10%|# | 1/10 [00:01<00:09, 1.0it/s]\rlast\n"
    )
    walked = walk(notebook(ran("run()", stream)), "x")
    assert [(block.title, block.text) for block in walked.chapter.blocks if isinstance(block, Verbatim)] == [
        ("Messages", "done\nlast")
    ]


def test_a_text_with_no_place_stands_as_typed_beside_its_reason():
    walked = walk(notebook(new_markdown_cell("A <b>x</b>"), new_markdown_cell("After.")), "x")
    assert kinds(walked) == ["Callout", "Verbatim", "Paragraph"]
    assert walked.chapter.blocks[0].kind == "gap" and walked.chapter.blocks[1].text == "A <b>x</b>"


def test_a_picture_that_cannot_be_read_is_a_gap():
    data = {"image/svg+xml": "<svg><unclosed>"}, {"image/png": "bm90IGEgcGljdHVyZQ=="}
    walked = walk(notebook(*(ran("plot()", new_output("display_data", data=item)) for item in data)), "x")
    assert [block.kind for block in walked.chapter.blocks if isinstance(block, Callout)] == ["gap", "gap"]
