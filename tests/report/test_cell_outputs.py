"""Outputs of a cell: however much was printed, it is read in linear time and shown in part."""

import io

import pytest
from nbformat.v4 import new_output

from ragassay.report import cell_outputs
from ragassay.report.blocks import Paragraph, Verbatim, plain


def stream(text: str) -> list:
    return cell_outputs.blocks(
        {"outputs": [{"output_type": "stream", "name": "stdout", "text": text}]}, "cell 1"
    )


def displayed(text: str, mime: str = "text/plain") -> list:
    output = {"output_type": "display_data", "data": {mime: text}, "metadata": {}}
    return cell_outputs.blocks({"outputs": [output]}, "cell 1")


@pytest.mark.parametrize("seed", ["- a\n", "$"])
def test_of_a_megabyte_of_markdown_the_rest_is_letters(seed):
    *_, last = displayed(seed * (1_000_000 // len(seed)), "text/markdown")
    assert isinstance(last, Verbatim) and last.title.startswith("Further text")


@pytest.mark.parametrize("read", [stream, displayed])
def test_nothing_is_lost_before_it_is_cut_for_the_page(read):
    (shown,) = read("a line\n" * 20_000)
    assert isinstance(shown, Verbatim) and shown.text.count("a line") == 20_000


@pytest.mark.parametrize(("printed", "expected"), [
    ("/opt/x/foo.py:12: UserWarning: be careful\n  warnings.warn(1)\n", "UserWarning (foo.py): be careful"),
    ("foo.py:1: FutureWarning: gone soon\n", "FutureWarning (foo.py): gone soon"),
    ("C:\\x\\foo.py:1: FutureWarning: gone\nnext\n", "FutureWarning (foo.py): gone\nnext"),
    ("/a.py:1/b.py:2: DeprecationWarning: old\n", "DeprecationWarning (b.py): old"),
    ("/x/tqdm.py:2: TqdmWarning: no widgets\n", None),
    ("see /x/foo.py:12: UserWarning: not at the line's start\n", "see /x/foo.py:12: UserWarning: not at the line's start"),
])  # fmt: skip
def test_a_warning_loses_the_path_of_the_machine(printed, expected):
    assert [block.text for block in stream(printed)] == ([expected] if expected else [])


def test_where_nothing_was_drawn_the_reason_stands_as_words():
    from matplotlib.figure import Figure as Drawing

    from ragassay.plots.style import blank

    ax, page = blank(Drawing().subplots(), "no <b> was compared"), io.StringIO()
    ax.figure.savefig(page, format="svg")
    shown = new_output("display_data", data={"image/svg+xml": page.getvalue()})
    (said,) = cell_outputs.blocks({"source": "#| fig-cap: Twelve", "outputs": [shown]}, "here")
    assert isinstance(said, Paragraph) and plain(said.words) == "No <b> was compared."
