"""The exporters as nbconvert calls them; in the HTML no text acts."""

import re
import tomllib
from pathlib import Path

import nbformat
import pytest

from ragassay.report.blocks import Chapter, Document, Heading, words
from ragassay.report.exporter import AuditDOCXExporter, AuditHTMLExporter, AuditPDFExporter, html


def page(*blocks):
    chapter = Chapter("4", "Calibration", "chapter-a", list(blocks))
    return html(Document("Title", "tide", "2026-11-20", [], "", [chapter]))


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
