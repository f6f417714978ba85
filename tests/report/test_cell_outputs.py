"""Outputs of a cell: richest form first, progress and addresses left out; what is too long for a page is cut and counted."""

import io

import nbformat
import pytest
from nbformat.v4 import new_output

from ragassay.report import cell_outputs
from ragassay.report.blocks import Paragraph, letters, plain
from ragassay.report.notebook_chapter import walk

MEGABYTE = "hostile " * 125_000
HTML = f"<table><tr><th>a</th></tr>{f'<tr><td>{MEGABYTE}</td></tr>' * 3}</table>"
SHOWN = {
    "printed": {"output_type": "stream", "name": "stdout", "text": MEGABYTE},
    "plain": {"output_type": "display_data", "metadata": {}, "data": {"text/plain": MEGABYTE}},
    "markdown": {"output_type": "display_data", "metadata": {}, "data": {"text/markdown": MEGABYTE}},
    "table": {"output_type": "display_data", "metadata": {}, "data": {"text/html": HTML}},
    "heading": {"output_type": "display_data", "metadata": {}, "data": {"text/markdown": f"## {MEGABYTE}"}},
    "error": {"output_type": "error", "ename": "E", "evalue": MEGABYTE, "traceback": []},
}  # fmt: skip


def notebook_of(*outputs) -> nbformat.NotebookNode:
    cells = [nbformat.v4.new_markdown_cell("# 1 · Title")]
    for number, output in enumerate(outputs, 1):
        cell = nbformat.v4.new_code_cell("pass", execution_count=number)
        cell.outputs = [nbformat.from_dict(output)]
        cells.append(cell)
    return nbformat.v4.new_notebook(cells=cells)


def shown(output, source="") -> list:
    return cell_outputs.blocks({"source": source, "outputs": [output]}, "cell 1")


@pytest.mark.parametrize(("printed", "expected"), [
    ("/opt/x/foo.py:12: UserWarning: be careful\n  warnings.warn(1)\n", "foo.py:12: UserWarning: be careful"),
    ("C:\\x\\foo.py:1: FutureWarning: gone\nnext\n", "foo.py:1: FutureWarning: gone\nnext"),
    ("/x/tqdm.py:2: TqdmWarning: no widgets\n", None),
    ("5/9 [00:01<00:00,  7.0it/s]\r9/9 [00:02<00:00,  7.0it/s]\nfirst\rlast\n", "last"),
    ("see /x/foo.py:12: UserWarning: not at the line's start\n", "see /x/foo.py:12: UserWarning: not at the line's start"),
])  # fmt: skip
def test_printed_lines_lose_paths_of_the_machine_and_progress(printed, expected):
    found = shown(new_output("stream", name="stderr", text=printed))
    assert [block.text for block in found] == ([expected] if expected else [])


def test_where_nothing_was_drawn_the_reason_stands_as_words():
    from matplotlib.figure import Figure as Drawing

    from ragassay.plots.style import blank

    ax, page = blank(Drawing().subplots(), "no <b> was compared"), io.StringIO()
    ax.figure.savefig(page, format="svg")
    drawn = new_output("display_data", data={"image/svg+xml": page.getvalue()})
    (said,) = shown(drawn, "#| fig-cap: Twelve")
    assert isinstance(said, Paragraph) and plain(said.words) == "No <b> was compared."


@pytest.mark.parametrize("kind", SHOWN)
def test_a_megabyte_is_cut_and_counted(kind):
    printed = letters(walk(notebook_of(SHOWN[kind]), "01_test").chapters()[0].blocks)
    assert len(printed) < 15_000 and "characters in all" in printed
