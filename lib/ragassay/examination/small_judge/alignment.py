"""How far the small judge's marks agree with those it was trained on, on questions it has not seen (GroUSE
table 4).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ragassay.examination.small_judge.traces import ALLOWED, Traces
from ragassay.examination.unit_test_suite import ALL_MARKS, MARKS, derived_marks
from ragassay.stats import Interval, bootstrap, not_available

RESAMPLES = 500
NULL = -1.0
COLUMNS = ["mark", "measure", "value", "low", "high", "n", "left_out", "reason"]
Given = Mapping[str, float | None]


def alignment(traces: Traces, given: Sequence[Given], *, rng: np.random.Generator) -> pd.DataFrame:
    """One row per mark: Spearman of grades from 1 to 5 where both gave one, three-class macro-F1 (0, 1, null)
    of the others, and how often equal.

    `measure` is spearman (in [-1, 1]), macro_f1 or exact (in [0, 1]); higher is better. `left_out` are
    answers that one side has no mark for, for spearman also those that one side left null. Intervals:
    bootstrap over questions (BCa, expanded for few). Measured for macro-F1 of a judge right 8 times in 10,
    three answers a question, 400 simulations (standard error 0.011): the truth lay within in 0.945 of them at
    40 questions, 0.958 at 100. Where every resample is alike, as with complete agreement, spearman and
    macro_f1 have no interval.

    Source: GroUSE 5.1 and table 4.
    """
    questions = [row["input"] for row in traces.rows]
    rows = [
        row for mark in ALL_MARKS for row in _rows(mark, _both(traces.marks, given, mark), questions, rng)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def spearman(one: NDArray, other: NDArray) -> float:
    """Rank correlation in [-1, 1]; NaN where a side does not vary or fewer than three pairs are there."""
    from scipy.stats import spearmanr

    if len(one) < 3 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return float("nan")
    return float(spearmanr(one, other).statistic)


def macro_f1(one: NDArray, other: NDArray) -> float:
    """Mean F1 in [0, 1] of the classes that either side gives; higher is better."""
    classes = np.unique(np.concatenate([one, other]))[:, None]
    these, those = one == classes, other == classes
    return float(np.mean(2 * (these & those).sum(axis=1) / (these.sum(axis=1) + those.sum(axis=1))))


def exact(one: NDArray, other: NDArray) -> float:
    """Share of equal marks in [0, 1]."""
    return float(np.mean(one == other))


def _rows(mark: str, both: NDArray, questions: Sequence[str], rng: np.random.Generator) -> list[tuple]:
    marked = ~np.isnan(both).any(axis=1)
    graded = len(ALLOWED.get(mark, ())) == 5
    chosen = marked & (both != NULL).all(axis=1) if graded else marked
    name, measure = ("spearman", spearman) if graded else ("macro_f1", macro_f1)
    found = [
        (name, _interval(measure, both, chosen, questions, rng)),
        ("exact", _interval(exact, both, marked, questions, rng)),
    ]
    return [
        (mark, what, each.value, each.low, each.high, each.n, each.left_out, each.reason)
        for what, each in found
    ]


def _interval(
    measure: Callable, both: NDArray, chosen: NDArray, questions: Sequence[str], rng: np.random.Generator
) -> Interval:
    places = np.flatnonzero(chosen)
    out = len(chosen) - len(places)
    if not len(places) or np.isnan(value := measure(*both[places].T)):
        why = "no answer with both marks" if not len(places) else "the marks of one side do not vary"
        return not_available(why, n=len(places), left_out=out)
    clusters = np.array([questions[int(place)] for place in places])
    settings: dict[str, Any] = {"clusters": clusters, "method": "bca_expanded"}
    settings |= {"n_boot": RESAMPLES, "rng": rng}
    if measure is exact:
        found = bootstrap((both[places, 0] == both[places, 1]).astype(float), span=(0.0, 1.0), **settings)
    else:
        found = bootstrap(
            places.astype(float), statistic=lambda drawn: measure(*both[drawn.astype(int)].T), **settings
        )
    return Interval(value, found.low, found.high, len(places), out, found.reason, found.method)


def _both(these: Sequence[Given], those: Sequence[Given], mark: str) -> NDArray:
    """(n, 2) marks of both sides; -1 for null, NaN for none."""
    return np.array(
        [
            [_number(add_derived(one), mark), _number(add_derived(other), mark)]
            for one, other in zip(these, those, strict=True)
        ]
    )


def add_derived(given: Given) -> Given:
    """The marks with the two that follow from which of the others are null (GroUSE 4.1)."""
    if not {"answer_relevancy", "completeness"} <= given.keys():
        return {mark: value for mark, value in given.items() if mark in MARKS}
    return {**given, **derived_marks(given["answer_relevancy"] is None, given["completeness"] is None)}


def _number(given: Given, mark: str) -> float:
    if mark not in given:
        return float("nan")
    value = given[mark]
    return NULL if value is None else float(value)
