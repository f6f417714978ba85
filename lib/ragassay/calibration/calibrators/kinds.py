"""The kinds of curve by name, the simplest first: one way to fit any, one way to read any back."""

from collections.abc import Callable
from typing import Any

from numpy.typing import ArrayLike

from ragassay.calibration.calibrators import beta, boosted, isotonic, logistic, multivariate, ordinal
from ragassay.calibration.calibrators.base import Calibrator, parse_json
from ragassay.errors import ParameterError

KINDS: dict[str, Callable[..., Calibrator]] = {
    "logistic": logistic.fit,
    "ordinal": ordinal.fit,
    "beta": beta.fit,
    "isotonic": isotonic.fit,
    "boosted": boosted.fit,
    "several": multivariate.fit,
}
_CLASSES: tuple[type[Calibrator], ...] = (
    logistic.Logistic,
    ordinal.Ordinal,
    ordinal.FromLevel,
    beta.Beta,
    isotonic.Isotonic,
    boosted.Boosted,
    multivariate.Multivariate,
)


def fit(kind: str, scores: ArrayLike, labels: ArrayLike, **options: Any) -> Calibrator:
    """A curve of the kind named, fitted to labelled scores.

    Parameters
    ----------
    kind : logistic, ordinal, beta, isotonic, boosted or several
    scores : (n,) finite machine scores; (n, m) for several
    labels : (n,) human labels: 0 or 1; for ordinal any levels
    options : levels (ordinal), span (beta), rounds and rate (boosted), names, seed, folds, clusters and penalties (several)

    Raises
    ------
    ParameterError
        If there is no such kind.
    LabelError
        If the labels or scores cannot carry a curve: see the kind's own `fit`.
    """
    if kind not in KINDS:
        raise ParameterError("no such kind of curve", found=kind, expected=", ".join(KINDS))
    return KINDS[kind](scores, labels, **options)


def from_json(text: str) -> Calibrator:
    """The curve, of whatever kind, that `to_json` wrote: the same numbers bit for bit. ValueError for anything else."""
    named = parse_json(text).get("curve")
    classes = {each.kind: each for each in _CLASSES}
    if not isinstance(named, str) or named not in classes:
        raise ValueError(f"expected a curve as JSON, of kind {', '.join(classes)}; found {str(text)[:200]}")
    return classes[named].from_json(text)
