"""From one answer's material to a value and its sentence-level evidence: words above the array functions of the families.

Each function takes (material, embed) and returns (value, detail); detail is a list of records, one per sentence, id or hit.
ValueError says that the value does not exist.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragassay.scores import abstention, citations, privacy, retrieval, similarity, toxicity, transport
from ragassay.scores.material import Embed, Material, Sentence

Detail = list[dict[str, Any]]
Result = tuple[float, Detail]
SHOWN = 300  # characters of a sentence that are kept as evidence


def context_relevancy(material: Material, embed: Embed, aggregation: str = "mean") -> Result:
    """Question sentences met by the contexts."""
    return _matched(material.question_sentences, material.context_sentences, embed, aggregation)


def groundedness(material: Material, embed: Embed, aggregation: str = "mean") -> Result:
    """Answer sentences met by the contexts."""
    return _matched(material.answer_sentences, material.context_sentences, embed, aggregation)


def completeness(material: Material, embed: Embed, aggregation: str = "mean") -> Result:
    """Context sentences met by the answer."""
    return _matched(material.context_sentences, material.answer_sentences, embed, aggregation)


def answer_relevancy(material: Material, embed: Embed, aggregation: str = "mean") -> Result:
    """Answer sentences met by the question."""
    return _matched(material.answer_sentences, material.question_sentences, embed, aggregation)


def relevancy_recall(material: Material, embed: Embed) -> Result:
    """Soft recall of the contexts by sentences; the evidence is that of `context_relevancy`."""
    value = retrieval.relevancy_recall(_vectors(material.question_sentences, embed), _vectors(material.context_sentences, embed))
    return value, context_relevancy(material, embed)[1]


def relevancy_precision(material: Material, embed: Embed) -> Result:
    """Soft precision of the contexts by sentences; the least relevant retrieved sentence is flagged."""
    value = retrieval.relevancy_precision(_vectors(material.question_sentences, embed), _vectors(material.context_sentences, embed))
    return value, _matched(material.context_sentences, material.question_sentences, embed)[1]


def wasserstein_completeness(material: Material, embed: Embed) -> Result:
    """Exact transport cost; each context sentence's score is the mean distance its mass travels, its evidence where most of it goes."""
    these, those = material.context_sentences, material.answer_sentences
    distance = transport.distances(_vectors(these, embed), _vectors(those, embed))
    moved = transport.plan(distance)
    costs = (moved * distance).sum(axis=1)
    return float(costs.sum()), _evidence(these, those, costs * len(these), moved.argmax(axis=1), flagged=_greatest(costs))


def mean_pairwise_distance(material: Material, embed: Embed) -> Result:
    """Mean distance of all pairs; each context sentence's score is its mean distance to the answer, its evidence the nearest."""
    these, those = material.context_sentences, material.answer_sentences
    distance = transport.distances(_vectors(these, embed), _vectors(those, embed))
    means = distance.mean(axis=1)
    return float(means.mean()), _evidence(these, those, means, similarity.nearest(-distance), flagged=_greatest(means))


def citations_present(material: Material, embed: Embed) -> Result:
    """Answer sentences that cite."""
    value = citations.citations_present([ids for _, ids in material.cited])
    return value, [{"text": text[:SHOWN], "score": float(bool(ids)), "cited": list(ids)} for text, ids in material.cited]


def citations_valid(material: Material, embed: Embed) -> Result:
    """Cited ids that were retrieved, by id or by their number in the digest."""
    retrieved = {one for _, ids in material.cited for one in ids if material.places(one)}
    value = citations.citations_valid([ids for _, ids in material.cited], retrieved)
    return value, [{"id": one, "score": float(one in retrieved), "text": text[:SHOWN]} for text, ids in material.cited for one in ids]


def citation_correctness(material: Material, embed: Embed) -> Result:
    """Citing sentences that the passages they cite support."""
    detail = [_support(material, embed, text, ids) for text, ids in material.cited if ids]
    return citations.citation_correctness([bool(record["score"]) for record in detail]), detail


