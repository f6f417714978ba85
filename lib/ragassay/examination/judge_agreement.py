"""How far two judges give the same answers the same marks, and prompts of one judge compared (GroUSE 5, table
4, figure 5).

Agreement does not show that a judge is right: in the source, a judge that ranked answers as GPT-4 does still
failed the unit tests. So these figures stand beside an examination and never replace it. A mark that could
not be read by one of the two leaves that pair of marks out, counted.
"""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from ragassay.errors import ParameterError
from ragassay.examination import conditions
from ragassay.examination.examine import PASSED, SEED, Examination
from ragassay.examination.scorers import Marks
from ragassay.stats import Interval, not_available
from ragassay.stats.resampling import bootstrap, paired_bootstrap

GRADED = ("answer_relevancy", "completeness")
LEVELS = {mark: (1, 2, 3, 4, 5) if mark in GRADED else (0, 1) for mark in conditions.MARKS}
NULL = "null"
N_BOOT = 1000


def agreement(
    first: Sequence[Marks],
    second: Sequence[Marks],
    *,
    clusters: Sequence | None = None,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """One row per mark: metric, statistic, value, low, high, n, left_out, reason, exact.

    statistic : Spearman's rank correlation in [-1, 1] for marks 1 to 5, over answers that neither judge holds
        to be null; macro-F1 in [0, 1] of the three classes 0, 1 and null for the others, a class that neither
        judge gave left out. Higher is better
    low, high : bootstrap over answers (clusters: what was drawn together, such as the question), BCa with
        tails for few clusters
    exact : share of all answers with the very same mark, null included; left_out : answers that do not count,
        unread or null

    Raises
    ------
    ParameterError
        If the two judges did not mark the same number of answers, or there are not as many clusters.
    """
    if len(first) != len(second) or (clusters is not None and len(clusters) != len(first)):
        raise ParameterError(
            "two judges must mark the same answers", found=f"{len(first)} and {len(second)} answers"
        )
    names = np.arange(len(first)) if clusters is None else np.asarray(clusters, dtype=str)
    rows = [_row(mark, *_both(first, second, mark), names, rng) for mark in conditions.MARKS]
    return pd.DataFrame(
        rows, columns=["metric", "statistic", "value", "low", "high", "n", "left_out", "reason", "exact"]
    )


def confusion(first: Sequence[Marks], second: Sequence[Marks], mark: str) -> pd.DataFrame:
    """Counts of answers by the first judge's mark (rows) and the second's (columns), grades ascending, then
    null; unread marks left out.
    """
    if mark not in LEVELS or len(first) != len(second):
        raise ParameterError(
            "a confusion matrix is of one mark on the same answers", found=mark, expected=", ".join(LEVELS)
        )
    names = [*map(str, LEVELS[mark]), NULL]
    one, other = (_classes(each, mark) for each in _both(first, second, mark)[:2])
    counts = np.zeros((len(names), len(names)), dtype=int)
    np.add.at(counts, (one, other), 1)
    return pd.DataFrame(counts, index=pd.Index(names, name="first"), columns=pd.Index(names, name="second"))


def ablation(examinations: Sequence[Examination]) -> pd.DataFrame:
    """Prompts, models or scorers side by side on one suite: a row each, in the order given.

    Columns: name, total, total_low, total_high, one pass rate per mark, `against_first`, `against_low`,
    `against_high` (difference of the totals to the first row's, paired by test, interval over questions; NaN
    in the first row), unparsed.

    Raises
    ------
    ParameterError
        If there is none, two have one name, or they are not of the same tests.
    """
    if not examinations or len({each.name for each in examinations}) < len(examinations):
        raise ParameterError(
            "examinations to compare need names of their own", found=[each.name for each in examinations]
        )
    keys = examinations[0].checks[["test", "metric"]]
    if not all(each.checks[["test", "metric"]].equals(keys) for each in examinations):
        raise ParameterError(
            "examinations are compared on the same tests", do="examine every scorer on one suite"
        )
    return pd.DataFrame([_compared(each, examinations[0]) for each in examinations])


def _row(
    mark: str, one: NDArray, other: NDArray, kept: NDArray, names: NDArray, rng: np.random.Generator
) -> tuple:
    exact = float(np.mean(_classes(one, mark) == _classes(other, mark))) if len(one) else float("nan")
    statistic, name = (_spearman, "Spearman") if mark in GRADED else (_macro_f1, "macro-F1")
    shown = ~(np.isnan(one) | np.isnan(other)) if mark in GRADED else np.ones(len(one), dtype=bool)
    found = _interval(one[shown], other[shown], names[kept][shown], statistic, rng)
    return (
        mark,
        name,
        found.value,
        found.low,
        found.high,
        int(shown.sum()),
        len(names) - int(shown.sum()),
        found.reason,
        exact,
    )


def _both(first: Sequence[Marks], second: Sequence[Marks], mark: str) -> tuple[NDArray, NDArray, NDArray]:
    """The marks of both judges where both can be read, null as NaN, and which answers those are."""
    known = [
        [mark in each and conditions.readable(mark, each[mark]) for each in marks]
        for marks in (first, second)
    ]
    kept = np.flatnonzero(np.all(known, axis=0))
    one, other = (np.array([each[int(row)][mark] for row in kept], dtype=float) for each in (first, second))
    return one, other, kept


def _classes(marks: NDArray, mark: str) -> NDArray:
    """Each mark as its place among the levels; null comes last."""
    return np.where(np.isnan(marks), len(LEVELS[mark]), np.searchsorted(LEVELS[mark], np.nan_to_num(marks)))


def _interval(
    one: NDArray, other: NDArray, clusters: NDArray, statistic: Callable, rng: np.random.Generator
) -> Interval:
    value = statistic(one, other) if len(one) > 1 else float("nan")
    if np.isnan(value):
        return not_available("fewer than two answers, or one of the judges gives one mark only", n=len(one))
    by_row = lambda rows: statistic(one[rows.astype(int)], other[rows.astype(int)])  # noqa: E731
    return bootstrap(
        np.arange(len(one)),
        clusters=clusters,
        statistic=by_row,
        method="bca_expanded",
        n_boot=N_BOOT,
        rng=rng,
    )


def _spearman(one: NDArray, other: NDArray) -> float:
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return float("nan")
    return float(stats.spearmanr(one, other).statistic)


def _macro_f1(one: NDArray, other: NDArray) -> float:
    """Mean F1 over the classes 0, 1 and null (as 2) that either judge gave: 2 x both / (one's + other's)."""
    first, second = np.nan_to_num(one, nan=2.0), np.nan_to_num(other, nan=2.0)
    given = np.union1d(first, second)
    both = [
        2 * np.sum((first == each) & (second == each)) / (np.sum(first == each) + np.sum(second == each))
        for each in given
    ]
    return float(np.mean(both))


def _compared(found: Examination, first: Examination) -> dict[str, object]:
    row = {
        "name": found.name,
        "total": found.total.value,
        "total_low": found.total.low,
        "total_high": found.total.high,
    }
    row |= {mark: each.value for mark, each in found.by_metric.items()}
    gap = not_available("the first row") if found is first else _difference(first, found)
    return {
        **row,
        "against_first": gap.value,
        "against_low": gap.low,
        "against_high": gap.high,
        "unparsed": found.parse_failures,
    }


def _difference(first: Examination, found: Examination) -> Interval:
    before, after = (each.checks.outcome.eq(PASSED).to_numpy(dtype=float) for each in (first, found))
    shared = "question" if found.checks.question.nunique() > 1 else "test"
    return paired_bootstrap(
        before, after, clusters=found.checks[shared].to_numpy(), rng=np.random.default_rng(SEED)
    )
