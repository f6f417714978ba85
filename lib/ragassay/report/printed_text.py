"""Text and formulas as the documents print them: hidden characters shown, numbers kept with their per cent,
places to break where a word is too long, for the PDF only characters that its fonts hold; TeX as MathML for
HTML and as a picture for PDF and Word."""

import io
import re
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from ragassay.errors import InputError
from ragassay.show import clean

LONGEST_WORD = 26
BREAK = "\u200b"  # where a long word may break; made here, never taken from data
SPELLED = {"le": r"\leq", "ge": r"\geq", "frac": r"\dfrac", "tfrac": r"\frac", "Big": "", "big": ""}
_SPELLED = re.compile(rf"\\({'|'.join(SPELLED)})(?![a-zA-Z])")  # TeX that matplotlib knows by another name
STATED: dict[str, Any] = {"svg": {"Date": None, "Creator": None}, "png": {"Software": None}}  # by a picture


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


@cache
def mathml(tex: str, display: bool = False) -> str:
    """The formula as one `<math>` element, with the TeX as its label for readers who listen.

    Raises
    ------
    InputError
        If the TeX cannot be read, by the reader of HTML or of pictures.
    """
    from latex2mathml.converter import convert

    draw_formula(tex, "svg")  # latex2mathml passes over what it does not understand
    try:
        text = convert(tex, display="block" if display else "inline")
        root = ElementTree.fromstring(text.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', ""))
    except Exception as problem:  # latex2mathml raises a family of its own, and plain errors
        raise _unreadable(tex, problem) from problem
    for element in root.iter():
        element.attrib.pop("style", None)
    root.set("aria-label", tex)
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=False)


@cache
def draw_formula(tex: str, kind: str) -> tuple[bytes, float]:
    """The formula as a picture by matplotlib, svg or png, and how much of its height lies below the line.

    Raises
    ------
    InputError
        If the TeX cannot be read.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties
    from matplotlib.mathtext import MathTextParser

    text, font = (
        f"${_SPELLED.sub(lambda found: SPELLED[found[1]], tex)}$",
        FontProperties(size=10, math_fontfamily="stix"),
    )
    page = io.BytesIO()
    with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": "ragassay"}):
        try:
            wide, tall, below, _, _ = MathTextParser("path").parse(text, 72, font)
        except ValueError as problem:
            raise _unreadable(tex, problem) from problem
        drawn = Figure(figsize=((wide + 1) / 72, (tall + 1) / 72))
        drawn.text(0, below / tall, text, fontproperties=font, parse_math=True)
        drawn.savefig(page, format=kind, dpi=220, transparent=True, metadata=STATED[kind])
    return page.getvalue(), float(below / tall)


def _unreadable(tex: str, problem: Exception) -> InputError:
    do = f"correct its TeX ({type(problem).__name__}: {problem})"
    return InputError("a formula cannot be read", found=tex, do=do)
