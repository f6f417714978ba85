"""HCAT section 3: similarity, transport and retrieval."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragassay.scores import retrieval, similarity, transport, vectors
from ragassay.scores.measure.result import Detail, Result, evidence
from ragassay.scores.sample import Sample, Sentence
from ragassay.scores.tools import Tools


def relevancy_recall(material: Sample, tools: Tools) -> Result:
    """Soft recall of the contexts by sentences (`retrieval.relevancy_recall`), which is the mean context relevancy, and its evidence."""
    return similarity.context_relevancy(material, tools)


def relevancy_precision(material: Sample, tools: Tools) -> Result:
    """Soft precision of the contexts by sentences (`retrieval.relevancy_precision`); the least relevant retrieved sentence is flagged."""
    return similarity.best_matches(material.context_sentences, material.question_sentences, tools)


def wasserstein_completeness(material: Sample, tools: Tools) -> Result:
    """Exact transport cost; each context sentence's score is the mean distance its mass travels, its evidence where most of it goes."""
    these, those = material.context_sentences, material.answer_sentences
    distance = transport.distances(tools.embed(_texts(these)), tools.embed(_texts(those)))
    moved = transport.plan(distance)
    costs = (moved * distance).sum(axis=1)
    return float(costs.sum()), evidence(
        these, those, costs * len(these), moved.argmax(axis=1), flagged=_greatest(costs)
    )


def mean_pairwise_distance(material: Sample, tools: Tools) -> Result:
    """Mean distance of all pairs; each context sentence's score is its mean distance to the answer, its evidence the nearest."""
    these, those = material.context_sentences, material.answer_sentences
    distance = transport.distances(tools.embed(_texts(these)), tools.embed(_texts(those)))
    means = distance.mean(axis=1)
    return float(means.mean()), evidence(
        these, those, means, vectors.nearest(-distance), flagged=_greatest(means)
    )


def retrieval_recall(material: Sample, tools: Tools) -> Result:
    """Reference passages that were retrieved."""
    retrieved, reference = material.context_ids or (), material.reference_chunk_ids or ()
    return retrieval.retrieval_recall(retrieved, reference), _members(reference, retrieved)


def retrieval_precision(material: Sample, tools: Tools) -> Result:
    """Retrieved passages that are reference passages."""
    retrieved, reference = material.context_ids or (), material.reference_chunk_ids or ()
    return retrieval.retrieval_precision(retrieved, reference), _members(retrieved, reference)


def _members(these: Sequence[str], those: Sequence[str]) -> Detail:
    return [{"id": one, "score": float(one in those)} for one in dict.fromkeys(these)]


def _greatest(costs: NDArray) -> int:
    return int(np.argmax(np.round(costs, 6)))


def _texts(sentences: Sequence[Sentence]) -> list[str]:
    return [sentence.text for sentence in sentences]
