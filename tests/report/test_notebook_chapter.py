"""One notebook to its chapters: titles, state, outputs."""

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from ragassay.errors import ENDED
from ragassay.report.blocks import Callout, plain
from ragassay.report.notebook_chapter import walk

DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="


def notebook(*cells, **metadata):
    return nbformat.from_dict(new_notebook(cells=list(cells), metadata=metadata))


def ran(source, *outputs, count=1):
    return new_code_cell(source, execution_count=count, outputs=list(outputs))


def shown(**data):
    return new_output("display_data", data={name.replace("_", "/"): value for name, value in data.items()})


def blocks_of(walked):
    return walked.chapters()[0].blocks


def kinds(blocks):
    return [type(block).__name__ for block in blocks]


def test_headings_of_level_1_open_chapters_with_title_and_question():
    cells = ("# 04 · Trust: can we?\nwords", "## 4.1 Here\nmore", "# Conditions\nlast", "## Empty")
    first, second = walk(notebook(*map(new_markdown_cell, cells)), "04_calibration").chapters()
    assert (first.title, first.anchor) == ("Trust", "chapter-04_calibration")
    assert kinds(first.blocks) == ["Paragraph", "Paragraph", "Heading", "Paragraph"]
    assert plain(first.blocks[0].words) == "Can we?"
    assert first.blocks[2].anchor == "chapter-04_calibration-part-1"
    assert (second.title, second.anchor) == ("Conditions", "chapter-04_calibration-2")
    assert kinds(second.blocks) == ["Paragraph"]
    (chapter,) = walk(notebook(new_markdown_cell("words")), "06_weakness").chapters()
    assert chapter.title == "Weakness"


def test_tagged_cells_stand_elsewhere_and_a_failure_never_does():
    cells = [new_markdown_cell(tag, metadata={"tags": [tag]}) for tag in ("annex", "limits")]
    failed = ran("fail()", new_output("error", ename="E", evalue="no", traceback=[]))
    failed.metadata["tags"] = ["annex"]
    walked = walk(notebook(new_markdown_cell("# T"), *cells, failed), "x")
    assert len(walked.tagged("annex")) == len(walked.tagged("limits")) == 1
    (chapter,) = walked.chapters("annex", "limits")
    assert kinds(chapter.blocks) == ["Callout", "Callout"] and len(walked.chapters()[0].blocks) == 4


def test_a_chapter_that_ended_early_is_whole():
    """The reason in a box, then the limits; what was not reached is not shown, and nothing is called incomplete."""
    end = new_output("display_data", data={ENDED: {"reason": "too few labels"}})
    limits = new_markdown_cell("- kept", metadata={"tags": ["limits"]})
    walked = walk(
        notebook(ran("require()", end), new_markdown_cell("gone"), new_code_cell("later()"), limits), "04_x"
    )
    said = [repr(block) for block in blocks_of(walked)]
    assert walked.state == "executed" and len(said) == 2
    assert "too few labels" in said[0] and "kept" in said[1]


def test_a_failed_cell_is_a_red_box_with_its_reason():
    error = new_output("error", ename="TableError", evalue="no labels\x00", traceback=[])
    walked = walk(notebook(ran("fail()", error), new_code_cell("later()")), "05_robustness")
    assert walked.state == "failed" and "TableError" in walked.reason and "1 cell" in walked.reason
    assert [block.tone for block in blocks_of(walked) if isinstance(block, Callout)] == ["bad", "bad"]
    assert "no labels␀" in str(blocks_of(walked)[1]) and "fail()" in str(blocks_of(walked)[1])


def test_a_stopped_or_never_started_notebook_is_not_executed():
    assert walk(notebook(ran("x"), papermill={"exception": True}), "x").state == "failed"
    assert walk(notebook(new_code_cell("x")), "x").state == "pending"
    assert walk(notebook(new_code_cell(" ")), "x").state == "executed"
