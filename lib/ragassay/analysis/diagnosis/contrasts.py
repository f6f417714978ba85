"""A hypothesis about wording: two linguistic clusters of the same groups against each other (GRAMMAR 4.2);
and evaluators that need no gold answer, held against gold (GRAMMAR 4.1, table 1)."""

from collections.abc import Mapping
from dataclasses import asdict

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ragassay.analysis.case_scores import cluster_ids, require_columns
from ragassay.analysis.diagnosis.groups import in_gap, retrieval_values
from ragassay.errors import TableError
from ragassay.stats import Interval, bootstrap, mean_interval, not_available
from ragassay.stats.random_streams import random_base, random_stream
from ragassay.tables import is_blank

COLUMNS = ["quantity", "first", "second", "difference", "low", "high", "n", "groups", "reason"]


def contrast_clusters(results: pd.DataFrame, column: str, *, rng: np.random.Generator) -> pd.DataFrame:
    """accuracy, robustness, their retrieval-specific kin, robustness_generator (share right of the queries
    whose retrieval was right) and lambda: first cluster less second, its interval from resampled groups.

    A gap group is one without a correct answer in either cluster. Clusters are taken in the order of their
    names; `.attrs["clusters"]` names them.

    Raises TableError if the column is missing, or names another number of clusters than two.
    """
    require_columns(results, [column], where="the results")
    names = sorted({str(name) for name in results[column] if not is_blank(name)})
    if len(names) != 2:
        where, seen = f"the results, column {column!r}", f"{len(names)}: {', '.join(names[:10]) or 'none'}"
        do = "name a column with two clusters, or leave out the queries of the others"
        raise TableError("a hypothesis contrasts two clusters", where=where, found=seen, do=do)
    rows = results[results["correct"].notna() & ~results[column].map(is_blank).astype(bool)]
    in_first = (rows[column].astype(str) == names[0]).to_numpy()
    groups = rows["group"].to_numpy(dtype=str)
    base, found = random_base(rng), []
    for quantity, values in _quantities(rows).items():
        known = ~np.isnan(values)
        stream = random_stream(base, quantity, "as sampled")
        contrast = _contrast(values[known], in_first[known], groups[known], stream)
        found.append({"quantity": quantity} | contrast)
    table = pd.DataFrame(found, columns=COLUMNS)
    table.attrs["clusters"] = tuple(names)
    return table


def compare_evaluators(
    results: pd.DataFrame, evaluators: Mapping[str, float], *, rng: np.random.Generator
) -> pd.DataFrame:
    """One row an evaluator and mark: evaluator, mark (precision, recall, f1), value, low, high, n, left_out,
    reason. The positive class is a correct answer: can the evaluator be believed when it says so?

    evaluators : a column of the results -> the value from which it calls an answer correct. Answers that
        either side did not judge are left out. Intervals resample groups.

    Raises TableError if there is no such column, or it is no number.
    """
    require_columns(results, list(evaluators), where="the results")
    base, rows = random_base(rng), []
    for name, least in evaluators.items():
        scores = pd.to_numeric(results[name], errors="coerce").astype(float)
        if scores.isna().all():
            found, expected = repr(results[name].iloc[0]), "a score, or true and false"
            what = f"column {name!r} holds no number"
            raise TableError(what, where="the results", found=found, expected=expected)
        both = results["correct"].notna() & scores.notna()
        said, gold = (scores[both] >= least).to_numpy(), (results["correct"][both] == 1).to_numpy()
        groups, stream = results["group"][both].to_numpy(), random_stream(base, name)
        marks = {
            "precision": _share(gold[said], groups[said], "the evaluator calls no answer correct", stream),
            "recall": _share(said[gold], groups[gold], "no answer is correct", stream),
            "f1": _f1(said, gold, groups, stream),
        }
        left_out = int((~both).sum())
        for mark, each in marks.items():
            rows.append({"evaluator": name, "mark": mark, **asdict(each), "left_out": left_out})
    return pd.DataFrame(rows).drop(columns="method")


def _quantities(rows: pd.DataFrame) -> dict[str, NDArray]:
    """Each quantity as values that are 1, 0, or NaN where a query does not count in it."""
    gap = in_gap(rows["correct"], rows["group"])
    retrieval = retrieval_values(rows)[0]
    served = rows["correct"].where(rows["retrieval"] == 1)
    values = {
        "accuracy": rows["correct"],
        "robustness": rows["correct"].mask(gap),
        "accuracy_retrieval": retrieval,
        "robustness_retrieval": retrieval.mask(gap),
        "robustness_generator": served.mask(gap),
        "lambda": pd.Series(gap, index=rows.index),
    }
    return {name: value.to_numpy(dtype=float) for name, value in values.items()}


def _contrast(values: NDArray, in_first: NDArray, groups: NDArray, rng: np.random.Generator) -> dict:
    def difference(drawn: NDArray) -> float:
        some, first = values[drawn.astype(int)], in_first[drawn.astype(int)]
        return _mean(some[first]) - _mean(some[~first])

    found, rows = not_available("one cluster has no query that counts"), np.arange(len(values))
    if in_first.any() and not in_first.all():
        found = bootstrap(rows, clusters=groups, statistic=difference, method="bca_expanded", rng=rng)
    return {
        "first": _mean(values[in_first]),
        "second": _mean(values[~in_first]),
        "difference": found.value,
        "low": found.low,
        "high": found.high,
        "n": len(values),
        "groups": len(np.unique(groups)),
        "reason": found.reason,
    }


def _share(values: NDArray, groups: NDArray, empty: str, rng: np.random.Generator) -> Interval:
    if not len(values):
        return not_available(empty)
    clusters = cluster_ids(pd.Series(groups))
    return mean_interval(values.astype(float), clusters=clusters, span=(0.0, 1.0), rng=rng)


def _f1(said: NDArray, gold: NDArray, groups: NDArray, rng: np.random.Generator) -> Interval:
    """2 TP / (2 TP + FP + FN), with an interval over groups."""
    if not (said | gold).any():
        return not_available("neither side calls an answer correct", n=len(said))

    def f1(drawn: NDArray) -> float:
        yes, right = said[drawn.astype(int)], gold[drawn.astype(int)]
        either = int(yes.sum() + right.sum())
        return 2 * float((yes & right).sum()) / either if either else np.nan

    return bootstrap(np.arange(len(said)), clusters=groups, statistic=f1, method="bca_expanded", rng=rng)


def _mean(values: NDArray) -> float:
    return float(values.mean()) if len(values) else np.nan
