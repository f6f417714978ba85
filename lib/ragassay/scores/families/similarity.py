"""Sentence similarity: how well each sentence of one text is met by another; groundedness by entailment; and
completeness as transport, what it costs to turn the retrieved sentences into the answer's (HCAT section 3).

The metrics of similarity share one formula and differ in whose sentences are asked, and of whom:

    context_relevancy  question -> contexts (3.1)    groundedness      answer -> contexts (3.2.1)
    completeness       contexts -> answer (3.3.1)    answer_relevancy  answer -> question (3.4)

relevancy_precision, contexts -> question, is low where much was retrieved that does not bear on the question
(figure 6: sentence precision; Zhang et al. 2020, section 3).

By entailment (3.2.2), the head's three classes are reduced to HCAT's hyperplane by z = score of entailment
less the mean of the two others, linear in the head's last features with w = w_e - (w_n + w_c) / 2. D = z /
|w|, positive on the entailed side. sigma(D) is between 0 and 1, and no probability before calibration
(decision 3).
"""

import os
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from ragassay.scores.metric import Result, Tools, cosines, evidence, sentence_scores
from ragassay.scores.prepared_answer import Sample

NEAREST = 3  # sentences in a premise
# network simplex iterations before giving up; POT's own default of 100,000 is too few for long texts
STEPS = 10_000_000


def aggregate(best: NDArray, option: str = "", weights: Sequence[float] | NDArray | None = None) -> float:
    """One number for a text from one number per sentence (m,): their mean, with `weighted` their weighted
    mean, with `min` the least; in the range of `best`.

    weights : (m,) numbers >= 0 with a sum above 0

    Raises ValueError if there is no sentence. Source: HCAT section 3.1: simple average, weighted average (sum
    of weights 1: normalised here), "minimax".
    """
    if not np.size(best):
        raise ValueError("no sentences to aggregate: the text is empty")
    if option == "min":
        return float(np.min(best))
    return float(np.average(best, weights=weights if option == "weighted" else None))


def similarity(sample: Sample, tools: Tools, these: str, those: str, option: str = "") -> Result:
    """How well the sentences of one text are met by those of another, in [-1, 1]; higher is better: the best
    cosine of each, aggregated; the weight of a sentence is its number of words.

    these, those : texts of the sample: question, answer, contexts
    """
    asked, beside = sample.sentences_of(these), sample.sentences_of(those)
    best, places = tools.match([one.text for one in asked], [one.text for one in beside])
    value = aggregate(best, option, [len(one.text.split()) for one in asked])
    return value, evidence(asked, beside, best, places)


def choose_premises(
    these: Sequence[str], those: Sequence[str], tools: Tools, k: int = NEAREST
) -> list[tuple[str, list[int]]]:
    """For each of `these` its premise, the `k` of `those` with the greatest cosine, joined in the order they
    stand, and their places; a repeated text counts once; needs at least one of `those`."""
    found = []
    for cosine in tools.cosines(these, those) if these else ():
        order = np.argsort(-cosine, kind="stable").tolist()
        first = {those[place]: place for place in reversed(order)}
        chosen = sorted([place for place in order if first[those[place]] == place][:k])
        found.append((" ".join(those[place] for place in chosen), chosen))
    return found


def sigma(distance: ArrayLike) -> NDArray[np.float64]:
    """1 / (1 + exp(-D)) in (0, 1) of distances (k,), rising; 0.5 on the boundary. Source: HCAT 3.2.2.

    Raises ValueError if a distance does not exist: the model's last layer is not linear.
    """
    values = np.asarray(distance, dtype=float)
    if np.isnan(values).any():
        raise ValueError(
            "the entailment model has no linear last layer: its distance to the boundary does not exist"
        )
    return expit(values)


def groundedness_nli(sample: Sample, tools: Tools, option: str = "") -> Result:
    """sigma(D) of each answer sentence given the passages' three sentences nearest to it or, where the tools
    say `whole`, the whole context (the greatest D of the pieces that the network needs); aggregated, in
    (0, 1); higher is better."""
    texts = [sentence.text for sentence in sample.answer_sentences]
    candidates = [sentence.text for sentence in sample.context_sentences]
    if is_whole := tools.premise == "whole":
        spans = tools.ask("premise_spans", [(tuple(candidates), text) for text in texts])
        premises = [
            (i, " ".join(candidates[start:stop]), list(range(start, stop)))
            for i, each in enumerate(spans)
            for start, stop in each
        ]
    else:
        premises = [(i, *one) for i, one in enumerate(choose_premises(texts, candidates, tools))]
    found = tools.entail([(held, texts[i]) for i, held, _ in premises])
    of_sentence = pd.Series(sigma(found.distance)).groupby([i for i, _, _ in premises])
    best, chosen = of_sentence.max().to_numpy(), of_sentence.idxmax()  # the first of equals
    detail = sentence_scores(sample.answer_sentences, best)
    for record, place, n_pieces in zip(detail, chosen, of_sentence.size(), strict=True):
        _, held, places = premises[place]
        sources = dict.fromkeys(sample.context_sentences[each].source or "" for each in places)
        classes = zip(("entailment", "neutral", "contradiction"), found.probabilities[place], strict=True)
        record |= {"evidence": held, "evidence_id": ", ".join(sources) or None}
        record |= {"pieces": n_pieces} if is_whole else {}
        record |= {"z": found.z[place], "D": found.distance[place]} | dict(classes)
    return aggregate(best, option, [len(text.split()) for text in texts]), detail


def wasserstein_completeness(sample: Sample, tools: Tools, option: str = "") -> Result:
    """Cheapest cost of moving the context's sentences onto the answer's, in [0, 2]; LOWER is better, 0 for
    equal texts: cosine distance, sentences of equal mass, exact optimal transport.

    With `pairwise` the mean distance over all pairs: the cost of the plan that ignores which sentence goes
    where, so that a text against itself does not score 0; the source calls it an approximation.
    Raises ValueError if a text has no sentence, an embedding is all zeros, or the solver does not reach the
    optimum. Source: HCAT section 3.3.2, its first equation; `pairwise` its second.
    """
    those, these = sample.context_sentences, sample.answer_sentences
    distance = distances(*(tools.embed([one.text for one in side]) for side in (those, these)))
    if option == "pairwise":
        costs, places = distance.mean(axis=1), distance.argmin(axis=1)
    else:
        moved = plan(distance)
        costs, places = (moved * distance).sum(axis=1) * len(distance), moved.argmax(axis=1)
    return float(costs.mean()), evidence(those, these, costs, places, lowest=False)


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
