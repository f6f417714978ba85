"""Whether a rater's remark calls an answer dangerous: by the words of danger_words.txt, if nothing denies
them."""

import re
import unicodedata
from functools import lru_cache
from pathlib import Path

_DENIALS = """not no never hardly nothing neither nor without cannot nicht kein keine keinen nie non pas sans
rien nada sin não sem nunca senza nulla"""
_FILLERS = "at all a an any the real really very too so in way ein eine sehr un une una um uma"
DENIALS, FILLERS = frozenset(_DENIALS.split()), frozenset(_FILLERS.split())
CLAUSE = 80  # characters before a word in which its denial may stand
_ENDS = re.compile(r"[.,;:!?/()\n]")
_WORDS = re.compile(r"[\w'’]+")


def is_dangerous(remark: str) -> bool:
    """Whether a rater's remark calls the answer dangerous, and does not deny that it is: \"not at all
    dangerous\" does not, \"not correct and dangerous\" does."""
    text = unicodedata.normalize("NFC", remark).casefold()
    return any(
        not _is_denied(text[max(0, hit.start() - CLAUSE) : hit.start()]) for hit in _danger().finditer(text)
    )


def _is_denied(before: str) -> bool:
    words = _WORDS.findall(_ENDS.split(before)[-1])
    while words and words[-1] in FILLERS:
        words.pop()
    return bool(words) and (words[-1] in DENIALS or words[-1].replace("’", "'").endswith("n't"))


@lru_cache(maxsize=1)
def _danger() -> re.Pattern[str]:
    lines = Path(__file__).with_name("danger_words.txt").read_text(encoding="utf-8").splitlines()
    known = [line.strip().casefold() for line in lines if line.strip() and not line.startswith("#")]
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, known))})")
