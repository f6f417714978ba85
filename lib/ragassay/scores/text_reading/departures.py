"""Where a sentence in the passages' own words says another thing than they do: a negation or a condition is
dropped or added, or a word stands in place of another.

Only sentences that share most words with one of the passages are judged; of other words, entailment judges.
Word lists are English; negations also German, Spanish, French, Italian, Portuguese, Chinese, Japanese.
"""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache
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
        stop = kind("stop")
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
    everywhere = frozenset().union(*(_read(one).stems for one in sentences))
    for sentence in sentences:
        there = _read(sentence)
        if len(own & set(there.stems)) < ALIKE * len(own):
            continue
        difference = _difference(said, there, everywhere)
        if difference == "":
            return ""
        found = difference or found
    return found


def _difference(said: _Read, there: _Read, everywhere: frozenset[str]) -> str | None:
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
    if (_negations(span) + _negations(said.tokens) + turned) % 2:
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
        if is_short and _excludes(said.stems[a:b], there.stems[c:d], everywhere):
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


def _excludes(new: Sequence[str], old: Sequence[str], everywhere: frozenset[str]) -> bool:
    """Whether words stand in place of others that they cannot mean: another number, a quantifier,
    or a word that the passages use of something else."""
    synonyms, none = word_comparison.synonyms(), frozenset[str]()
    universal = set(map(word_comparison.stem, kind("universal")))
    for one in new:
        if any(one[:LIKE] == other[:LIKE] or other in synonyms.get(one, none) for other in old):
            continue
        if one in everywhere or one in universal:
            return True
        values = [float(each) for each in (one, *old) if each.replace(".", "", 1).isdecimal()]
        if one[0].isdecimal() and len(values) > 1 and not isclose(*values[:2], rel_tol=ROUNDED):
            return True
    return False


def _negations(tokens: Sequence[str]) -> int:
    """How many tokens negate; `without` does not, nor a French `ne` beside `pas`."""
    words = (kind("negation") | kind("negator")) - {"without"}
    return sum(token in words or token.endswith("n't") for token in tokens)


@lru_cache(4096)
def _read(text: str) -> _Read:
    return _Read(text)
