"""Refusals: the phrases, in English, Spanish and Portuguese, by which an answer says that it cannot answer.

The rule reads the first two sentences of a text, without citations. answer_state.py asks it of every sentence
of an answer, beside a head that has learned from more wordings.
"""

import re
import unicodedata

from ragassay.scores.text_reading import word_lists
from ragassay.scores.text_reading.citation_grammar import strip

PHRASES = dict(word_lists.patterns("text_reading/refusal_phrases.txt"))
_FULL = {"i'm": "i am", "we're": "we are", "i've": "i have", "we've": "we have"}
_SHORT = re.compile(r"\b(?:i'm|we're|i've|we've)(?!\w)")
_COMPILED = {name: re.compile(pattern) for name, pattern in PHRASES.items()}
_OPENING = 400  # characters read at most
_TWO_SENTENCES = re.compile(r"[^.!?\n]*[.!?\n]+[^.!?\n]*")


def phrase(answer: str) -> str | None:
    """The rule by which the text declines: `empty`, or the first of `PHRASES`; None if it answers."""
    text = strip(answer)
    if not any(map(str.isalnum, text)):
        return "empty"
    opening = _folded(text)
    return next((name for name, pattern in _COMPILED.items() if pattern.search(opening)), None)


def _folded(text: str) -> str:
    """The first two sentences in plain lower case, contractions of `I am`, `we have` in full."""
    opening = _TWO_SENTENCES.match(text[:_OPENING])
    plain = unicodedata.normalize("NFKD", (opening[0] if opening else text[:_OPENING]).replace("\u2019", "'"))
    bare = plain if plain.isascii() else "".join(sign for sign in plain if not unicodedata.combining(sign))
    words = " ".join(bare.lower().split())
    return _SHORT.sub(lambda found: _FULL[found[0]], words)
