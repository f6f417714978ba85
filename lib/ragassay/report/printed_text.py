"""Text and formulas as the documents print them: hidden characters shown, numbers kept with their per cent,
places to break where a word is too long, for the PDF only characters that its fonts hold; TeX as MathML for
HTML and as a picture for PDF and Word."""

import io
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any
from unicodedata import name
from xml.etree import ElementTree

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
    """The text with every character that no font of the PDF holds written as its code point, `⟨U+0000⟩` also
    of the picture that stands for a control character."""
    lacking = {code for code in map(ord, {*text} - {"\n", "\t", BREAK}) if not _is_held(code)}
    spelled = {code: f"⟨U+{code - 0x2400 * (0x2400 <= code < 0x2420):04X}⟩" for code in lacking}
    return text.translate(spelled)


def unprinted_scripts(text: str) -> dict[str, int]:
    """By script, such as THAI or CJK, how many letters of the text no font of the PDF holds; most first."""
    lacking = (letter for letter in text if letter.isalpha() and not _is_held(ord(letter)))
    return dict(Counter(name(letter, "?").split()[0] for letter in lacking).most_common())


@cache
def _is_held(code: int) -> bool:
    return any(code in characters for characters in _font_characters().values())


def font_files(text: str) -> list[Path]:
    """The fonts that the text takes besides typst's own: DejaVu, which matplotlib brings along, and those
    installed of Noto that hold what it lacks."""
    dejavu, *further = _font_characters().items()
    lacking = set(map(ord, text)) - dejavu[1]
    styles = ("", "-Bold", "-Oblique", "-BoldOblique", "Mono", "Mono-Bold")
    own = [dejavu[0].with_name(f"DejaVuSans{style}.ttf") for style in styles]
    return [*own, *(path for path, characters in further if lacking & characters)]


@cache
def _font_characters() -> dict[Path, frozenset[int]]:
    """The code points that DejaVu Sans, and each regular font of Noto on this machine, holds."""
    from matplotlib import get_data_path
    from matplotlib.font_manager import findSystemFonts
    from matplotlib.ft2font import FT2Font

    paths = [path for path in sorted(map(Path, findSystemFonts())) if re.match("Noto.*Regular", path.name)]
    paths.insert(0, Path(get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf")
    codes = {path: FT2Font(str(path)).get_charmap() for path in paths}
    return {path: frozenset(each) - set(range(0xE000, 0xF900)) for path, each in codes.items()}


@cache
def mathml(tex: str, display: bool = False) -> str:
    """The formula as one `<math>` element, with the TeX as its label for readers who listen; "" where its TeX
    cannot be read, by the reader of HTML or of pictures."""
    from latex2mathml.converter import convert

    try:
        draw_formula(tex, "svg")  # latex2mathml passes over what it does not understand
        text = convert(tex, display="block" if display else "inline")
        root = ElementTree.fromstring(text.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', ""))
    except Exception:  # latex2mathml raises a family of its own, and plain errors
        return ""
    for element in root.iter():
        element.attrib.pop("style", None)
    root.set("aria-label", tex)
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=False)


@cache
def draw_formula(tex: str, kind: str) -> tuple[bytes, float]:
    """The formula as a picture by matplotlib, svg or png, and how much of its height lies below the line.

    Raises
    ------
    ValueError
        If the TeX cannot be read.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties
    from matplotlib.mathtext import MathTextParser

    text = f"${_SPELLED.sub(lambda found: SPELLED[found[1]], ' '.join(tex.split()))}$"
    font, page = FontProperties(size=10, math_fontfamily="stix"), io.BytesIO()
    with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": "ragassay"}):
        wide, tall, below, _, _ = MathTextParser("path").parse(text, 72, font)
        drawn = Figure(figsize=((wide + 1) / 72, (tall + 1) / 72))
        drawn.text(0, below / tall, text, fontproperties=font, parse_math=True)
        drawn.savefig(page, format=kind, dpi=220, transparent=True, metadata=STATED[kind])
    return page.getvalue(), float(below / tall)
