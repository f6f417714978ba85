"""Values and the clusters they were drawn in."""

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

CELLS_AT_ONCE = 4_000_000  # resampled numbers held in memory at once


def number_vector(values: ArrayLike, name: str) -> NDArray:
    """The values as (n,) floats; NaN is not measured. ValueError for another shape or an infinite value."""
    vector = np.asarray(values, dtype=float)
    if vector.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional; found shape {vector.shape}")
    if np.isinf(vector).any():
        row = int(np.isinf(vector).argmax())
        raise ValueError(f"{name} must be finite, or NaN for not measured; row {row} is infinite")
    return vector


def group_rows(clusters: ArrayLike | None, n: int) -> list[NDArray]:
    """Row numbers of each cluster, clusters in sorted order; every row its own where `clusters` is None."""
    if clusters is None:
        return list(np.arange(n)[:, None])
    names = _ids(clusters, n)
    if n == 0:
        return []
    codes = np.unique(names, return_inverse=True)[1]
    order = np.argsort(codes, kind="stable")
    cuts = (np.flatnonzero(np.diff(codes[order])) + 1).tolist()
    return [order[start:end] for start, end in pairwise([0, *cuts, n])]  # np.split takes four times as long


def drop_missing(values: ArrayLike, clusters: ArrayLike | None) -> tuple[NDArray, list[NDArray], int]:
    """(k,) values that are not NaN, the rows of each cluster among them, and how many values were left
    out."""
    numbers = number_vector(values, "values")
    keep = ~np.isnan(numbers)
    names = None if clusters is None else _ids(clusters, len(numbers))[keep]
    return numbers[keep], group_rows(names, int(keep.sum())), int((~keep).sum())


def sums_and_counts(kept: NDArray, members: list[NDArray]) -> tuple[NDArray, NDArray]:
    """(m,) sum and (m,) number of the values in each cluster."""
    counts = np.array([len(rows) for rows in members], dtype=float)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(int)
    return np.add.reduceat(kept[np.concatenate(members)], starts), counts


def in_blocks(total: int, width: int) -> list[int]:
    """So many rows of this width in blocks of as many as fit into memory at once."""
    block = max(1, CELLS_AT_ONCE // width)
    return [min(block, total - start) for start in range(0, total, block)]


def is_zero_one(values: NDArray) -> bool:
    """Whether every measured value is 0 or 1."""
    return bool(((values == 0) | (values == 1) | np.isnan(values)).all())


def _ids(clusters: ArrayLike, n: int) -> NDArray:
    names = np.asarray(clusters)
    if names.shape != (n,):
        raise ValueError(f"clusters must have one id per value; found shape {names.shape} for {n} values")
    for row, name in enumerate(names.tolist() if names.dtype.kind not in "biuSU" else ()):
        if not isinstance(name, str) and str(name) in ("None", "nan", "<NA>", "NaT"):
            raise ValueError(f"clusters must not be missing; row {row} is {name!r}")
    return names.astype(str) if names.dtype == object else names
