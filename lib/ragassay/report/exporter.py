"""The report as HTML and as PDF; and the nbconvert exporters: `jupyter nbconvert --to ragassay-html NOTEBOOK`
(or ragassay-pdf, ragassay-docx) writes one notebook as the report would.

PDF/A-3a and PDF/UA-1 by typst: the same document gives the same bytes, on any machine with the same typst
and, for scripts beyond DejaVu, the same fonts.
The layout (`report.typ`) reads the document as JSON, so that no text is ever markup.
"""

import base64
import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import typst
from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup, escape
from nbconvert.exporters import Exporter
from traitlets import Unicode

from ragassay.errors import InputError
from ragassay.report import docx, printed_text
from ragassay.report.blocks import Attached, Chapter, Document, Figure, Span, number, plain, tone_of
from ragassay.report.notebook_chapter import walk
from ragassay.report.printed_text import BREAK, LONGEST_WORD, breakable, font_files, printable, visible

LONGEST = 70  # letters of a word that is not broken: a hash is copied whole
NAMES = ("anchor", "target", "tex", "date", "name")  # parts that no reader reads as they are


def html(document: Document) -> str:
    """The document as a single HTML file: no script, nothing fetched, every letter escaped, every figure
    described."""
    page = Environment(loader=FileSystemLoader(docx.AUDIT), autoescape=True)
    page.finalize = lambda value: visible(value) if type(value) is str else value
    page.filters.update(
        kind=lambda item: type(item).__name__,
        plain=plain,
        letters=_letters,
        mathml=lambda tex, display=False: Markup(printed_text.mathml(tex, display)),
        base64=lambda data: base64.b64encode(data).decode(),
        quote=quote,
    )
    style = (docx.AUDIT / "audit.css").read_text(encoding="utf-8")
    digest = f"sha256-{base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()}"
    return page.get_template("index.html.j2").render(document=document, style=style, style_hash=digest) + "\n"


def _letters(text: str, is_head: bool = False) -> Markup:
    """The text with places to break in words too long for a column, of its head in any name."""
    shown = str(escape(breakable(text, 8 if is_head else LONGEST_WORD)))
    return Markup(shown.replace(BREAK, "<wbr>").replace("\n", "<br>"))


def pdf(document: Document) -> bytes:
    """The document as PDF bytes, its attachments inside.

    Raises
    ------
    InputError
        If typst refuses the document, most likely for a figure it cannot embed under PDF/A.
    """
    with tempfile.TemporaryDirectory(prefix="ragassay-pdf-") as name:
        folder = Path(name)
        for part in ("pictures", "attached", "fonts"):
            (folder / part).mkdir()
        shutil.copyfile(docx.AUDIT / "report.typ", folder / "main.typ")
        written = json.dumps(_json(document, folder), ensure_ascii=False)
        (folder / "document.json").write_text(written, encoding="utf-8")
        for file in font_files(written):
            shutil.copyfile(file, folder / "fonts" / file.name)
        try:
            return bytes(
                typst.compile(
                    str(folder / "main.typ"),
                    root=name,
                    font_paths=[str(folder / "fonts")],
                    ignore_system_fonts=True,
                    pdf_standards=["a-3a", "ua-1"],
                )
            )
        except typst.TypstError as problem:
            raise InputError(
                "the PDF cannot be written",
                found=str(problem),
                do="use the HTML report, and correct the part typst names",
            ) from problem


def _json(item: Any, folder: Path) -> Any:
    """A part of the document as JSON holds it: each class a record with its name under `is`. What it names is
    written into the folder."""
    if isinstance(item, str):
        return printable(breakable(item, LONGEST))
    if isinstance(item, list | tuple):
        return [_json(part, folder) for part in item]
    if not is_dataclass(item):
        return item if isinstance(item, int | float) else None
    data = {name: part if name in NAMES else _json(part, folder) for name, part in vars(item).items()} | {
        "is": type(item).__name__
    }
    match item:
        case Document():
            inside = [each for each in item.attachments if each.is_inside]
            data |= {"tone": tone_of(item.rating) or "calm", "attachments": _json(inside, folder)}
        case Chapter():
            data |= {"name": item.name, "is_gap": item.is_gap}
        case Attached(name, content):
            (folder / "attached" / name).write_bytes(content)
        case Figure(kind, picture):
            data["file"] = _stored(picture, kind, folder)
        case Span():
            data["tone"] = item.tone
            if item.kind in ("formula", "display"):
                data["tex"] = item.text
                picture, data["below"] = printed_text.draw_formula(item.text, "svg")
                data["file"] = _stored(picture, "svg", folder)
    return data


def _stored(picture: bytes, kind: str, folder: Path) -> str:
    name = f"pictures/{hashlib.sha256(picture).hexdigest()}.{kind}"
    (folder / name).write_bytes(picture)
    return name


def single(notebook: object, name: str) -> Document:
    """One notebook as a document of its own."""
    chapters = walk(notebook, name).chapters()
    for chapter in chapters:
        chapter.number = str(int(name[:2])) if name[:2].isdigit() else ""
    number(chapters)
    return Document(
        chapters[0].title, name, "", [], "", chapters, subtitle="One notebook of a validation; not a report"
    )


class _Report(Exporter):
    """One notebook, after nbconvert's preprocessors, as what `written` makes of it."""

    written: Callable[[Document], str | bytes]

    def from_notebook_node(self, nb: Any, resources: Any = None, **kw: Any) -> tuple[Any, Any]:
        """(the file's content, resources)."""
        nb, resources = super().from_notebook_node(nb, resources, **kw)
        name = (resources.get("metadata") or {}).get("name") or "notebook"
        return self.written(single(nb, str(name))), resources


class AuditHTMLExporter(_Report):
    """One notebook as a single HTML file."""

    file_extension = Unicode(".html")
    written = staticmethod(html)


class AuditPDFExporter(_Report):
    """One notebook as PDF/A-3a and PDF/UA-1."""

    file_extension = Unicode(".pdf")
    written = staticmethod(pdf)


class AuditDOCXExporter(_Report):
    """One notebook as a Word file."""

    file_extension = Unicode(".docx")
    written = staticmethod(docx.render)
