"""Text of strangers, harmless to look at: what would act on a terminal or a page, or hide there, shows; a
cell that a spreadsheet would run as a formula stands behind an apostrophe, taken off when read.

A cell acts if it begins with = + - @ | % or a wide form of these, whatever blanks, marks, quotes and
apostrophes stand before, or with a tab or a line break; a number, however written, does not.
"""

import csv
import re
import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

# characters that act or hide: controls, marks of direction and of no width, surrogates, tags
_HIDDEN = (
    *((0x7F, 0x9F), (0x61C, 0x61C), (0x200B, 0x200B), (0x200E, 0x200F), (0x2028, 0x202E), (0x2060, 0x2069)),
    *((0xD800, 0xDFFF), (0xFEFF, 0xFEFF), (0xFFF9, 0xFFFC), (0xFFFE, 0xFFFF), (0xE0000, 0xE007F)),
)
_SHOWN = {code: f"⟨U+{code:04X}⟩" for first, last in _HIDDEN for code in range(first, last + 1)}
_SHOWN |= {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\t\n"} | {0x7F: "\u2421"}
_IN_DIGITS = re.compile(r"[\d\s]\s{1,2}\d")
_BLANK = "\u115f\u1160\u3164\uffa0"  # letters by their class that nobody sees
GUARD = "'"
_LEADING = "'\"\u00a0\ufeff\u200b\u200e\u200f "
_ACTS = ("=", "+", "-", "@", "|", "%", "＝", "＋", "－", "＠", "\t", "\r", "\n")
_NUMBER = re.compile(r"[-+]?(?:\d{1,30}|\d{0,30}[.,]\d{1,30})(?:[eE][-+]?\d{1,4})?(?:\s?%)?")


LONGEST = 2000  # characters of a text that stands whole: what people write into parameters is shorter
_CUT_WORD = re.compile(r"(?<=\s)\S{1,60}\Z")


def clean(text: object, limit: int = LONGEST) -> str:
    """The text with hidden characters made visible and its length cut to `limit` characters, between two
    words, plus a count.

    Control characters become their pictures (NUL is ␀); bidirectional and invisible characters become their
    code point (⟨U+202E⟩), so that they show and no longer act. Line feeds and tabs stay. `limit` 0 cuts
    nothing.
    """
    whole = str(text).replace("\r\n", "\n")
    if limit and len(whole) > limit:
        cut = _CUT_WORD.sub("", whole[: limit + 1])[:limit].rstrip()
        whole = f"{cut}… (cut here: {len(whole):,} characters in all)"
    return whole.translate(_SHOWN)


def one_line(text: object, limit: int = LONGEST) -> str:
    """The same on one line: line feeds and tabs become their pictures too."""
    return clean(text, limit).translate({ord("\t"): "\u2409", ord("\n"): "\u240a"})


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
        elif len(folded := unicodedata.normalize("NFKC", sign)) == 1:
            sign = folded
        if sign != " " or plain[-1:] != [" "]:
            plain.append(sign)
            places.append(place)
    return "".join(plain), places


def guarded(cell: Any) -> Any:
    """A text behind an apostrophe where a spreadsheet would run it, `unguarded` takes it off; what is no text
    stays."""
    return GUARD + cell if isinstance(cell, str) and _acts(cell) else cell


def unguarded(text: str) -> str:
    """The text as it was before `guarded`."""
    return text[1:] if text[:1] == GUARD and _acts(text) else text


def to_csv(table: "pd.DataFrame", *, header: bool = True) -> str:
    """The table as CSV in which nothing runs: texts guarded and in quotes, numbers as they are."""
    return guard_table(table).to_csv(
        index=False, header=header, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC
    )


def guard_table(table: "pd.DataFrame") -> "pd.DataFrame":
    """The table as a CSV may hold it: texts in cells and column names guarded, numbers as they are."""
    texts = table.select_dtypes(exclude="number")
    return table.assign(**{str(name): texts[name].map(guarded) for name in texts}).rename(columns=guarded)


def unguard_columns(table: "pd.DataFrame", names: Iterable[str]) -> "pd.DataFrame":
    """The table with the texts of these columns as they were before `guard_table`."""
    return table.assign(**{name: table[name].map(unguarded, na_action="ignore") for name in names})


def _acts(text: str) -> bool:
    """Whether it would act, seen without the apostrophes that may guard it already."""
    body = text.lstrip(GUARD)
    core = body.lstrip(_LEADING)
    return body.startswith(("\t", "\r", "\n")) or (core.startswith(_ACTS) and not _NUMBER.fullmatch(body))
