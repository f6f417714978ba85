"""An answer laid beside the reference answer and the passages: what is told, what belongs; and the
faithfulness of one sentence (GroUSE figure 10): it cites, what it cites holds it, nothing is distorted.

GroUSE shows a judge the true answer beside the one it marks (appendix C); these rules read it in the judge's
place.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ragassay.models import entailment_thresholds
from ragassay.scores.families import facts
from ragassay.scores.numbers import number_tracing
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools
from ragassay.scores.text_reading import word_comparison
from ragassay.scores.text_reading.answer_state import declines
from ragassay.scores.text_reading.claim_text import clauses

TOLD, WORDS_TOLD = 0.55, 0.5  # cosine of a clause, share of its content words found: either tells it
PARTLY, WORDS_PARTLY = 0.35, 0.3  # or both of these
# share of its words from which a clause counts as told though none of its numbers is: they were changed
NUMBERS_TOLD = 0.35
# cosine with the reference answer from which a sentence belongs to it; where both cite the same passage
BELONGS, CITES_ALIKE = 0.45, 0.22
FEWEST = 4  # words of a clause that is judged by itself
HELD = 0.45  # cosine of a sentence with the nearest sentence of a cited passage from which that may hold it
BEHIND = 0.15  # how far a cited passage may stay behind the nearest of the others
# cosine with a sentence of the reference answer: says the same, is that sentence, is like it
OWN, OWNER, LIKE = 0.6, 0.75, 0.4
_CUT = re.compile(r"(?:,|;|:)\s+|(?<!\s)\s++(?=(?:although|while|whereas|unless|provided|except|plus)\s)")
_LEANS = re.compile(
    r"(?:even\s)?(?:if|when|where|without|unless|for|although|though|provided"
    r"|because|while|including|except|in|on|as|at)\b",
    re.IGNORECASE,
)


def is_told(similarity: float, words: float, numbers: float) -> bool:
    """Whether the answer tells a fact of the reference answer: by the cosine of the nearest piece of the
    answer, and by the shares of its content words and of its numbers found."""
    if numbers == 0 and words < NUMBERS_TOLD:
        return False
    clearly = similarity >= TOLD or words >= WORDS_TOLD
    return clearly or (similarity >= PARTLY and words >= WORDS_PARTLY)


def cut(sentence: str) -> list[str]:
    """The clauses of a sentence, to be looked for one by one; short ones and conditions join a neighbour."""
    found: list[str] = []
    pieces = [piece.strip() for clause in clauses(sentence) for piece in _CUT.split(clause) if piece]
    for piece in filter(None, pieces):
        if found and (
            min(len(word_comparison.words(one)) for one in (piece, found[-1])) < FEWEST
            or _LEANS.match(piece)
            or (len(found) == 1 and _LEANS.match(found[0]))
        ):
            found[-1] = f"{found[-1]}, {piece}"
        else:
            found.append(piece)
    return found


def numbers_found(text: str, answer: Sequence[str]) -> float:
    """Share of the text's numbers in digits that stand in the answer; 1 for a text without any."""
    wanted, there = word_comparison.numbers(text), set[str]()
    for sentence in answer:
        there |= word_comparison.numbers(sentence) | word_comparison.number_words(sentence)
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
    best = float(cosine.max(initial=0.0))
    near = best >= BELONGS or (best >= CITES_ALIKE and cites_alike)
    return near or words_found(sentence, reference) >= WORDS_TOLD


