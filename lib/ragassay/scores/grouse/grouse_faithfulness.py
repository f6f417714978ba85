"""Faithfulness of one sentence (GroUSE figure 10): it cites, what it cites holds it, nothing is distorted."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ragassay.models import entailment_thresholds
from ragassay.scores.families import facts
from ragassay.scores.grouse import reference_alignment
from ragassay.scores.metric import SHOWN
from ragassay.scores.numbers import number_tracing
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools
from ragassay.scores.text_reading.answer_state import declines

HELD = 0.45  # cosine of a sentence with the nearest sentence of a cited passage from which that may hold it
BEHIND = 0.15  # how far a cited passage may stay behind the nearest of the others
# cosine with a sentence of the reference answer: says the same, is that sentence, is like it
OWN, OWNER, LIKE = 0.6, 0.75, 0.4


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
        return np.array([self.nearness([text, *_facts(text)]) for text, _ in self.reference])

    @cached_property
    def evidence(self) -> list[str]:
        """The sentences of the cited passages; of all, where citing is not asked for."""
        return self.sample.passage_sentences(self.ids if self.must_cite else self.sample.ids)

    @property
    def must_cite(self) -> bool:
        """Whether a missing citation is a failure: not where neither answer nor reference cites at all."""
        return self.sample.reference_answer is None or self.sample.cites

    def nearness(self, texts: Sequence[str]) -> float:
        """Best cosine of the sentence, or a fact of it, with one of the texts."""
        return float(self.tools.cosines([self.text, *_facts(self.text)], texts).max())

    def passage_nearness(self, places: Sequence[int]) -> float:
        """Best cosine of the sentence with a sentence of these passages; 0 without any."""
        sentences = self.sample.passage_sentences([self.sample.ids[place] for place in places])
        return self.nearness(sentences) if sentences else 0.0

    def cited_by_reference(self, least: float) -> set[int]:
        """The places that the reference answer cites for sentences as near as this."""
        near = [
            cited for (_, cited), value in zip(self.reference, self.cosine, strict=True) if value >= least
        ]
        return {place for cited in near for one in cited for place in self.sample.places(one)}


def check_sentence(sample: Sample, text: str, ids: Sequence[str], tools: Tools) -> dict:
    """The checks of one sentence and what was found amiss; score 1 if nothing was."""
    one = Checked(sample, text, ids, tools)
    wrong = wrongly_cited(one)
    amiss = distortions(one) if one.evidence else []
    return {
        "text": text[:SHOWN],
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
    rest = max((one.passage_nearness([place]) for place in others), default=0.0)
    return [cited for cited, at in doubtful.items() if not _may_hold(one, at, rest)]


def _may_hold(one: Checked, places: Sequence[int], rest: float) -> bool:
    near = one.passage_nearness(places)
    return bool(places) and near >= HELD and near >= rest - BEHIND


def distortions(one: Checked) -> list[str]:
    """What the sentence says otherwise than its evidence: facts not found, words changed, a contradiction."""
    known = (one.sample.question or "", *one.evidence, *(text for text, _ in one.reference))
    source = facts.Source(known)
    found = [
        fact.text
        for fact in facts.find(one.text)
        if fact.kind == facts.TIME and _in_digits(fact) and not facts.is_held(fact, source)
    ]
    found += _wrong_numbers(one)
    if len(one.reference):
        nearest = one.reference[int(np.argmax(np.round(one.cosine, 9)))][0]
        found += reference_alignment.changes(one.text, nearest, one.evidence)
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


def _wrong_numbers(one: Checked) -> list[str]:
    """The numbers in digits that neither evidence nor reference answer bears out."""
    tables = "\n".join(one.evidence)
    known = (one.sample.question or "", tables, *(text for text, _ in one.reference))
    traces = number_tracing.trace(one.text, known, one.sample.question or "")
    return [
        found.text
        for found in traces
        if not (found.held or found.verdict == number_tracing.OTHER_ITEM)
        and any(map(str.isdigit, found.text))
    ]


def _in_digits(fact: facts.Fact) -> bool:
    """Whether it can only be told one way; `two groups` may be a count of the writer's own."""
    return fact.kind != facts.PLACE and any(map(str.isdigit, fact.text))


def _facts(text: str) -> list[str]:
    return reference_alignment.facts(text)
