"""Three states of an answer: answered, hedged, declined; read sentence by sentence (decisions 8 and 20).

A sentence declines if the head `refusals` says so or one of the phrases of refusal_phrases.py stands in it,
and asserts if the head says so; what it quotes is not its own words. An answer that declines and asserts is
hedged: what it asserts is scored as any assertion. An answer without a word declines.

The thresholds are those of most answers right with precision at least 0.95 of the refusals found, each batch
of the written answers judged by a head that learned from the others (bench/refusals.py).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ragassay.models import refusals
from ragassay.scores import citation_grammar, refusal_phrases

ANSWERED, HEDGED, DECLINED = "answered", "hedged", "declined"
DECLINES = -0.3  # score of "declines" from which a sentence does
ASSERTS = 0.3  # score of "asserts" from which a sentence that does not decline asserts
LEAST_WORDS = 3  # of a clause that can assert by itself
BOTH = 1.0  # the same of a sentence that declines too
_JOINT = re.compile(
    r"(?:[,;:.\u2013\u2014-]\s*|\s)(?:but|however|though|although|yet|still|nevertheless|pero|sin embargo"
    r"|aunque|mas|porém|contudo|aber|allerdings|jedoch|mais|cependant|toutefois|ma|però|tuttavia)\b,?|;\s",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"“[^“”]{12,2000}”|«[^«»]{12,2000}»|\"[^\"]{12,2000}\"")
_QUOTE_LINE = re.compile(r"^\s*>[^\n]*$", re.MULTILINE)


@dataclass(frozen=True)
class Reading:
    """How an answer is read.

    Attributes
    ----------
    declining, asserting : its sentences that do so; one may do both
    rule : the phrase found, `empty` or `head`; None where nothing declines
    opens : whether it declines before it asserts anything, as a refusal that adds related information does
    """

    state: str
    declining: tuple[str, ...] = ()
    asserting: tuple[str, ...] = ()
    rule: str | None = None
    opens: bool = False

    @property
    def refuses(self) -> bool:
        """Whether the answer is a refusal as GroUSE knows it: related information may follow it."""
        return self.state == DECLINED or (self.state == HEDGED and self.opens)


def state(answer: str, language: str = "en") -> str:
    """`answered`, `hedged` (it declines, and asserts something beside) or `declined`."""
    return read(answer, language).state


def abstains(answer: str, language: str = "en") -> bool:
    """Whether the answer declines and asserts nothing, or says nothing beside citations."""
    return state(answer, language) == DECLINED


def declines(sentence: str) -> bool:
    """Whether a sentence says that it does not answer, and asserts nothing beside."""
    return abstains(sentence)


@lru_cache(maxsize=5_000)
def read(answer: str, language: str = "en") -> Reading:
    """How an answer is read, sentence by sentence."""
    from ragassay.documents import sentences

    said = [one for one in sentences(citation_grammar.strip(answer), language) if any(map(str.isalnum, one))]
    if not said:
        return Reading(DECLINED, rule="empty", opens=True)
    own = [own_words(one) for one in said]
    rules = [refusal_phrases.phrase(one) if one else None for one in own]
    marks = [_mark_both(*each) for each in zip(own, refusals(own), rules, strict=True)]
    declining = [one for one, (declines, _) in zip(said, marks, strict=True) if declines]
    asserting = [one for one, (_, asserts) in zip(said, marks, strict=True) if asserts]
    rule = next(filter(None, rules), "head") if declining else None
    opens = next((declines for declines, asserts in marks if declines or asserts), False)
    return Reading(combine(bool(declining), bool(asserting)), tuple(declining), tuple(asserting), rule, opens)


def _mark_both(own: str, scores: Sequence[float], rule: str | None) -> tuple[bool, bool]:
    """`mark`; what quotes alone asserts, and so does a sentence of which a clause does ("..., but ...")."""
    declines, asserts = mark(scores, rule) if own else (False, True)
    return declines, asserts or (declines and any(map(_asserts, _JOINT.split(own))))


def _asserts(clause: str) -> bool:
    """Whether a clause asserts and does not decline."""
    if len(clause.split()) < LEAST_WORDS or refusal_phrases.phrase(clause):
        return False
    return mark(refusals([clause])[0], None) == (False, True)


def own_words(sentence: str) -> str:
    """The sentence without citations and without what it quotes: who quotes a refusal does not decline."""
    text = _QUOTE_LINE.sub(" ", _QUOTED.sub(" ", citation_grammar.strip(sentence)))
    return " ".join(text.split()) if any(map(str.isalnum, text)) else ""


def mark(scores: Sequence[float], rule: str | None) -> tuple[bool, bool]:
    """Whether a sentence declines, and whether it asserts, by the head's scores and the phrase found."""
    declines = scores[0] >= DECLINES or rule is not None
    return bool(declines), bool(scores[1] >= (BOTH if declines else ASSERTS))


def combine(declines: bool, asserts: bool) -> str:
    """The state of an answer, of which some sentence declines, and some asserts."""
    if not declines:
        return ANSWERED
    return HEDGED if asserts else DECLINED
