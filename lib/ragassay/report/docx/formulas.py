"""Formulas as Word's own (OMML), translated from the MathML into which TeX is read."""

from lxml import etree

from ragassay.report.docx.markup import Element
from ragassay.report.mathematics import ACCENTS, BARS, tree
from ragassay.show import clean

MATH = "http://schemas.openxmlformats.org/officeDocument/2006/math"
_SUMS = set("∑∏⋃⋂⨆∫")
_SHAPES = {  # element of MathML -> element of OMML, and what its children are there
    "mfrac": ("f", ("num", "den")),
    "msub": ("sSub", ("e", "sub")),
    "msup": ("sSup", ("e", "sup")),
    "msubsup": ("sSubSup", ("e", "sub", "sup")),
    "munder": ("limLow", ("e", "lim")),
    "mroot": ("rad", ("e", "deg")),
}


def formula(tex: str, display: bool = False) -> Element:
    """The formula as `m:oMath`, on a line of its own as `m:oMathPara`; `tex` is as the markdown reader let it
    through."""
    inner = m("oMath", *_content(tree(tex, display)))
    return m("oMathPara", inner) if display else inner


def m(tag: str, *children: Element, **values: str) -> Element:
    """One element of OMML."""
    made = etree.Element(f"{{{MATH}}}{tag}", nsmap={"m": MATH})
    for name, value in values.items():
        made.set(f"{{{MATH}}}{name}", value)
    made.extend(children)
    return made


def _content(element: Element) -> list[Element]:
    """What stands for the children; the letters of one upright word (`\\mathrm{acc}`) belong together."""
    if len(element) > 1 and all(
        child.tag == "mi" and child.get("mathvariant") == "normal" for child in element
    ):
        return [_run("".join(child.text or "" for child in element), m("nor"))]
    return [made for child in element for made in _translated(child)]


def _translated(element: Element) -> list[Element]:
    """What stands for one element; a row is its children."""
    match element.tag:
        case "mi" | "mn" | "mo" | "mtext":
            return _letters(element)
        case "mspace":
            return [_run(" ", m("nor"))]
        case "msqrt":
            return [m("rad", m("radPr", m("degHide", val="1")), m("deg"), m("e", *_content(element)))]
        case "mover":
            return [_over(element)]
        case "munderover":
            return [_between(element)]
        case "mtable":
            return [m("m", *(m("mr", *(m("e", *_content(cell)) for cell in row)) for row in element))]
        case tag if tag in _SHAPES:
            return [_shaped(element)]
    return _content(element)


def _shaped(element: Element) -> Element:
    name, places = _SHAPES[element.tag]
    parts = [m(place, *_part(child)) for place, child in zip(places, element, strict=True)]
    if name == "rad":
        parts.reverse()  # its degree stands first
    if element.get("linethickness") == "0":
        parts.insert(0, m("fPr", m("type", val="noBar")))
    return m(name, *parts)


def _over(element: Element) -> Element:
    """An accent above its letter, or a limit above its sign."""
    base, mark = element
    letters = "".join(mark.itertext()).strip()
    if letters in ACCENTS:
        accent = m("accPr", m("chr", val=ACCENTS[letters]))
        return m("acc", accent, m("e", *_translated(base)))
    return m("limUpp", m("e", *_translated(base)), m("lim", *_translated(mark)))


def _between(element: Element) -> Element:
    """A sign with limits below and above."""
    base, below, above = element
    lower = m("limLow", m("e", *_translated(base)), m("lim", *_translated(below)))
    return m("limUpp", m("e", lower), m("lim", *_translated(above)))


def _part(element: Element) -> list[Element]:
    """A part of a shape. A sign alone there (a plus as an index) is plain text: LibreOffice would look for
    the sides of the operator."""
    sign = element[0] if element.tag == "mrow" and len(element) == 1 else element
    text = (sign.text or "").strip()
    return [_run(text, m("nor"))] if sign.tag == "mo" and text not in _SUMS else _translated(element)


def _letters(element: Element) -> list[Element]:
    """Words and bars as plain text, other signs upright, single letters slanted."""
    text = (element.text or "").strip("\u2061\\")
    if not text:
        return []
    if text in BARS or element.tag == "mtext" or (len(text) > 1 and element.tag != "mn"):
        return [_run(text, m("nor"))]
    is_upright = element.tag == "mo" or element.get("mathvariant") == "normal"
    return [_run(text, *([m("sty", val="p")] if is_upright else []))]


def _run(text: str, *properties: Element) -> Element:
    letters = m("t")
    letters.text = clean(text, 0)
    letters.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    return m("r", *([m("rPr", *properties)] if properties else []), letters)
