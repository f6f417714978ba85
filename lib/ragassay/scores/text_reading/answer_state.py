"""Four states of an answer: answered, hedged, declined, evaded; read sentence by sentence (decisions 8, 20).

The head `refusals` says of each sentence whether it declines, asserts (gives what was asked for) or does
neither; what a sentence quotes is not its own words. An answer that asserts first is answered, whatever it
leaves open behind that; one that declines and then asserts is hedged; one that declines and at most explains
what would be needed, or where to look, has declined; one that does neither evades. An answer without a word
declines. Thresholds: chosen on answers that the head had not learned (training/refusals.py).
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ragassay.models import ngrams, refusals
from ragassay.sanitized_text import count_letters
from ragassay.scores.text_reading import citation_grammar
from ragassay.scores.text_reading.word_lists import alternatives, has_sign, patterns

_ADVERSATIVE = (
    r"but|however|though|although|yet|still|instead|nevertheless|nonetheless|even so|that said|all\sthe\ssame"
    r"|pero|sin embargo|no obstante|aunque|en cambio"
    r"|mas|porém|contudo|todavia|no entanto|entretanto"
    r"|aber|allerdings|jedoch|doch|dennoch|trotzdem"
    r"|mais|cependant|toutefois|pourtant|néanmoins"
    r"|ma|però|tuttavia|eppure|comunque"
)
# to a clause that may say the contrary
TURN = re.compile(rf"(?:[,;:.\u2013\u2014-]\s{{0,2}}|\s)(?:{_ADVERSATIVE})\b,?|;\s", re.IGNORECASE)
_SENDS_ON = (
    rf"(?!(?:not |also |always |first |then |please |to |be |best ){{0,3}}(?:{alternatives('sends_on')})\b)"
)
_ADVISES = re.compile(
    rf"[^\w]{{0,20}}(?:(?:{alternatives('softened')}) ){{0,3}}"
    rf"(?:(?>(?:{alternatives('duty')})(?=\s)) {_SENDS_ON}|{_SENDS_ON}(?:{alternatives('order')})\b)",
    re.IGNORECASE,
)

_PHRASES = [re.compile(pattern) for _, pattern in patterns("text_reading/refusal_phrases.txt")]

ANSWERED, HEDGED, DECLINED, EVADED = "answered", "hedged", "declined", "evaded"
# log odds from which a sentence declines: alone, where it may be a quotation, and for each log of the number
# of sentences: the more there are, the less one is believed
ALONE, PER_LOG_SENTENCES = 0.75, 0.6
# log odds from which a sentence answers, ahead of the first that declines and behind it; more for each log
AHEAD, BEHIND = (2.0, 1.0), (0.0, 5.0)
CLAUSE = 3.5  # log odds from which a clause behind a turn answers
EVADES = -4.5  # log odds of asserting that no sentence of an evasion reaches
NEITHER = 4.4  # log odds of neither declining nor asserting that each of its sentences reaches
EXPLICIT = 2.0  # log odds from which a sentence refuses in so many words
REFUSES = (3.0, -3.0, -9.0)  # log odds of a refusal in a plain phrase
ASSERTS = (-9.0, 9.0, -9.0)  # log odds of a negative answer, and of a mere quotation
LEAST_WORDS = 3  # of a clause that can assert by itself
TELLING = 20  # letters by which a language is known
LIST_MARK = re.compile(r"\A\s*(?:\d{1,2}[.)]|[-*•])\s+")
HELD = 50_000  # texts whose log odds are held
AMONG = 5  # sentences of the answer that a sentence given alone is taken to come from
_QUOTED = re.compile(r"“[^“”]{12,2000}”|«[^«»]{12,2000}»|\"[^\"]{12,2000}\"")
_QUOTE_LINE = re.compile(r"^[^\S\n]*>[^\n]*$", re.MULTILINE)
_held: dict[tuple[str, str], NDArray] = {}  # log odds by text and language


@dataclass(frozen=True)
class Reading:
    """How an answer is read: its state, the sentences that decline, those that assert, and those beside."""

    state: str
    declining: tuple[str, ...] = ()
    asserting: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()

    @property
    def abstains(self) -> bool:
        """Whether nothing of what was asked is given."""
        return self.state in (DECLINED, EVADED)

    @property
    def refuses(self) -> bool:
        """Whether the answer is a refusal as GroUSE knows it: related information may follow it."""
        return self.state in (DECLINED, HEDGED)


def abstains(answer: str, language: str = "en") -> bool:
    """Whether the answer declines or evades and answers nothing, or has no word beside citations."""
    return read(answer, language).abstains


@lru_cache(maxsize=20_000)
def declines(sentence: str, language: str = "en") -> bool:
    """Whether a sentence of an answer says that it does not answer."""
    own = own_words(sentence)
    return bool(own) and mark(_log_odds([own], language), AMONG)[0] == DECLINED


@lru_cache(maxsize=5_000)
def read(answer: str, language: str = "en") -> Reading:
    """How an answer is read, sentence by sentence; what quotes alone asserts."""
    said = _sentences(answer, language)
    if not said:
        return Reading(DECLINED)
    own = [own_words(one) for one in said]
    odds = np.where([[not one] for one in own], ASSERTS, _log_odds([one or "-" for one in own], language))
    found, declining, asserting = mark(odds, len(said))
    if found == DECLINED:
        for place in np.flatnonzero(declining):  # a clause behind a turn ("I cannot say, but ...") may answer
            clauses = [one for one in TURN.split(own[place])[1:] if len(one.split()) >= LEAST_WORDS]
            asserts = (_log_odds(clauses, language)[:, 1] >= CLAUSE).any()
            asserting[place] |= asserts or any(map(advises, clauses))
        found = HEDGED if asserting.any() else DECLINED
    texts = np.array(said, dtype=object)
    return Reading(found, *(tuple(texts[each]) for each in (declining, asserting, ~declining & ~asserting)))


def read_ahead(answers: Iterable[tuple[str, str]]) -> None:
    """Have the head read at once what `read` and `declines` will ask of each answer (text, language)."""
    asked: dict[str, set[str]] = {}
    for answer, language in answers:
        said = _sentences(answer, language)
        own = {own_words(text) for one in said for text in (one, LIST_MARK.sub("", one))} - {""}
        for each in {language, "en"}:  # in which `declines` reads
            asked.setdefault(each, set()).update(own)
    for language, texts in asked.items():
        _log_odds(sorted(texts), language)


def _sentences(answer: str, language: str) -> list[str]:
    """The sentences of an answer that are read: those with a letter or a digit."""
    from ragassay.documents import sentences

    return [one for one in sentences(citation_grammar.strip(answer), language) if any(map(str.isalnum, one))]


def advises(clause: str) -> bool:
    """Whether a clause begins with an order or advice that does more than send its reader to someone."""
    return _ADVISES.match(" ".join(clause.replace("\u2019", "'").split())) is not None


def mark(odds: NDArray, among: int) -> tuple[str, NDArray, NDArray]:
    """The state of an answer, and which of its sentences decline and which assert.

    odds : (n, 3) log odds that each sentence declines, asserts, does neither
    among : the number of sentences among which they stand
    """
    declines = odds[:, 0] >= (ALONE if among == 1 else PER_LOG_SENTENCES * math.log(among))
    first = int(declines.argmax()) if declines.any() else len(odds)
    ahead, behind = (least + rise * math.log(among) for least, rise in (AHEAD, BEHIND))
    asserts = (odds[:, 1] >= np.where(np.arange(len(odds)) > first, behind, ahead)) & ~declines
    if not declines.any():
        evades = odds[:, 1].max() < EVADES and odds[:, 2].min() >= NEITHER
        return (EVADED if evades else ANSWERED), declines, asserts
    if asserts[:first].any():
        return ANSWERED, declines, asserts
    return (HEDGED if asserts.any() else DECLINED), declines, asserts


def refuses_explicitly(answer: str, language: str = "en") -> bool:
    """Whether the answer declines in so many words, or has no word, and advises nothing."""
    found = read(answer, language)
    if found.state != DECLINED or not found.declining:
        return found.state == DECLINED
    odds = _log_odds([own_words(one) for one in found.declining], language)[:, 0]
    return bool(odds.max() >= EXPLICIT) and not any(map(advises, found.beside))


def _log_odds(texts: list[str], language: str) -> NDArray:
    """Log odds (n, 3) that each text declines, asserts, does neither; what opens with a negative (`nothing`,
    `never`) and has no word of a refusal (`lack` in cue_words.txt) asserts, a phrase of refusal_phrases.txt
    declines."""
    from scipy.special import logsumexp

    if len(_held) > HELD:
        _held.clear()
    missing = [text for text in dict.fromkeys(texts) if (text, language) not in _held]
    if missing:
        spoken, scores = [_spoken(text, language) for text in missing], np.zeros((len(missing), 3))
        for each in set(spoken):
            places = [at for at, one in enumerate(spoken) if one == each]
            scores[places] = refusals([missing[at] for at in places], each)
        others = [logsumexp(np.delete(scores, label, axis=1), axis=1) for label in range(3)]
        odds = scores - np.stack(others, axis=1)
        negative = [has_sign("negative", text) and not has_sign("lack", text) for text in missing]
        odds = np.where(np.array(negative, dtype=bool)[:, None], ASSERTS, odds)
        phrased = [any(phrase.search(ngrams.fold(text)) for phrase in _PHRASES) for text in missing]
        odds = np.where(np.array(phrased, dtype=bool)[:, None], REFUSES, odds)
        _held.update(zip([(text, language) for text in missing], odds, strict=True))
    return np.array([_held[text, language] for text in texts]).reshape(-1, 3)


def _spoken(text: str, language: str) -> str:
    """`language`, or English where the text is: who is asked in Spanish may decline in English."""
    from ragassay.documents import collection

    can_tell = language != "en" and count_letters(text) >= TELLING
    return "en" if can_tell and collection.language(text) == "en" else language


def own_words(sentence: str) -> str:
    """The sentence without citations and without what it quotes: who quotes a refusal does not decline."""
    text = _QUOTE_LINE.sub(" ", _QUOTED.sub(" ", citation_grammar.strip(sentence)))
    return " ".join(text.split()) if any(map(str.isalnum, text)) else ""
