"""The exporters as nbconvert calls them."""

import nbformat
import pytest

from ragassay.report.exporter import AuditHTMLExporter, AuditPDFExporter


def test_one_notebook_as_html(run_dir):
    html, resources = AuditHTMLExporter().from_filename(str(run_dir / "notebooks" / "04_calibration.ipynb"))
    assert (
        "<h1>Calibration — can we believe the scores?</h1>" in html
        and "<math" in html
        and "<script" not in html
    )
    assert resources["output_extension"] == ".html"


def test_one_notebook_as_pdf(run_dir):
    pdf, resources = AuditPDFExporter().from_filename(str(run_dir / "notebooks" / "02_functionality.ipynb"))
    assert pdf.startswith(b"%PDF") and resources["output_extension"] == ".pdf"


@pytest.mark.parametrize("exporter", [AuditHTMLExporter, AuditPDFExporter])
def test_an_empty_notebook_is_a_document_too(exporter):
    assert exporter().from_notebook_node(nbformat.v4.new_notebook())[0]