@dataclass(frozen=True)
class Checked:
    """A sentence of the answer with the ids it cites, beside the sentences of the reference answer."""

    sample: Sample
    text: str
    ids: Sequence[str]
    tools: Tools

    @cached_property
    def reference(self) -> list[tuple[str, tuple[str, ...]]]:
        """The reference answer's sentences that tell something, each with what it cites."""
        return [(text, cited) for text, cited in self.sample.reference_cited if not declines(text)]

    @cached_property
    def cosine(self) -> NDArray:
        """(n,) nearness of the sentence to each of the reference answer's."""
        return np.array([self.nearness([text, *cut(text)]) for text, _ in self.reference])

    @cached_property
    def evidence(self) -> list[str]:
        """The sentences of the cited passages; of all, where citing is not asked for."""
        return self.sample.passage_sentences(self.ids if self.must_cite else self.sample.ids)

    @property
    def must_cite(self) -> bool:
        """Whether a missing citation is a failure: not where neither answer nor reference cites at all."""
        return self.sample.reference_answer is None or self.sample.cites

    def nearness(self, texts: Sequence[str]) -> float:
        """Best cosine of the sentence, or a clause of it, with one of the texts."""
        return float(self.tools.cosines([self.text, *cut(self.text)], texts).max())

    def passage_nearness(self, places: Sequence[int]) -> float:
        """Best cosine of the sentence with a sentence of these passages; 0 without any."""
        sentences = self.sample.passage_sentences([self.sample.ids[place] for place in places])
        return self.nearness(sentences) if sentences else 0.0

    def cited_by_reference(self, least: float) -> set[int]:
        """The places that the reference answer cites for sentences as near as this."""
        pairs = zip(self.reference, self.cosine, strict=True)
        near = [one for (_, cited), value in pairs if value >= least for one in cited]
        return {place for one in near for place in self.sample.places(one)}


def check_sentence(sample: Sample, text: str, ids: Sequence[str], tools: Tools) -> dict:
    """The checks of one sentence and what was found amiss; score 1 if nothing was."""
    one = Checked(sample, text, ids, tools)
    wrong = wrongly_cited(one)
    amiss = distortions(one) if one.evidence else []
    return {
        "text": text,
        "score": float((bool(ids) or not one.must_cite) and not wrong and bool(one.evidence) and not amiss),
        "cited": list(ids),
        "cited_wrongly": wrong,
        "distorted": amiss[:20],
    }


def wrongly_cited(one: Checked) -> list[str]:
    """The cited ids that cannot hold the sentence.

    Where the sentence is clearly one of the reference answer's, it must share a citation with it. Each id
    must then be one that the reference answer gives for something like it, or a passage about as near as the
    nearest that is not cited. Where no id is in doubt, no passage is encoded.
    """
    places = {cited: one.sample.places(cited) for cited in one.ids}
    every = {place for each in places.values() for place in each}
    by_owner = one.cited_by_reference(OWNER)
    if by_owner and not by_owner & every:
        return list(one.ids)
    allowed = one.cited_by_reference(LIKE)
    doubtful = {cited: at for cited, at in places.items() if not set(at) & allowed}
    if not doubtful:
        return []
    others = [place for place in range(len(one.sample.ids)) if place not in every]
    least = max([HELD, *(one.passage_nearness([place]) - BEHIND for place in others)])
    return [cited for cited, at in doubtful.items() if not at or one.passage_nearness(at) < least]


def distortions(one: Checked) -> list[str]:
    """What the sentence says otherwise than its evidence: facts not found, a contradiction."""
    beside = [text for text, _ in one.reference]
    source = facts.read_source((one.sample.question or "", *one.evidence, *beside))
    found = [
        fact.text
        for fact in facts.find(one.text)
        if fact.kind == facts.TIME and any(map(str.isdigit, fact.text)) and not facts.is_held(fact, source)
    ]
    question = one.sample.question or ""
    for trace in number_tracing.trace(one.text, (question, "\n".join(one.evidence), *beside), question):
        held = trace.held or trace.verdict == number_tracing.OTHER_ITEM
        if not held and any(map(str.isdigit, trace.text)):
            found.append(trace.text)
    return [*found, "contradicted"] if _is_contradicted(one) else found


def _is_contradicted(one: Checked) -> bool:
    """Whether it contradicts the reference answer's own sentence, both ways; without one, the passage."""
    if one.sample.reference_answer is None:
        pair = (" ".join(one.evidence), one.text)
        chance = float(one.tools.entail([pair]).probabilities[0, 2])
        return chance >= entailment_thresholds.threshold("grouse_by_passage")
    own = " ".join(one.reference[i][0] for i in np.flatnonzero(one.cosine >= OWN))
    if not own or own == one.text:
        return False
    both_ways = one.tools.entail([(own, one.text), (one.text, own)]).probabilities[:, 2]
    return float(both_ways.min()) >= entailment_thresholds.threshold("grouse_by_reference")
