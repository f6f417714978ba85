"""HCAT section 3: similarity, transport and retrieval."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragassay.scores import retrieval, similarity, transport
from ragassay.scores.material import Material, Sentence
from ragassay.scores.measure.result import Detail, Result, evidence, summarised
from ragassay.scores.tools import Tools


def context_relevancy(material: Material, tools: Tools, aggregation: str = "mean") -> Result:
    """Question sentences met by the contexts."""
    return _matched(material.question_sentences, material.context_sentences, tools, aggregation)


def groundedness(material: Material, tools: Tools, aggregation: str = "mean") -> Result:
    """Answer sentences met by the contexts."""
    return _matched(material.answer_sentences, material.context_sentences, tools, aggregation)


def completeness(material: Material, tools: Tools, aggregation: str = "mean") -> Result:
    """Context sentences met by the answer."""
    return _matched(material.context_sentences, material.answer_sentences, tools, aggregation)


def answer_relevancy(material: Material, tools: Tools, aggregation: str = "mean") -> Result:
    """Answer sentences met by the question."""
    return _matched(material.answer_sentences, material.question_sentences, tools, aggregation)


def relevancy_recall(material: Material, tools: Tools) -> Result:
    """Soft recall of the contexts by sentences; the evidence is that of `context_relevancy`."""
    value = retrieval.relevancy_recall(_vectors(material.question_sentences, tools), _vectors(material.context_sentences, tools))
    return value, context_relevancy(material, tools)[1]


def relevancy_precision(material: Material, tools: Tools) -> Result:
    """Soft precision of the contexts by sentences; the least relevant retrieved sentence is flagged."""
    value = retrieval.relevancy_precision(_vectors(material.question_sentences, tools), _vectors(material.context_sentences, tools))
    return value, _matched(material.context_sentences, material.question_sentences, tools)[1]


def wasserstein_completeness(material: Material, tools: Tools) -> Result:
    """Exact transport cost; each context sentence's score is the mean distance its mass travels, its evidence where most of it goes."""
    these, those = material.context_sentences, material.answer_sentences
    distance = transport.distances(_vectors(these, tools), _vectors(those, tools))
    moved = transport.plan(distance)
    costs = (moved * distance).sum(axis=1)
    return float(costs.sum()), evidence(these, those, costs * len(these), moved.argmax(axis=1), flagged=_greatest(costs))


def mean_pairwise_distance(material: Material, tools: Tools) -> Result:
    """Mean distance of all pairs; each context sentence's score is its mean distance to the answer, its evidence the nearest."""
    these, those = material.context_sentences, material.answer_sentences
    distance = transport.distances(_vectors(these, tools), _vectors(those, tools))
    means = distance.mean(axis=1)
    return float(means.mean()), evidence(these, those, means, similarity.nearest(-distance), flagged=_greatest(means))


def retrieval_recall(material: Material, tools: Tools) -> Result:
    """Reference passages that were retrieved."""
    retrieved, reference = material.context_ids or (), material.reference_chunk_ids or ()
    return retrieval.retrieval_recall(retrieved, reference), _members(reference, retrieved)


def retrieval_precision(material: Material, tools: Tools) -> Result:
    """Retrieved passages that are reference passages."""
    retrieved, reference = material.context_ids or (), material.reference_chunk_ids or ()
    return retrieval.retrieval_precision(retrieved, reference), _members(retrieved, reference)


def _matched(these: Sequence[Sentence], those: Sequence[Sentence], tools: Tools, aggregation: str = "mean") -> Result:
    """Aggregated best cosine of `these` with `those`; the weight of a sentence is its number of words."""
    cosine = similarity.cosines(_vectors(these, tools), _vectors(those, tools))
    best = cosine.max(axis=1)
    value = similarity.aggregate(best, aggregation, [len(sentence.text.split()) for sentence in these])
    detail = evidence(these, those, best, similarity.nearest(cosine), flagged=similarity.least(best))
    return value, summarised(detail, aggregation)


def _members(these: Sequence[str], those: Sequence[str]) -> Detail:
    return [{"id": one, "score": float(one in those)} for one in dict.fromkeys(these)]


def _greatest(costs: NDArray) -> int:
    return int(np.argmax(np.round(costs, 6)))


def _vectors(sentences: Sequence[Sentence], tools: Tools) -> NDArray:
    return tools.embed([sentence.text for sentence in sentences])
