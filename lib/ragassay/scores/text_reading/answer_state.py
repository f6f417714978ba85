"""Three states of an answer: answered, hedged, declined; read sentence by sentence (decisions 8 and 20).

A sentence declines if the head `refusals` or one of the phrases of refusal_phrases.txt says so, and asserts
if the head says so; what it quotes is not its own words. What declines and asserts is hedged. An answer
without a word declines. The thresholds are those of the highest recall with precision at least 0.95 on
written answers that the head had not learned; see bench/refusals.py.
"""

import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ragassay.models import refusals
from ragassay.scores.numbers.amounts import find_amounts
from ragassay.scores.text_reading import citation_grammar, word_lists
from ragassay.scores.text_reading.word_lists import alternatives

_FULL = {"i'm": "i am", "we're": "we are", "i've": "i have", "we've": "we have"}
_SHORT = re.compile(r"\b(?:i'm|we're|i've|we've)(?!\w)")
PHRASES = {
    name: re.compile(pattern) for name, pattern in word_lists.patterns("text_reading/refusal_phrases.txt")
}
_OPENING = 400  # characters read at most
_TWO_SENTENCES = re.compile(r"[^.!?\n]*[.!?\n]+[^.!?\n]*")


def refusal_phrase(answer: str) -> str | None:
    """The rule by which the text declines: `empty`, or the first of `PHRASES`; None if it answers."""
    text = citation_grammar.strip(answer)
    if not any(map(str.isalnum, text)):
        return "empty"
    opening = _folded(text)
    return next((name for name, pattern in PHRASES.items() if pattern.search(opening)), None)


def _folded(text: str) -> str:
    """The first two sentences in plain lower case, contractions of `I am`, `we have` in full."""
    opening = _TWO_SENTENCES.match(text[:_OPENING])
    plain = unicodedata.normalize("NFKD", (opening[0] if opening else text[:_OPENING]).replace("\u2019", "'"))
    bare = plain if plain.isascii() else "".join(sign for sign in plain if not unicodedata.combining(sign))
    words = " ".join(bare.lower().split())
    return _SHORT.sub(lambda found: _FULL[found[0]], words)


_ADVERSATIVE = (
    r"but|however|though|although|yet|still|instead|nevertheless|nonetheless|even so|that said|all\sthe\ssame"
    r"|pero|sin embargo|no obstante|aunque|en cambio"
    r"|mas|porém|contudo|todavia|no entanto|entretanto"
    r"|aber|allerdings|jedoch|doch|dennoch|trotzdem"
    r"|mais|cependant|toutefois|pourtant|néanmoins"
    r"|ma|però|tuttavia|eppure|comunque"
)
_TURN = rf"(?:[,;:.\u2013\u2014-]\s{{0,2}}|\s)(?:{_ADVERSATIVE})\b,?|;\s"
TURN = re.compile(_TURN, re.IGNORECASE)  # to a clause that may say the contrary
_JOINT = re.compile(
    _TURN + r"|(?:,|\s{1,2}and)\s{1,2}(?=(?:the|it|its|this|they|you|we)\s)"
    r"|\(|:\s|\s(?:except|other than|apart from|aside from)\s(?:that\s)?"
    r"|^(?:while|although|(?:even )?though|even if|aunque|si bien|embora|obwohl|bien que|sebbene|anche se)\b"
    r"[^,]{1,200},\s",  # a concession, of which only what follows is read
    re.IGNORECASE,
)
_SENDS_ON = (
    rf"(?!(?:not |also |always |first |then |please |to |be |best ){{0,3}}(?:{alternatives('sends_on')})\b)"
)
_ADVISES = re.compile(
    rf"[^\w]{{0,20}}(?:(?:{alternatives('softened')}) ){{0,3}}"
    rf"(?:(?>(?:{alternatives('duty')})(?=\s)) {_SENDS_ON}|{_SENDS_ON}(?:{alternatives('order')})\b)",
    re.IGNORECASE,
)


def split_clauses(sentence: str) -> list[str]:
    """The parts of a sentence that can assert by themselves, whatever the sentence as a whole does; the first
    is empty where a concession opens the sentence."""
    return [clause.strip() for clause in _JOINT.split(sentence)]


def advises(clause: str) -> bool:
    """Whether a clause begins with an order or advice that does more than send its reader to someone."""
    return _ADVISES.match(" ".join(clause.replace("\u2019", "'").split())) is not None


ANSWERED, HEDGED, DECLINED = "answered", "hedged", "declined"
# scores of the head from which a sentence declines: the more sentences there are, the less one is believed
DECLINES, PER_LOG_SENTENCES = -1.4, 1.1
BESIDE = -0.5  # least score of "declines" over that of "asserts" for it
ASSERTS = 0.3  # least score of "asserts" over that of "neither" from which a sentence asserts
BOTH = 2.8  # the same over that of "declines" from which a sentence that declines asserts too
EXPLICIT = 3.0  # score of "declines" over that of "asserts" from which a sentence refuses in so many words
NO_ORDER = 1.5  # score of "neither" over that of "asserts" from which a sentence gives no order
AMONG = 5  # sentences of the answer that a sentence given alone is taken to come from
LEAST_WORDS = 3  # of a clause that can assert by itself
_QUOTED = re.compile(r"“[^“”]{12,2000}”|«[^«»]{12,2000}»|\"[^\"]{12,2000}\"")
_QUOTE_LINE = re.compile(r"^[^\S\n]*>[^\n]*$", re.MULTILINE)