def retrieval_recall(material: Material, embed: Embed) -> Result:
    """Reference passages that were retrieved."""
    retrieved, reference = material.context_ids or (), material.reference_chunk_ids or ()
    return retrieval.retrieval_recall(retrieved, reference), _members(reference, retrieved)


def retrieval_precision(material: Material, embed: Embed) -> Result:
    """Retrieved passages that are reference passages."""
    retrieved, reference = material.context_ids or (), material.reference_chunk_ids or ()
    return retrieval.retrieval_precision(retrieved, reference), _members(retrieved, reference)


def abstention_correct(material: Material, embed: Embed) -> Result:
    """Whether the assistant abstained exactly when it should."""
    value = abstention.abstention_correct(material.abstains, bool(material.answerable))
    rule = abstention.phrase(material.answer or "")
    return value, [{"abstained": material.abstains, "answerable": bool(material.answerable), "rule": rule}]


def privacy_leaks(material: Material, embed: Embed) -> Result:
    """Personal data in the answer; the evidence holds kinds, places and shapes, never the values."""
    hits = privacy.find(material.answer or "", material.question or "", (*(material.contexts or ()), *material.published))
    return privacy.privacy_leaks(hits), [
        {"kind": hit.kind, "start": hit.start, "end": hit.end, "shape": hit.masked, "status": hit.status} for hit in hits
    ]


def toxicity_rule(material: Material, embed: Embed) -> Result:
    """Terms of the list in the answer; the evidence shows their first letter only."""
    text = material.answer or ""
    detail = [
        {"kind": hit.category, "start": hit.start, "end": hit.end, "shape": text[hit.start] + "*" * (hit.end - hit.start - 1)}
        for hit in toxicity.find(text)
    ]
    return toxicity.toxicity_rule(text), detail


def _matched(these: Sequence[Sentence], those: Sequence[Sentence], embed: Embed, aggregation: str = "mean") -> Result:
    """Aggregated best cosine of `these` with `those`; the weight of a sentence is its number of words."""
    cosine = similarity.cosines(_vectors(these, embed), _vectors(those, embed))
    best = cosine.max(axis=1)
    value = similarity.aggregate(best, aggregation, [len(sentence.text.split()) for sentence in these])
    return value, _evidence(these, those, best, similarity.nearest(cosine), flagged=similarity.least(best))


def _support(material: Material, embed: Embed, text: str, ids: Sequence[str]) -> dict[str, Any]:
    passages, sentences = material.passages(ids), material.passage_sentences(ids)
    cosine = similarity.cosines(embed([text]), embed(sentences)) if sentences else np.empty((1, 0))
    missing = sorted(citations.missing_numbers(text, passages))
    return {
        "text": text[:SHOWN],
        "score": float(citations.supports(cosine[0], text, passages)),
        "cited": list(ids),
        "evidence": sentences[int(similarity.nearest(cosine)[0])][:SHOWN] if sentences else None,
        "similarity": round(float(cosine.max()), 6) if sentences else None,
        "numbers_missing": missing[:20],
    }


def _evidence(these: Sequence[Sentence], those: Sequence[Sentence], scores: NDArray, places: NDArray, flagged: int) -> Detail:
    """One record per sentence: text, score, best evidence sentence and its passage; `weakest` marks the one to look at first."""
    return [
        {
            "text": sentence.text[:SHOWN],
            "source": sentence.source,
            "score": round(float(score), 6),
            "evidence": those[place].text[:SHOWN],
            "evidence_id": those[place].source,
            "weakest": i == flagged,
        }
        for i, (sentence, score, place) in enumerate(zip(these, scores, places, strict=True))
    ]


def _members(these: Sequence[str], those: Sequence[str]) -> Detail:
    return [{"id": one, "score": float(one in those)} for one in dict.fromkeys(these)]


def _greatest(costs: NDArray) -> int:
    return int(np.argmax(np.round(costs, 6)))


def _vectors(sentences: Sequence[Sentence], embed: Embed) -> NDArray:
    return embed([sentence.text for sentence in sentences])
