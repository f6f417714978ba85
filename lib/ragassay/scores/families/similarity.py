"""Sentence similarity: how well each sentence of one text is met by another (HCAT section 3).

The metrics share one formula and differ in whose sentences are asked, and of whom:

    context_relevancy  question -> contexts (3.1)    groundedness      answer -> contexts (3.2.1)
    completeness       contexts -> answer (3.3.1)    answer_relevancy  answer -> question (3.4)

relevancy_precision, contexts -> question, is low where much was retrieved that does not bear on the question
(figure 6: sentence precision; Zhang et al. 2020, section 3).
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragassay.scores.metric import Result, evidence
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools

AGGREGATIONS = ("mean", "weighted", "minimum")


def aggregate(best: ArrayLike, aggregation: str = "mean", weights: ArrayLike | None = None) -> float:
    """One number for a text from one number per sentence (m,): their mean, weighted mean, or minimum;
    in the range of `best`.

    Raises ValueError if there is no sentence, the aggregation is unknown, or `weighted` has no weights (m,)
    that are >= 0 with a sum above 0. Source: HCAT section 3.1: simple average, weighted average (sum of
    weights 1: normalised here), "minimax".
    """
    best = np.asarray(best, dtype=float)
    if best.size == 0:
        raise ValueError("no sentences to aggregate: the text is empty")
    if aggregation not in AGGREGATIONS:
        raise ValueError(f"aggregation must be one of {', '.join(AGGREGATIONS)}; found {aggregation!r}")
    if aggregation == "weighted":
        found = _checked(weights, best.shape)
        return float((best * found).sum() / found.sum())
    return float(best.min() if aggregation == "minimum" else best.mean())


def _checked(weights: ArrayLike | None, shape: tuple[int, ...]) -> NDArray[np.float64]:
    if weights is None:
        raise ValueError("aggregation 'weighted' needs weights, one per sentence; found none")
    found = np.asarray(weights, dtype=float)
    if found.shape != shape:
        raise ValueError(
            f"weights must have one value per sentence, shape {shape}; found shape {found.shape}"
        )
    if found.min() >= 0 and 0 < found.max() < np.inf:
        return found
    wrong = np.flatnonzero(~(np.isfinite(found) & (found >= 0)))
    if wrong.size:
        raise ValueError(f"weight {wrong[0]} must be a number >= 0; found {found[wrong[0]]}")
    raise ValueError("weights must not all be 0: their average does not exist")


def similarity(sample: Sample, tools: Tools, these: str, those: str, aggregation: str = "mean") -> Result:
    """How well the sentences of one text are met by those of another, in [-1, 1]; higher is better: the best
    cosine of each, aggregated; the weight of a sentence is its number of words.

    The evidence is every sentence beside a mean; beside the weighted mean and the minimum, which have the
    same, the weakest only.

    these, those : texts of the sample: question, answer, contexts
    """
    asked, beside = sample.sentences_of(these), sample.sentences_of(those)
    best, nearest, least = tools.match([one.text for one in asked], [one.text for one in beside])
    weights = [len(one.text.split()) for one in asked] if aggregation == "weighted" else None
    value = aggregate(best, aggregation, weights)
    if aggregation == "mean":
        return value, evidence(asked, beside, best, nearest, flagged=least)
    alone = slice(least, least + 1)
    return value, evidence(asked[alone], beside, best[alone], nearest[alone], flagged=0)
