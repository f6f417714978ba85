"""Scorers beside each other: do two judges give the same marks (GroUSE table 4: Spearman for grades, macro-F1
for checks with null); does a judge reward length (Lesson 13.5).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike

from ragassay.examination import minimal_pairs
from ragassay.examination.examine import (
    ALL_MARKS,
    GRADES,
    SEED,
    UNPARSED,
    Examination,
    Marks,
    Scorer,
    UnitTest,
    by_failure_mode,
    every_mark,
    examine,
)
from ragassay.stats import bootstrap, not_available

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
    is better, and the two may trade places. scikit-learn's f1_score is the same, too slow to resample."""
    one, other = np.asarray(first), np.asarray(second)
    shares = [
        2 * np.sum((one == each) & (other == each)) / (np.sum(one == each) + np.sum(other == each))
        for each in np.union1d(one, other)
    ]
    return float(np.mean(shares)) if shares else float("nan")


def between_judges(first: pd.DataFrame, second: pd.DataFrame, *, rng: np.random.Generator) -> pd.DataFrame:
    """One row per mark, COLUMNS: how far two judges of the same items agree, bootstrap over clusters.

    first, second : marks as `marks_of_suite` gives them; items that only one has, or
        whose mark one could not read, are left out, and for grades those that one leaves null
    identical : share of the items both read, null included, with the same mark

    Source: GroUSE 5.1 and table 4.
    """
    both = first.merge(second, on=["item", "mark"], how="outer", suffixes=("", "_second"))
    rows = []
    for mark in [mark for mark in ALL_MARKS if mark in set(both["mark"])]:
        of_mark = both[both["mark"] == mark]
        read = of_mark[of_mark["cluster"].notna() & of_mark["cluster_second"].notna()]
        one, other = (read[name].to_numpy(dtype=float) for name in ("value", "value_second"))
        same = (one == other) | (np.isnan(one) & np.isnan(other))
        if mark in GRADES:
            measure, agreement, kept = "Spearman", spearman, ~(np.isnan(one) | np.isnan(other))
        else:
            measure, agreement, kept = "macro-F1", macro_f1, np.ones(len(read), dtype=bool)
            one, other = (np.nan_to_num(series, nan=NULL) for series in (one, other))
        pair, clusters, n = np.array([one, other])[:, kept], read["cluster"].to_numpy()[kept], int(kept.sum())
        value = agreement(*pair) if n else np.nan
        if np.isnan(value):
            why = "one of the two gives every item the same value" if n else "no item has both"
            found = not_available(why, n=n)
        else:
            found = bootstrap(
                np.arange(n, dtype=float),
                clusters=clusters,
                statistic=lambda places, pair=pair, agreement=agreement: agreement(
                    *pair[:, places.astype(int)]
                ),
                n_boot=1000,
                rng=rng,
            )
        identical = float(same.mean()) if len(same) else np.nan
        bounds = (value, found.low, found.high, n, len(of_mark) - n)
        rows.append((mark, measure, *bounds, identical, found.reason))
    return pd.DataFrame(rows, columns=COLUMNS)


def marks_of_suite(found: Examination) -> pd.DataFrame:
    """The marks of an examination: item, mark, value (NaN for null), cluster; those that were read."""
    checks = found.checks[found.checks["outcome"] != UNPARSED]
    names = {"test": "item", "mark": "value", "metric": "mark", "question": "cluster"}
    return checks[list(names)].rename(columns=names).reset_index(drop=True)


def marks_of_rows(rows: Sequence[Mapping[str, Any]], marks: Sequence[Marks]) -> pd.DataFrame:
    """The marks given to rows of a suite, the derived ones too; as `marks_of_suite`, clusters by question."""
    found = [
        (place, mark, np.nan if value is None else float(value), row["input"])
        for place, (row, of_row) in enumerate(zip(rows, marks, strict=True))
        for mark, value in every_mark(of_row).items()
    ]
    return pd.DataFrame(found, columns=["item", "mark", "value", "cluster"])


def further_tables(
    tests: Sequence[UnitTest],
    found: Examination,
    *,
    judge: Any = None,
    against: Scorer | None = None,
    length: bool = False,
) -> dict[str, pd.DataFrame]:
    """What an examination says beside its pass rates, name -> table: `failure_modes` always; `agreement`
    and `verbosity` where they are asked for.

    Parameters
    ----------
    tests, found : the tests, and what a scorer did with them
    judge : a language model (`models.judge.Judge`); with one, length is its own
    against : another scorer, whose marks of the same tests are compared
    length : whether the ten pairs of a short and a long answer are scored
    """
    tables = {"failure_modes": by_failure_mode(found)}
    if against is not None:
        marks = (marks_of_suite(each) for each in (found, examine(tests, against)))
        tables["agreement"] = between_judges(*marks, rng=np.random.default_rng(SEED))
    if length:
        metrics = minimal_pairs.VERBOSITY_OFFLINE if judge is None else minimal_pairs.VERBOSITY_JUDGED
        pairs = minimal_pairs.read(minimal_pairs.VERBOSITY)
        checks = minimal_pairs.examine(pairs, metrics, instruments={"judge": judge})
        tables["verbosity"] = minimal_pairs.summarize_verbosity(checks, rng=np.random.default_rng(SEED))
    return tables
