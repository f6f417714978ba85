"""A document to PDF/A-3a and PDF/UA-1 by typst: the same document gives the same bytes, on any machine with
the same typst."""

import shutil
import tempfile
from pathlib import Path

from ragassay.errors import InputError
from ragassay.report import typst
from ragassay.report.blocks import Document
from ragassay.report.typst_text import font_files

LAYOUT = Path(__file__).parent / "templates" / "audit" / "report.typ"


def render(document: Document) -> bytes:
    """The document as PDF bytes, its attachments inside."""
    with tempfile.TemporaryDirectory(prefix="ragassay-pdf-") as folder:
        return compiled(document, Path(folder))


def compiled(document: Document, folder: Path) -> bytes:
    """Write the typst source and what it needs into the folder, and compile it there.

    Raises
    ------
    InputError
        If typst refuses the document, most likely for a figure it cannot embed under PDF/A.
    """
    import typst as compiler

    writer = typst.Writer(document)
    (folder / "main.typ").write_text(writer.source(), encoding="utf-8")
    shutil.copyfile(LAYOUT, folder / "report.typ")
    _write_all(
        folder,
        {
            **writer.pictures,
            **{f"attached/{item.name}": item.data for item in document.attachments if item.is_inside},
        },
    )
    fonts = [str(_fonts(folder / "fonts"))]
    try:
        return bytes(
            compiler.compile(
                str(folder / "main.typ"),
                root=str(folder),
                font_paths=fonts,
                ignore_system_fonts=True,
                pdf_standards=["a-3a", "ua-1"],
            )
        )
    except compiler.TypstError as problem:
        raise InputError(
            "the PDF cannot be written",
            found=str(problem),
            do="use the HTML report, and correct the part typst names",
        ) from problem


def _write_all(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _fonts(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    for file in font_files():
        shutil.copyfile(file, folder / file.name)
    return folder
