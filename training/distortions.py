"""Sentences told again in free words, rightly and wrongly: the pairs, and what heads make of them.

A row of a batch has a premise and its retellings: `same` says the same, `weaker` follows from it, it follows
from `stronger`, and `distorted` cannot be true beside it. Each gives a pair in both directions. The batches
were written apart, each on a subject and in a voice of its own; `kind` says what is told wrongly.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

import data

FOLDER = Path(__file__).parent / "distorted_pairs"
SOURCE = "sentences retold by hand, both directions (training/distorted_pairs)"
LABELS = ("entailment", "neutral", "contradiction")
RELATIONS = {  # label of the pair (premise, retelling), and of (retelling, premise)
    "same": ("entailment", "entailment"),
    "weaker": ("entailment", "neutral"),
    "stronger": ("neutral", "entailment"),
    "distorted": ("contradiction", "contradiction"),
}
Pair = tuple[str, str, str]


class Retelling(NamedTuple):
    """A premise told again: batch, what is told wrongly in its row, how the two stand to each other."""

    batch: str
    kind: str
    relation: str
    premise: str
    text: str

    def pairs(self) -> list[Pair]:
        """Both directions with their labels."""
        there, back = RELATIONS[self.relation]
        return [(self.premise, self.text, there), (self.text, self.premise, back)]


def retellings() -> list[Retelling]:
    """All that we wrote, batch by batch."""
    return [
        Retelling(path.stem, row["kind"], relation, row["premise"], text)
        for path in sorted(FOLDER.glob("*.jsonl"))
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines())
        for relation in RELATIONS
        for text in row[relation]
    ]


def pairs(told: Sequence[Retelling]) -> list[Pair]:
    """Every retelling in both directions."""
    return [pair for one in told for pair in one.pairs()]


class Judged(NamedTuple):
    """Retellings with the probabilities of the three labels: forth and back, each (n, 3)."""

    told: Sequence[Retelling]
    forth: NDArray
    back: NDArray


class Scored(NamedTuple):
    """What a figure reads, (m,) each: score, truth, and the premise that is resampled whole."""

    score: NDArray
    truth: NDArray
    premise: NDArray

    def figure(self, statistic: Callable[[NDArray, NDArray], float], rows: NDArray) -> float:
        return statistic(self.score[rows], self.truth[rows])


def judge(told: Sequence[Retelling], model: str) -> Judged:
    """What `models.entail` says with this head and its partner."""
    from ragassay import models

    found = models.entail([pair[:2] for pair in pairs(told)], model=model).probabilities
    return Judged(told, found[::2], found[1::2])


def supported(judged: Judged) -> Scored:
    """Entailment of every pair in both directions, and whether it holds."""
    score = np.stack([judged.forth[:, 0], judged.back[:, 0]], axis=1).ravel()
    return Scored(score, _labels(judged) == LABELS.index("entailment"), _premises(judged))


def distorted(judged: Judged) -> Scored:
    """The lesser contradiction of both directions, as GroUSE's faithfulness reads it, of the retellings that
    say the same or are distorted, and whether they are distorted."""
    clear = np.array([one.relation in ("same", "distorted") for one in judged.told])
    truth = np.array([one.relation == "distorted" for one in judged.told])
    score = np.minimum(judged.forth[:, 2], judged.back[:, 2])
    return Scored(score[clear], truth[clear], _premises(judged)[::2][clear])


def recognised(judged: Judged) -> Scored:
    """Of every pair in both directions: the likeliest of the three labels, and the true one."""
    likeliest = np.stack([judged.forth.argmax(axis=1), judged.back.argmax(axis=1)], axis=1).ravel()
    return Scored(likeliest, _labels(judged), _premises(judged))


def _labels(judged: Judged) -> NDArray:
    """Places in LABELS, forth and back in turn, (2 n,)."""
    return np.array([LABELS.index(label) for one in judged.told for label in RELATIONS[one.relation]])


def _premises(judged: Judged) -> NDArray:
    return np.array([one.premise for one in judged.told for _ in range(2)])


def auroc(score: NDArray, truth: NDArray) -> float:
    """Area under the curve, in [0, 1]; NaN where one of the two classes is not there."""
    positive = int(truth.sum())
    if not 0 < positive < len(truth):
        return float("nan")
    ranks = rankdata(score)[truth].sum() - positive * (positive + 1) / 2
    return float(ranks / (positive * (len(truth) - positive)))


def share_equal(found: NDArray, truth: NDArray) -> float:
    """Share of the pairs with the true label."""
    return float((found == truth).mean())


def shared_words(told: Sequence[Retelling]) -> Judged:
    """A rival that understands nothing: entailment is the share of a text's words that the other holds."""
    words = [[set(text.lower().rstrip(".").split()) for text in (one.premise, one.text)] for one in told]
    common = np.array([len(a & b) for a, b in words])
    forth, back = (common / [len(both[side]) for both in words] for side in (1, 0))
    return Judged(told, *(np.stack([one, 0 * one, 1 - one], axis=1) for one in (forth, back)))


FIGURES: dict[str, tuple[Callable[[Judged], Scored], Callable[[NDArray, NDArray], float]]] = {
    "supported, AUROC": (supported, auroc),
    "distorted, AUROC": (distorted, auroc),
    "three-way accuracy": (recognised, share_equal),
}


def figures(before: Judged, after: Judged) -> dict[str, Any]:
    """Every figure before, after, and the difference, each with its 95 % interval over premises."""
    return {name: _figure(read(before), read(after), how) for name, (read, how) in FIGURES.items()}


def _figure(old: Scored, new: Scored, statistic: Callable[[NDArray, NDArray], float]) -> dict[str, Any]:
    return {
        "premises": len(set(old.premise)),
        "n": len(old.truth),
        "before": data.interval(old.premise, lambda rows: old.figure(statistic, rows)),
        "after": data.interval(new.premise, lambda rows: new.figure(statistic, rows)),
        "difference": data.interval(
            old.premise, lambda rows: new.figure(statistic, rows) - old.figure(statistic, rows)
        ),
    }


def report(before: Judged, after: Judged) -> dict[str, Any]:
    """The figures of all retellings, of each batch and of each kind, and those of shared words.

    before, after : the same retellings in the same order
    """
    batches, kinds = ([one[place] for one in before.told] for place in (0, 1))
    return {
        "all": figures(before, after),
        "shared words": {
            name: value["before"] for name, value in figures(*[shared_words(before.told)] * 2).items()
        },
        "batches": {name: figures(*_of(name, batches, before, after)) for name in sorted(set(batches))},
        "kinds": {name: figures(*_of(name, kinds, before, after)) for name in sorted(set(kinds))},
    }


def _of(name: str, names: Sequence[str], *judged: Judged) -> list[Judged]:
    """The retellings of one batch or kind."""
    places = [place for place, one in enumerate(names) if one == name]
    return [Judged([one.told[i] for i in places], one.forth[places], one.back[places]) for one in judged]
