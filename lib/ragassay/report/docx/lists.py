"""Lists as Word's own: bullets, and numbers that begin anew with each list."""

from typing import Any

from lxml import etree

from ragassay.report.docx.markup import WORD, Element, w

DEEPEST = 8  # levels that Word counts, from 0
_STEP, _EDGE = 340, 227  # twentieths of a point: of each level, before the first (as that of a box)


def unnumbered() -> Element:
    """For a heading: its number stands in its words, whatever the template counts."""
    return number(0, 0)


def number(level: int, name: int) -> Element:
    """The property that makes a paragraph an item of a list."""
    return w("numPr", w("ilvl", val=min(level, DEEPEST)), w("numId", val=name))


class Numbering:
    """The lists of one document, after those of its template."""

    def __init__(self, file: Any):
        self.root = _root(file)
        self.patterns = {is_ordered: self._pattern(is_ordered) for is_ordered in (False, True)}

    def start(self, level: int, is_ordered: bool) -> int:
        """A new list whose items stand at the level; its id."""
        name = self._next("num", "numId")
        anew = w("lvlOverride", w("startOverride", val=1), ilvl=min(level, DEEPEST))
        made = w("num", w("abstractNumId", val=self.patterns[is_ordered]), anew, numId=name)
        self._after("num", made, self.root.findall(f"{{{WORD}}}abstractNum"))
        return name

    def _pattern(self, is_ordered: bool) -> int:
        name = self._next("abstractNum", "abstractNumId")
        levels = (_level(level, is_ordered) for level in range(DEEPEST + 1))
        made = w("abstractNum", w("multiLevelType", val="multilevel"), *levels, abstractNumId=name)
        self._after("abstractNum", made, self.root.findall(f"{{{WORD}}}numPicBullet"))
        return name

    def _next(self, tag: str, key: str) -> int:
        found = (int(each.get(f"{{{WORD}}}{key}")) for each in self.root.findall(f"{{{WORD}}}{tag}"))
        return 1 + max(found, default=0)

    def _after(self, tag: str, made: Element, before: list[Element]) -> None:
        """Behind its likes, whose order the schema gives."""
        same = self.root.findall(f"{{{WORD}}}{tag}")
        self.root.insert(self.root.index((same or before)[-1]) + 1 if same or before else 0, made)


def _level(level: int, is_ordered: bool) -> Element:
    sign = f"%{level + 1}." if is_ordered else "•–"[level % 2]
    left = _EDGE + _STEP * (level + 1)
    return w(
        "lvl",
        w("start", val=1),
        w("numFmt", val="decimal" if is_ordered else "bullet"),
        w("lvlText", val=sign),
        w("lvlJc", val="left"),
        w("pPr", w("ind", left=left, hanging=_STEP)),
        ilvl=level,
    )


def _root(file: Any) -> Element:
    """The part that holds lists, made where the template has none."""
    from docx.opc.constants import CONTENT_TYPE, RELATIONSHIP_TYPE
    from docx.opc.packuri import PackURI
    from docx.opc.part import XmlPart
    from docx.oxml import parse_xml

    if RELATIONSHIP_TYPE.NUMBERING not in {each.reltype for each in file.part.rels.values()}:
        root = parse_xml(etree.tostring(w("numbering")))
        name = PackURI("/word/numbering.xml")
        part = XmlPart(name, CONTENT_TYPE.WML_NUMBERING, root, file.part.package)
        file.part.relate_to(part, RELATIONSHIP_TYPE.NUMBERING)
    return file.part.numbering_part.element
