"""Executed notebooks and tables to one document, written twice: HTML in one file, and PDF/A-3a.

run folder -> assemble -> Document (chapters of typed blocks) -> html, typst -> validation_report.{html,pdf}

blocks, compose    the document model              run_folder   what a run folder holds, with its gaps
assemble           the chapters, in order          notebook     one notebook, cell by cell
markdown, outputs  a cell's text and outputs       mathematics  TeX to MathML and to typst
chapters           their ids, titles and order     placement    which cell goes to which chapter
numbering          of headings, tables, figures    attachments  the files that travel with the report

summary, document_control, decision_chapter (with findings_register, gates, limitations), crosswalk (with
content_tests), references, annexes   the other chapters
html, exporter (HTML by nbconvert); typst, typst_text, columns, pdf (PDF by typst); templates/     the two
writers
profiles/, methods.csv, references.csv, glossary.csv   regulatory themes, formulas and words, as data
"""

import os
from pathlib import Path

from ragassay.report.assemble import assemble

__all__ = ["NAME", "assemble", "build"]
NAME = "validation_report"


def build(run_dir: str | Path) -> dict[str, Path]:
    """Write `validation_report.html` and `.pdf` into the run folder, and the files that travel with them into
    its `attachments/`; the same run gives the same bytes. Returns the paths of the two.

    Each file is complete or not there. An unfinished or failed run gets a report too, which states what is
    missing.

    Raises
    ------
    InputError
        If there is no such folder.
    """
    from ragassay import evidence
    from ragassay.report import attachments, pdf
    from ragassay.report.exporter import AuditHTMLExporter

    folder = evidence.source(run_dir)
    document = assemble(run_dir)
    attachments.write(folder / attachments.FOLDER, document.attachments)
    html = _written(folder / f"{NAME}.html", AuditHTMLExporter().from_document(document).encode())
    return {"html": html, "pdf": _written(folder / f"{NAME}.pdf", pdf.render(document))}


def _written(path: Path, data: bytes) -> Path:
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    draft.write_bytes(data)
    draft.replace(path)
    return path
