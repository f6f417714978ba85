"""Elements of WordprocessingML, and the one place where text leaves for Word: as letters, never as markup or
a field; and Word's own fields, with what they show until Word computes them."""

import re
from collections.abc import Iterable
from typing import TypeAlias

from lxml import etree

from ragassay.show import clean

Element: TypeAlias = etree._Element
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_PIECES = {"\n": "br", "\t": "tab"}
CHAPTER = "STYLEREF 1"  # the heading of level 1 in whose chapter a page is, whatever Word's language
PAGE, PAGES = "PAGE", "NUMPAGES"
_CONTENTS = r'TOC \o "1-2" \h \z \u'


def w(tag: str, *children: Element | None, **values: object) -> Element:
    """One element: `w("sz", val=22)` is `<w:sz w:val="22"/>`; children that are None are left out."""
    made = etree.Element(f"{{{WORD}}}{tag}", nsmap={"w": WORD})
    for name, value in values.items():
        made.set(f"{{{WORD}}}{name}", str(value))
    made.extend([child for child in children if child is not None])
    return made


def pieces(text: str, tag: str = "t") -> list[Element]:
    """The content of a run: letters with hidden characters shown, line breaks and tabs as their elements."""
    return [
        w(_PIECES[part]) if part in _PIECES else _letters(part, tag)
        for part in re.split(r"([\n\t])", clean(text, 0))
        if part
    ]


def run(text: str, *properties: Element) -> Element:
    """A run of letters with its properties."""
    return w("r", w("rPr", *properties) if properties else None, *pieces(text))


def paragraph(style: str, content: Iterable[Element], *properties: Element) -> Element:
    """A paragraph of a style (its id); properties in the order of the schema."""
    return w("p", w("pPr", w("pStyle", val=style), *properties), *content)


def _letters(text: str, tag: str) -> Element:
    made = w(tag)
    made.text = text
    made.set(_SPACE, "preserve")
    return made


def field(instruction: str, *shown: Element) -> list[Element]:
    """The runs of a field; `shown` stands until Word computes it."""
    return [*_opened(instruction), *shown, _mark("end")]


def numbered(label: str, kind: str) -> list[Element]:
    """`Table 4.12` or `Figure 2` with its last number as a field that counts; the first of a chapter counts
    anew."""
    cut = max(label.rfind("."), label.rfind(" ")) + 1
    start, number = label[:cut], label[cut:]
    anew = r" \r 1" if number == "1" else ""
    return [run(start), *field(rf"SEQ {kind} \* ARABIC{anew}", run(number))]


def contents_field(title: str, entries: Iterable[tuple[str, Element]], heading: str) -> Element:
    """The table of contents in the frame by which Word offers to renew it; `entries` are pairs of a style and
    a link. Page numbers come with the renewal: only a program that lays out pages knows them."""
    rows = [paragraph(style, [link]) for style, link in entries] or [paragraph(heading, [])]
    for position, mark in enumerate(_opened(_CONTENTS), 1):
        rows[0].insert(position, mark)
    rows[-1].append(_mark("end"))
    head = paragraph(heading, [run(title)], w("pageBreakBefore"))
    gallery = w("docPartObj", w("docPartGallery", val="Table of Contents"), w("docPartUnique"))
    return w("sdt", w("sdtPr", gallery), w("sdtContent", head, *rows))


def _opened(instruction: str) -> list[Element]:
    written = w("r", *pieces(instruction, "instrText"))
    return [_mark("begin"), written, _mark("separate")]


def _mark(kind: str) -> Element:
    return w("r", w("fldChar", fldCharType=kind))
