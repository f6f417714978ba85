"""Sentence similarity: how well each sentence of one text is met by another (HCAT section 3).

The four metrics share one formula and differ in whose sentences are asked, and of whom:

    context_relevancy  question -> contexts     groundedness      answer -> contexts
    completeness       contexts -> answer       answer_relevancy  answer -> question
"""

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragassay.scores.metric import ENCODER, Family, Metric, Result, evidence
from ragassay.scores.prepared_answer import Sample, Sentence
from ragassay.scores.shared_instruments import Tools

AGGREGATIONS = ("mean", "weighted", "minimum")


def aggregate(best: ArrayLike, aggregation: str = "mean", weights: ArrayLike | None = None) -> float:
    """One number for a text from one number per sentence (m,): their mean, weighted mean, or minimum;
    in the range of `best`.

    Raises
    ------
    ValueError
        If there is no sentence, the aggregation is unknown, or `weighted` has no weights (m,) that are >= 0
        with a sum above 0.

    Source
    ------
    HCAT section 3.1: simple average, weighted average (sum of weights 1: normalised here), "minimax".
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


def context_relevancy(sample: Sample, tools: Tools, aggregation: str = "mean") -> Result:
    """How well the question's sentences are addressed by the retrieved ones, in [-1, 1]; higher is better.

    Source: HCAT 3.1.
    """
    return best_matches(sample.question_sentences, sample.context_sentences, tools, aggregation)


def groundedness(sample: Sample, tools: Tools, aggregation: str = "mean") -> Result:
    """How well the answer's sentences are supported by the retrieved ones, in [-1, 1]; higher is better.

    Source: HCAT 3.2.1.
    """
    return best_matches(sample.answer_sentences, sample.context_sentences, tools, aggregation)


def completeness(sample: Sample, tools: Tools, aggregation: str = "mean") -> Result:
    """How well the retrieved sentences are covered by the answer's, in [-1, 1]; higher is better.

    Source: HCAT 3.3.1.
    """
    return best_matches(sample.context_sentences, sample.answer_sentences, tools, aggregation)


def answer_relevancy(sample: Sample, tools: Tools, aggregation: str = "mean") -> Result:
    """How close the answer's sentences are to the question's, in [-1, 1]; higher is better.

    Source: HCAT 3.4.
    """
    return best_matches(sample.answer_sentences, sample.question_sentences, tools, aggregation)


def best_matches(
    these: Sequence[Sentence], those: Sequence[Sentence], tools: Tools, aggregation: str = "mean"
) -> Result:
    """Best cosine of each of `these` with `those`, aggregated;
    the weight of a sentence is its number of words.

    The evidence is every sentence beside a mean; beside the weighted mean and the minimum, which have the
    same, the weakest only.
    """
    best, nearest, least = tools.match([one.text for one in these], [one.text for one in those])
    weights = [len(one.text.split()) for one in these] if aggregation == "weighted" else None
    value = aggregate(best, aggregation, weights)
    if aggregation == "mean":
        return value, evidence(these, those, best, nearest, flagged=least)
    alone = slice(least, least + 1)
    return value, evidence(these[alone], those, best[alone], nearest[alone], flagged=0)


_MINIMUM = "minimum over i of max over j cos; the least met sentence decides."
_WEIGHTS = "weights: words per sentence, our choice (HCAT leaves them open)."
_SPLIT = "Citations are cut out first; sentences without a letter or digit are left out."
_QC = ("question", "contexts")
_AC = ("answer", "contexts")
_AQ = ("answer", "question")

# fmt: off
FAMILY = Family(
    name="similarity",
    source="HCAT",
    metrics=(
        Metric("context_relevancy", "similarity", _QC, -1, 1, True, "HCAT 3.1", ENCODER,
               "how well the retrieved passages address the question",
               "mean over question sentences i of max over context sentences j of cos(i, j).",
               context_relevancy, of_content=False, headline=2, in_figures=True, display="context relevancy"),
        Metric("context_relevancy_weighted", "similarity", _QC, -1, 1, True, "HCAT 3.1", ENCODER,
               "context relevancy, long question sentences counting more",
               f"sum of w_i max over j cos(i, j); {_WEIGHTS}",
               partial(context_relevancy, aggregation="weighted"), of_content=False,
               display="context relevancy, weighted by length"),
        Metric("context_relevancy_min", "similarity", _QC, -1, 1, True, "HCAT 3.1 (minimax)", ENCODER,
               "how well the least addressed question sentence is met by the passages",
               _MINIMUM,
               partial(context_relevancy, aggregation="minimum"), of_content=False,
               display="context relevancy, weakest sentence"),
        Metric("groundedness", "similarity", _AC, -1, 1, True, "HCAT 3.2.1", ENCODER,
               "how well the answer's sentences are supported by the retrieved passages",
               f"mean over answer sentences i of max over context sentences j of cos(i, j). {_SPLIT}",
               groundedness, headline=4, in_figures=True, display="groundedness (similarity)"),
        Metric("groundedness_weighted", "similarity", _AC, -1, 1, True, "HCAT 3.2.1, weighted as in 3.1",
               ENCODER,
               "groundedness, long answer sentences counting more",
               f"sum of w_i max over j cos(i, j); {_WEIGHTS}",
               partial(groundedness, aggregation="weighted"),
               display="groundedness (similarity), weighted by length"),
        Metric("groundedness_min", "similarity", _AC, -1, 1, True, "HCAT 3.2.1 (i*), minimum as in 3.1",
               ENCODER,
               "how well the least grounded answer sentence is supported",
               _MINIMUM,
               partial(groundedness, aggregation="minimum"),
               display="groundedness (similarity), weakest sentence"),
        Metric("completeness", "similarity", _AC, -1, 1, True, "HCAT 3.3.1", ENCODER,
               "how well the retrieved passages are covered by the answer",
               f"mean over context sentences i of max over answer sentences j of cos(i, j). {_SPLIT}",
               completeness, headline=6, in_figures=True, display="completeness (similarity)"),
        Metric("completeness_weighted", "similarity", _AC, -1, 1, True, "HCAT 3.3.1", ENCODER,
               "completeness, long context sentences counting more",
               f"sum of w_i max over j cos(i, j); {_WEIGHTS}",
               partial(completeness, aggregation="weighted"),
               display="completeness (similarity), weighted by length"),
        Metric("completeness_min", "similarity", _AC, -1, 1, True, "HCAT 3.3.1, minimum as in 3.1", ENCODER,
               "how well the least covered context sentence is met by the answer",
               _MINIMUM,
               partial(completeness, aggregation="minimum"),
               display="completeness (similarity), weakest sentence"),
        Metric("answer_relevancy", "similarity", _AQ, -1, 1, True, "HCAT 3.4 (answer relevancy)", ENCODER,
               "how close the answer's sentences are to the question",
               f"mean over answer sentences i of max over question sentences j of cos(i, j). {_SPLIT}",
               answer_relevancy, headline=7, in_figures=True,
               display="closeness to the question"),
        Metric("answer_relevancy_weighted", "similarity", _AQ, -1, 1, True, "HCAT 3.4", ENCODER,
               "closeness to the question, long answer sentences counting more",
               f"sum of w_i max over j cos(i, j); {_WEIGHTS}",
               partial(answer_relevancy, aggregation="weighted"),
               display="closeness to the question, weighted by length"),
        Metric("answer_relevancy_min", "similarity", _AQ, -1, 1, True, "HCAT 3.4 (minimum)", ENCODER,
               "how close the answer sentence furthest from the question is to it",
               _MINIMUM,
               partial(answer_relevancy, aggregation="minimum"),
               display="closeness to the question, weakest sentence"),
    ),
)
# fmt: on
