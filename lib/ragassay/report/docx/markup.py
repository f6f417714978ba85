"""Elements of WordprocessingML, and the one place where text leaves for Word: as letters, never as markup or
a field."""

import hashlib
import re
from collections.abc import Iterable
from typing import TypeAlias

from lxml import etree

from ragassay.report.printed_text import visible

Element: TypeAlias = etree._Element
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
LONGEST_NAME = 40  # letters that Word lets a bookmark have
_PIECES = {"\n": "br", "\t": "tab"}


def w(tag: str, *children: Element | None, **values: object) -> Element:
    """One element: `w("sz", val=22)` is `<w:sz w:val="22"/>`; children that are None are left out."""
    made = etree.Element(f"{{{WORD}}}{tag}", nsmap={"w": WORD})
    for name, value in values.items():
        made.set(f"{{{WORD}}}{name}", str(value))
    made.extend([child for child in children if child is not None])
    return made


def run(text: str, *, style: str = "", bold: bool = False, italic: bool = False) -> Element:
    """A run of letters in a character style (its id); hidden characters show, line breaks and tabs are
    elements."""
    marks = [w("rStyle", val=style) if style else None, w("b") if bold else None, w("i") if italic else None]
    pieces = [piece for piece in re.split(r"([\n\t])", visible(text)) if piece]
    made = [w(_PIECES[piece]) if piece in _PIECES else _letters(piece, "t") for piece in pieces]
    return w("r", w("rPr", *marks) if any(mark is not None for mark in marks) else None, *made)


def _letters(text: str, tag: str) -> Element:
    made = w(tag)
    made.text = text
    made.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    return made


def paragraph(style: str, content: Iterable[Element], *properties: Element | None) -> Element:
    """A paragraph of a style (its id); properties in the order of the schema."""
    return w("p", w("pPr", w("pStyle", val=style), *properties), *content)


def field(instruction: str, shown: str) -> Element:
    """A field of Word's; `shown` stands until Word computes it."""
    return w("fldSimple", run(shown), instr=instruction)


def contents_field(head: Element, rows: list[Element]) -> Element:
    """The table of contents in the frame by which Word offers to renew it."""
    instruction = w("r", _letters(r'TOC \o "1-2" \h \z \u', "instrText"))
    for place, mark in enumerate((_mark("begin"), instruction, _mark("separate")), 1):
        rows[0].insert(place, mark)
    rows[-1].append(_mark("end"))
    gallery = w("docPartObj", w("docPartGallery", val="Table of Contents"), w("docPartUnique"))
    return w("sdt", w("sdtPr", gallery), w("sdtContent", head, *rows))


def _mark(kind: str) -> Element:
    return w("r", w("fldChar", fldCharType=kind))


def bookmark(anchor: str) -> str:
    """A name that Word takes for a bookmark; anchors that differ give names that differ."""
    name = "_" + re.sub(r"\W", "_", anchor, flags=re.ASCII)
    if name == f"_{anchor}" and len(name) <= LONGEST_NAME:
        return name
    return f"{name[: LONGEST_NAME - 9]}_{hashlib.sha256(anchor.encode()).hexdigest()[:8]}"
