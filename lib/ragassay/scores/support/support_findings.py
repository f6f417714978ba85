"""What one answer sentence holds that its passages do not:
words, numbers, dates, names, opposites, negations.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragassay.scores import vector_similarity
from ragassay.scores.numbers.number_tracing import GIVEN, Trace, trace_numbers, unsupported
from ragassay.scores.numbers.stated_amounts import StatedAmounts, stated_amounts
from ragassay.scores.text_reading import word_comparison
from ragassay.scores.text_reading.word_comparison import Word

EVIDENCE, CLOSEST = 5, 2  # sentences of evidence; the closest of them
NEAR = 3  # words apart
BESIDE = 1  # sentences of the same passage, before and after, that make a place with one
MET = 0.6  # cosine above which a token meets another: 0.53 to 0.63 serve MTRAG alike (bench/support.py)


@dataclass(frozen=True)
class Source:
    """The contexts' words: each sentence's stems, negations and numbers; all stems and words;
    stems near each other; the places where each stem stands (a sentence with its neighbours).
    """

    sentences: tuple[frozenset[str], ...]
    places: dict[str, list[int]]
    negated: tuple[bool, ...]
    stems: frozenset[str]
    near: frozenset[tuple[str, str]]
    numbers: frozenset[str]
    stated: StatedAmounts


@dataclass(frozen=True)
class Findings:
    """What one answer sentence holds, and which of it the contexts do not.

    similarity : best cosine with a context sentence; words, words_found, pairs, pairs_found : counts of
        content words and neighbours; words_together : content words found in the one place that holds most
    borne_out : how far the passages bear out each amount it states, but what the question gives, in [0, 1]
    tokens, tokens_met : count of its tokens, and of those whose like stands in the nearest context sentences
    paraphrases, verbs_reworded, opposites and all that is missing : the words themselves
    negation_new : whether it negates and its evidence does not
    """

    similarity: float
    words: int
    words_found: int
    words_together: int
    pairs: int
    pairs_found: int
    paraphrases: tuple[str, ...]
    verbs_reworded: tuple[str, ...]
    opposites: tuple[str, ...]
    numbers_missing: tuple[str, ...]
    number_words_missing: tuple[str, ...]
    dates_missing: tuple[str, ...]
    names_missing: tuple[str, ...]
    quantifiers_missing: tuple[str, ...]
    negation_new: bool
    tokens: int
    tokens_met: int
    borne_out: tuple[float, ...] = ()


@lru_cache(maxsize=64)
def source(
    texts: tuple[str, ...], passages: tuple[int, ...] | None = None, contexts: tuple[str, ...] | None = None
) -> Source:
    """The context sentences made ready; linear in their length.

    passages : which passage each stands in; None takes them as one passage
    contexts : the passages as they come, whose numbers stand in rows and columns; None takes the sentences
    """
    read = [word_comparison.words(text) for text in texts]
    sentences = tuple(frozenset(word.stem for word in found) for found in read)
    return Source(
        sentences=sentences,
        places=_places(sentences, passages or (0,) * len(texts)),
        negated=tuple(word_comparison.negations(found) > 0 for found in read),
        stems=frozenset(word.stem for found in read for word in found),
        near=frozenset(
            pair for found in read for pair in _near([word.stem for word in found if word.content])
        ),
        numbers=frozenset(
            number
            for text in texts
            for number in word_comparison.numbers(text) | word_comparison.number_words(text)
        ),
        stated=stated_amounts(("\n".join(texts),) if contexts is None else contexts),
    )


def findings(
    sentence: str, contexts: Source, cosines: ArrayLike, tokens: tuple[int, int] = (0, 0), question: str = ""
) -> Findings:
    """What one answer sentence holds that the contexts do not.

    cosines : (n,) similarities of the sentence with each context sentence; the nearest ones are its evidence
    tokens : how many tokens it has, and how many of them the evidence meets (`count_met`)
    question : its words tell which line item a number is of; its numbers are given

    Raises ValueError if there is no context sentence, or not one cosine for each.
    """
    cosine = np.round(np.asarray(cosines, dtype=float), 9)
    if not len(cosine) or len(cosine) != len(contexts.sentences):
        raise ValueError(
            "findings need one cosine per context sentence and at least one; "
            f"found {len(cosine)} for {len(contexts.sentences)}"
        )
    order = np.argsort(-cosine, kind="stable")[:EVIDENCE]
    evidence = frozenset[str]().union(*(contexts.sentences[i] for i in order))
    closest = frozenset[str]().union(*(contexts.sentences[i] for i in order[:CLOSEST]))
    found = word_comparison.words(sentence)
    matter = [word for word in found if word.content]
    new = [word for word in matter if word.stem not in contexts.stems]
    pairs = list(pairwise(word.stem for word in matter))
    traces = trace_numbers(sentence, contexts.stated, question)
    return Findings(
        similarity=float(cosine[order[0]]),
        words=len(matter),
        words_found=len(matter) - len(new),
        words_together=_most_together(matter, contexts),
        pairs=len(pairs),
        pairs_found=sum(pair in contexts.near or pair[0] == pair[1] for pair in pairs),
        paraphrases=tuple(
            word.lower
            for word in new
            if word_comparison.synonyms().get(word.stem, frozenset()) & contexts.stems
        ),
        verbs_reworded=tuple(word.lower for word in new if word.verb),
        opposites=tuple(word.lower for word in _opposed(found, evidence, closest)),
        numbers_missing=tuple(
            sorted(unsupported(word_comparison.numbers(sentence) - contexts.numbers, traces))
        ),
        number_words_missing=tuple(
            sorted(word_comparison.number_words(_without(sentence, traces)) - contexts.numbers)
        ),
        dates_missing=tuple(
            word.lower
            for word in found
            if word.lower in word_comparison.kind("date") and word.stem not in contexts.stems
        ),
        names_missing=tuple(word.written for word in new if word.name),
        quantifiers_missing=tuple(
            word.lower
            for word in found
            if word.lower in word_comparison.kind("quantifier") and word.stem not in evidence
        ),
        negation_new=word_comparison.negations(found) > 0 and not any(contexts.negated[i] for i in order),
        tokens=tokens[0],
        tokens_met=tokens[1],
        borne_out=tuple(one.score for one in traces if one.verdict != GIVEN),
    )


def count_met(sentences: Sequence[ArrayLike], evidence: ArrayLike) -> list[tuple[int, int]]:
    """For each sentence how many tokens (n, d) it has, and how many of them have a cosine above MET with one
    of the evidence's (m, d).
    """
    held = np.asarray(evidence, dtype=float)
    others = vector_similarity.unit_rows(held) if len(held) else None
    return [(len(one), _met(np.asarray(one, dtype=float), others)) for one in map(np.asarray, sentences)]


def _met(tokens: NDArray, evidence: NDArray | None) -> int:
    if not len(tokens) or evidence is None:
        return 0
    return int(
        (
            vector_similarity.unit_cosines(vector_similarity.unit_rows(tokens), evidence).max(axis=1) > MET
        ).sum()
    )


def _without(sentence: str, traces: Sequence[Trace]) -> str:
    """The sentence without the amounts that the passages hold: `£3 million` may stand there as 3,000."""
    for one in traces:
        if one.held:
            sentence = sentence[: one.start] + " " * (one.end - one.start) + sentence[one.end :]
    return sentence


def _opposed(found: Sequence[Word], evidence: frozenset[str], closest: frozenset[str]) -> list[Word]:
    """Words absent from the evidence while a listed opposite, which the sentence itself does not hold, stands
    in the closest of it.
    """
    own = {word.stem for word in found}
    synonyms, opposites = word_comparison.synonyms(), word_comparison.opposites()
    return [
        word
        for word in found
        if word.stem not in evidence
        and opposites.get(word.stem, frozenset()) & closest - own
        and not synonyms.get(word.stem, frozenset()) & evidence
    ]


def _most_together(matter: Sequence[Word], contexts: Source) -> int:
    """How many of the words stand in the place that holds most of them."""
    held = Counter(place for word in matter for place in contexts.places.get(word.stem, ()))
    return max(held.values(), default=0)


def _places(sentences: Sequence[frozenset[str]], passages: Sequence[int]) -> dict[str, list[int]]:
    """For each stem the sentences that hold it or stand BESIDE one of their passage that does."""
    found: dict[str, set[int]] = {}
    for i, stems in enumerate(sentences):
        around = range(max(0, i - BESIDE), min(len(sentences), i + BESIDE + 1))
        places = {one for one in around if passages[one] == passages[i]}
        for stem in stems:
            found.setdefault(stem, set()).update(places)
    return {stem: sorted(places) for stem, places in found.items()}


def _near(stems: Sequence[str]) -> list[tuple[str, str]]:
    """All pairs of stems up to NEAR places apart, both ways round."""
    ahead = [
        (one, other) for step in range(1, NEAR + 1) for one, other in zip(stems, stems[step:], strict=False)
    ]
    return ahead + [(other, one) for one, other in ahead]
