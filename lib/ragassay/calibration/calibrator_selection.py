"""Which kind of calibrator the labels ask for:
every kind by cross-validated log loss, and the simplest of those that do as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ragassay.calibration import probability_metrics
from ragassay.calibration.calibrators import KINDS, Calibrator, fit
from ragassay.calibration.calibrators.base import check_scores_and_labels
from ragassay.calibration.calibrators.ordinal import Ordinal
from ragassay.calibration.label_split import FOLDS, folds_of
from ragassay.errors import LabelError, ParameterError

COLUMNS = [
    "kind",
    "state",
    "log_loss",
    "standard_error",
    "brier",
    "calibration_error",
    "auroc",
    "chosen",
    "reason",
]
BINARY, GRADED = (
    ("logistic", "beta", "isotonic", "isotonic_interpolated", "boosted"),
    ("logistic", "ordinal", "beta", "isotonic", "isotonic_interpolated", "boosted"),
)


@dataclass(frozen=True, eq=False)
class Selection:
    """The calibrator chosen among several kinds, and what spoke for it.

    calibrator    : fitted on all labels
    kind     : its kind
    reason   : why this kind, in a sentence
    losses   : one row per kind, the simplest first: kind, state, log_loss (mean over folds of held-out
        lower is better),
               standard_error (of that mean, from the folds), reason (why a kind could not be fitted)
    held_out : kind -> (n,) probabilities, each from the calibrator fitted without that row's fold
    event, clusters, seed : (n,) what was predicted, 0 or 1; as given to `choose`

    A calibrator that was asked for, not chosen, has no losses and an empty table.
    """

    calibrator: Calibrator
    kind: str
    reason: str
    losses: pd.DataFrame
    held_out: dict[str, NDArray]
    event: NDArray | None = None
    clusters: ArrayLike | None = None
    seed: int = 0

    def __str__(self) -> str:
        return f"{self.calibrator}\nchosen because {self.reason}"

    @cached_property
    def table(self) -> pd.DataFrame:
        """`losses` with brier, calibration_error (debiased) and auroc of the held-out probabilities pooled,
        and chosen.

        The intervals are bootstrapped when the table is first asked for, which takes longer than the choice.
        """
        if self.losses.empty:
            return pd.DataFrame(columns=COLUMNS)
        figures = pd.DataFrame([self._figures(kind) for kind in self.losses.kind], columns=COLUMNS[4:7])
        return pd.concat([self.losses.assign(chosen=self.losses.kind == self.kind), figures], axis=1)[COLUMNS]

    def to_pandas(self) -> pd.DataFrame:
        """The table of kinds, a copy."""
        return self.table.copy()

    def _figures(self, kind: str) -> dict[str, Any]:
        if kind not in self.held_out or self.event is None:
            return {}
        pair, rng = (self.held_out[kind], self.event), np.random.default_rng(self.seed)
        return {
            "brier": probability_metrics.brier(*pair, clusters=self.clusters, rng=rng),
            "calibration_error": probability_metrics.debiased_expected_calibration_error(*pair),
            "auroc": probability_metrics.auroc(*pair, clusters=self.clusters, rng=rng),
        }


def select_calibrator(
    scores: ArrayLike,
    labels: ArrayLike,
    *,
    seed: int,
    folds: int = FOLDS,
    clusters: ArrayLike | None = None,
    kinds: Sequence[str] | None = None,
    accept_from: float | None = None,
    span: tuple[float, float] | None = None,
) -> Selection:
    """Fit every kind, compare them on held-out labels, and take the simplest within one standard error of the
    best.

    Log loss is averaged within each fold, then over folds; its standard error is the folds' standard
    deviation over the root of their number. Of the kinds whose mean is at most the best mean plus the best's
    standard error the simplest is chosen, in the order of `KINDS`. Where no kind can be cross-validated, the
    simplest is fitted on all labels and the reason says so.

    Parameters
    ----------
    scores : (n,) finite machine scores
    labels : (n,) human labels: 0 or 1, or levels where `accept_from` is given
    clusters : (n,) what was drawn independently (a conversation); rows alike stay in one fold
    kinds : names of `KINDS` for one score; None: all but multivariate, ordinal only with levels
    accept_from : the level from which a rater accepts; every kind is then compared on, and returned for,
        P(label >= accept_from)
    span : the range the metric can take, for the beta calibrator

    Raises
    ------
    LabelError
        If the labels cannot carry any calibrator: see `logistic.fit`.
    ParameterError
        If a kind is unknown, needs levels that are not given, or there are fewer than two folds.

    Source
    ------
    Breiman, Friedman, Olshen, Stone (1984), Classification and Regression Trees, section 3.4.3 (the one
    standard error rule).
    """
    tried = _ordered(kinds, accept_from)
    levels = np.asarray(labels, dtype=float)
    event = levels if accept_from is None else np.where(np.isnan(levels), np.nan, levels >= accept_from)
    x, y = check_scores_and_labels(scores, event)
    task = _Task(x, levels, y, accept_from, span)
    fold = _folds(y, folds, seed, clusters)
    outcomes = {kind: fold if isinstance(fold, str) else _cross_validated(task, kind, fold) for kind in tried}
    held_out = {kind: found for kind, found in outcomes.items() if not isinstance(found, str)}
    losses = pd.DataFrame([_row(kind, found, y, np.asarray(fold)) for kind, found in outcomes.items()])
    kind, reason = _verdict(losses, tried)
    return Selection(task.fit(kind), kind, reason, losses, held_out, y, clusters, seed)


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


@dataclass(frozen=True)
class _Task:
    """Labelled scores and the event whose probability is wanted."""

    scores: NDArray
    levels: NDArray
    event: NDArray
    accept_from: float | None
    span: tuple[float, float] | None

    def fit(self, kind: str, rows: Any = slice(None)) -> Calibrator:
        """The calibrator of the event, fitted on the rows given."""
        if kind == "ordinal":
            calibrator = fit(
                kind, self.scores[rows], self.levels[rows], levels=np.unique([*self.levels, self.accept_from])
            )
            return (
                calibrator.from_level(self.accept_from)
                if isinstance(calibrator, Ordinal) and self.accept_from is not None
                else calibrator
            )
        options = {"span": self.span} if kind == "beta" else {}
        return fit(kind, self.scores[rows], self.event[rows], **options)


def _ordered(kinds: Sequence[str] | None, accept_from: float | None) -> list[str]:
    """The kinds to try, the simplest first."""
    allowed = BINARY if accept_from is None else GRADED
    bad = sorted(set(kinds or ()) - set(allowed))
    if bad or (kinds is not None and not len(kinds)):
        do = "give accept_from, the level from which a rater accepts" if "ordinal" in bad else None
        raise ParameterError(
            "no kind of calibrator to choose among by that name",
            found=", ".join(bad),
            expected=", ".join(allowed),
            do=do,
        )
    return [kind for kind in KINDS if kind in (kinds or allowed)]


def _cross_validated(task: _Task, kind: str, fold: NDArray) -> NDArray | str:
    """(n,) held-out probabilities, or why there are none."""
    found = np.empty(len(fold))
    for number in range(fold.max() + 1):
        held = fold == number
        try:
            found[held] = task.fit(kind, ~held).predict(task.scores[held])
        except LabelError as refusal:
            return f"without fold {number + 1}: {refusal.what} (found: {refusal.found})"
    return found


def _row(kind: str, found: NDArray | str, y: NDArray, fold: NDArray) -> dict[str, Any]:
    if isinstance(found, str):
        return {
            "kind": kind,
            "state": "not_measured",
            "log_loss": np.nan,
            "standard_error": np.nan,
            "reason": found,
        }
    loss = pd.Series(probability_metrics.log_loss_per_case(found, y)).groupby(fold).mean()
    error = float(loss.std(ddof=1) / np.sqrt(len(loss)))
    return {
        "kind": kind,
        "state": "scored",
        "log_loss": float(loss.mean()),
        "standard_error": error,
        "reason": "",
    }


def _verdict(losses: pd.DataFrame, tried: Sequence[str]) -> tuple[str, str]:
    """The kind chosen and why."""
    known = losses[losses.state == "scored"]
    if known.empty:
        why = losses.reason.iloc[0]
        return (
            tried[0],
            f"no kind could be cross-validated ({why}); the simplest, {tried[0]}, is fitted on all labels "
            "without comparison",
        )
    best = known.loc[known.log_loss.idxmin()]
    chosen = known[known.log_loss <= best.log_loss + best.standard_error].iloc[0]
    loss = f"{best.log_loss:.4f}, standard error {best.standard_error:.4f}"
    words = f"{best.kind} has the least cross-validated log loss ({loss})"
    if chosen.kind != best.kind:
        words += f", and {chosen.kind} ({chosen.log_loss:.4f}) is within one standard error of it and simpler"
    return str(chosen.kind), words
