"""Do two judges give the same marks? (GroUSE table 4: Spearman for grades, macro-F1 for checks with null)"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike, NDArray

from ragassay.examination.examine import UNPARSED, Examination, every_mark
from ragassay.examination.scorers import Marks
from ragassay.examination.unit_test_suite import ALL_MARKS
from ragassay.stats import Interval, bootstrap, not_available

GRADES = ("answer_relevancy", "completeness")  # 1 to 5; the others are 0, 1 or null
NULL = 2.0  # the third class of a check
COLUMNS = ["mark", "measure", "value", "low", "high", "n", "left_out", "identical", "reason"]


def spearman(first: ArrayLike, second: ArrayLike) -> float:
    """Rank correlation of two series of grades (n,), in [-1, 1], ties at their mean rank; NaN where one of
    them is constant."""
    ranks = [scipy.stats.rankdata(np.asarray(series, dtype=float)) for series in (first, second)]
    if min(map(np.ptp, ranks), default=0) == 0:
        return float("nan")
    return float(np.corrcoef(*ranks)[0, 1])


def macro_f1(first: ArrayLike, second: ArrayLike) -> float:
    """Mean over the classes that occur in either series (n,) of 2 both / (first + second), in [0, 1]; higher
    is better, and the two may trade places."""
    one, other = np.asarray(first), np.asarray(second)
    classes = np.union1d(one, other)
    if not len(classes):
        return float("nan")
    shares = [
        2 * np.sum((one == each) & (other == each)) / (np.sum(one == each) + np.sum(other == each))
        for each in classes
    ]
    return float(np.mean(shares))


def between_judges(first: pd.DataFrame, second: pd.DataFrame, *, rng: np.random.Generator) -> pd.DataFrame:
    """One row per mark, COLUMNS: how far two judges of the same items agree, bootstrap over clusters.

    first, second : marks as `marks_of_suite` gives them; items that only one has, or
        whose mark one could not read, are left out, and for grades those that one leaves null
    identical : share of the items both read, null included, with the same mark

    Source: GroUSE 5.1 and table 4.
    """
    both = first.merge(second, on=["item", "mark"], how="outer", suffixes=("", "_second"))
    marks = [mark for mark in ALL_MARKS if mark in set(both.mark)]
    return pd.DataFrame([_row(both[both.mark == mark], mark, rng) for mark in marks], columns=COLUMNS)


def marks_of_suite(found: Examination) -> pd.DataFrame:
    """The marks of an examination: item, mark, value (NaN for null), cluster; those that were read."""
    checks = found.checks[found.checks.outcome != UNPARSED]
    columns = {"item": "test", "mark": "metric", "value": "mark", "cluster": "question"}
    return pd.DataFrame({name: checks[column].to_numpy() for name, column in columns.items()})


def marks_of_traces(rows: Sequence[Mapping[str, Any]], marks: Sequence[Marks]) -> pd.DataFrame:
    """The marks given to rows of a suite, the derived ones too; as `marks_of_suite`, clusters by question."""
    found = [
        (place, mark, np.nan if value is None else float(value), row["input"])
        for place, (row, given) in enumerate(zip(rows, marks, strict=True))
        for mark, value in every_mark(given).items()
    ]
    return pd.DataFrame(found, columns=["item", "mark", "value", "cluster"])


def _row(both: pd.DataFrame, mark: str, rng: np.random.Generator) -> tuple:
    read = both[both.cluster.notna() & both.cluster_second.notna()]
    one, other = (read[name].to_numpy(dtype=float) for name in ("value", "value_second"))
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    graded, kept = mark in GRADES, np.ones(len(read), dtype=bool)
    if graded:
        kept = ~(np.isnan(one) | np.isnan(other))
    else:
        one, other = (np.nan_to_num(series, nan=NULL) for series in (one, other))
    agreement = spearman if graded else macro_f1
    found = agreement_interval(one[kept], other[kept], read.cluster.to_numpy()[kept], agreement, rng)
    measure = "Spearman" if graded else "macro-F1"
    identical = float(same.mean()) if len(same) else np.nan
    n = int(kept.sum())
    return mark, measure, found.value, found.low, found.high, n, len(both) - n, identical, found.reason


def agreement_interval(
    one: NDArray,
    other: NDArray,
    clusters: NDArray,
    agreement: Callable[[ArrayLike, ArrayLike], float],
    rng: np.random.Generator,
) -> Interval:
    """A measure of agreement of two series (n,), bootstrap over clusters; NaN with a reason without one."""
    value = agreement(one, other) if len(one) else np.nan
    if np.isnan(value):
        why = "one of the two gives every item the same value" if len(one) else "no item has both"
        return not_available(why, value=np.nan, n=len(one))

    def of_places(places: NDArray) -> float:
        chosen = places.astype(int)
        return agreement(one[chosen], other[chosen])

    places = np.arange(len(one), dtype=float)
    found = bootstrap(places, clusters=clusters, statistic=of_places, n_boot=1000, rng=rng)
    return Interval(value, found.low, found.high, len(one), 0, found.reason, found.method)
