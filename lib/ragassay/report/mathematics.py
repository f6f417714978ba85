"""Formulas: TeX is read once, into MathML; HTML takes that as it is, and the PDF gets it translated to
typst."""

import re
from functools import cache
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from ragassay.errors import InputError

ACCENTS = {
    "^": "\u0302",
    "ˆ": "\u0302",
    "~": "\u0303",
    "˜": "\u0303",
    "¯": "\u0304",
    "‾": "\u0304",
    "_": "\u0304",
    "―": "\u0304",
    "˙": "\u0307",
    "→": "\u20d7",
}
BARS = {"|", "‖"}
_PARTS = {
    "mfrac": 2,
    "msub": 2,
    "msup": 2,
    "munder": 2,
    "mover": 2,
    "mroot": 2,
    "msubsup": 3,
    "munderover": 3,
}
_PLAIN = {"\\arg"}
_LIMITS = set("∑∏⋃⋂⨆") | {"max", "min", "argmax", "argmin", "lim", "sup", "inf"}


@cache
def mathml(tex: str, display: bool = False) -> str:
    """The formula as one `<math>` element, with the TeX as its label for readers who listen.

    Raises
    ------
    InputError
        If the TeX cannot be read.
    """
    root = tree(tex, display)
    root.set("aria-label", tex)
    root.attrib.pop("xmlns", None)
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=False)


@cache
def typst(tex: str, display: bool = False) -> str:
    """The formula in typst's mathematics; every letter is written as its code point."""
    return _translated(tree(tex, display))


def tree(tex: str, display: bool) -> Element:
    """The formula as MathML without namespaces or styles.

    Raises
    ------
    InputError
        If the TeX cannot be read.
    """
    from latex2mathml.converter import convert

    try:
        text = convert(tex, display="block" if display else "inline")
        root = ElementTree.fromstring(text.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', ""))
    except Exception as problem:  # latex2mathml raises a family of its own, and plain errors
        raise InputError(
            "a formula cannot be read", found=tex, do=f"correct its TeX ({type(problem).__name__}: {problem})"
        ) from problem
    for element in root.iter():
        element.attrib.pop("style", None)
        _check(element, tex)
    return root


def _check(element: Element, tex: str) -> None:
    """latex2mathml passes over what it does not understand; a formula with a piece missing, or a command left
    as letters, is refused."""
    text = element.text or ""
    if len(element) != _PARTS.get(element.tag, len(element)) or (
        text.startswith("\\") and text[1:].isalpha() and text not in _PLAIN
    ):
        raise InputError(
            "a formula cannot be read", found=tex, do=f"correct its TeX near {text or element.tag}"
        )


def _translated(element: Element) -> str:  # noqa: C901 - one case for each element
    children = [_translated(child) for child in element]
    match element.tag:
        case "math" | "mrow" | "mstyle" | "mpadded" | "mphantom":
            return _row(element, children)
        case "mi" | "mn" | "mo":
            return _letters(element)
        case "mtext":
            return f"upright({_quoted(element)})"
        case "mspace":
            return "space"
        case "mfrac":
            return (
                _binomial(children)
                if element.get("linethickness") == "0"
                else f"frac({children[0]}, {children[1]})"
            )
        case "msqrt":
            return f"sqrt({' '.join(children)})"
        case "mroot":
            return f"root({children[1]}, {children[0]})"
        case "msub" | "munder":
            return _attached(element, children, b=1)
        case "msup":
            return _attached(element, children, t=1)
        case "msubsup" | "munderover":
            return _attached(element, children, b=1, t=2)
        case "mover":
            return _over(element, children)
        case "mtable":
            return f"mat(delim: #none, {'; '.join(children)})"
        case "mtr":
            return ", ".join(children)
        case "mtd":
            return " ".join(children) or '""'
    raise InputError(
        f"a formula uses {element.tag}, which the PDF writer does not know",
        do="write the formula with simpler TeX",
    )


def _row(element: Element, children: list[str]) -> str:
    """Letters of one upright word (`\\mathrm{Acc}`) belong together; anything else stands side by side."""
    if len(children) > 1 and all(
        child.tag == "mi" and child.get("mathvariant") == "normal" for child in element
    ):
        return f"upright({_string(''.join(child.text or '' for child in element))})"
    if len(children) > 1 and element[0].text == "{" and element[1].tag == "mtable":
        return f"lr({children[0]} {children[1]}) {' '.join(children[2:])}"
    return " ".join(children)


def _letters(element: Element) -> str:
    text = (element.text or "").strip("\u2061\\")
    if not text:
        return '""'
    if text in BARS:
        return f'class("normal", {_code_point(text)})'
    if element.tag in ("mo", "mi") and len(text) > 1:
        return f"op({_string(text)})"
    if element.get("mathvariant") == "normal":
        return f"upright({_string(text)})"
    return _string(text) if element.tag == "mn" else "".join(_code_point(letter) for letter in text)


def _attached(element: Element, children: list[str], **places: int) -> str:
    parts = ", ".join(f"{place}: {children[index]}" for place, index in sorted(places.items()))
    base = children[0]
    name = "".join(element[0].itertext()).strip()
    if element.tag.startswith("munder") or name in _LIMITS:
        base = f"limits({base})"
    return f"attach({base}, {parts})"


def _over(element: Element, children: list[str]) -> str:
    mark = "".join(element[1].itertext()).strip()
    if mark in ACCENTS:
        return f"accent({children[0]}, {_code_point(ACCENTS[mark])})"
    return f"attach(limits({children[0]}), t: {children[1]})"


def _binomial(children: list[str]) -> str:
    """Only the column of two: the round brackets are letters of their own in MathML."""
    return f"mat(delim: #none, {children[0]}; {children[1]})"


def _quoted(element: Element) -> str:
    return _string((element.text or "").replace("\xa0", " "))


def _string(text: str) -> str:
    escaped = re.sub(r'[\\"]', lambda match: "\\" + match.group(), text)
    return f'"{escaped}"'


def _code_point(letter: str) -> str:
    return f"\\u{{{ord(letter):x}}}"
