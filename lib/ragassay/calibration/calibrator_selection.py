"""Disjoint random parts of the labelled rows, and which kind of calibrator these ask for: every kind by
cross-validated log loss, and the simplest of those that do as well.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ragassay.calibration import calibrators, probability_metrics
from ragassay.errors import LabelError

FOLDS = 5  # of cross-validation, where nothing else is said
COLUMNS = ["kind", "state", "log_loss", "standard_error", "chosen", "reason"]
BINARY = ("logistic", "isotonic", "boosted")  # the simplest first


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


def cross_validate(fitting: pd.DataFrame, *, seed: int = 0) -> pd.DataFrame:
    """Kinds of calibrator compared on labels they have not seen, the simplest first: kind, state, log_loss
    (mean over folds; lower is better), standard_error (of that mean, from the folds), chosen, reason (why it
    could not be fitted).

    Log loss is averaged within each fold, then over folds; its standard error is the folds' standard
    deviation over the root of their number. Of the kinds whose mean is at most the best mean plus the best's
    standard error the simplest is chosen, in the order of `BINARY`. Where no kind can be cross-validated, the
    simplest is chosen unmeasured.

    fitting : value (the score), label (0 or 1); cluster, where answers hang together: one stays in one fold

    Raises LabelError if the labels cannot carry any calibrator (see `calibrators.fit`).

    Example: `fit(fitting, cross_validate(fitting))`

    Source: HCAT section 5.1; Breiman, Friedman, Olshen, Stone (1984), Classification and Regression Trees,
    section 3.4.3 (the one standard error rule).
    """
    x, y = calibrators.check_scores_and_labels(fitting["value"], fitting["label"])
    fold, why_none = None, ""
    for fewer in range(FOLDS, 1, -1):
        try:
            fold = folds_of(y, fewer, seed, fitting.get("cluster"))
            break
        except LabelError as problem:
            why_none = f"{problem.what}: {problem.found}"
    rows: list[tuple] = []
    for kind in BINARY:
        losses, reason = [], why_none if fold is None else ""
        for number in range(0 if fold is None else fold.max() + 1):
            held = fold == number
            try:
                promised = calibrators.fit(kind, x[~held], y[~held]).predict(x[held])
            except LabelError as refusal:
                reason = f"without fold {number + 1}: {refusal.what} (found: {refusal.found})"
                break
            losses.append(probability_metrics.log_loss_per_case(promised, y[held]).mean())
        if reason:
            rows.append((kind, "not_measured", np.nan, np.nan, reason))
        else:
            error = float(np.std(losses, ddof=1) / np.sqrt(len(losses)))
            rows.append((kind, "scored", float(np.mean(losses)), error, ""))
    table = pd.DataFrame(rows, columns=["kind", "state", "log_loss", "standard_error", "reason"])
    return table.assign(chosen=table["kind"] == simplest(table))[COLUMNS]


def simplest(table: pd.DataFrame) -> str:
    """The first kind whose mean loss is within one standard error of the best; the first of all where no loss
    was measured. table : kind, log_loss, standard_error, the simplest first"""
    known = table[table["log_loss"].notna()]
    if known.empty:
        return str(table["kind"].iloc[0])
    best = known.loc[known["log_loss"].idxmin()]
    return str(known.loc[known["log_loss"] <= best.log_loss + best.standard_error, "kind"].iloc[0])


def fit(fitting: pd.DataFrame, kinds: pd.DataFrame | str = "logistic") -> calibrators.Calibrator:
    """The calibrator from score to the probability that a rater accepts, fitted to `value` and `label`.

    kinds : a kind of `BINARY`, or what `cross_validate` chose
    """
    kind = kinds if isinstance(kinds, str) else str(kinds.loc[kinds["chosen"], "kind"].iloc[0])
    return calibrators.fit(kind, fitting["value"], fitting["label"])
