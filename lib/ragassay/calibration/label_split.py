"""Disjoint random parts of the labelled rows: the same rows and the same seed give the same parts."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ragassay.errors import LabelError, ParameterError

FOLDS = 5  # of cross-validation, where nothing else is said


def split(
    labelled: pd.DataFrame,
    seed: int = 0,
    *,
    shares: Sequence[float] = (0.5, 0.5),
    stratify: str | None = "label",
    together: str | None = None,
) -> tuple[pd.DataFrame, ...]:
    """Disjoint random parts of the labelled rows, one per share: (fitting, conformal) by default;
    every row lands in exactly one.

    Each value of `stratify` is dealt out in the same shares (to within one row), and every row has the same
    chance of each part. Rows alike in `together` (a conversation, a paraphrase group) stay in one part and
    are stratified by their most frequent value. The same rows in any order and the same seed give the same
    parts, in the same order.

    Raises
    ------
    LabelError
        If a column is absent, a label is missing, or a part would be empty.
    ValueError
        If shares are not positive or do not sum to 1.
    """
    if len(shares) < 2 or min(shares) <= 0 or abs(sum(shares) - 1) > 1e-9:
        raise ValueError(f"shares must be at least two positive numbers that sum to 1; found {tuple(shares)}")
    _need_columns(labelled, [name for name in (stratify, together) if name])
    rows = _in_fixed_order(labelled)
    units = rows[together].astype(str) if together else pd.Series(np.arange(len(rows)), index=rows.index)
    strata = rows[stratify] if stratify else pd.Series(0, index=rows.index)
    part_of_unit = _dealt(_most_frequent(strata, units), shares, np.random.default_rng(seed))
    part = units.map(part_of_unit).to_numpy()
    parts = tuple(rows[part == number].reset_index(drop=True) for number in range(len(shares)))
    if any(len(each) == 0 for each in parts):
        sizes = ", ".join(str(len(each)) for each in parts)
        raise LabelError(
            "too few labels to split", found=f"{len(rows)} rows, parts of {sizes}", do="label more answers"
        )
    return parts


def folds_of(labels: ArrayLike, folds: int, seed: int, clusters: ArrayLike | None = None) -> NDArray:
    """(n,) the fold, 0 to folds - 1, each row is held out in:
    stratified by label, rows of one cluster in one fold.

    Raises
    ------
    LabelError
        If a label or cluster is missing, or a fold would be empty.
    ParameterError
        If there are fewer than two folds.
    """
    if folds < 2:
        raise ParameterError("cross-validation needs at least two folds", found=folds, expected="2 or more")
    rows = pd.DataFrame({"label": np.asarray(labels)}).assign(row=range(len(np.asarray(labels))))
    if clusters is not None:
        rows["cluster"] = np.asarray(clusters)
    parts = split(rows, seed, shares=[1 / folds] * folds, together=None if clusters is None else "cluster")
    fold = np.empty(len(rows), dtype=int)
    for number, part in enumerate(parts):
        fold[part["row"]] = number
    return fold


def _need_columns(labelled: pd.DataFrame, names: list[str]) -> None:
    for name in names:
        if name not in labelled:
            raise LabelError(f"column {name!r} is absent", found=list(labelled.columns), expected=name)
        if labelled[name].isna().any():
            row = int(np.flatnonzero(labelled[name].isna())[0])
            raise LabelError(
                f"{name!r} is missing",
                where=f"row {row}",
                do="leave rows without a label out before the split",
            )


def _in_fixed_order(labelled: pd.DataFrame) -> pd.DataFrame:
    keys = pd.DataFrame({name: labelled[name].map(repr) for name in sorted(labelled.columns, key=str)})
    return labelled.iloc[np.lexsort([keys[name].to_numpy(dtype=str) for name in reversed(keys.columns)])]


def _most_frequent(strata: pd.Series, units: pd.Series) -> pd.Series:
    """The most frequent value of each unit, the smallest of several; units in sorted order."""
    found = pd.DataFrame({"unit": units.to_numpy(), "value": strata.to_numpy()})
    counts = found.groupby(["unit", "value"], sort=True).size().reset_index(name="rows")
    first = counts.sort_values("rows", ascending=False, kind="stable").drop_duplicates("unit")
    return first.set_index("unit")["value"].sort_index()


def _dealt(of_unit: pd.Series, shares: Sequence[float], rng: np.random.Generator) -> pd.Series:
    """The part of each unit: every stratum shuffled and cut at the shares, left-over units going to a part
    with its share's chance.
    """
    part = pd.Series(0, index=of_unit.index)
    for value in sorted(of_unit.unique()):
        members = rng.permutation(of_unit.index[of_unit == value].to_numpy())
        ideal = len(members) * np.asarray(shares)
        whole = np.floor(ideal + 1e-9)
        edges = np.floor(np.cumsum(np.maximum(0, ideal - whole)) + rng.random() + 1e-9)
        edges[-1] = len(members) - whole.sum()
        sizes = (whole + np.diff(np.concatenate([[0], edges]))).astype(int)
        part.loc[members] = np.repeat(np.arange(len(shares)), sizes)
    return part
