"""The exporters as nbconvert calls them; in the HTML no text acts."""

import re
import tomllib
from pathlib import Path

import nbformat
import pandas as pd
import pypdfium2
import pytest

from ragassay.report.blocks import Callout, Chapter, Document, Heading, number, paragraph, words
from ragassay.report.exporter import AuditDOCXExporter, AuditHTMLExporter, AuditPDFExporter, html, pdf
from ragassay.report.markup import table_blocks


def page(*blocks):
    chapter = Chapter("4", "Calibration", "chapter-a", list(blocks))
    return html(Document("Title", "tide", "2026-11-20", [], "", [chapter]))


def wide_table(columns, rows=3):
    shares = {
        f"share_{at}": [f"0.{row}{at:03} [0.1234, 0.5678]" for row in range(rows)] for at in range(columns)
    }
    (made,) = table_blocks(
        pd.DataFrame({"name": [f"USD1,234,56{row}.89" for row in range(rows)]} | shares).to_html()
    )
    made.caption = f"{columns} shares"
    return made


@pytest.mark.parametrize("columns, is_turned", [(3, False), (6, True), (60, True)])
def test_no_number_of_a_printed_table_is_broken_and_a_wide_one_is_turned(columns, is_turned):
    table, boxed = wide_table(columns), wide_table(columns)
    chapter = Chapter(
        "4", "T", "t", [paragraph("before"), table, paragraph("after"), Callout("calm", "", [boxed])]
    )
    number([chapter])
    made = pdf(Document("T", "tide", "2026-11-20", [], "", [chapter]))
    sheets = [(sheet.get_size(), sheet.get_textpage()) for sheet in pypdfium2.PdfDocument(made)]
    upright, turned = ([text for (w, h), text in sheets if (w > h) is wide] for wide in (False, True))
    assert bool(turned) is is_turned and "after" in upright[0].get_text_range()
    shown = {span.text.removeprefix("USD") for row in table.rows for cell in row for span in cell}
    for texts in (turned or upright, upright):
        page = "".join(text.get_text_range() for text in texts).replace("\u200b", "")
        assert all(text in page for text in shown) and len(shown) == 3 * len(table.rows[0])
    ends = [(w, text.get_charbox(at)[2]) for (w, _), text in sheets for at in range(text.count_chars())]
    assert all(end < w - 50 for w, end in ends), "nothing is cut off"
    assert ("of 61 columns" in table.note) is (columns == 60)


def test_what_a_column_says_in_every_row_is_said_once_below():
    frame = pd.DataFrame({"level": ["a", "b", "c"], "of": [264] * 3, "reason": [float("nan")] * 3})
    (long,), (short,) = table_blocks(frame.to_html()), table_blocks(frame[:2].to_html())
    assert len(long.columns) == 1 and "of: 264" in long.note and "reason" not in long.note
    assert len(short.columns) == 3 and not short.note


def test_one_notebook_as_html(run_dir):
    page, resources = AuditHTMLExporter().from_filename(str(run_dir / "notebooks" / "04_calibration.ipynb"))
    assert "<h1>Calibration — can we believe the scores?</h1>" in page
    assert "<math" in page and "<script" not in page
    assert resources["output_extension"] == ".html"


@pytest.mark.parametrize("exporter", [AuditHTMLExporter, AuditPDFExporter, AuditDOCXExporter])
def test_an_empty_notebook_is_a_document_too(exporter):
    assert exporter().from_notebook_node(nbformat.v4.new_notebook())[0]


def test_all_three_are_registered_with_nbconvert():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    entries = project["project"]["entry-points"]["nbconvert.exporters"]
    named = {name: entry.rpartition(":")[2] for name, entry in entries.items()}
    assert named == {f"ragassay-{each}": f"Audit{each.upper()}Exporter" for each in ("html", "pdf", "docx")}


@pytest.mark.parametrize(
    "text", ["</title><script>alert(1)</script>", "{{ 7*7 }}", '" onload="x', "\u202egnp"]
)
def test_no_text_of_the_frame_acts(text):
    chapter = Chapter(text, text, "a", [Heading(2, words(text), "b")])
    made = html(
        Document(text, text, "2026-11-20", [(text, text)], text, [chapter], subtitle=text, marks=[text])
    )
    assert "<script" not in made and ">49<" not in made and "\u202e" not in made
    assert not re.search(r'<[^<>]*" onload="', made)
