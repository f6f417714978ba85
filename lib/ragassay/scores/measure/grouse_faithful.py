"""Faithfulness of one sentence (GroUSE figure 10): it cites, what it cites holds it, and nothing was distorted."""

from collections.abc import Sequence

import numpy as np

from ragassay.scores import abstention, alignment, facts
from ragassay.scores.material import Material
from ragassay.scores.measure.result import SHOWN
from ragassay.scores.tools import Tools

HELD = 0.45  # cosine of a sentence with the nearest sentence of a cited passage from which that may hold it
BEHIND = 0.15  # how far a cited passage may stay behind the nearest of the others
OWN = 0.6  # cosine with a sentence of the reference answer from which the two say the same
CONTRADICTED, BY_PASSAGE = 0.85, 0.5  # probability of contradiction, by the reference answer or else by the passage, of a distorted sentence


def checked(material: Material, text: str, ids: Sequence[str], tools: Tools) -> dict:
    """The checks of one sentence and what was found amiss; score 1 if nothing was."""
    reference = [(one, cited) for one, cited in material.reference_cited if abstention.phrase(one) is None]
    cosine = tools.cosines([text], [one for one, _ in reference])[0] if reference else np.empty(0)
    own = [reference[i] for i in np.flatnonzero(cosine >= OWN)]
    wrong = [one for one in ids if not _right(material, text, one, own, tools)]
    evidence = material.passage_sentences(ids)
    amiss = _distorted(material, text, own, reference, cosine, evidence, tools) if evidence else []
    return {
        "text": text[:SHOWN],
        "score": float(bool(ids) and not wrong and bool(evidence) and not amiss),
        "cited": list(ids),
        "cited_wrongly": wrong,
        "distorted": amiss[:20],
    }


def _right(material: Material, text: str, one: str, own: Sequence[tuple[str, Sequence[str]]], tools: Tools) -> bool:
    """Whether a cited passage may hold the sentence: the reference answer cites it for the same, or it is about as near as any passage."""
    places = material.places(one)
    if not places:
        return False
    by_reference = {place for _, cited in own for each in cited for place in material.places(each)}
    if by_reference:
        return bool(by_reference & set(places)) or (_near(material, text, places, tools) > OWN and _leads(material, text, places, tools))
    return _near(material, text, places, tools) >= HELD and _leads(material, text, places, tools, BEHIND)


def _near(material: Material, text: str, places: Sequence[int], tools: Tools) -> float:
    """Best cosine of the sentence with a sentence of these passages."""
    sentences = material.passage_sentences([material.ids[place] for place in places])
    return float(tools.cosines([text], sentences).max()) if sentences else 0.0


def _leads(material: Material, text: str, places: Sequence[int], tools: Tools, behind: float = 0.0) -> bool:
    others = [place for place in range(len(material.ids)) if place not in places]
    best = max((_near(material, text, [place], tools) for place in others), default=0.0)
    return _near(material, text, places, tools) >= best - behind


def _distorted(
    material: Material,
    text: str,
    own: Sequence[tuple],
    reference: Sequence[tuple],
    cosine: np.ndarray,
    evidence: Sequence[str],
    tools: Tools,
) -> list[str]:
    """What the sentence says otherwise than its evidence: facts not found, words changed, a contradiction."""
    known = [*evidence, *(one for one, _ in own)]
    found = [fact.text for fact in facts.find(text) if fact.kind != facts.PLACE and not facts.held(fact, facts.Source(tuple(known)))]
    if len(reference) and len(cosine):
        found += alignment.changed(text, reference[alignment.nearest(cosine)][0], evidence)
    known, least = (evidence, BY_PASSAGE) if material.reference_answer is None else ([one for one, _ in own], CONTRADICTED)
    if known and float(tools.entail([(" ".join(known), text)]).probabilities[0, 2]) >= least:
        found.append("contradicted")
    return found
