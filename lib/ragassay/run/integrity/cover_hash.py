"""The manifest's hash as the documents print it: a report speaks of the manifest that it was signed for."""

import html
import os
import re
import zipfile
import zlib
from collections.abc import Collection
from pathlib import Path

from ragassay import search_paths
from ragassay.errors import InputError
from ragassay.report import NAME
from ragassay.report.document_control import MANIFEST_LINE
from ragassay.run.integrity import manifest, manifest_checks
from ragassay.run.parameter_file.run_settings import FORMATS

LONGEST = 200_000  # characters read of a cover
BROKEN = (InputError, OSError, ValueError, RuntimeError, KeyError, zipfile.BadZipFile, zlib.error)
PRINTED = re.compile(re.escape(MANIFEST_LINE.replace(" ", "")) + "([0-9a-f]{64})")
TAGS = re.compile(r"<[^<>]*>|\s+")


def flaws(run_dir: Path, sha256: str) -> list[str]:
    """What is wrong with the documents, a sentence each: missing, unreadable, or made for another manifest.
    One in a format that the run was not to write is missed by nobody.

    sha256 : of the manifest that the folder holds
    """
    asked = _asked(run_dir)
    there = {kind for kind in READERS if os.path.lexists(run_dir / f"{NAME}.{kind}")}
    named = [f"{NAME}.{kind}" for kind in READERS if kind in asked or kind in there]
    return [flaw for name in named if (flaw := _flaw(run_dir, name, sha256))]


def _asked(run_dir: Path) -> Collection[str]:
    """The formats that the manifest says the report is written as; all, where it does not say."""
    try:
        said = manifest_checks.read(run_dir).get(FORMATS)
    except InputError:
        return tuple(READERS)
    return said if isinstance(said, list) else tuple(READERS)


def _flaw(run_dir: Path, name: str, sha256: str) -> str:
    try:
        path = search_paths.file_below(run_dir, name)
        text = READERS[path.suffix[1:]](path)
    except FileNotFoundError:
        return f"{name}: missing"
    except BROKEN as problem:
        return f"{name}: cannot be read ({type(problem).__name__})"
    printed = PRINTED.findall(text)[-1:]  # a title may look like one
    if not printed:
        return f"{name}: prints no hash of a manifest on its cover"
    what = f"{manifest.FILE}: is not the manifest that the report was signed for: {name} prints"
    return "" if printed == [sha256] else f"{what} {printed[0][:16]} on its cover, it has {sha256[:16]}"


def _text_of_html(path: Path) -> str:
    """The text around the cover, without tags and spaces."""
    whole = path.read_text(encoding="utf-8", errors="replace")
    cover = whole.partition('<header class="cover">')[2].partition("</header>")[0]
    return TAGS.sub("", html.unescape(cover[:LONGEST]))


def _text_of_pdf(path: Path) -> str:
    """The text of the first page, without spaces."""
    import pypdfium2

    with path.open("rb") as file:
        document = pypdfium2.PdfDocument(file.read())
    try:
        return TAGS.sub("", document[0].get_textpage().get_text_bounded())
    finally:
        document.close()


def _text_of_docx(path: Path) -> str:
    """The text before the table of contents, without tags and spaces."""
    with zipfile.ZipFile(path) as packed, packed.open("word/document.xml") as file:
        cover = file.read(LONGEST).decode("utf-8", errors="replace").partition("<w:sdt>")[0]
    return TAGS.sub("", html.unescape(cover))


READERS = {"html": _text_of_html, "pdf": _text_of_pdf, "docx": _text_of_docx}
