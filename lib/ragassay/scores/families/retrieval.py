"""Retrieval: were the right passages found (hard, against reference passages) or at least relevant ones
(soft, by sentences)?

HCAT figures 5 and 6 show both and print no formula for either; the definitions here are ours, after decision
5. Soft recall, what BERTScore calls recall with the question as reference and the contexts as candidate, is
the mean context relevancy.
"""

from collections.abc import Collection

from ragassay.scores.families.similarity import best_matches
from ragassay.scores.metric import Detail, NotApplicable, Result
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools


def recall(retrieved: Collection[str], reference: Collection[str]) -> float:
    """Share of the distinct reference passages that were retrieved, in [0, 1]; higher is better.

    Raises ValueError if there is no reference passage. Source: HCAT figure 5 (hard recall, against known
    passages).
    """
    if not reference:
        raise ValueError("no reference passage: recall does not exist")
    return len(set(retrieved) & set(reference)) / len(set(reference))


def precision(retrieved: Collection[str], reference: Collection[str]) -> float:
    """Share of the distinct retrieved passages that are reference passages, in [0, 1]; higher is better.

    Raises ValueError if nothing was retrieved or there is no reference passage. Source: HCAT figure 5 (hard
    precision).
    """
    if not reference:
        raise ValueError("no reference passage: precision does not exist")
    if not retrieved:
        raise ValueError("nothing was retrieved: precision does not exist")
    return len(set(retrieved) & set(reference)) / len(set(retrieved))


def retrieval_recall(sample: Sample, tools: Tools) -> Result:
    """Reference passages that were retrieved."""
    retrieved, reference = sample.context_ids or (), sample.reference_chunk_ids or ()
    return recall(retrieved, reference), _members(reference, retrieved)


def retrieval_precision(sample: Sample, tools: Tools) -> Result:
    """Retrieved passages that are reference passages."""
    retrieved, reference = sample.context_ids or (), sample.reference_chunk_ids or ()
    if not retrieved:
        raise NotApplicable("no passage was retrieved")
    return precision(retrieved, reference), _members(retrieved, reference)


def relevancy_precision(sample: Sample, tools: Tools) -> Result:
    """Soft precision: mean over the retrieved sentences of the best cosine with the question's, in [-1, 1];
    higher is better.

    Low where much was retrieved that does not bear on the question; the least relevant retrieved sentence is
    flagged. Source: HCAT figure 6 (relevancy, sentence precision); Zhang et al. (2020), section 3.
    """
    return best_matches(sample.context_sentences, sample.question_sentences, tools)


def _members(these: Collection[str], those: Collection[str]) -> Detail:
    return [{"id": one, "score": float(one in those)} for one in dict.fromkeys(these)]
