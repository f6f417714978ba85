"""Faithfulness of one sentence (GroUSE figure 10): it cites, what it cites holds it, and nothing was distorted."""

from collections.abc import Sequence

import numpy as np

from ragassay.scores import abstention, alignment, facts
from ragassay.scores.measure.result import SHOWN
from ragassay.scores.sample import Sample
from ragassay.scores.tools import Tools

HELD = 0.45  # cosine of a sentence with the nearest sentence of a cited passage from which that may hold it
BEHIND = 0.15  # how far a cited passage may stay behind the nearest of the others
OWN, OWNER, LIKE = (
    0.6,
    0.75,
    0.4,
)  # cosine with a sentence of the reference answer: says the same, is that sentence, is like it
CONTRADICTED, BY_PASSAGE = (
    0.6,
    0.5,
)  # probability of contradiction by the reference answer, both ways, or else by the passage


def checked(material: Sample, text: str, ids: Sequence[str], tools: Tools) -> dict:
    """The checks of one sentence and what was found amiss; score 1 if nothing was."""
    reference = [(one, cited) for one, cited in material.reference_cited if abstention.phrase(one) is None]
    cosine = np.array(
        [
            _nearness([text, *alignment.facts(text)], [one, *alignment.facts(one)], tools)
            for one, _ in reference
        ]
    )
    own = [reference[i] for i in np.flatnonzero(cosine >= OWN)]
    wrong = _wrongly_cited(material, text, ids, reference, cosine, tools)
    evidence = material.passage_sentences(ids)
    amiss = _distorted(material, text, own, reference, cosine, evidence, tools) if evidence else []
    return {
        "text": text[:SHOWN],
        "score": float(bool(ids) and not wrong and bool(evidence) and not amiss),
        "cited": list(ids),
        "cited_wrongly": wrong,
        "distorted": amiss[:20],
    }


def _wrongly_cited(
    material: Sample,
    text: str,
    ids: Sequence[str],
    reference: Sequence[tuple[str, Sequence[str]]],
    cosine: np.ndarray,
    tools: Tools,
) -> list[str]:
    """The cited ids that cannot hold the sentence.

    Where the sentence is clearly one of the reference answer's, it must share a citation with it. Each id must then be one that the
    reference answer gives for something like it, or a passage about as near as the nearest that is not cited.
    """
    places = {one: material.places(one) for one in ids}
    by_owner = _cited(material, reference, cosine, OWNER)
    if by_owner and not by_owner & {place for each in places.values() for place in each}:
        return list(ids)
    allowed, every = (
        _cited(material, reference, cosine, LIKE),
        {place for each in places.values() for place in each},
    )
    rest = max(
        (_near(material, text, [place], tools) for place in range(len(material.ids)) if place not in every),
        default=0.0,
    )
    return [
        one
        for one, at in places.items()
        if not (set(at) & allowed or _holds(material, text, at, rest, tools))
    ]


def _cited(
    material: Sample, reference: Sequence[tuple[str, Sequence[str]]], cosine: np.ndarray, least: float
) -> set[int]:
    """The places that the reference answer cites for sentences as near as this."""
    return {
        place
        for (_, cited), value in zip(reference, cosine, strict=True)
        if value >= least
        for one in cited
        for place in material.places(one)
    }


def _holds(material: Sample, text: str, places: Sequence[int], rest: float, tools: Tools) -> bool:
    near = _near(material, text, places, tools)
    return bool(places) and near >= HELD and near >= rest - BEHIND


def _near(material: Sample, text: str, places: Sequence[int], tools: Tools) -> float:
    """Best cosine of the sentence with a sentence of these passages."""
    sentences = material.passage_sentences([material.ids[place] for place in places])
    return _nearness([text, *alignment.facts(text)], sentences, tools) if sentences else 0.0


def _nearness(these: Sequence[str], those: Sequence[str], tools: Tools) -> float:
    return float(tools.cosines(these, those).max())


def _distorted(
    material: Sample,
    text: str,
    own: Sequence[tuple],
    reference: Sequence[tuple],
    cosine: np.ndarray,
    evidence: Sequence[str],
    tools: Tools,
) -> list[str]:
    """What the sentence says otherwise than its evidence: facts not found, words changed, a contradiction."""
    known = [material.question or "", *evidence, *(one for one, _ in reference)]
    found = [
        fact.text
        for fact in facts.find(text)
        if _in_digits(fact) and not facts.held(fact, facts.Source(tuple(known)))
    ]
    if len(reference) and len(cosine):
        found += alignment.changed(text, reference[alignment.nearest(cosine)][0], evidence)
    if _contradicted(text, [one for one, _ in own], evidence, material.reference_answer is None, tools):
        found.append("contradicted")
    return found


def _contradicted(
    text: str, own: Sequence[str], evidence: Sequence[str], by_passage: bool, tools: Tools
) -> bool:
    """Whether the sentence contradicts the reference's own, seen both ways round, for contradiction is mutual; without one, the passage."""
    if by_passage:
        return float(tools.entail([(" ".join(evidence), text)]).probabilities[0, 2]) >= BY_PASSAGE
    said = " ".join(own)
    return (
        bool(own)
        and said != text
        and float(tools.entail([(said, text), (text, said)]).probabilities[:, 2].min()) >= CONTRADICTED
    )


def _in_digits(fact: facts.Fact) -> bool:
    """A number or date that can only be told one way; `two groups` or `three times running` may be a count of the writer's own."""
    return fact.kind != facts.PLACE and any(map(str.isdigit, fact.text))
