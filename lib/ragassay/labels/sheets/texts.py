"""Texts of strangers made harmless in a cell: nothing runs, nothing hides, nothing is too long;
and what a rater wrote read back as written.
"""

import re

LONGEST = 32_000  # a cell of Excel holds 32,767 characters
_ACTS = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%", "＝", "＋", "－", "＠")
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffc\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f]"
)


def guarded(text: str) -> str:
    """The text behind an apostrophe where a spreadsheet would run it as a formula, blanks before it passed
    over; `unguarded` takes it off.
    """
    first = text.lstrip(" \u00a0")[:1]
    return "'" + text if text[:1] in ("'", *_ACTS) or first in _ACTS else text


def unguarded(text: str) -> str:
    """The text as it was before `guarded`."""
    return text[1:] if text[:1] == "'" and guarded(text[1:]) == text else text


def visible(text: object, longest: int = LONGEST) -> str:
    """The text with hidden characters shown as pictures or code points and, beyond `longest` characters (0:
    none), cut, with a note.
    """
    whole = str(text).replace("\r\n", "\n").replace("\r", "\n")
    shown = _HIDDEN.sub(_picture, whole[: longest + 1] if longest else whole)
    if not longest or (len(whole) <= longest and len(shown) <= longest):
        return shown
    return (
        f"{shown[:longest]}\n[cut here: {len(whole):,} characters in all; read the rest in the run's answers]"
    )


def _picture(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else f"⟨U+{code:04X}⟩"
