"""A hypothesis about wording: two linguistic clusters of the same groups against each other (GRAMMAR 4.2).

As sampled, a difference mixes wording with what is asked: one cluster may have more queries of the groups
    that
are answered badly. `mix` is that part of it: what would be left if wording did not matter within any group.
Stratified, every group that has queries in both clusters counts once and alike; nothing is left to the mix.

p says whether wording matters in these very groups; the interval, what it does in groups like them: one group
that fails in all long wordings and in no short one has a small p, and an interval that holds 0.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ragassay.analysis.diagnosis.groups import in_gap, retrieval_values
from ragassay.errors import TableError
from ragassay.stats import Interval, benjamini_hochberg, bootstrap, mean_interval, not_available
from ragassay.stats.random_streams import random_base, random_stream
from ragassay.tables import is_blank

STRATIFIED, AS_SAMPLED = "stratified", "as sampled"
N_PERMUTATIONS = 9999
COLUMNS = [
    "quantity", "design", "first", "second", "difference", "low", "high", "mix", "p", "q", "n", "groups",
    "reason",
]  # fmt: skip


def contrast_clusters(
    results: pd.DataFrame, column: str, *, rng: np.random.Generator, n_permutations: int = N_PERMUTATIONS
) -> pd.DataFrame:
    """accuracy, robustness, their retrieval-specific kin, robustness_generator (share right of the queries
    whose retrieval was right) and lambda: first cluster less second, as sampled and stratified.

    A gap group is one without a correct answer in either cluster. Intervals resample groups; p is of the
    permutation of cluster names within groups, two-sided, and q is Benjamini and Hochberg's over the
    stratified rows. Clusters are taken in the order of their names; `.attrs["clusters"]` names them.

    Raises
    ------
    TableError
        If the column is missing, or names another number of clusters than two.
    """
    first, second = _names(results, column)
    rows = results[results["correct"].notna() & results[column].map(lambda name: not is_blank(name))]
    in_first = (rows[column].astype(str) == first).to_numpy()
    groups = np.unique(rows["group"].to_numpy(dtype=str), return_inverse=True)[1]
    base = random_base(rng)
    found = [
        _row(quantity, design, values, in_first, groups, base, n_permutations)
        for quantity, values in _quantities(rows).items()
        for design in (STRATIFIED, AS_SAMPLED)
        if quantity != "lambda" or design == AS_SAMPLED
    ]
    table = pd.DataFrame(found)
    stratified = table["design"] == STRATIFIED
    table["q"] = np.nan
    table.loc[stratified, "q"] = benjamini_hochberg(table.loc[stratified, "p"].to_numpy(dtype=float))
    table = table[COLUMNS]
    table.attrs["clusters"] = (first, second)
    return table


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


def pooled_difference(values: NDArray, in_first: NDArray) -> float:
    """Mean of the first cluster less that of the second, in [-1, 1]; NaN if one is empty."""
    return _mean(values[in_first]) - _mean(values[~in_first])


def group_differences(values: NDArray, in_first: NDArray, groups: NDArray) -> NDArray:
    """For each group with queries in both clusters, its share in the first less that in the second."""
    s1, n1, s2, n2 = _counts(values, in_first, groups)
    both = (n1 > 0) & (n2 > 0)
    return s1[both] / n1[both] - s2[both] / n2[both]


def mix_part(values: NDArray, in_first: NDArray, groups: NDArray) -> float:
    """What the pooled difference would be if wording did not matter within any group."""
    s1, n1, s2, n2 = _counts(values, in_first, groups)
    if not (n1.sum() and n2.sum()):
        return np.nan
    share = (s1 + s2) / (n1 + n2)
    return float(n1 @ share / n1.sum() - n2 @ share / n2.sum())


def permutation_p(
    values: NDArray, in_first: NDArray, groups: NDArray, design: str, n: int, rng: np.random.Generator
) -> float:
    """Two-sided p in (0, 1] that wording does not matter within any group: cluster names permuted within
    groups, the observed order counted in (Phipson, Smyth 2010); the distance is taken from what the mix
    explains."""
    s1, n1, s2, n2 = _counts(values, in_first, groups)
    both = (n1 > 0) & (n2 > 0)
    if not both.any():
        return np.nan
    drawn = rng.hypergeometric(
        (s1 + s2).astype(int), (n1 + n2 - s1 - s2).astype(int), n1.astype(int), (n, len(n1))
    )
    if design == STRATIFIED:
        statistic = _stratified(np.vstack([s1, drawn])[:, both], (s1 + s2)[both], n1[both], n2[both])
    else:
        statistic = _pooled(np.vstack([s1, drawn]), s1 + s2, n1, n2)
    away = np.abs(statistic - (0.0 if design == STRATIFIED else mix_part(values, in_first, groups)))
    return float((away >= away[0] - 1e-12).mean())


def _stratified(first: NDArray, successes: NDArray, n1: NDArray, n2: NDArray) -> NDArray:
    return (first / n1 - (successes - first) / n2).mean(axis=1)


def _pooled(first: NDArray, successes: NDArray, n1: NDArray, n2: NDArray) -> NDArray:
    return first.sum(axis=1) / n1.sum() - (successes - first).sum(axis=1) / n2.sum()


def _row(
    quantity: str, design: str, values: NDArray, in_first: NDArray, groups: NDArray, base: int, n: int
) -> dict:
    known = ~np.isnan(values)
    values, in_first, groups = values[known], in_first[known], groups[known]
    rng = random_stream(base, quantity, design)
    each = group_differences(values, in_first, groups)
    found = (
        _stratified_interval(each, rng)
        if design == STRATIFIED
        else _pooled_interval(values, in_first, groups, rng)
    )
    tested = quantity != "lambda" and not np.isnan(found.value)
    return {
        "quantity": quantity,
        "design": design,
        "first": _mean(values[in_first]),
        "second": _mean(values[~in_first]),
        "difference": found.value,
        "low": found.low,
        "high": found.high,
        "mix": 0.0 if design == STRATIFIED else mix_part(values, in_first, groups),
        "p": permutation_p(values, in_first, groups, design, n, rng) if tested else np.nan,
        "n": len(values),
        "groups": len(each) if design == STRATIFIED else len(np.unique(groups)),
        "reason": found.reason,
    }


def _stratified_interval(each: NDArray, rng: np.random.Generator) -> Interval:
    if not len(each):
        return not_available("no group has queries in both clusters")
    return mean_interval(each, span=(-1.0, 1.0), rng=rng)


def _pooled_interval(
    values: NDArray, in_first: NDArray, groups: NDArray, rng: np.random.Generator
) -> Interval:
    if not in_first.any() or in_first.all():
        return not_available("one cluster has no query that counts")

    def difference(drawn: NDArray) -> float:
        rows = drawn.astype(int)
        return pooled_difference(values[rows], in_first[rows])

    return bootstrap(
        np.arange(len(values)), clusters=groups, statistic=difference, method="bca_expanded", rng=rng
    )


def _counts(values: NDArray, in_first: NDArray, groups: NDArray) -> tuple[NDArray, NDArray, NDArray, NDArray]:
    """Per group: sum and number of the values in the first cluster, and in the second."""
    codes, size = np.unique(groups, return_inverse=True)[1], len(np.unique(groups))
    parts = ((codes[side], values[side]) for side in (in_first, ~in_first))
    (c1, v1), (c2, v2) = parts
    return (
        np.bincount(c1, v1, size),
        np.bincount(c1, minlength=size).astype(float),
        np.bincount(c2, v2, size),
        np.bincount(c2, minlength=size).astype(float),
    )


def _mean(values: NDArray) -> float:
    return float(values.mean()) if len(values) else np.nan


def _names(results: pd.DataFrame, column: str) -> tuple[str, str]:
    if column not in results:
        raise TableError(
            f"column {column!r} is missing",
            where="the results",
            found=", ".join(map(str, results.columns)),
            expected="a column that names each query's linguistic cluster",
            do="add it, or name another column",
        )
    names = sorted({str(name) for name in results[column] if not is_blank(name)})
    if len(names) != 2:
        raise TableError(
            "a hypothesis contrasts two clusters",
            where=f"the results, column {column!r}",
            found=f"{len(names)}: {', '.join(names[:10]) or 'none'}",
            expected="2, such as short and long",
            do="name a column with two clusters, or leave out the queries of the others",
        )
    return names[0], names[1]
