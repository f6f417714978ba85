"""Disjoint random parts of the labelled rows: the same rows and the same seed give the same parts."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ragassay.errors import LabelError

FOLDS = 5  # of cross-validation, where nothing else is said


def split(
    labelled: pd.DataFrame,
    seed: int = 0,
    *,
    shares: Sequence[float] = (0.5, 0.5),
    stratify: str = "label",
    together: str | None = None,
) -> tuple[pd.DataFrame, ...]:
    """Disjoint random parts of the labelled rows, one per share: (fitting, conformal) by default;
    every row lands in exactly one.

    Each value of `stratify` is dealt out in the same shares (to within one row), and every row has the same
    chance of each part. Rows alike in `together` (a conversation, a paraphrase group) stay in one part and
    are stratified by their most frequent value. The same rows in any order and the same seed give the same
    parts, in the same order.

    Raises LabelError if a column is absent, a label is missing, or a part would be empty.
    """
    for name in filter(None, (stratify, together)):
        if name not in labelled:
            raise LabelError(f"column {name!r} is absent", found=list(labelled.columns), expected=name)
        if labelled[name].isna().any():
            where = f"row {int(np.flatnonzero(labelled[name].isna())[0])}"
            raise LabelError(f"{name!r} is missing", where=where, do="leave such rows out before the split")
    keys = [labelled[name].map(repr).to_numpy(dtype=str) for name in sorted(labelled.columns, key=str)]
    rows = labelled.iloc[np.lexsort(keys[::-1])]  # whatever order they came in
    units = rows[together].astype(str) if together else pd.Series(np.arange(len(rows)), index=rows.index)
    counts = rows.groupby([units.to_numpy(), stratify]).size().unstack(fill_value=0)
    most_frequent = counts.idxmax(axis=1)  # the smallest of several
    part = units.map(_deal(most_frequent, shares, np.random.default_rng(seed))).to_numpy()
    parts = tuple(rows[part == number].reset_index(drop=True) for number in range(len(shares)))
    if any(len(each) == 0 for each in parts):
        found = f"{len(rows)} rows, parts of {', '.join(str(len(each)) for each in parts)}"
        raise LabelError("too few labels to split", found=found, do="label more answers")
    return parts


def folds_of(labels: ArrayLike, folds: int, seed: int, clusters: ArrayLike | None = None) -> NDArray:
    """(n,) the fold, 0 to folds - 1, each row is held out in: stratified by label, rows of one cluster in one
    fold. Raises LabelError if a label or cluster is missing, or a fold would be empty.
    """
    rows = pd.DataFrame({"label": np.asarray(labels)}).assign(row=range(len(np.asarray(labels))))
    if clusters is not None:
        rows["cluster"] = np.asarray(clusters)
    parts = split(rows, seed, shares=[1 / folds] * folds, together=None if clusters is None else "cluster")
    fold = np.empty(len(rows), dtype=int)
    for number, part in enumerate(parts):
        fold[part["row"]] = number
    return fold


def _deal(value_of_unit: pd.Series, shares: Sequence[float], rng: np.random.Generator) -> pd.Series:
    """The part of each unit: every stratum shuffled and cut at the shares, left-over units going to a part
    with its share's chance.
    """
    part = pd.Series(0, index=value_of_unit.index)
    for value in sorted(value_of_unit.unique()):
        members = rng.permutation(value_of_unit.index[value_of_unit == value].to_numpy())
        ideal = len(members) * np.asarray(shares)
        whole = np.floor(ideal + 1e-9)
        edges = np.floor(np.cumsum(np.maximum(0, ideal - whole)) + rng.random() + 1e-9)
        edges[-1] = len(members) - whole.sum()
        sizes = (whole + np.diff(np.concatenate([[0], edges]))).astype(int)
        part.loc[members] = np.repeat(np.arange(len(shares)), sizes)
    return part
