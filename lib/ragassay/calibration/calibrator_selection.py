"""Which kind of calibrator the labels ask for:
every kind by cross-validated log loss, and the simplest of those that do as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ragassay.calibration import probability_metrics
from ragassay.calibration.calibrators import Calibrator, fit
from ragassay.calibration.calibrators.base import check_scores_and_labels
from ragassay.calibration.label_split import FOLDS, folds_of
from ragassay.errors import LabelError, ParameterError

COLUMNS = ["kind", "state", "log_loss", "standard_error", "chosen", "reason"]
NO_LOSSES = pd.DataFrame(columns=COLUMNS)  # of a calibrator that was asked for, not chosen
BINARY = ("logistic", "beta", "isotonic", "isotonic_interpolated", "boosted")  # the simplest first


@dataclass(frozen=True, eq=False)
class Selection:
    """The calibrator chosen among several kinds, and what spoke for it.

    calibrator : fitted on all labels
    kind, reason : its kind, and why this kind
    losses : one row per kind, the simplest first: kind, state, log_loss (mean over folds of held-out labels;
        lower is better), standard_error (of that mean, from the folds), reason (why it could not be fitted)
    """

    calibrator: Calibrator
    kind: str
    reason: str
    losses: pd.DataFrame

    @property
    def table(self) -> pd.DataFrame:
        """`losses` with the column chosen; without a row where the calibrator was asked for."""
        return self.losses.assign(chosen=self.losses["kind"] == self.kind)[COLUMNS]


def select_calibrator(
    scores: ArrayLike,
    labels: ArrayLike,
    *,
    seed: int,
    folds: int = FOLDS,
    clusters: ArrayLike | None = None,
    kinds: Sequence[str] | None = None,
) -> Selection:
    """Fit every kind, compare them on held-out labels, and take the simplest within one standard error of the
    best.

    Log loss is averaged within each fold, then over folds; its standard error is the folds' standard
    deviation over the root of their number. Of the kinds whose mean is at most the best mean plus the best's
    standard error the simplest is chosen, in the order of `BINARY`. Where no kind can be cross-validated, the
    simplest is fitted on all labels and the reason says so.

    Parameters
    ----------
    scores : (n,) finite machine scores
    labels : (n,) human labels, 0 or 1
    clusters : (n,) what was drawn independently (a conversation); rows alike stay in one fold
    kinds : some of `BINARY`; None: all of them

    Raises
    ------
    LabelError
        If the labels cannot carry any calibrator: see `logistic.fit`.
    ParameterError
        If a kind is unknown, or there are fewer than two folds.

    Source: Breiman, Friedman, Olshen, Stone (1984), Classification and Regression Trees, section 3.4.3 (the
    one standard error rule).
    """
    tried = _ordered(kinds)
    x, y = check_scores_and_labels(scores, labels)
    fold = _folds(y, folds, seed, clusters)
    outcomes = {kind: _cross_validated(x, y, kind, fold) for kind in tried}
    losses = pd.DataFrame([_row(kind, found, y, np.asarray(fold)) for kind, found in outcomes.items()])
    kind, reason = _choose(losses, tried)
    return Selection(fit(kind, x, y), kind, reason, losses)


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
            found[held] = fit(kind, x[~held], y[~held]).predict(x[held])
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


def _choose(losses: pd.DataFrame, tried: Sequence[str]) -> tuple[str, str]:
    """The kind chosen and why."""
    known = losses[losses.state == "scored"]
    if known.empty:
        return tried[0], f"no kind could be cross-validated ({losses.reason.iloc[0]})"
    best = known.loc[known.log_loss.idxmin()]
    chosen = known[known.log_loss <= best.log_loss + best.standard_error].iloc[0]
    least = f"least log loss, {best.log_loss:.4f}"
    simpler = f"simplest within one standard error of {best.kind}, {best.log_loss:.4f}"
    return str(chosen.kind), least if chosen.kind == best.kind else simpler
