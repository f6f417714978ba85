"""Text as the documents print it: hidden characters shown, numbers kept with their per cent, places to break
where a word is too long, and for the PDF only characters that its fonts hold."""

import re
from functools import cache
from pathlib import Path

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
