"""Citations: present, valid, and supporting what they stand behind (Lesson 4.1)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ragassay.scores import citations, vectors
from ragassay.scores.measure.result import SHOWN, Result
from ragassay.scores.sample import Sample
from ragassay.scores.tools import Tools


def citations_present(material: Sample, tools: Tools) -> Result:
    """Answer sentences that cite."""
    value = citations.citations_present([ids for _, ids in material.cited])
    return value, [
        {"text": text[:SHOWN], "score": float(bool(ids)), "cited": list(ids)} for text, ids in material.cited
    ]


def citations_valid(material: Sample, tools: Tools) -> Result:
    """Cited ids that were retrieved, by id or by their number in the digest."""
    retrieved = {one for _, ids in material.cited for one in ids if material.places(one)}
    value = citations.citations_valid([ids for _, ids in material.cited], retrieved)
    return value, [
        {"id": one, "score": float(one in retrieved), "text": text[:SHOWN]}
        for text, ids in material.cited
        for one in ids
    ]


def citation_correctness(material: Sample, tools: Tools) -> Result:
    """Citing sentences that the passages they cite support."""
    detail = [support(material, tools, text, ids) for text, ids in material.cited if ids]
    return citations.citation_correctness([bool(record["score"]) for record in detail]), detail


def support(material: Sample, tools: Tools, text: str, ids: Sequence[str]) -> dict[str, Any]:
    passages, sentences = material.passages(ids), material.passage_sentences(ids)
    cosine = vectors.cosines(tools.embed([text]), tools.embed(sentences)) if sentences else np.empty((1, 0))
    missing = sorted(citations.missing_numbers(text, passages))
    return {
        "text": text[:SHOWN],
        "score": float(citations.supports(cosine[0], text, passages)),
        "cited": list(ids),
        "evidence": sentences[int(vectors.nearest(cosine)[0])][:SHOWN] if sentences else None,
        "similarity": round(float(cosine.max()), 6) if sentences else None,
        "numbers_missing": missing[:20],
    }
