"""What a cell shows has an end: long texts are cut on every page, counted, and travel whole in a file."""

import io
import zipfile

import nbformat
import pypdfium2
import pytest

from ragassay.report import docx, long_texts, pdf
from ragassay.report.assemble import single
from ragassay.report.blocks import Paragraph, Table, Text, plain
from ragassay.report.exporter import AuditHTMLExporter
from ragassay.report.notebook_chapter import walk

WORD = "hostile "
MEGABYTE = WORD * 125_000
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


@pytest.mark.parametrize("kind", SHOWN)
def test_a_megabyte_is_cut_and_kept(kind):
    walked = walk(notebook_of(SHOWN[kind]), "01_test")
    shown = long_texts.letters(walked.chapters()[0].blocks)
    assert len(shown) < 15_000 and f"characters more, in {long_texts.FILE}" in shown
    kept = "".join(text for _, text in walked.long)
    assert (shown + kept).count("hostile") >= 125_000
    assert all(where.startswith("01_test, cell 2") for where, _ in walked.long)


def test_many_texts_of_one_cell_have_an_end_too():
    rows = [[(Text(f"row {i}: {'x' * 900}"),)] for i in range(2000)]
    kept: long_texts.Kept = []
    (table,) = long_texts.shortened([Table("T", [(Text("a"),)], rows, ["l"], "N")], kept)
    assert 50 < len(table.rows) < 80 and "rows of" in table.note and table.note.endswith("N")
    assert kept[0][1].count("row ") == 2000 - len(table.rows)
    many = long_texts.shortened([Paragraph((Text("y" * 3000),)) for _ in range(100)], [])
    assert len(many) == 21 and plain(many[-1].words).startswith("… 240,")


def test_every_writer_shows_the_cut():
    """One notebook of megabytes as HTML, PDF and Word: each says the cut and is small."""
    document = single(notebook_of(SHOWN["printed"], SHOWN["plain"]), "01_test")
    said = "996,000 characters more, in 01_test.ipynb"
    page = AuditHTMLExporter().from_document(document)
    assert page.count(said) == 2 and len(page) < 200_000
    printed = pypdfium2.PdfDocument(pdf.render(document))
    letters = " ".join(" ".join(page.get_textpage().get_text_range() for page in printed).split())
    assert letters.count("996,000 characters more") == 2 and letters.count("hostile") == 2 * 500
    with zipfile.ZipFile(io.BytesIO(docx.render(document, None))) as file:
        letters = file.read("word/document.xml").decode()
    assert letters.count(said) == 2 and len(letters) < 200_000