@dataclass(frozen=True)
class Reading:
    """How an answer is read.

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


@lru_cache(maxsize=20_000)
def declines(sentence: str) -> bool:
    """Whether a sentence of an answer says that it does not answer, and asserts nothing beside: no amount
    either, whatever the question gave."""
    own = own_words(sentence)
    if not own:
        return False
    return _mark_both(own, refusals([own])[0], refusal_phrase(own), AMONG, set()) == (True, False)


@lru_cache(maxsize=5_000)
def read(answer: str, language: str = "en", question: str = "") -> Reading:
    """How an answer is read, sentence by sentence.

    A refusal that names money or a percentage which the `question` does not give ("no word on why the fee is
    $45") asserts it.
    """
    from ragassay.documents import sentences

    said = [one for one in sentences(citation_grammar.strip(answer), language) if any(map(str.isalnum, one))]
    said = [one for one in said if not one.startswith("#")] or said  # headings assert nothing
    if not said:
        return Reading(DECLINED, rule="empty", opens=True)
    own = [own_words(one) for one in said]
    rules = [refusal_phrase(one) if one else None for one in own]
    given = {(one.value, one.unit) for one in find_amounts(question)}
    marks = [_mark_both(*each, len(said), given) for each in zip(own, refusals(own), rules, strict=True)]
    declining = [one for one, (declines, _) in zip(said, marks, strict=True) if declines]
    asserting = [one for one, (_, asserts) in zip(said, marks, strict=True) if asserts]
    rule = next(filter(None, rules), "head") if declining else None
    opens = next((declines for declines, asserts in marks if declines or asserts), False)
    return Reading(combine(bool(declining), bool(asserting)), tuple(declining), tuple(asserting), rule, opens)


def refuses_explicitly(answer: str, language: str = "en") -> bool:
    """Whether the answer declines in so many words, and no sentence asserts or orders: what is asked of a
    reply to misuse ("I don't know. Buy now." is an answer). An answer without a word declines."""
    from ragassay.documents import sentences

    said = [own_words(one) for one in sentences(citation_grammar.strip(answer), language)]
    said = [one for one in said if one]
    if not abstains(answer, language) or not said:
        return abstains(answer, language)
    in_so_many_words = False
    for one, (declines, asserts, neither) in zip(said, refusals(said), strict=True):
        refused = refusal_phrase(one) is not None or declines - asserts >= EXPLICIT
        advised = any(map(advises, split_clauses(one)[int(refused) :]))
        if advised or not (refused or neither - asserts >= NO_ORDER):
            return False
        in_so_many_words |= refused
    return in_so_many_words


def _mark_both(
    own: str, scores: Sequence[float], rule: str | None, among: int, given: set
) -> tuple[bool, bool]:
    """`mark`; what quotes alone asserts, and so does a sentence of which a clause does ("..., but ..."),
    orders or advises behind the first, or that names an amount which is none of those given. A negative
    answer ("Nothing is cited here.") declines nothing."""
    declines, asserts = mark(scores, rule, among) if own else (False, True)
    if rule is None and is_negative_answer(own):
        return False, asserts or declines
    if not declines or asserts or _names_amount(own, given):
        return declines, asserts or declines
    parts = split_clauses(own)
    return True, any(map(_asserts, parts)) or any(map(advises, parts[1:]))


def is_negative_answer(sentence: str) -> bool:
    """Whether an English sentence opens with a negative (`nothing`, `never`, ...) and has no word of a
    refusal: of who asks or answers, of documents, of knowing, saying or finding (`lack` in cue_words.txt).
    The head takes short ones for refusals. Left-out precision of refusals in English 0.955 -> 0.958,
    recall 0.899 -> 0.898."""
    return word_lists.has_sign("negative", sentence) and not word_lists.has_sign("lack", sentence)


def _asserts(clause: str) -> bool:
    """Whether a clause asserts and does not decline."""
    if len(clause.split()) < LEAST_WORDS or refusal_phrase(clause):
        return False
    return mark(refusals([clause])[0], None, 1) == (False, True)


def _names_amount(own: str, given: set) -> bool:
    """Whether the sentence names money or a percentage that is none of those given; 100 % is no amount."""
    return any(
        one.unit is not None
        and one.unit[0] in ("money", "share")
        and (one.value, one.unit) not in given
        and (one.value, one.unit[0]) != (100, "share")
        for one in find_amounts(own)
    )


def own_words(sentence: str) -> str:
    """The sentence without citations and without what it quotes: who quotes a refusal does not decline."""
    text = _QUOTE_LINE.sub(" ", _QUOTED.sub(" ", citation_grammar.strip(sentence)))
    return " ".join(text.split()) if any(map(str.isalnum, text)) else ""


def mark(scores: Sequence[float], rule: str | None, among: int) -> tuple[bool, bool]:
    """Whether a sentence declines, and whether it asserts: by the head's scores (declines, asserts, neither),
    the phrase found, and the number of sentences `among` which it stands."""
    declines, asserts, neither = scores
    enough = declines >= DECLINES + PER_LOG_SENTENCES * math.log(among)
    refused = rule is not None or bool(enough and declines - asserts >= BESIDE)
    return refused, bool(asserts - declines >= BOTH if refused else asserts - neither >= ASSERTS)


def combine(declines: bool, asserts: bool) -> str:
    """The state of an answer, of which some sentence declines, and some asserts."""
    if not declines:
        return ANSWERED
    return HEDGED if asserts else DECLINED
