"""Whether words call a number a loss or a gain, a fall or a rise: "lost 5", "58 fewer", "a deficit of 3"."""

import re

from ragassay.scores.numbers.amounts import Amount
from ragassay.scores.text_reading import word_comparison

KEY = 6  # letters of a stem by which words are compared: operating, operations


def keys(text: str) -> frozenset[str]:
    """The words of a text by which line items are compared."""
    return frozenset(key for _, key in places_of_keys(text))


def places_of_keys(text: str) -> list[tuple[int, str]]:
    """The words of a text that carry matter, in the form compared, each with its place among all words."""
    return [
        (place, word.stem[:KEY])
        for place, word in enumerate(word_comparison.words(text))
        if word.content and not (len(word.lower) == 4 and word.lower[:2] in ("19", "20"))
    ]


NEGATIVE = -2  # the sign of a number that is written or called negative; -1 is that after a word like "fell"
LOSES = re.compile(
    r"\b(?:loss(?:es)?|lost|loses?|deficit|negative|minus|fell|fall(?:s|ing|en)?|decreas\w{0,6}|declin\w{0,6}"
    r"|drop(?:s|ped)?|down|lower(?:ed)?|fewer|less|reduc\w{0,6}|shrank|shrunk|narrow\w{0,6}|behind|below"
    r"|wors\w{0,6}|outflows?|cost|short(?:fall)?|contract(?:ed|ion)|weaken\w{0,4})\b",
    re.IGNORECASE,
)
GAINS = re.compile(
    r"\b(?:profits?|gain\w{0,4}|surplus|positive|rose|ris(?:e|es|ing|en)|increas\w{0,6}|grew|grow\w{0,4}|up"
    r"|higher|more|improv\w{0,6}|ahead|above|exceed\w{0,4}|inflows?|expand\w{0,4}|widen\w{0,4}|jump\w{0,4}"
    r"|climb\w{0,4}|better|earn\w{0,4}|made)\b",
    re.IGNORECASE,
)
FROM = re.compile(r"\bfrom[ \xa0]\S{0,4}\Z", re.IGNORECASE)
TO = re.compile(r"\bto[ \xa0]\S{0,4}\Z", re.IGNORECASE)
_LEVEL = re.compile(r"\b(?:to|from|at|of|was|were|is|are|total|totall?ed|a)[ \xa0]\S{0,4}\Z", re.IGNORECASE)
_LOSS_OF = re.compile(r"\b(?:loss|deficit|shortfall|outflow) of[ \xa0]\S{0,4}\Z", re.IGNORECASE)
_GAIN_OF = re.compile(r"\b(?:profit|surplus|gain) of[ \xa0]\S{0,4}\Z", re.IGNORECASE)
_KIND = re.compile(
    r"\W{0,3}(?:\w{1,20}\W{1,3}){0,2}(?:loss|profit|deficit|surplus|gain|fewer|less|more|behind|ahead)\b"
)
_TWO_SIDED = re.compile(
    r"\b(?:change|difference|variance|profit|result|balance|income|gain|growth)", re.IGNORECASE
)
NEAR = 40  # characters after a number in which a word still speaks of it


def told_sign(before: str, after: str, amount: Amount) -> int:
    """The sign that the words around a number give it: NEGATIVE, -1, 1, or 0 for none."""
    if amount.negative or _LOSS_OF.search(before):
        return NEGATIVE
    if _LEVEL.search(before) and not (_GAIN_OF.search(before) or _KIND.match(after)):
        return 0
    words = [(found.end(), -1) for found in LOSES.finditer(before)]
    words += [(found.end(), 1) for found in GAINS.finditer(before)]
    if words:
        return max(words)[1]
    later = [(found.start(), -1) for found in LOSES.finditer(after[:NEAR])]
    later += [(found.start(), 1) for found in GAINS.finditer(after[:NEAR])]
    return min(later)[1] if later else 0


def is_two_sided(label: str) -> bool:
    """Whether numbers of a line item may be of either sign: a change, a result, a balance."""
    return bool(_TWO_SIDED.search(label))
