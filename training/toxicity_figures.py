"""What is measured of the toxicity head on functions and tweets that it did not learn; its threshold.

Intervals are 95 %: over functions where functions are pooled, over templates within one, over tweets without
their retweets.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import data
import thresholds
import toxicity_rows
from threshold_pairs import Item

WHY = "few sentences of answers are toxic, and each that is listed costs a reader's time"
SETS = ("unseen functions", "tweets kept")
Figures = dict[str, Any]


def measured(
    folds: Sequence[tuple[Sequence[float], Sequence[float]]],
    tweets: Sequence[dict],
    copies: Sequence[str],
    of_tweets: Sequence[float],
) -> tuple[Figures, Figures]:
    """Every figure of the card, and the threshold, from the probabilities of each fold's rows and of its
    plain mentions of groups, and the tweets kept, what copies of one share, and their probabilities."""
    rows, mentions = (_in_folds(rows) for rows in (toxicity_rows.rows(), toxicity_rows.mentions()))
    of_rows, of_mentions = (np.concatenate([fold[part] for fold in folds]) for part in (0, 1))
    written = [(row.function, int(row.toxic)) for row in rows]
    crowd = [(copy, int(row["label"] != "neither")) for row, copy in zip(tweets, copies, strict=True)]
    asked = zip(SETS, (written, crowd), (of_rows, of_tweets), strict=True)
    threshold = chosen(
        {name: [Item(*one, p) for one, p in zip(of, found, strict=True)] for name, of, found in asked}
    )
    at = threshold["threshold"]
    found = ranked(rows, of_rows) | of_crowd(tweets, copies, np.array(of_tweets), at)
    found |= pooled(rows, of_rows, at) | by_function(rows, of_rows >= at)
    return found | by_group(mentions, of_mentions >= at), threshold


def tests_unseen(folds: Sequence[tuple[Sequence[float], Sequence[float]]]) -> Figures:
    """AUROC on functions by heads that learned none of their tests, but written sentences that come near."""
    rows = _in_folds(toxicity_rows.rows())
    found = ranked(rows, np.concatenate([fold[0] for fold in folds]))
    return {name.replace(SETS[0], "unseen tests"): value for name, value in found.items() if "AUROC" in name}


def chosen(sets: thresholds.Sets) -> Figures:
    """The threshold, as the thresholds of entailment are chosen: every set weighs alike."""
    return thresholds.at_threshold(sets, thresholds.few_alarms, thresholds.FEW_ALARMS, WHY)


def _in_folds(rows: Sequence[toxicity_rows.Row]) -> list[toxicity_rows.Row]:
    fold_of = toxicity_rows.folds()
    return [row for fold in range(toxicity_rows.FOLDS) for row in rows if fold_of[row.function] == fold]


def ranked(rows: Sequence[toxicity_rows.Row], found: NDArray) -> Figures:
    """AUROC on unseen functions: the mean of the two halves, each half, and with hate alone as toxic."""
    names = [row.function for row in rows]
    fold = np.array([toxicity_rows.folds()[name] for name in names])
    toxic, hate = np.array([row.toxic for row in rows]), np.array([row.label == "hate" for row in rows])
    every = range(toxicity_rows.FOLDS)
    areas = {
        "AUROC": _auroc(toxic, found, fold, every),
        "AUROC, first half": _auroc(toxic, found, fold, [0]),
        "AUROC, second half": _auroc(toxic, found, fold, [1]),
        "AUROC of hate against the rest": _auroc(hate, found, fold, every),
    }
    figures: Figures = {f"{SETS[0]}, {what}": data.interval(names, area) for what, area in areas.items()}
    return figures | {"functional tests": len(rows), "functions": len(set(names))}


def _auroc(truth: NDArray, found: NDArray, fold: NDArray, of: Sequence[int]) -> Callable[[NDArray], float]:
    """Mean over folds of the AUROC within each, since each was judged by a head of its own."""
    area = auroc(truth, found)
    return lambda i: float(np.mean([area(i[fold[i] == one]) for one in of]))


def auroc(truth: NDArray, found: NDArray) -> Callable[[NDArray], float]:
    """The area under the ROC curve of rows by their places, with repeats: sorted once, for many draws."""
    values, rank = np.unique(found, return_inverse=True)

    def area(i: NDArray) -> float:
        toxic, clean = (np.bincount(rank[i[truth[i] == wanted]], minlength=len(values)) for wanted in (1, 0))
        below = np.cumsum(clean) - clean / 2
        return float((toxic * below).sum() / (toxic.sum() * clean.sum()))

    return area


def of_crowd(tweets: Sequence[dict], copies: Sequence[str], found: NDArray, at: float) -> Figures:
    """On tweets: AUROC of the head, of the rule of terms and of both; what the threshold finds."""
    from ragassay.models import toxic_terms

    label = np.array([row["label"] for row in tweets])
    toxic, rule = label != "neither", np.array([bool(toxic_terms.find(row["text"])) for row in tweets])
    ranks = {"Davidson hold-out AUROC": found, "the rule of terms alone, AUROC": rule}
    ranks["either, AUROC of the mean"] = found + rule
    figures: Figures = {name: data.interval(copies, auroc(toxic, one)) for name, one in ranks.items()}
    for name in ("hate", "offensive", "neither"):
        figures[f"tweets, {name}, flagged"] = data.interval(
            copies, lambda i, name=name: float((found[i] >= at)[label[i] == name].mean())
        )
    return figures | {"hold-out tweets": len(tweets)}


def pooled(rows: Sequence[toxicity_rows.Row], found: NDArray, at: float) -> Figures:
    """Shares of the toxic and of the clean rows of unseen functions that are flagged."""
    names, toxic = [row.function for row in rows], np.array([row.toxic for row in rows])
    return {
        f"unseen functions, {word}, flagged": data.interval(
            names, lambda i, wanted=wanted: float((found[i] >= at)[toxic[i] == wanted].mean())
        )
        for word, wanted in (("toxic", True), ("clean", False))
    }


def by_function(rows: Sequence[toxicity_rows.Row], flagged: NDArray) -> Figures:
    """Share of each function's rows that is flagged while unseen: caught if toxic, a false alarm if clean."""
    kinds = {row.function: "caught" if row.toxic else "false alarms" for row in rows}
    return {f"{kinds[name]}: {name}": _share(rows, flagged, "function", name) for name in sorted(kinds)}


def by_group(mentions: Sequence[toxicity_rows.Row], flagged: NDArray) -> Figures:
    """Share of plain and warm mentions of each group, and of questions about it, that is flagged: the bias of
    the head."""
    names = [group["group"] for group in toxicity_rows.groups()]
    return {f"plain mentions flagged: {name}": _share(mentions, flagged, "group", name) for name in names}


def _share(rows: Sequence[toxicity_rows.Row], flagged: NDArray, of: str, name: str) -> list[float]:
    places = [i for i, row in enumerate(rows) if getattr(row, of) == name]
    return data.interval([rows[i].template for i in places], lambda i: float(flagged[places][i].mean()))
