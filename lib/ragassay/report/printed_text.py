"""Text and formulas as the documents print them: hidden characters shown, numbers kept with their per cent,
places to break where a word is too long, for the PDF only characters that its fonts hold. TeX is read once,
into MathML; HTML takes that as it is, and the PDF gets it translated to typst."""

import re
from functools import cache
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from ragassay.errors import InputError
from ragassay.show import clean

LONGEST_WORD = 26
BREAK = "\u200b"  # where a long word may break; made here, never taken from data


def visible(text: str) -> str:
    """The text letter for letter: what hides shows, and `76 %` stays on one line."""
    return re.sub(r"(?<=\d) (?=%)", "\N{NO-BREAK SPACE}", clean(text, 0))


def breakable(text: str, longest: int = LONGEST_WORD) -> str:
    """The visible text with places to break at the joints of words longer than `longest` letters, and in
    pieces of them that are too long for a column."""
    return re.sub(rf"\S{{{longest + 1},}}", _with_breaks, visible(text))


def _with_breaks(word: re.Match[str]) -> str:
    pieces = re.findall(r"[^_/.\-:;,=&?]*[_/.\-:;,=&?]+|[^_/.\-:;,=&?]+", word.group())
    return BREAK.join(short for piece in pieces for short in re.findall(f".{{1,{LONGEST_WORD}}}", piece))


def printable(text: str) -> str:
    """The text with every character that the embedded fonts lack written as its code point."""
    known = font_characters()
    return "".join(
        letter if letter in f"\n\t{BREAK}" or ord(letter) in known else _named(ord(letter)) for letter in text
    )


def _named(code: int) -> str:
    """`⟨U+0000⟩` also of the picture that stands for a control character."""
    is_picture = 0x2400 <= code < 0x2420
    return f"⟨U+{code - 0x2400 * is_picture:04X}⟩"


@cache
def font_files() -> tuple[Path, ...]:
    """The fonts besides typst's own: DejaVu, which matplotlib brings along."""
    from matplotlib import get_data_path

    folder = Path(get_data_path()) / "fonts" / "ttf"
    styles = ("", "-Bold", "-Oblique", "-BoldOblique", "Mono", "Mono-Bold")
    return tuple(folder / f"DejaVuSans{style}.ttf" for style in styles)


@cache
def font_characters() -> frozenset[int]:
    """The code points that DejaVu Sans holds, the last font that is asked."""
    from matplotlib.ft2font import FT2Font

    codes = FT2Font(str(font_files()[0])).get_charmap()
    return frozenset(code for code in codes if not 0xE000 <= code <= 0xF8FF)


ACCENTS = {
    **{"^": "\u0302", "ˆ": "\u0302", "~": "\u0303", "˜": "\u0303", "¯": "\u0304", "‾": "\u0304"},
    **{"_": "\u0304", "―": "\u0304", "˙": "\u0307", "→": "\u20d7"},
}
BARS = {"|", "‖"}
_LIMITS = set("∑∏⋃⋂⨆") | {"max", "min", "argmax", "argmin", "lim", "sup", "inf"}
_FORMS = {  # of elements with so many parts
    "mfrac": "frac({0}, {1})",
    "mroot": "root({1}, {0})",
    **dict.fromkeys(("msub", "munder"), "attach({0}, b: {1})"),
    "msup": "attach({0}, t: {1})",
    **dict.fromkeys(("msubsup", "munderover"), "attach({0}, b: {1}, t: {2})"),
    "mover": "attach(limits({0}), t: {1})",
}


@cache
def mathml(tex: str, display: bool = False) -> str:
    """The formula as one `<math>` element, with the TeX as its label for readers who listen.

    Raises
    ------
    InputError
        If the TeX cannot be read.
    """
    root = _tree(tex, display)
    root.set("aria-label", tex)
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=False)


@cache
def typst(tex: str) -> str:
    """The formula in typst's mathematics; every letter is written as its code point.

    Raises
    ------
    InputError
        If the TeX cannot be read.
    """
    return _translated(_tree(tex))


def _tree(tex: str, display: bool = False) -> Element:
    """The formula as MathML without namespaces or styles. latex2mathml passes over what it does not
    understand; a formula with a piece missing, or a command left as letters, is refused."""
    from latex2mathml.converter import convert

    try:
        text = convert(tex, display="block" if display else "inline")
        root = ElementTree.fromstring(text.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', ""))
    except Exception as problem:  # latex2mathml raises a family of its own, and plain errors
        do = f"correct its TeX ({type(problem).__name__}: {problem})"
        raise InputError("a formula cannot be read", found=tex, do=do) from problem
    for element in root.iter():
        element.attrib.pop("style", None)
        letters = element.text or ""
        is_command = letters.startswith("\\") and letters[1:].isalpha() and letters != "\\arg"
        if is_command or len(element) != (_FORMS.get(element.tag, "").count("{") or len(element)):
            do = f"correct its TeX near {letters or element.tag}"
            raise InputError("a formula cannot be read", found=tex, do=do)
    return root


def _translated(element: Element) -> str:  # noqa: C901 - a case for each element
    parts = [_translated(child) for child in element]
    match element.tag:
        case "math" | "mrow" | "mstyle" | "mpadded" | "mphantom":
            return _row(element, parts)
        case "mi" | "mn" | "mo":
            return _letters(element)
        case "mtext":
            return f"upright({_string((element.text or '').replace(chr(0xA0), ' '))})"
        case "mspace":
            return "space"
        case "mfrac" if element.get("linethickness") == "0":  # the brackets are letters of their own
            return f"mat(delim: #none, {parts[0]}; {parts[1]})"
        case "mover" if (mark := "".join(element[1].itertext()).strip()) in ACCENTS:
            return f"accent({parts[0]}, {_code_point(ACCENTS[mark])})"
        case "mtable":
            return f"mat(delim: #none, {'; '.join(parts)})"
        case "mtr":
            return ", ".join(parts)
        case "mtd":
            return " ".join(parts) or '""'
        case "msqrt":
            return f"sqrt({' '.join(parts)})"
        case tag if tag in _FORMS:
            has_limits = tag.startswith("munder") or "".join(element[0].itertext()).strip() in _LIMITS
            return _FORMS[tag].format(f"limits({parts[0]})" if has_limits else parts[0], *parts[1:])
    raise InputError(f"a formula uses {element.tag}, which the PDF cannot show", do="write simpler TeX")


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


def _string(text: str) -> str:
    escaped = re.sub(r'[\\"]', lambda match: "\\" + match.group(), text)
    return f'"{escaped}"'


def _code_point(letter: str) -> str:
    return f"\\u{{{ord(letter):x}}}"
