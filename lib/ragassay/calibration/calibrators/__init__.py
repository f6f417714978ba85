"""Stage 1: calibrators, from a machine score to the probability that a rater accepts (HCAT section 5.1).

    scores, labels -> fit -> Calibrator -> predict (probability of label 1, or of each level), to_json ->
    from_json

logistic      Platt's, sklearn's sigmoid: log-odds linear in the score; multivariate: in several metrics
beta          log-odds linear in log(s) and log(1 - s): three parameters, bends where the logistic cannot
monotone      isotonic: any monotone function, as steps; isotonic_interpolated: with straight lines between
              them; boosted: monotone gradient boosting, as steps
ordinal       levels 1..k: proportional odds; P(label >= cut) for every cut
base          what all share: JSON, what is refused, Platt's targets, the one optimiser

Every kind fits targets pulled in from 0 and 1 as Platt does: a run of equal labels earns no certainty, and
perfectly separated scores give a finite calibrator. Which kind: `calibration.calibrator_selection`. Fit and
select on one part of the labels, and let the conformal stage judge on another.
"""

from collections.abc import Callable
from typing import Any

from numpy.typing import ArrayLike

from ragassay.calibration.calibrators import beta, logistic, monotone, ordinal
from ragassay.calibration.calibrators.base import Calibrator, parse_json
from ragassay.errors import ParameterError

KINDS: dict[str, Callable[..., Calibrator]] = {  # the simplest first
    "logistic": logistic.fit,
    "ordinal": ordinal.fit,
    "beta": beta.fit,
    "isotonic": monotone.fit_isotonic,
    "isotonic_interpolated": monotone.fit_interpolated,
    "boosted": monotone.fit_boosted,
    "multivariate": logistic.fit_multivariate,
}
CLASSES: dict[str, type[Calibrator]] = {
    each.kind: each
    for each in (
        logistic.Logistic,
        ordinal.Ordinal,
        beta.Beta,
        monotone.Isotonic,
        monotone.InterpolatedIsotonic,
        monotone.Boosted,
        logistic.Multivariate,
    )
}


def fit(kind: str, scores: ArrayLike, labels: ArrayLike, **options: Any) -> Calibrator:
    """A calibrator of the kind named, fitted to labelled scores.

    Parameters
    ----------
    kind : logistic, ordinal, beta, isotonic, isotonic_interpolated, boosted or multivariate
    scores : (n,) finite machine scores; (n, m) for multivariate
    labels : (n,) human labels: 0 or 1; for ordinal any levels
    options : levels (ordinal); names, seed, folds, clusters and penalties (multivariate)

    Raises
    ------
    ParameterError
        If there is no such kind.
    LabelError
        If the labels or scores cannot carry a calibrator: see the kind's own `fit`.
    """
    if kind not in KINDS:
        raise ParameterError("no such kind of calibrator", found=kind, expected=", ".join(KINDS))
    return KINDS[kind](scores, labels, **options)


def from_json(text: str) -> Calibrator:
    """The calibrator, of whatever kind, that `to_json` wrote: the same numbers bit for bit.

    ValueError for anything else.
    """
    kind = parse_json(text).get("kind")
    if not isinstance(kind, str) or kind not in CLASSES:
        expected = f"expected a calibrator as JSON, of kind {', '.join(CLASSES)}"
        raise ValueError(f"{expected}; found {str(text)[:200]}")
    return CLASSES[kind].from_json(text)
