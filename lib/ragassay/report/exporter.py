"""The report as nbconvert exporters: `jupyter nbconvert --to ragassay-html NOTEBOOK` (or ragassay-pdf,
ragassay-docx) writes one notebook as the report would."""

import base64
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from markupsafe import Markup, escape
from nbconvert.exporters import Exporter, TemplateExporter
from traitlets import List, Unicode

from ragassay.report import docx, mathematics, pdf
from ragassay.report.assemble import single
from ragassay.report.blocks import Document, plain
from ragassay.report.printed_text import BREAK, LONGEST_WORD, breakable, visible

TEMPLATES = Path(__file__).parent / "templates"


class _Report(Exporter):
    """One notebook, after nbconvert's preprocessors, as what `written` makes of it."""

    written: Callable[[Document], str | bytes]

    def from_notebook_node(self, nb: Any, resources: Any = None, **kw: Any) -> tuple[Any, Any]:
        """(the file's content, resources)."""
        nb, resources = Exporter.from_notebook_node(self, nb, resources, **kw)
        name = (resources.get("metadata") or {}).get("name") or "notebook"
        return self.written(single(nb, str(name))), resources


class AuditHTMLExporter(_Report, TemplateExporter):
    """A document or one notebook as a single HTML file: no script, nothing fetched, every letter escaped,
    every figure described."""

    export_from_notebook = "ragassay report (HTML)"
    output_mimetype = "text/html"
    file_extension = Unicode(".html")
    template_name = Unicode("audit")
    extra_template_basedirs = List([str(TEMPLATES)])
    template_extension = Unicode(".html.j2")

    def written(self, document: Document) -> str:
        """The document as HTML."""
        style = (TEMPLATES / "audit" / "audit.css").read_text(encoding="utf-8")
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        resources = {"document": document, "style": style, "style_hash": f"sha256-{digest}"}
        return str(self.template.render(resources=resources)) + "\n"

    def _create_environment(self) -> Any:
        environment = super()._create_environment()
        environment.autoescape = True
        environment.finalize = lambda value: visible(value) if type(value) is str else value
        environment.filters.update(
            kind=lambda item: type(item).__name__,
            plain=plain,
            letters=_letters,
            mathml=lambda tex, display=False: Markup(mathematics.mathml(tex, display)),
            base64=lambda data: base64.b64encode(data).decode(),
            quote=quote,
        )
        return environment


def _letters(text: str, is_head: bool = False) -> Markup:
    """The text with places to break in words too long for a column, of its head in any name."""
    shown = str(escape(breakable(text, 8 if is_head else LONGEST_WORD)))
    return Markup(shown.replace(BREAK, "<wbr>").replace("\n", "<br>"))


class AuditPDFExporter(_Report):
    """One notebook as PDF/A-3a and PDF/UA-1."""

    export_from_notebook = "ragassay report (PDF)"
    output_mimetype = "application/pdf"
    file_extension = Unicode(".pdf")
    written = staticmethod(pdf.render)


class AuditDOCXExporter(_Report):
    """One notebook as a Word file."""

    export_from_notebook = "ragassay report (Word)"
    output_mimetype = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    file_extension = Unicode(".docx")
    written = staticmethod(docx.render)
