"""Text of strangers, harmless to look at: what would act on a terminal or a page, or hide there, shows."""

import re
import unicodedata

_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_HIDDEN = re.compile(
    f"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028\u2029\u2060-\u2065\ufeff{_BIDI}"
    "\ud800-\udfff\ufff9-\ufffc\ufffe\uffff\U000e0000-\U000e007f]"
)
_IN_DIGITS = re.compile(r"[\d\s]\s{1,2}\d")
_BLANK = "\u115f\u1160\u3164\uffa0"  # letters by their class that nobody sees


LONGEST = 2000  # characters of a text that stands whole: what people write into parameters is shorter
LONGEST_WORD = 60  # characters that a cut goes back to end between words


def beginning(text: str, most: int) -> str:
    """The text's first characters, at most so many, ended between two words where there is a gap nearby."""
    cut = text[:most]
    if len(text) <= most or text[most].isspace():
        return cut
    gap = max(
        (place for place in range(max(0, most - LONGEST_WORD), most) if cut[place].isspace()), default=-1
    )
    return cut[: gap + 1] if gap >= 0 else cut


def clean(text: object, limit: int = LONGEST) -> str:
    """The text with hidden characters made visible and its length cut to `limit` characters, between two
    words, plus a count.

    Control characters become their pictures (NUL is ␀); bidirectional and invisible characters become their
    code point (⟨U+202E⟩), so that they show and no longer act. Line feeds and tabs stay. `limit` 0 cuts
    nothing.
    """
    whole = str(text).replace("\r\n", "\n")
    cut = (
        whole
        if not limit or len(whole) <= limit
        else beginning(whole, limit).rstrip() + f"… (cut here: {len(whole):,} characters in all)"
    )
    return _HIDDEN.sub(_picture, cut)


def _picture(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else f"⟨U+{code:04X}⟩"


def count_letters(text: str) -> int:
    """How many letters of any script a reader sees; signs, digits, spaces and invisible letters are none."""
    return sum(each.isalpha() and each not in _BLANK for each in text)


def plain_signs(text: str) -> tuple[str, list[int]]:
    """The text in plain signs, for whoever looks for forms in it, and where each of them stands in the text.

    Dashes of every kind are `-`, spaces of every width and line ends between digits one space, full-width
    letters, digits and signs the usual ones; characters without width are left out.
    """
    plain, places = list[str](), list[int]()
    for place, sign in enumerate(text):
        kind = unicodedata.category(sign)
        if kind in ("Cf", "Mn"):
            continue
        if kind == "Zs" or sign == "\t" or (sign in "\r\n" and _IN_DIGITS.match(text, max(0, place - 1))):
            sign = " "
        elif kind == "Pd" or sign == "\u2212":
            sign = "-"
        elif not sign.isascii():
            folded = unicodedata.normalize("NFKC", sign)
            sign = folded if len(folded) == 1 else sign
        if sign != " " or plain[-1:] != [" "]:
            plain.append(sign)
            places.append(place)
    return "".join(plain), places
