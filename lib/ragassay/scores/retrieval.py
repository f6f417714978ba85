"""Retrieval: were the right passages found (hard, against reference passages) or at least relevant ones (soft, by sentences)?

HCAT figures 5 and 6 show both and print no formula for either; the definitions here are ours, after FORMULAS 5.
"""

from collections.abc import Collection

from numpy.typing import ArrayLike

from ragassay.scores.similarity import aggregate, best_match


def retrieval_recall(retrieved: Collection[str], reference: Collection[str]) -> float:
    """Share of the distinct reference passages that were retrieved, in [0, 1]; higher is better.

    Raises ValueError if there is no reference passage. Source: HCAT figure 5 (hard recall, against known passages).
    """
    if not reference:
        raise ValueError("no reference passage: recall does not exist")
    return len(set(retrieved) & set(reference)) / len(set(reference))


def retrieval_precision(retrieved: Collection[str], reference: Collection[str]) -> float:
    """Share of the distinct retrieved passages that are reference passages, in [0, 1]; higher is better.

    Raises ValueError if nothing was retrieved or there is no reference passage. Source: HCAT figure 5 (hard precision).
    """
    if not reference:
        raise ValueError("no reference passage: precision does not exist")
    if not retrieved:
        raise ValueError("nothing was retrieved: precision does not exist")
    return len(set(retrieved) & set(reference)) / len(set(retrieved))


def relevancy_recall(question: ArrayLike, context: ArrayLike) -> float:
    """Soft recall: mean over the question's sentences (m, d) of the best cosine with a retrieved one (n, d), in [-1, 1]; higher is better.

    What BERTScore calls recall, with the question as reference and the contexts as candidate; equal to `context_relevancy` by definition.
    Raises ValueError as `best_match`. Source: HCAT figure 6 (relevancy, sentence recall), section 3.1; Zhang et al. (2020), section 3.
    """
    return aggregate(best_match(question, context))


def relevancy_precision(question: ArrayLike, context: ArrayLike) -> float:
    """Soft precision: mean over the retrieved sentences (n, d) of the best cosine with the question's (m, d), in [-1, 1]; higher is better.

    Low where much was retrieved that does not bear on the question. Raises ValueError as `best_match`.
    Source: HCAT figure 6 (relevancy, sentence precision); Zhang et al. (2020), section 3.
    """
    return aggregate(best_match(context, question))
