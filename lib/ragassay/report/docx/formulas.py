"""Formulas as Word's own (OMML), translated from the MathML into which TeX is read."""

from lxml import etree

from ragassay.report import mathematics
from ragassay.report.docx.markup import Element
from ragassay.show import clean

MATH = "http://schemas.openxmlformats.org/officeDocument/2006/math"
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
    inner = m("oMath", *_content(mathematics.tree(tex, display)))
    return m("oMathPara", inner) if display else inner


def m(tag: str, *children: Element, **values: str) -> Element:
    """One element of OMML."""
    made = etree.Element(f"{{{MATH}}}{tag}", nsmap={"m": MATH})
    for name, value in values.items():
        made.set(f"{{{MATH}}}{name}", value)
    made.extend(children)
    return made


def _content(element: Element) -> list[Element]:
    return [made for child in element for made in _translated(child)]


def _translated(element: Element) -> list[Element]:
    """What stands for one element; a row is its children."""
    match element.tag:
        case "mi" | "mn" | "mo" | "mtext":
            return _letters(element)
        case "mspace":
            return [_run(" ", "p")]
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
    parts = [m(place, *_translated(child)) for place, child in zip(places, element, strict=True)]
    if name == "rad":
        parts.reverse()  # its degree stands first
    if element.get("linethickness") == "0":
        parts.insert(0, m("fPr", m("type", val="noBar")))
    return m(name, *parts)


def _over(element: Element) -> Element:
    """An accent above its letter, or a limit above its sign."""
    base, mark = element
    letters = "".join(mark.itertext()).strip()
    if letters in mathematics.ACCENTS:
        accent = m("accPr", m("chr", val=mathematics.ACCENTS[letters]))
        return m("acc", accent, m("e", *_translated(base)))
    return m("limUpp", m("e", *_translated(base)), m("lim", *_translated(mark)))


def _between(element: Element) -> Element:
    """A sign with limits below and above."""
    base, below, above = element
    lower = m("limLow", m("e", *_translated(base)), m("lim", *_translated(below)))
    return m("limUpp", m("e", lower), m("lim", *_translated(above)))


def _letters(element: Element) -> list[Element]:
    text = (element.text or "").strip("\u2061\\")
    is_upright = element.tag in ("mtext", "mo") or len(text) > 1 or element.get("mathvariant") == "normal"
    return [_run(text, "p" if is_upright else "")] if text else []


def _run(text: str, style: str) -> Element:
    letters = m("t")
    letters.text = clean(text, 0)
    letters.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    return m("r", m("rPr", m("sty", val=style)), letters) if style else m("r", letters)
