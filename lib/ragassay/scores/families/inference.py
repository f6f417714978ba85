"""Groundedness by entailment: how far each answer sentence lies on the side of what its premise entails (HCAT
3.2.2).

The head's three classes are reduced to HCAT's hyperplane by z = score of entailment less the mean of the two
others, linear in the head's last features with w = w_e - (w_n + w_c) / 2. D = z / |w|, positive on the
entailed side. sigma(D) is between 0 and 1, and no probability before calibration (decision 3).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from ragassay.scores.families.similarity import aggregate
from ragassay.scores.metric import Detail, Result, sentence_scores
from ragassay.scores.prepared_answer import Sample, Sentence
from ragassay.scores.shared_instruments import Pair, Tools

NEAREST = 3  # sentences in a premise


def premise(cosine: NDArray, candidates: Sequence[str], k: int = NEAREST) -> tuple[str, list[int]]:
    """The `k` candidates with the greatest cosine (n,), joined in the order they stand, and their places; a
    repeated text counts once."""
    order = np.argsort(-cosine, kind="stable").tolist()
    first = {candidates[place]: place for place in reversed(order)}
    chosen = sorted([place for place in order if first[candidates[place]] == place][:k])
    return " ".join(candidates[place] for place in chosen), chosen


def choose_premises(
    these: Sequence[str], those: Sequence[str], tools: Tools, k: int = NEAREST
) -> list[tuple[str, list[int]]]:
    """For each of `these` its premise from `those` and the places of the premise's sentences; needs at least
    one of `those`."""
    return [premise(row, those, k) for row in (tools.cosines(these, those) if these else ())]


def premise_pairs(
    these: Sequence[Sentence], those: Sequence[Sentence], tools: Tools, k: int = NEAREST
) -> list[Pair]:
    """One (premise from `those`, sentence) per sentence of `these`."""
    texts = [sentence.text for sentence in these]
    chosen = choose_premises(texts, [one.text for one in those], tools, k)
    return [(found, text) for text, (found, _) in zip(texts, chosen, strict=True)]


def all_premises(
    these: Sequence[str], those: Sequence[str], tools: Tools
) -> list[list[tuple[str, list[int]]]]:
    """For each of `these` the premises it is held against, with the places of their sentences: one, of those
    nearest to it; or, where the tools say `whole`, all of `those`, in as many pieces as the network needs."""
    if tools.premise != "whole":
        return [[one] for one in choose_premises(these, those, tools)]
    return [
        [(" ".join(those[start:stop]), list(range(start, stop))) for start, stop in spans]
        for spans in tools.ask("premise_spans", [(tuple(those), one) for one in these])
    ]


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


def groundedness_nli(sample: Sample, tools: Tools, aggregation: str = "mean") -> Result:
    """sigma(D) of each answer sentence given the passages' three sentences nearest to it, or the
    whole context (the greatest D of its pieces where it has several), in (0, 1); higher is better."""
    these, those = sample.answer_sentences, sample.context_sentences
    texts = [sentence.text for sentence in these]
    premises = all_premises(texts, [sentence.text for sentence in those], tools)
    each = zip(texts, premises, strict=True)
    found = tools.entail([(premise, text) for text, several in each for premise, _ in several])
    pieces, start, chosen, more = sigma(found.distance), 0, list[int](), Detail()
    for several in premises:
        best = int(np.argmax(pieces[start : start + len(several)]))
        premise, places = several[best]
        chosen.append(start + best)
        start += len(several)
        sources = dict.fromkeys(those[place].source or "" for place in places)
        record = {"evidence": premise, "evidence_id": ", ".join(sources) or None}
        more.append(record | ({"pieces": len(several)} if tools.premise == "whole" else {}))
    detail = sentence_scores(these, pieces[chosen])
    for record, place, further in zip(detail, chosen, more, strict=True):
        classes = zip(("entailment", "neutral", "contradiction"), found.probabilities[place], strict=True)
        record |= further | {"z": found.z[place], "D": found.distance[place]} | dict(classes)
    weights = [len(text.split()) for text in texts]
    return aggregate(pieces[chosen], aggregation, weights), detail
