"""Which kind of calibrator the labels ask for:
every kind by cross-validated log loss, and the simplest of those that do as well.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ragassay.calibration import calibrators, probability_metrics
from ragassay.calibration.calibrators.base import check_scores_and_labels
from ragassay.calibration.label_split import FOLDS, folds_of
from ragassay.errors import LabelError, ParameterError

COLUMNS = ["kind", "state", "log_loss", "standard_error", "chosen", "reason"]
BINARY = ("logistic", "beta", "isotonic", "isotonic_interpolated", "boosted")  # the simplest first


def cross_validate(
    fitting: pd.DataFrame, kinds: Sequence[str] | None = None, *, folds: int = FOLDS, seed: int = 0
) -> pd.DataFrame:
    """Kinds of calibrator compared on labels they have not seen, the simplest first: kind, state, log_loss
    (mean over folds; lower is better), standard_error (of that mean, from the folds), chosen, reason (why it
    could not be fitted).

    Log loss is averaged within each fold, then over folds; its standard error is the folds' standard
    deviation over the root of their number. Of the kinds whose mean is at most the best mean plus the best's
    standard error the simplest is chosen, in the order of `BINARY`. Where no kind can be cross-validated, the
    simplest is chosen unmeasured.

    Parameters
    ----------
    fitting : value (the score), label (0 or 1); cluster, where answers hang together: one stays in one fold
    kinds : some of `BINARY`; None: all of them

    Raises
    ------
    LabelError
        If the labels cannot carry any calibrator: see `logistic.fit`.
    ParameterError
        If a kind is unknown, or there are fewer than two folds.

    Example: `fit(fitting, cross_validate(fitting))`

    Source: HCAT section 5.1; Breiman, Friedman, Olshen, Stone (1984), Classification and Regression Trees,
    section 3.4.3 (the one standard error rule).
    """
    tried = _ordered(kinds)
    x, y = check_scores_and_labels(fitting["value"], fitting["label"])
    fold = _folds(y, folds, seed, fitting.get("cluster"))
    outcomes = {kind: _cross_validated(x, y, kind, fold) for kind in tried}
    losses = pd.DataFrame([_row(kind, found, y, np.asarray(fold)) for kind, found in outcomes.items()])
    return losses.assign(chosen=losses["kind"] == _simplest(losses))[COLUMNS]


def fit(fitting: pd.DataFrame, kinds: pd.DataFrame | str = "logistic") -> calibrators.Calibrator:
    """The calibrator from score to the probability that a rater accepts, fitted to `value` and `label`.

    kinds : a kind of `BINARY`, or what `cross_validate` chose
    """
    kind = kinds if isinstance(kinds, str) else str(kinds.loc[kinds["chosen"], "kind"].iloc[0])
    return calibrators.fit(kind, fitting["value"], fitting["label"])


def _folds(y: NDArray, folds: int, seed: int, clusters: ArrayLike | None) -> NDArray | str:
    """The fold of each row; as many as asked for, or as few as two where the clusters are few;
    else why there are none.
    """
    for fewer in range(folds, 1, -1):
        try:
            return folds_of(y, fewer, seed, clusters)
        except LabelError as problem:
            why = f"{problem.what}: {problem.found}"
    return why if folds > 1 else folds_of(y, folds, seed, clusters)  # which refuses fewer than two


def _ordered(kinds: Sequence[str] | None) -> list[str]:
    """The kinds to try, the simplest first."""
    bad = sorted(set(kinds or ()) - set(BINARY))
    if bad or (kinds is not None and not len(kinds)):
        what = "no kind of calibrator to choose among by that name"
        raise ParameterError(what, found=", ".join(bad), expected=", ".join(BINARY))
    return [kind for kind in BINARY if kind in (kinds or BINARY)]


def _cross_validated(x: NDArray, y: NDArray, kind: str, fold: NDArray | str) -> NDArray | str:
    """(n,) held-out probabilities, or why there are none."""
    if isinstance(fold, str):
        return fold
    found = np.empty(len(fold))
    for number in range(fold.max() + 1):
        held = fold == number
        try:
            found[held] = calibrators.fit(kind, x[~held], y[~held]).predict(x[held])
        except LabelError as refusal:
            return f"without fold {number + 1}: {refusal.what} (found: {refusal.found})"
    return found


def _row(kind: str, found: NDArray | str, y: NDArray, fold: NDArray) -> dict[str, Any]:
    names = ("kind", "state", "log_loss", "standard_error", "reason")
    if isinstance(found, str):
        return dict(zip(names, (kind, "not_measured", np.nan, np.nan, found), strict=True))
    loss = pd.Series(probability_metrics.log_loss_per_case(found, y)).groupby(fold).mean()
    error = float(loss.std(ddof=1) / np.sqrt(len(loss)))
    return dict(zip(names, (kind, "scored", float(loss.mean()), error, ""), strict=True))


def _simplest(losses: pd.DataFrame) -> str:
    """The kind chosen."""
    known = losses[losses.state == "scored"]
    if known.empty:
        return str(losses.kind.iloc[0])
    best = known.loc[known.log_loss.idxmin()]
    return str(known.loc[known.log_loss <= best.log_loss + best.standard_error, "kind"].iloc[0])
