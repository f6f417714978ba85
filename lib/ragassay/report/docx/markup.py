"""Elements of WordprocessingML, and the one place where text leaves for Word: as letters, never as markup or
a field."""

import re
from collections.abc import Iterable
from typing import TypeAlias

from lxml import etree

from ragassay.show import clean

Element: TypeAlias = etree._Element
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_PIECES = {"\n": "br", "\t": "tab"}


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
