"""How well answers are read as answered, hedged or declined, from scores of their sentences by heads that
have not learned from their batch; each figure with its 95 % bootstrap interval over answers."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

import data
from ragassay.scores.text_reading import answer_state

STATES = (answer_state.ANSWERED, answer_state.HEDGED, answer_state.DECLINED)


def true_state(labels: Sequence[str]) -> str:
    """The state of an answer by the labels of its sentences."""
    return answer_state.combine("declines" in labels, "asserts" in labels)


def read_state(scores: NDArray, texts: Sequence[str]) -> str:
    """The state of an answer by the scores of its sentences, phrases beside them."""
    marks = [
        answer_state.mark(row, answer_state.refusal_phrase(text) if text else None, len(texts))
        for row, text in zip(scores, texts, strict=True)
    ]
    return answer_state.combine(any(mark[0] for mark in marks), any(mark[1] for mark in marks))


def states(written: Sequence, scores: NDArray) -> tuple[NDArray, NDArray]:
    """True and read state of every answer, as places in STATES, both (n,)."""
    ends = np.cumsum([len(one.labels) for one in written])
    parts = np.split(scores, ends[:-1])
    texts = [[answer_state.own_words(text) for text in one.sentences] for one in written]
    read = [read_state(part, own) for part, own in zip(parts, texts, strict=True)]
    truth = [true_state(one.labels) for one in written]
    return np.array([STATES.index(one) for one in truth]), np.array([STATES.index(one) for one in read])


FIGURES: dict[
    str, Callable
] = {  # of true and read states and the places of the answers; 1 and 2 are refusals
    "recall of refusals": lambda truth, read, i: (read[i] > 0)[truth[i] > 0].mean(),
    "precision of refusals": lambda truth, read, i: (truth[i] > 0)[read[i] > 0].mean(),
    "three-way accuracy": lambda truth, read, i: (truth[i] == read[i]).mean(),
    "read as declined though it asserts": lambda truth, read, i: (read[i] == 2)[truth[i] < 2].mean(),
}


def measured(written: Sequence, scores: NDArray) -> dict[str, object]:
    """Every figure: over the batches in English, each batch, each language."""
    truth, read = states(written, scores)
    english = np.array([one.language == "en" for one in written])
    found = of_slice("English, its batch left out", truth, read, english, FIGURES)
    for batch in sorted({one.batch for one in written if one.language == "en"}):
        kept = np.array([one.batch == batch for one in written])
        found |= of_slice(f"batch {batch}", truth, read, kept, dict(list(FIGURES.items())[:3]))
    found |= of_slice("other languages, a fifth of the answers left out", truth, read, ~english, FIGURES)
    for language in sorted({one.language for one in written} - {"en"}):
        kept = np.array([one.language == language for one in written])
        found |= of_slice(f"language {language}", truth, read, kept, dict(list(FIGURES.items())[:3]))
    return found


def of_slice(
    name: str, truth: NDArray, read: NDArray, kept: NDArray, figures: dict[str, Callable]
) -> dict[str, object]:
    """The figures of some of the answers, and how many there are."""
    rows = np.flatnonzero(kept)
    shown: dict[str, object] = {f"{name}: answers": len(rows)}
    for figure, compute in figures.items():
        shown[f"{name}: {figure}"] = data.interval(rows, partial(compute, truth[rows], read[rows]))
    return shown
