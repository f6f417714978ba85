"""Claims as texts: how an answer is cut into claims, whether passages hold a claim's words and facts, and
where a claim in the passages' own words says another thing: a negation or a condition is dropped or added, or
a word stands in place of another.

Facts are numbers, dates and the names recognised (Lesson section 4.2, decision 7). A departure is looked for
in sentences that share most words with one of the passages; of other words, entailment judges. Its word lists
are English; negations also German, Spanish, French, Italian, Portuguese, Chinese, Japanese.
"""

import re
import unicodedata
from collections.abc import Collection, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise
from math import isclose
from typing import NamedTuple

from ragassay.scores.numbers import dates
from ragassay.scores.numbers.amounts import SPELLED, numbers, stated_numbers, with_plain_amounts
from ragassay.scores.numbers.number_tracing import trace, unsupported
from ragassay.scores.text_reading import answer_state, word_lists
from ragassay.scores.text_reading.word_lists import kind

_LEAST = 3  # words of a clause that can stand alone
_BARE_WORDS = 4  # content words at most of a bare fact
_JOINT = re.compile(
    r";\s+|,\s+(?=(?:and|but|while|whereas|although|though|however|so"
    r"|y|pero|mientras|aunque|e|mas|enquanto|embora)\s)",
    re.IGNORECASE,
)
_BARE = re.compile(r"(?:yes|no|true|false|sí|sim|não|none|null|nan|undefined|foo|todo|tbd)\W*", re.IGNORECASE)
_LINK = re.compile(r"\A(?:and|but|so|y|pero|e|mas)\s+", re.IGNORECASE)
_TITLES = re.compile(r"(?:the|an?|mr|mrs|ms|dr|prof|sir|el|la|los|las|os?|as|sra?|dra)")
_SMALL = r"(?:of|the|and|for|de|del|da|do|dos|das|la|los|las|y|e)"
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


class Evidence(NamedTuple):
    """What is searched.

    spelled, folded : the texts one after another, as the functions of these names write them
    numbers : theirs, also those written as English words up to ninety; moments : their months and weekdays
    """

    texts: tuple[str, ...]
    spelled: str
    folded: str
    numbers: frozenset[str]
    moments: frozenset[str]


@lru_cache(maxsize=512)
def read_evidence(texts: tuple[str, ...]) -> Evidence:
    """Texts, read once: several measures of an answer look into the same."""
    words = f" {' '.join(map(folded, texts))} "
    in_words = {str(SPELLED[word]) for word in set(words.split()) & SPELLED.keys()}
    return Evidence(
        texts,
        spelled=f" {' '.join(map(spelled, texts))} ",
        folded=words,
        numbers=frozenset(numbers(*texts)) | in_words,
        moments=frozenset(one for text in texts for one in dates.months_and_weekdays(text, vouched=True)),
    )


def cut(sentences: Sequence[str]) -> list[str]:
    """The claims of an answer in order. Questions, courtesies, lead-ins, a bare yes or no, placeholders and
    refusals claim nothing."""
    texts = (answer_state.LIST_MARK.sub("", sentence) for sentence in sentences)
    return [clause for text in texts if asserts(text) for clause in clauses(text)]


def asserts(sentence: str) -> bool:
    """Whether a sentence says something about the world that passages could support."""
    text = sentence.strip(" \t\"'“”*_")
    is_void = not text or text.endswith(("?", ":")) or _BARE.fullmatch(text)
    return not (is_void or word_lists.has_sign("courtesy", text) or answer_state.declines(text))


def is_bare(claim: str) -> bool:
    """Whether a claim is no sentence but a fact with a few words beside it: `2.3 percentage points.`"""
    words = [word for word in word_lists.words(claim) if word.content and not word.lower[0].isdecimal()]
    return len(words) <= _BARE_WORDS and not word_lists.has_sign("finite", claim)


def clauses(sentence: str) -> list[str]:
    """The sentence cut at semicolons and at commas before a conjunction. Only where both sides have a finite
    verb of our list and three words."""
    starts = [0]
    for joint in _JOINT.finditer(sentence):
        sides = (sentence[starts[-1] : joint.start()], sentence[joint.end() :])
        if all(len(one.split()) >= _LEAST and word_lists.has_sign("finite", one) for one in sides):
            starts.append(joint.end())
    pieces = [sentence[start:end] for start, end in zip(starts, [*starts[1:], len(sentence)], strict=True)]
    return [_LINK.sub("", piece).strip(" ,;") if i else piece.strip(" ,;") for i, piece in enumerate(pieces)]


def contained(claim: str, evidence: Evidence) -> bool:
    """Tier 1: whether the claim stands in the passages word for word, but for case, spaces and last mark.

    Source: Lesson section 4.2, `norm in evidence_text.lower()`, here from word to word ("fee is 5" is not in
    "fee is 50").
    """
    wanted = spelled(claim).rstrip(" .!;,")
    return bool(wanted) and f" {wanted} " in evidence.spelled


