"""Where a sentence in the passages' own words says another thing than they do: a negation or a condition is
dropped or added, or a word stands in place of another.

Only sentences that share most words with one of the passages are judged; of other words, entailment judges.
Word lists are English; negations also German, Spanish, French, Italian, Portuguese, Chinese, Japanese.
"""

import re
from collections.abc import Collection, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise
from math import isclose

from ragassay.scores.numbers.amounts import with_plain_amounts
from ragassay.scores.text_reading import word_comparison, word_lists
from ragassay.scores.text_reading.word_comparison import kind

NEGATION, CONDITION, QUANTITY, WORD = "negation", "condition dropped", "quantity widened", "word replaced"
ALIKE = 0.55  # share of a sentence's words that stand in one of the passages, from which the two are compared
SPARE, REPLACED = 2, 2  # words beside twice its own among which a sentence stands; words that may be replaced
ROUNDED = 0.01  # of a number, what rounding may change
LIKE = 4  # letters at the beginning of two words that are taken for forms of one
_TOKEN = re.compile(
    r"\d[\d.,]*\d|\d|[\u3040-\u30ff\u3400-\u9fff]|[^\W\d_\u3040-\u30ff\u3400-\u9fff]+(?:['’][^\W\d_]+)?|[.,;:!?()]"
)
_OPENING = re.compile(
    r"\A\s*(?:(?:yes|no|sí|não|sim|ja|nein|oui|non)\b\s*[,;.:–-]|not(?= unless\b))\s*", re.IGNORECASE
)
_NO_NEGATION = re.compile(
    r"\bnot only\b|\b(?:no|not) (?:later|more|less|fewer|earlier|longer|sooner|greater) than\b", re.IGNORECASE
)
_BREAKS = {*".,;:!?()", "and", "but", "while", "whereas", "although", "though", "und", "y", "et", "e"}


class _Read:
    """A sentence as tokens in lower case, and the stems of those that carry matter, with their places."""

    def __init__(self, text: str):
        plain = with_plain_amounts(_NO_NEGATION.sub("", _OPENING.sub("", text)))
        self.tokens = [token.lower().replace("’", "'") for token in _TOKEN.findall(plain)]
        stop = kind("stop") | kind("negator") | {"without"}
        self.places = [i for i, one in enumerate(self.tokens) if one[0].isalnum() and one not in stop]
        self.stems = [word_comparison.stem(self.tokens[i]) for i in self.places]


def find_departure(claim: str, sentences: Sequence[str]) -> str:
    """What the claim says otherwise than every sentence that has most of its words: NEGATION, CONDITION,
    QUANTITY or WORD; "" if one of them says the same, or none has its words."""
    said = _read(claim)
    own = set(said.stems)
    if len(own) < 2:
        return ""
    found = ""
    beside = {frozenset(pair) for one in sentences for pair in pairwise(_read(one).stems)}
    for sentence in sentences:
        there = _read(sentence)
        if len(own & set(there.stems)) < ALIKE * len(own):
            continue
        difference = _difference(said, there, beside)
        if difference == "":
            return ""
        found = difference or found
    return found


def _difference(said: _Read, there: _Read, beside: Collection[frozenset[str]]) -> str | None:
    """The first difference of two sentences that share words, "" without one; None if too unlike."""
    matcher = SequenceMatcher(None, said.stems, there.stems, autojunk=False)
    blocks = [block for block in matcher.get_matching_blocks() if block.size]
    other_words = len(said.stems) - sum(block.size for block in blocks)
    first, last = blocks[0].b, blocks[-1].b + blocks[-1].size
    if other_words > REPLACED + 1 or last - first > 2 * len(said.stems) + SPARE:
        return None  # its words stand far apart: it is another sentence
    start, end = _widened(there.tokens, there.places[first], there.places[last - 1])
    span, rest = there.tokens[start : end + 1], there.tokens[end + 1 :]
    turned = ("unless" in span) != ("unless" in said.tokens) and "if" in {*span, *said.tokens}
    denied = _negations(span, said.stems) + _negations(said.tokens, there.stems) + turned
    if denied % 2 and ("without" in span) == ("without" in said.tokens):
        return NEGATION
    limits = kind("limiter") & {*span, *(set(rest) - {"only"})}
    if limits and not kind("limiter") & set(said.tokens):
        return CONDITION
    if kind("universal") & set(said.tokens) - set(span) and kind("partial") & set(span) - set(said.tokens):
        return QUANTITY
    if other_words > REPLACED:
        return None
    opposites, lost = (
        word_comparison.opposites(),
        set(map(word_comparison.stem, set(span) - set(said.tokens))),
    )
    if any(opposites.get(word_comparison.stem(one), set()) & lost for one in set(said.tokens) - set(span)):
        return WORD
    for operation, a, b, c, d in matcher.get_opcodes():
        is_short = operation == "replace" and d - c <= 2 * REPLACED
        if is_short and any(_excludes(said.stems, at, there, (c, d), beside) for at in range(a, b)):
            return WORD
        left_out = there.tokens[there.places[c] : there.places[d]] if c < d < len(there.places) else []
        is_joined = operation == "insert" and 0 < a < len(said.stems) and said.stems[a][0].isdecimal()
        if is_joined and set(left_out) & _BREAKS and word_lists.has_sign("finite", " ".join(left_out)):
            return WORD  # the beginning of one clause with the number of another
    return ""


def _widened(tokens: Sequence[str], start: int, end: int) -> tuple[int, int]:
    """The first and the last token of the clauses from one token to another."""
    while start and tokens[start - 1] not in _BREAKS:
        start -= 1
    while end + 1 < len(tokens) and tokens[end + 1] not in _BREAKS:
        end += 1
    return start, end


def _excludes(
    said: Sequence[str], at: int, there: _Read, place: tuple[int, int], beside: Collection[frozenset[str]]
) -> bool:
    """Whether a word stands in place of others that it cannot mean: a quantifier, another number, a word that
    the same sentence uses elsewhere, or that a passage uses beside the same neighbour."""
    one, old = said[at], there.stems[slice(*place)]
    like = word_comparison.synonyms().get(one, frozenset())
    if any(one[:LIKE] == other[:LIKE] or other in like for other in old):
        return False
    values = [float(each) for each in (one, *old) if each.replace(".", "", 1).isdecimal()]
    if one[0].isdecimal() and len(values) > 1:
        return not isclose(*values[:2], rel_tol=ROUNDED)
    neighbours = {frozenset((one, said[i])) for i in (at - 1, at + 1) if 0 <= i < len(said)}
    is_universal = one in map(word_comparison.stem, kind("universal"))
    return is_universal or one in there.stems or not neighbours.isdisjoint(beside)


def _negations(tokens: Sequence[str], other: Sequence[str]) -> int:
    """How many tokens negate, `unused` too where the other sentence has `used`; a French `ne` does not."""
    words, count = kind("negator"), 0
    for token in tokens:
        is_turned = token.startswith("un") and word_comparison.stem(token[2:]) in other
        count += token in words or token.endswith("n't") or is_turned
    return count


@lru_cache(4096)
def _read(text: str) -> _Read:
    return _Read(text)
