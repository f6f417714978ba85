"""Sentence similarity: how well each sentence of one text is met by another (HCAT section 3); completeness as
transport: what it costs to turn the retrieved sentences into the answer's (HCAT 3.3.2).

The metrics of similarity share one formula and differ in whose sentences are asked, and of whom:

    context_relevancy  question -> contexts (3.1)    groundedness      answer -> contexts (3.2.1)
    completeness       contexts -> answer (3.3.1)    answer_relevancy  answer -> question (3.4)

relevancy_precision, contexts -> question, is low where much was retrieved that does not bear on the question
(figure 6: sentence precision; Zhang et al. 2020, section 3).
"""

import os

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragassay.scores.metric import Detail, Result, evidence
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools
from ragassay.scores.vector_similarity import cosines

AGGREGATIONS = ("mean", "weighted", "minimum")
# network simplex iterations before giving up; POT's own default of 100,000 is too few for long texts
STEPS = 10_000_000


def aggregate(best: ArrayLike, aggregation: str = "mean", weights: ArrayLike | None = None) -> float:
    """One number for a text from one number per sentence (m,): their mean, weighted mean, or minimum; in the
    range of `best`.

    Raises ValueError if there is no sentence, the aggregation is unknown, or `weighted` has no weights (m,)
    that are >= 0 with a sum above 0. Source: HCAT section 3.1: simple average, weighted average (sum of
    weights 1: normalised here), "minimax".
    """
    best = np.asarray(best, dtype=float)
    if best.size == 0:
        raise ValueError("no sentences to aggregate: the text is empty")
    if aggregation not in AGGREGATIONS:
        raise ValueError(f"aggregation must be one of {', '.join(AGGREGATIONS)}; found {aggregation!r}")
    if aggregation == "minimum":
        return float(best.min())
    if aggregation == "mean":
        return float(best.mean())
    found = np.asarray([] if weights is None else weights, dtype=float)
    if found.shape != best.shape or not np.isfinite(found).all() or found.min() < 0 or found.max() == 0:
        raise ValueError(f"weights must be {best.size} numbers >= 0, not all 0; found {found.tolist()!s:.80}")
    return float((best * found).sum() / found.sum())


def similarity(sample: Sample, tools: Tools, these: str, those: str, aggregation: str = "mean") -> Result:
    """How well the sentences of one text are met by those of another, in [-1, 1]; higher is better: the best
    cosine of each, aggregated; the weight of a sentence is its number of words.

    these, those : texts of the sample: question, answer, contexts
    """
    asked, beside = sample.sentences_of(these), sample.sentences_of(those)
    best, places = tools.match([one.text for one in asked], [one.text for one in beside])
    value = aggregate(best, aggregation, [len(one.text.split()) for one in asked])
    return value, evidence(asked, beside, best, places)


def wasserstein_completeness(sample: Sample, tools: Tools) -> Result:
    """Cheapest cost of moving the context's sentences onto the answer's, in [0, 2]; LOWER is better, 0 for
    equal texts: cosine distance, sentences of equal mass, exact optimal transport.

    Raises ValueError if a text has no sentence, an embedding is all zeros, or the solver does not reach the
    optimum. Source: HCAT section 3.3.2, its first equation.
    """
    distance = _distances(sample, tools)
    moved = plan(distance)
    costs = (moved * distance).sum(axis=1)
    return float(costs.sum()), _evidence(sample, costs * len(costs), moved.argmax(axis=1))


def mean_pairwise_distance(sample: Sample, tools: Tools) -> Result:
    """Mean cosine distance over all pairs of context and answer sentences, in [0, 2]; LOWER is better. Not a
    distance: it is the cost of the plan that ignores which sentence goes where, and a text against itself
    does not score 0. Source: HCAT section 3.3.2, second equation, there called an approximation of the
    Wasserstein distance."""
    distance = _distances(sample, tools)
    means = distance.mean(axis=1)
    return float(means.mean()), _evidence(sample, means, distance.argmin(axis=1))


def distances(these: ArrayLike, those: ArrayLike) -> NDArray[np.float64]:
    """Cosine distance 1 - cos, in [0, 2], of every pair of rows of (n, d) and (k, d); shape (n, k).

    Rounding noise below 1e-12 is 0.
    """
    distance = 1.0 - cosines(these, those)
    return np.where(distance < 1e-12, 0.0, distance)


def plan(distance: NDArray[np.float64]) -> NDArray[np.float64]:
    """The cheapest transport plan for uniform masses; rows sum to 1/n, columns to 1/k; shape (n, k) as
    `distance`. Raises ValueError if the solver stops before the optimum. Source: Network simplex of POT
    (Flamary et al. 2021, JMLR 22), `ot.emd2`."""
    for backend in ("PYTORCH", "JAX", "CUPY", "TENSORFLOW"):  # 3 s to import instead of 6
        os.environ.setdefault(f"POT_BACKEND_DISABLE_{backend}", "1")
    import ot

    n, k = distance.shape
    _, log = ot.emd2(
        np.full(n, 1 / n), np.full(k, 1 / k), distance, numItermax=STEPS, return_matrix=True, log=True
    )
    if log["warning"]:
        raise ValueError(f"optimal transport of {n} onto {k} sentences did not end: {log['warning']}")
    return log["G"]


def _distances(sample: Sample, tools: Tools) -> NDArray[np.float64]:
    sides = (sample.context_sentences, sample.answer_sentences)
    return distances(*(tools.embed([one.text for one in side]) for side in sides))


def _evidence(sample: Sample, costs: NDArray[np.float64], places: NDArray) -> Detail:
    return evidence(sample.context_sentences, sample.answer_sentences, costs, places, lowest=False)
