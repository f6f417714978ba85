"""Executed notebooks and tables to one document, written three times: HTML in one file, PDF/A-3a, Word.

run folder -> assemble -> Document (chapters of typed blocks) -> html, pdf, docx -> validation_report.*

blocks              the document model, the chapters; numbering
run_folder          what a run folder holds, with its gaps
assemble            the chapters, in order
notebook_chapter    one notebook, cell by cell; markdown, cell_outputs, html_tables: what it shows
decision_words      words of checks, gates, findings, rating and summary: typed rows into templates/words
document_control, crosswalk   what no notebook makes
attachments         the files that travel with the report
exporter (HTML by nbconvert), pdf (by typst), docx/ (Word by python-docx), templates/   the three writers;
mathematics and printed_text serve them
attachments, criteria, document_control, methods and references.csv, profiles/   words as data
"""

from collections.abc import Collection
from pathlib import Path

from ragassay.report.assemble import assemble

__all__ = ["FORMATS", "NAME", "assemble", "build"]
NAME, FORMATS = "validation_report", ("html", "pdf", "docx")


def build(
    run_dir: str | Path, template: Path | None = None, formats: Collection[str] = FORMATS
) -> dict[str, Path]:
    """Write `validation_report.html`, `.pdf` and `.docx` into the run folder, and the files that travel with
    them into its `attachments/`; the same run gives the same bytes. Returns the paths of those written.

    Each file is complete or not there. An unfinished or failed run gets a report that states what is missing.

    formats : which of FORMATS to write; what an earlier report left of the others is removed
    template : a bank's .docx or .dotx, whose look the Word file takes; None is the kit's own

    Raises
    ------
    InputError
        If there is no such folder, or the template is none; nothing is written then.
    """
    from ragassay import output_files, provenance
    from ragassay.report import attachments, docx, pdf
    from ragassay.report.exporter import AuditHTMLExporter

    folder = provenance.source(run_dir)
    document = assemble(run_dir)
    writers = {  # Word first: a template may be refused
        "docx": lambda: docx.render(document, template),
        "html": lambda: AuditHTMLExporter().written(document).encode(),
        "pdf": lambda: pdf.render(document),
    }
    written = {kind: write() for kind, write in writers.items() if kind in formats}
    attachments.write(folder / attachments.FOLDER, document.attachments)
    for kind in set(FORMATS) - set(written):
        (folder / f"{NAME}.{kind}").unlink(missing_ok=True)
    for kind, content in written.items():
        output_files.write_bytes(folder / f"{NAME}.{kind}", content)
    return {kind: folder / f"{NAME}.{kind}" for kind in FORMATS if kind in written}
