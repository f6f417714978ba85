"""A document to PDF/A-3a and PDF/UA-1 by typst: the same document gives the same bytes, on any machine with
the same typst. The layout (`report.typ`) reads the document as JSON, so that no text is ever markup."""

import hashlib
import json
import shutil
import tempfile
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

from ragassay.errors import InputError
from ragassay.report import blocks as model
from ragassay.report import mathematics
from ragassay.report.printed_text import breakable, font_files, printable

LAYOUT = Path(__file__).parent / "templates" / "audit" / "report.typ"
MIMES = {".json": "application/json", ".csv": "text/csv", ".py": "text/x-python"}
LONGEST = 70  # letters of a word that is not broken: a hash is copied whole
NAMES = ("anchor", "target", "tex", "date", "name")  # parts that no reader reads as they are


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
        (folder / "document.json").write_text(json.dumps(_json(document, folder)), encoding="utf-8")
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


def _json(item: Any, folder: Path) -> Any:
    """A part of the document as JSON holds it: each class a record with its name under `is`. What it names is
    written into the folder."""
    if isinstance(item, str):
        return printable(breakable(item, LONGEST))
    if isinstance(item, list | tuple):
        return [_json(part, folder) for part in item]
    if not is_dataclass(item):
        return None if isinstance(item, bytes) else item
    data = {name: part if name in NAMES else _json(part, folder) for name, part in vars(item).items()} | {
        "is": type(item).__name__
    }
    match item:
        case model.Document():
            inside = [each for each in item.attachments if each.is_inside]
            data |= {"tone": model.tone_of(item.rating) or "calm", "attachments": _json(inside, folder)}
        case model.Chapter():
            data |= {"name": item.name, "is_gap": item.is_gap}
        case model.Attached(name, content):
            (folder / "attached" / name).write_bytes(content)
            data["mime"] = MIMES.get(Path(name).suffix, "text/plain")
        case model.Figure(kind, picture):
            data["file"] = f"pictures/{hashlib.sha256(picture).hexdigest()}.{kind}"
            (folder / data["file"]).write_bytes(picture)
        case model.Span():
            data["tone"] = item.tone
            if item.kind in ("formula", "display"):
                data |= {"tex": item.text, "typst": mathematics.typst(item.text)}
    return data
