"""Numbers written in digits, in one spelling, so that a claim's can be looked up in a passage."""

import re
import unicodedata
from collections.abc import Sequence

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_LIST_MARK = re.compile(r"\A\s*\d{1,2}[.)]\s+")


def numbers(*texts: str) -> set[str]:
    """The numbers written in digits, in one spelling: `1,250.50`, `1.250,50` and `1250.5` are one."""
    return {_one_spelling(found) for text in texts for found in _NUMBER.findall(text)}


def stated_numbers(sentence: str) -> set[str]:
    """The numbers of one sentence; the mark of a numbered step ("2. ") is none."""
    return numbers(_LIST_MARK.sub("", sentence, count=1))


def missing_numbers(sentence: str, passages: Sequence[str]) -> set[str]:
    """The sentence's numbers that stand in none of the passages."""
    return stated_numbers(sentence) - numbers(*passages)


def _one_spelling(number: str) -> str:
    """A last mark before other than three digits is the decimal mark, every other mark groups thousands."""
    digits = "".join(str(unicodedata.digit(sign)) if sign.isdigit() else sign for sign in number)
    parts = re.split("[.,]", digits)
    if len(parts) == 1:
        return parts[0].lstrip("0") or "0"
    whole, last = "".join(parts[:-1]), parts[-1]
    fraction = "" if len(last) == 3 else last.rstrip("0")
    whole = (whole + last if len(last) == 3 else whole).lstrip("0") or "0"
    return f"{whole}.{fraction}" if fraction else whole
