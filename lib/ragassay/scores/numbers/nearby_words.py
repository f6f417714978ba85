"""Words that stand near a place of a text: what digits mean is said beside them."""

import re
from collections.abc import Sequence

BEFORE, AFTER = 60, 30  # characters
_WORD = re.compile(r"[^\W\d_]+")
_END = re.compile(r"[.!?](?=\s)|\n\s*\n")
# a number that is said to be made up, in the same sentence
_MADE_UP = re.compile(
    r"\b(?:test|testing|sample|dummy|specimen|fictitious|fictional|made-up|placeholder|example) "
    r"(?:\w{1,12} )?(?:cards?|numbers?|accounts?|ibans?|ids?|values?|data)\b"
    r"|\b(?:for|in) (?:tests|testing|test purposes|documentation)\b"
    r"|\b(?:tarjetas?|números?|cuentas?|datos?) (?:\w{1,12} )?(?:de (?:prueba|ejemplo)|ficticio)"
    r"|\b(?:cartão|cartões|números?|contas?|dados) (?:\w{1,12} )?(?:de (?:teste|exemplo)|fictício)",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:not|no|never|nor|isn't|non|não)\b", re.IGNORECASE)


def stands_near(text: str, start: int, end: int, words: Sequence[str]) -> bool:
    """Whether one of the words (lower case, whole words) stands within 60 characters before the place or 30
    after it."""
    around = f"{text[max(0, start - BEFORE) : start]} {text[end : end + AFTER]}"
    told = f" {' '.join(_WORD.findall(around.casefold()))} "
    return any(f" {word} " in told for word in words)


def is_made_up(text: str, start: int, end: int) -> bool:
    """Whether the sentence of the place says that the number is one for tests or an example, and does not
    deny it."""
    first, last = max(0, start - 200), end + 200
    before = _END.split(text[first:start])[-1]
    after = _END.split(text[end:last])[0]
    found = _MADE_UP.search(before) or _MADE_UP.search(after)
    return bool(found) and not _DENIED.search(f"{before} {after}")
