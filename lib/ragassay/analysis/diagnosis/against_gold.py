"""Evaluators that need no gold answer, held against gold (GRAMMAR 4.1, table 1): precision, recall, F1.

The positive class is a correct answer; what is asked is whether the evaluator can be believed when it says
so.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ragassay.errors import TableError
from ragassay.stats import Interval, bootstrap, mean_interval, not_available
from ragassay.stats.random_streams import random_base, random_stream

MARKS = ("precision", "recall", "f1")


def precision(said: ArrayLike, gold: ArrayLike) -> float:
    """Share correct of the answers that the evaluator calls correct, in [0, 1]; NaN if it calls none so."""
    said, gold = np.asarray(said, dtype=bool), np.asarray(gold, dtype=bool)
    return float(gold[said].mean()) if said.any() else np.nan


def recall(said: ArrayLike, gold: ArrayLike) -> float:
    """Share that the evaluator calls correct of the correct answers, in [0, 1]; NaN if none is correct."""
    return precision(gold, said)


def f1(said: ArrayLike, gold: ArrayLike) -> float:
    """Harmonic mean of precision and recall, in [0, 1]: 2 TP / (2 TP + FP + FN); NaN if there is no TP, FP,
    FN."""
    said, gold = np.asarray(said, dtype=bool), np.asarray(gold, dtype=bool)
    either = int(said.sum() + gold.sum())
    return 2 * float((said & gold).sum()) / either if either else np.nan


def compare_evaluators(
    results: pd.DataFrame, evaluators: Mapping[str, float], *, rng: np.random.Generator
) -> pd.DataFrame:
    """One row an evaluator and mark: evaluator, mark (precision, recall, f1), value, low, high, n, reason.

    evaluators : a column of the results -> the value from which it calls an answer correct (RAGAS-Fact: the
        share of claims grounded; SelfCheck: 1, every sample agrees). Answers that either side did not judge
        are left out. Intervals resample groups.

    Raises
    ------
    TableError
        If there is no such column, or it is no number.
    """
    base = random_base(rng)
    rows = []
    for name, least in evaluators.items():
        scores = _scores(results, name)
        both = results["correct"].notna() & scores.notna()
        sides = (scores[both] >= least).to_numpy(), (results["correct"][both] == 1).to_numpy()
        stream = random_stream(base, name)
        found = _marks(*sides, results["group"][both].to_numpy(), stream)
        rows += [
            {"evaluator": name, "mark": mark, "value": each.value, "low": each.low, "high": each.high}
            | {"n": each.n, "left_out": int((~both).sum()), "reason": each.reason}
            for mark, each in zip(MARKS, found, strict=True)
        ]
    return pd.DataFrame(
        rows, columns=["evaluator", "mark", "value", "low", "high", "n", "left_out", "reason"]
    )


def _marks(said: NDArray, gold: NDArray, groups: NDArray, rng: np.random.Generator) -> list[Interval]:
    return [
        _share(gold[said], groups[said], "the evaluator calls no answer correct", rng),
        _share(said[gold], groups[gold], "no answer is correct", rng),
        _f1(said, gold, groups, rng),
    ]


def _share(values: NDArray, groups: NDArray, empty: str, rng: np.random.Generator) -> Interval:
    if not len(values):
        return not_available(empty)
    clusters = None if len(set(groups)) == len(groups) else groups
    return mean_interval(values.astype(float), clusters=clusters, span=(0.0, 1.0), rng=rng)


def _f1(said: NDArray, gold: NDArray, groups: NDArray, rng: np.random.Generator) -> Interval:
    if not (said | gold).any():
        return not_available("neither side calls an answer correct", n=len(said))
    rows = np.arange(len(said))
    return bootstrap(
        rows,
        clusters=groups,
        statistic=lambda drawn: f1(said[drawn.astype(int)], gold[drawn.astype(int)]),
        method="bca_expanded",
        rng=rng,
    )


def _scores(results: pd.DataFrame, name: str) -> pd.Series:
    if name not in results:
        raise TableError(
            f"column {name!r} is missing",
            where="the results",
            found=", ".join(map(str, results.columns)),
            expected="a column with the evaluator's score or verdict",
            do="add it, or name another evaluator",
        )
    values = pd.to_numeric(results[name], errors="coerce").astype(float)
    if values.isna().all():
        raise TableError(
            f"column {name!r} holds no number",
            where="the results",
            found=repr(results[name].iloc[0]),
            expected="a score, or true and false",
            do="correct the column",
        )
    return values
