"""Text for typst: only ever string literals, only characters its fonts hold, and places to break where a word
is too long."""

import re
from functools import cache
from pathlib import Path

from ragassay.show import clean

_PICTURES = re.findall(
    r"\w+",
    "NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC "
    "FS GS RS US",
)
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_HARMLESS = set("\n\t\u200b\u200c\u200d")
LONGEST_WORD = 26
_BREAK = "\u200b"  # where a long word may break; made here, never taken from data


def string(text: str) -> str:
    """The text as a typst string literal, hidden characters shown: the one place where text leaves for the
    PDF."""
    seen = _BREAK.join(clean(piece, 0) for piece in text.split(_BREAK))
    seen = re.sub(r"(?<=\d) (?=%)", "\N{NO-BREAK SPACE}", seen)
    return '"' + "".join(_ESCAPES.get(letter, letter) for letter in printable(seen)) + '"'


def printable(text: str) -> str:
    """The text with every character that the embedded fonts lack written as its name or code point."""
    known = font_characters()
    return "".join(
        letter if " " <= letter < "\x7f" or letter in _HARMLESS or ord(letter) in known else _named(letter)
        for letter in text
    )


def breakable(text: str, longest: int = LONGEST_WORD, *, is_split: bool = False) -> str:
    """The text with invisible break opportunities inside words longer than `longest` letters, or inside any
    long name when `is_split`."""
    shortest = min(longest, 8) if is_split else longest
    return re.sub(rf"\S{{{shortest + 1},}}", lambda word: _with_breaks(word.group(), longest), clean(text, 0))


def _with_breaks(word: str, longest: int) -> str:
    pieces = re.findall(r"[^_/.\-:;,=&?]*[_/.\-:;,=&?]+|[^_/.\-:;,=&?]+", word)
    short = [piece[start : start + longest] for piece in pieces for start in range(0, len(piece), longest)]
    return _BREAK.join(short)


def _named(letter: str) -> str:
    code = ord(letter)
    if 0x2400 <= code < 0x2420:
        return f"⟨{_PICTURES[code - 0x2400]}⟩"
    return "⟨DEL⟩" if code == 0x2421 else f"⟨U+{code:04X}⟩"


@cache
def font_files() -> tuple[Path, ...]:
    """The fonts besides typst's own: DejaVu, which matplotlib brings along."""
    from matplotlib import get_data_path

    folder = Path(get_data_path()) / "fonts" / "ttf"
    return tuple(
        folder / f"DejaVuSans{style}.ttf"
        for style in ("", "-Bold", "-Oblique", "-BoldOblique", "Mono", "Mono-Bold")
    )


@cache
def font_characters() -> frozenset[int]:
    """The code points that DejaVu Sans holds, the last font that is asked."""
    from matplotlib.ft2font import FT2Font

    return frozenset(
        code for code in FT2Font(str(font_files()[0])).get_charmap() if not 0xE000 <= code <= 0xF8FF
    )
