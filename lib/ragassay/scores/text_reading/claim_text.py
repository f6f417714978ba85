"""Claims as texts: how an answer is cut into claims, and whether passages hold a claim's words and facts.

Facts are numbers, dates and the names recognised (Lesson section 4.2, decision 7).
"""

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from ragassay.scores.numbers import dates
from ragassay.scores.numbers.amounts import SPELLED, numbers, stated_numbers
from ragassay.scores.numbers.number_tracing import trace_numbers, unsupported
from ragassay.scores.numbers.stated_amounts import StatedAmounts, stated_amounts
from ragassay.scores.text_reading import answer_state, word_comparison, word_lists

_LEAST = 3  # words of a clause that can stand alone
_BARE_WORDS = 4  # content words at most of a bare fact
_JOINT = re.compile(
    r";\s+|,\s+(?=(?:and|but|while|whereas|although|though|however|so"
    r"|y|pero|mientras|aunque|e|mas|enquanto|embora)\s)",
    re.IGNORECASE,
)
_BARE = re.compile(r"(?:yes|no|sí|sim|não)\W*", re.IGNORECASE)
_LINK = re.compile(r"\A(?:and|but|so|y|pero|e|mas)\s+", re.IGNORECASE)
_TITLES = re.compile(r"(?:the|an?|mr|mrs|ms|dr|prof|sir|el|la|los|las|os?|as|sra?|dra)")
_SMALL = re.compile(r"(?:of|the|and|for|de|del|da|do|dos|das|la|los|las|y|e)")


@dataclass(frozen=True)
class Evidence:
    """What is searched: texts, read once."""

    texts: tuple[str, ...]

    @cached_property
    def spelled(self) -> str:
        """The texts one after another, as `spelled` writes them."""
        return f" {' '.join(map(spelled, self.texts))} "

    @cached_property
    def folded(self) -> str:
        """The words of the texts, as `folded` writes them."""
        return f" {' '.join(map(folded, self.texts))} "

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The numbers of the texts, also those written as English words up to ninety."""
        in_words = {str(SPELLED[word]) for word in set(self.folded.split()) & SPELLED.keys()}
        return frozenset(numbers(*self.texts)) | in_words

    @cached_property
    def stated(self) -> StatedAmounts:
        """The numbers of the texts with what they are of."""
        return stated_amounts(self.texts)

    @cached_property
    def moments(self) -> frozenset[str]:
        """The months and weekdays of the texts."""
        return frozenset(one for text in self.texts for one in dates.months_and_weekdays(text, vouched=True))

    @cached_property
    def initials(self) -> frozenset[str]:
        """Initials of the names of three to six words: `FDIC` of `Federal Deposit Insurance Corporation`."""
        return frozenset(found for text in self.texts for found in _initials(text))


def cut(sentences: Sequence[str]) -> list[str]:
    """The claims of an answer in order.

    Questions, courtesies, lead-ins, a bare yes or no, and refusals claim nothing.
    """
    texts = [answer_state.LIST_MARK.sub("", sentence) for sentence in sentences]
    return [clause for text in texts if asserts(text) for clause in clauses(text)]


def asserts(sentence: str) -> bool:
    """Whether a sentence says something about the world that passages could support."""
    text = sentence.strip(" \t\"'“”*_")
    if (
        not text
        or text.endswith(("?", ":"))
        or _BARE.fullmatch(text)
        or word_lists.has_sign("courtesy", text)
    ):
        return False
    return not answer_state.declines(text)


def is_bare(claim: str) -> bool:
    """Whether a claim is no sentence but a fact with a few words beside it: `2.3 percentage points.`"""
    words = [word for word in word_comparison.words(claim) if word.content and not word.lower[0].isdecimal()]
    return len(words) <= _BARE_WORDS and not word_lists.has_sign("finite", claim)


def clauses(sentence: str) -> list[str]:
    """The sentence cut at semicolons and at commas before a conjunction.

    Only where both sides have a finite verb of our list and three words.
    """
    starts = [0]
    for joint in _JOINT.finditer(sentence):
        if _stands_alone(sentence[starts[-1] : joint.start()]) and _stands_alone(sentence[joint.end() :]):
            starts.append(joint.end())
    pieces = [sentence[start:end] for start, end in zip(starts, [*starts[1:], len(sentence)], strict=True)]
    return [_LINK.sub("", piece).strip(" ,;") if i else piece.strip(" ,;") for i, piece in enumerate(pieces)]


@lru_cache(maxsize=512)
def read_evidence(texts: tuple[str, ...]) -> Evidence:
    """The texts as evidence; several measures of an answer look into the same."""
    return Evidence(texts)


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
    traces = trace_numbers(claim, evidence.stated, question)
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
    return len(words) == 1 and words[0].upper() in name and words[0] in evidence.initials


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


def _stands_alone(clause: str) -> bool:
    return len(clause.split()) >= _LEAST and word_lists.has_sign("finite", clause)


def _initials(text: str) -> list[str]:
    """Initials of every run of capitalised words; small words between them are passed over."""
    runs: list[list[str]] = [[]]
    for word in re.findall(r"\w+|[.;:!?]", text):
        if word[0].isupper() and not word.isupper():
            runs[-1].append(word[0].lower())
        elif not _SMALL.fullmatch(word) and runs[-1]:
            runs.append([])
    return [
        "".join(run[i : i + size]) for run in runs for size in range(3, 7) for i in range(len(run) - size + 1)
    ]
