"""An answer laid beside the reference answer: what is told, what belongs, what was changed.

GroUSE shows a judge the true answer beside the one it marks (appendix C); these rules read it in the judge's
place. Where a sentence is nearly the reference's own, the few words that differ are what was changed; where
it is worded freely, only what can be checked by reading speaks: numbers, names, negations.
"""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from numpy.typing import NDArray

from ragassay.scores.text_reading import word_comparison
from ragassay.scores.text_reading.claim_text import clauses
from ragassay.scores.text_reading.word_comparison import Word

TOLD, WORDS_TOLD = 0.55, 0.5  # cosine of a clause, share of its content words found: either tells it
PARTLY, WORDS_PARTLY = 0.35, 0.3  # or both of these
# share of its words from which a clause counts as told though none of its numbers is: they were changed
NUMBERS_TOLD = 0.35
# cosine with the reference answer from which a sentence belongs to it; where both cite the same passage
BELONGS, CITES_ALIKE = 0.45, 0.22
SAME = 0.8  # share of words in common, in order, from which two sentences are one sentence with changes
FEWEST = 4  # words of a clause that is judged by itself
_CUT = re.compile(r"(?:,|;|:)\s+|(?<!\s)\s++(?=(?:although|while|whereas|unless|provided|except|plus)\s)")
_LEANS = re.compile(
    r"(?:even\s)?(?:if|when|where|without|unless|for|although|though|provided"
    r"|because|while|including|except|in|on|as|at)\b",
    re.IGNORECASE,
)


def is_told(similarity: float, words: float, numbers: float) -> bool:
    """Whether the answer tells a fact of the reference answer: by the cosine of the nearest piece of the
    answer, and by the shares of its content words and of its numbers found.
    """
    if numbers == 0 and words < NUMBERS_TOLD:
        return False
    clearly = similarity >= TOLD or words >= WORDS_TOLD
    return clearly or (similarity >= PARTLY and words >= WORDS_PARTLY)


def facts(sentence: str) -> list[str]:
    """The clauses of a sentence, to be looked for one by one; short ones and conditions join a neighbour."""
    pieces = [
        piece.strip()
        for clause in clauses(sentence)
        for piece in _CUT.split(clause)
        if piece and piece.strip()
    ]
    found: list[str] = []
    for piece in pieces:
        joined = found and (
            _short(piece)
            or _short(found[-1])
            or _LEANS.match(piece)
            or (len(found) == 1 and _LEANS.match(found[-1]))
        )
        found = [*found[:-1], f"{found[-1]}, {piece}"] if joined else [*found, piece]
    return found


def _short(piece: str) -> bool:
    return len(word_comparison.words(piece)) < FEWEST


def numbers_found(text: str, answer: Sequence[str]) -> float:
    """Share of the text's numbers in digits that stand in the answer; 1 for a text without any."""
    wanted = word_comparison.numbers(text)
    there = {
        number
        for sentence in answer
        for number in word_comparison.numbers(sentence) | word_comparison.number_words(sentence)
    }
    return len(wanted & there) / len(wanted) if wanted else 1.0


def words_found(text: str, answer: Sequence[str]) -> float:
    """Share of the text's content words that the answer has, by stem or synonym; 1 for a text without any."""
    there = {word.stem for sentence in answer for word in word_comparison.words(sentence)}
    wanted = [word.stem for word in word_comparison.words(text) if word.content]
    synonyms = word_comparison.synonyms()
    found = [stem for stem in wanted if stem in there or synonyms.get(stem, frozenset()) & there]
    return len(found) / len(wanted) if wanted else 1.0


def belongs(sentence: str, cosine: NDArray, reference: Sequence[str], *, cites_alike: bool) -> bool:
    """Whether a sentence is near the answer wanted, in its words, or near enough and cites what it cites."""
    best = float(cosine.max()) if cosine.size else 0.0
    return (
        best >= BELONGS
        or words_found(sentence, reference) >= WORDS_TOLD
        or (best >= CITES_ALIKE and cites_alike)
    )


def changes(sentence: str, reference: str, evidence: Sequence[str]) -> list[str]:
    """What was changed in a sentence of the reference's; empty for another one, or if nothing matters.

    A word counts if it stands neither in the reference nor in the evidence and is no form or synonym of the
    word it replaces; so does a quantifier put in, a negation come or gone, and two numbers or names that
    changed places.
    """
    one, other = word_comparison.words(sentence), word_comparison.words(reference)
    matcher = SequenceMatcher(
        None, [word.stem for word in one], [word.stem for word in other], autojunk=False
    )
    if not one or not other or matcher.ratio() < SAME:
        alike = min(words_found(sentence, [reference]), words_found(reference, [sentence])) >= SAME
        return unmatched_negations(one, other) if alike else []
    known = {word.stem for text in (reference, *evidence) for word in word_comparison.words(text)}
    parts = [(one[a:b], other[c:d]) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"]
    found = [word.lower for new, old in parts for word in new if _matters(word, old, known)]
    return found + unmatched_negations(one, other) + _swapped(one, other, parts)


def unmatched_negations(one: Sequence[Word], other: Sequence[Word]) -> list[str]:
    """The negations of two sentences where only one of them has any."""
    if bool(word_comparison.negations(one)) == bool(word_comparison.negations(other)):
        return []
    return [f"negation: {word.lower}" for word in (*one, *other) if word_comparison.negations([word])]


def _matters(word: Word, old: Sequence[Word], known: set[str]) -> bool:
    """Whether a word put in the place of `old` says something else."""
    if (
        word.lower in word_comparison.kind("quantifier")
        and old
        and word.lower not in {each.lower for each in old}
    ):
        return word.stem not in known
    if word_comparison.opposites().get(word.stem, frozenset()) & {each.stem for each in old}:
        return True
    if not word.content or word.stem in known:
        return False
    same = word_comparison.synonyms().get(word.stem, frozenset())
    return bool(old) and not same & {each.stem for each in old}


def _swapped(
    one: Sequence[Word], other: Sequence[Word], parts: Sequence[tuple[Sequence[Word], Sequence[Word]]]
) -> list[str]:
    """Content words that both hold as often, in another order, in sentences of the same words."""
    if sorted(word.stem for word in one if word.content) != sorted(
        word.stem for word in other if word.content
    ):
        return []
    gone = {
        word.stem
        for _, old in parts
        for word in old
        if word.content and (word.name or word.lower[0].isdigit())
    }
    return [f"order: {word.lower}" for new, _ in parts for word in new if word.stem in gone]
