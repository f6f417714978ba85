"""The exporters as nbconvert calls them."""

import io
import tomllib
from pathlib import Path

import nbformat
import pytest

from ragassay.report.exporter import AuditDOCXExporter, AuditHTMLExporter, AuditPDFExporter


def test_one_notebook_as_html(run_dir):
    html, resources = AuditHTMLExporter().from_filename(str(run_dir / "notebooks" / "04_calibration.ipynb"))
    assert (
        "<h1>Calibration — can we believe the scores?</h1>" in html
        and "<math" in html
        and "<script" not in html
    )
    assert resources["output_extension"] == ".html"


@pytest.mark.parametrize("exporter", [AuditHTMLExporter, AuditPDFExporter, AuditDOCXExporter])
def test_an_empty_notebook_is_a_document_too(exporter):
    assert exporter().from_notebook_node(nbformat.v4.new_notebook())[0]


def test_one_notebook_as_word_in_the_look_of_a_template(run_dir, tmp_path):
    import docx

    path = tmp_path / "bank.docx"
    template = docx.Document()
    template.styles["Heading 2"].font.name = "Bank Sans"
    template.save(path)
    exporter = AuditDOCXExporter(template=str(path))
    data, resources = exporter.from_filename(str(run_dir / "notebooks" / "04_calibration.ipynb"))
    made = docx.Document(io.BytesIO(data))
    assert resources["output_extension"] == ".docx" and made.styles["Heading 2"].font.name == "Bank Sans"
    assert "4.1 Reliability" in [each.text for each in made.paragraphs if each.style.name == "Heading 2"]


def test_all_three_are_registered_with_nbconvert():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    entries = project["project"]["entry-points"]["nbconvert.exporters"]
    named = {name: entry.rpartition(":")[2] for name, entry in entries.items()}
    assert named == {
        "ragassay-html": "AuditHTMLExporter",
        "ragassay-pdf": "AuditPDFExporter",
        "ragassay-docx": "AuditDOCXExporter",
    }
