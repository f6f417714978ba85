"""A document to PDF/A-3a and PDF/UA-1 by typst: the same document gives the same bytes, on any machine with
the same typst. The layout (`report.typ`) reads the document as JSON, so that no text is ever markup."""

import hashlib
import json
import shutil
import tempfile
from dataclasses import asdict, fields, is_dataclass
from pathlib import Path
from typing import Any

from ragassay.errors import InputError
from ragassay.report import blocks as model
from ragassay.report import mathematics
from ragassay.report.blocks import plain
from ragassay.report.column_widths import HALF, TALL, WIDE, fit_columns, is_card, is_short_row
from ragassay.report.printed_text import breakable, font_files, printable, visible

LAYOUT = Path(__file__).parent / "templates" / "audit" / "report.typ"
MIMES = {".json": "application/json", ".csv": "text/csv", ".py": "text/x-python"}
LEAD = 260  # letters of a paragraph that is kept with what follows it; longer ones fill the page
IN_COLUMNS = ("annex-methods",)  # of short paragraphs and narrow tables
LONGEST_IN_TEXT, LONGEST_IN_CODE, LONGEST_ON_COVER = 48, 90, 70  # letters of a word that is not broken


def render(document: model.Document) -> bytes:
    """The document as PDF bytes, its attachments inside.

    Raises
    ------
    InputError
        If typst refuses the document, most likely for a figure it cannot embed under PDF/A.
    """
    import typst as compiler

    with tempfile.TemporaryDirectory(prefix="ragassay-pdf-") as name:
        folder = Path(name)
        for part in ("pictures", "attached", "fonts"):
            (folder / part).mkdir()
        shutil.copyfile(LAYOUT, folder / "main.typ")
        (folder / "document.json").write_text(json.dumps(_document(document, folder)), encoding="utf-8")
        for file in font_files():
            shutil.copyfile(file, folder / "fonts" / file.name)
        try:
            made = compiler.compile(
                str(folder / "main.typ"),
                root=name,
                font_paths=[str(folder / "fonts")],
                ignore_system_fonts=True,
                pdf_standards=["a-3a", "ua-1"],
            )
        except compiler.TypstError as problem:
            do = "use the HTML report, and correct the part typst names"
            raise InputError("the PDF cannot be written", found=str(problem), do=do) from problem
    return bytes(made)


def _document(document: model.Document, folder: Path) -> dict[str, Any]:
    """What the layout reads; the files that it names are written beside it."""
    attached = [item for item in document.attachments if item.is_inside]
    for item in attached:
        (folder / "attached" / item.name).write_bytes(item.data)
    names = ("title", "system", "subtitle", "rating", "recommendation", "authors", "marks")
    about = [{"name": item.name, "about": _shown(item.about), "mime": _mime(item.name)} for item in attached]
    return {
        **{name: _json(getattr(document, name), folder) for name in names},
        "tone": model.tone_of(document.rating) or "calm",
        "date": dict(zip(("year", "month", "day"), map(int, document.date.split("-")), strict=True)),
        "cover": [[_shown(name), _broken(value, LONGEST_ON_COVER)] for name, value in document.cover],
        "attached": about,
        "chapters": [_chapter(part, folder) for part in document.chapters],
    }


def _chapter(part: model.Chapter, folder: Path) -> dict[str, Any]:
    is_narrow = part.anchor in IN_COLUMNS
    names = {"part": part.part, "name": part.name, "title": _shown(part.title), "anchor": part.anchor}
    blocks = _json(part.blocks, folder, HALF if is_narrow else TALL)
    return {**names, "is_narrow": is_narrow, "is_gap": part.is_gap, "blocks": blocks}


def _json(item: Any, folder: Path, width: float = TALL) -> Any:
    """A block, or a part of one, as JSON holds it: each class a record with its name under `is`."""
    if isinstance(item, str):
        return _shown(item)
    if isinstance(item, tuple):
        return _spans(item)
    if isinstance(item, list):
        return _list(item, folder, width)
    if not is_dataclass(item):
        return None if isinstance(item, bytes) else item
    data = {part.name: _json(getattr(item, part.name), folder, width) for part in fields(item)}
    match item:
        case model.Table():
            data |= _table(item, width)
        case model.Verbatim(text):
            data["text"] = _broken(text, LONGEST_IN_CODE)
        case model.Display(tex):
            data["typst"] = mathematics.typst(tex, True)
        case model.Figure(kind, picture):
            data["file"] = f"pictures/{hashlib.sha256(picture).hexdigest()}.{kind}"
            (folder / data["file"]).write_bytes(picture)
    return data | {"is": type(item).__name__}


def _list(items: list[Any], folder: Path, width: float) -> list[Any]:
    """Each of them; a short paragraph stays with the table or figure that it leads to."""
    made = [_json(item, folder, width) for item in items]
    for item, after, data in zip(items, items[1:], made, strict=False):
        if isinstance(item, model.Paragraph):
            is_short = len(plain(item.words)) <= LEAD
            data["leads"] = is_short and isinstance(after, model.Table | model.Figure)
    return made


def _spans(
    spans: model.Inlines, longest: int = LONGEST_IN_TEXT, is_split: bool = False
) -> list[dict[str, Any]]:
    made = []
    for span in spans:
        data = asdict(span) | {"text": _broken(span.text, longest, is_split), "tone": span.tone}
        if span.kind == "formula":
            data |= {"tex": _shown(span.text), "typst": mathematics.typst(span.text)}
        made.append(data)
    return made


def _table(item: model.Table, width: float) -> dict[str, Any]:
    """The parts of a table whose columns are wide enough for their words."""
    fit = fit_columns(item, width, WIDE if width == TALL else 0)
    rows = [[*row, *[()] * len(fit.widths)][: len(fit.widths)] for row in item.rows]
    return {
        "note": _broken(item.note, LONGEST_IN_TEXT),
        "columns": [_spans(name, fit.longest, fit.is_split) for name in item.columns],
        "rows": [[_spans(cell, fit.longest, fit.is_split) for cell in row] for row in rows],
        **{"size": fit.size, "widths": fit.widths, "is_turned": fit.is_turned},
        **{"is_card": is_card(item), "has_short_rows": all(map(is_short_row, item.rows))},
    }


def _broken(text: str, longest: int, is_split: bool = False) -> str:
    return printable(breakable(text, longest, is_split=is_split))


def _shown(text: str) -> str:
    return printable(visible(text))


def _mime(name: str) -> str:
    return MIMES.get(Path(name).suffix, "text/plain")