def missing(claim: str, names: Collection[str], evidence: Evidence, question: str = "") -> list[str]:
    """Tier 2: the claim's facts that are not in the passages: numbers, dates, names recognised.

    A number that follows from two of theirs in one step is none; one that they state with another unit,
    scale, sign or period is, and in a bare fact one of another item.
    """
    traces = trace(claim, evidence.texts, question)
    absent = unsupported(stated_numbers(claim) - evidence.numbers, traces)
    if is_bare(claim):
        absent |= {one.text for one in traces if not one.held}
    absent |= dates.months_and_weekdays(claim) - evidence.moments
    return sorted(absent) + sorted(name for name in set(names) if not is_name_in_passages(name, evidence))


def is_name_in_passages(name: str, evidence: Evidence) -> bool:
    """Whether a name stands in the passages, but for case, accents, article and title, or as initials."""
    words = folded(name).removesuffix(" s").split()
    words = words[1:] if words and _TITLES.fullmatch(words[0]) else words
    if not words or f" {' '.join(words)} " in evidence.folded:
        return True
    # as `FDIC` stands for Federal Deposit Insurance Corporation
    if len(words) > 1 or not 3 <= len(words[0]) <= 6 or words[0].upper() not in name:
        return False
    initials = rf"[a-z]\w*(?:\s+{_SMALL})*\s+".join(words[0].upper())
    return any(re.search(rf"\b{initials}[a-z]", text) for text in evidence.texts)


def spelled(text: str) -> str:
    """Words and signs in lower case, one space between any two of them."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(re.findall(r"\d+(?:[.,]\d+)+(?!\w)|\w+|[^\w\s]", plain))


@lru_cache(20_000)
def folded(text: str) -> str:
    """Words alone: lower case, no accents, no signs, one space between any two of them."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    kept = (sign for sign in plain if unicodedata.category(sign) not in ("Mn", "Cf"))
    return " ".join("".join(sign if sign.isalnum() else " " for sign in kept).split())


class _Read:
    """A sentence as tokens in lower case, and the stems of those that carry matter, with their places."""

    def __init__(self, text: str):
        plain = with_plain_amounts(_NO_NEGATION.sub("", _OPENING.sub("", text)))
        self.tokens = [token.lower().replace("’", "'") for token in _TOKEN.findall(plain)]
        stop = kind("stop") | kind("negator") | {"without"}
        self.places = [i for i, one in enumerate(self.tokens) if one[0].isalnum() and one not in stop]
        self.stems = [word_lists.stem(self.tokens[i]) for i in self.places]


_read = lru_cache(4096)(_Read)


def find_departure(claim: str, sentences: Sequence[str]) -> str:
    """What the claim says otherwise than every sentence that has most of its words: NEGATION, CONDITION,
    QUANTITY or WORD; "" if one of them says the same, or none has its words."""
    said = _read(claim)
    own = set(said.stems)
    if len(own) < 2:
        return ""
    whole = [one for one in sentences if own.issubset(_read(one).stems)]
    if len(whole) < len(sentences) and find_departure(claim, whole) == NEGATION:
        return NEGATION  # what lacks a word of the claim does not say the same
    found, least = "", ALIKE * len(own)
    alike = [there for there in map(_read, sentences) if len(own.intersection(there.stems)) >= least]
    beside = {frozenset(pair) for one in alike and sentences for pair in pairwise(_read(one).stems)}
    for there in alike:
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
    breaks = [i for i, token in enumerate(there.tokens) if token in _BREAKS]  # the ends of clauses
    start = max((i + 1 for i in breaks if i < there.places[first]), default=0)
    end = min((i for i in breaks if i > there.places[last - 1]), default=len(there.tokens))
    span, rest = there.tokens[start:end], there.tokens[end:]
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
    opposites, lost = (word_lists.opposites(), set(map(word_lists.stem, set(span) - set(said.tokens))))
    if any(opposites.get(word_lists.stem(one), set()) & lost for one in set(said.tokens) - set(span)):
        return WORD
    for operation, a, b, c, d in matcher.get_opcodes():
        is_short = operation == "replace" and d - c <= 2 * REPLACED
        if is_short and any(_excludes(said.stems, at, there, (c, d), beside) for at in range(a, b)):
            return WORD
    return ""


def _excludes(
    said: Sequence[str], at: int, there: _Read, place: tuple[int, int], beside: Collection[frozenset[str]]
) -> bool:
    """Whether a word stands in place of others that it cannot mean: a quantifier, another number, a word that
    the same sentence uses elsewhere, or that a passage uses beside the same neighbour."""
    one, old = said[at], there.stems[slice(*place)]
    like = word_lists.synonyms().get(one, frozenset())
    if any(one[:LIKE] == other[:LIKE] or other in like for other in old):
        return False
    values = [float(each) for each in (one, *old) if each.replace(".", "", 1).isdecimal()]
    if one[0].isdecimal() and len(values) > 1:
        return not isclose(*values[:2], rel_tol=ROUNDED)
    neighbours = {frozenset((one, said[i])) for i in (at - 1, at + 1) if 0 <= i < len(said)}
    is_universal = one in map(word_lists.stem, kind("universal"))
    return is_universal or one in there.stems or not neighbours.isdisjoint(beside)


def _negations(tokens: Sequence[str], other: Sequence[str]) -> int:
    """How many tokens negate, `unused` too where the other sentence has `used`; a French `ne` does not."""
    turned = [token for token in tokens if token.startswith("un") and word_lists.stem(token[2:]) in other]
    return sum(one in kind("negator") or one.endswith("n't") or one in turned for one in tokens)
