"""A notebook to its chapters; the outputs of a cell to blocks."""

import io

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from ragassay.errors import ENDED
from ragassay.report import notebook_chapter
from ragassay.report.blocks import Callout, Paragraph, letters, plain
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


def test_a_small_engagement_has_no_details_and_its_tables_of_one_row_are_sentences():
    head = "<tr><th>who</th><th>n</th></tr>"
    one = shown(text_html=f"<table><thead>{head}</thead><tr><td>A</td><td>3</td></tr></table>")
    cells = [new_markdown_cell("# 6 · Weak spots: where?\nintroduction"), new_markdown_cell("## Rows")]
    cells += [ran("#| tbl-cap: Readers\nx", one), new_markdown_cell("## Detail\nmore")]
    walked = walk(notebook(*cells, ran("#| only: full\nx", one)), "06_weakness")
    (whole,) = walked.chapters()
    assert kinds(whole.blocks)[2:] == ["Heading", "Table", "Heading", "Paragraph", "Table"]
    (short,) = walked.chapters("full")
    assert kinds(short.blocks) == ["Heading", "Paragraph"] and walked.absent == []
    assert plain(short.blocks[1].words) == "Readers. who A; n 3."


def test_a_section_with_nothing_to_show_is_named_and_not_printed():
    empty = shown(text_html="<table><thead><tr><th>a</th></tr></thead></table>")
    words = new_output("display_data", data={"text/markdown": "3 of 3"})
    cells = [new_markdown_cell("# T"), new_markdown_cell("## Gone?\nwhy"), ran("x", empty)]
    cells += [new_markdown_cell("## Kept"), ran("x", words, empty), ran("#| only: rows\nx", empty)]
    walked = walk(notebook(*cells, ran("x", empty) | {"metadata": {"tags": ["annex"]}}), "x")
    (chapter,) = walked.chapters("annex")
    assert kinds(chapter.blocks) == ["Heading", "Paragraph", "Paragraph"] and walked.absent == ["Gone?"]
    assert walked.tagged("annex") == []


MEGABYTE = "hostile " * 125_000
HTML = f"<table><tr><th>a</th></tr>{f'<tr><td>{MEGABYTE}</td></tr>' * 3}</table>"
SHOWN = {
    "printed": new_output("stream", text=MEGABYTE),
    **{name: shown(**{f"text_{name}": MEGABYTE}) for name in ("plain", "markdown")},
    **{"table": shown(text_html=HTML), "heading": shown(text_markdown=f"## {MEGABYTE}")},
    "error": new_output("error", ename="E", evalue=MEGABYTE),
}


def shown_of(output, source="") -> list:
    return notebook_chapter.output_blocks({"source": source, "outputs": [output]}, "cell 1")


@pytest.mark.parametrize(("printed", "expected"), [
    ("/opt/x/foo.py:12: UserWarning: be careful\n  warnings.warn(1)\n", "foo.py:12: UserWarning: be careful"),
    ("C:\\x\\foo.py:1: FutureWarning: gone\nnext\n", "foo.py:1: FutureWarning: gone\nnext"),
    ("/x/tqdm.py:2: TqdmWarning: no widgets\n", None),
    ("5/9 [00:01<00:00,  7.0it/s]\r9/9 [00:02<00:00,  7.0it/s]\nfirst\rlast\n", "last"),
    ("see /x/foo.py:12: UserWarning: not at the line's start\n", "see /x/foo.py:12: UserWarning: not at the line's start"),
])  # fmt: skip
def test_printed_lines_lose_paths_of_the_machine_and_progress(printed, expected):
    found = shown_of(new_output("stream", name="stderr", text=printed))
    assert [block.text for block in found] == ([expected] if expected else [])


def test_where_nothing_was_drawn_the_reason_stands_as_words():
    from matplotlib.figure import Figure as Drawing

    from ragassay.plots.style import blank

    ax, page = blank(Drawing().subplots(), "no <b> was compared"), io.StringIO()
    ax.figure.savefig(page, format="svg")
    drawn = new_output("display_data", data={"image/svg+xml": page.getvalue()})
    (said,) = shown_of(drawn, "#| fig-cap: Twelve")
    assert isinstance(said, Paragraph) and plain(said.words) == "No <b> was compared."


@pytest.mark.parametrize("kind", SHOWN)
def test_a_megabyte_is_cut_and_counted(kind):
    printed = letters(walk(notebook(ran("pass", SHOWN[kind])), "01_test").chapters()[0].blocks)
    assert len(printed) < 15_000 and "characters in all" in printed
