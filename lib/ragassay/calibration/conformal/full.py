"""Full conformal prediction: no label is set aside; the curve is fitted anew with each new case and each label it might have."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragassay.calibration.conformal.ranked import (
    Fit,
    NonconformityScore,
    Ranked,
    checked,
    in_order,
    no_better,
    plain,
    predicted,
    rounded,
)
from ragassay.calibration.conformal.split import nonconformity
from ragassay.errors import LabelError


def full_conformal(
    scores: ArrayLike,
    labels: ArrayLike,
    new: ArrayLike,
    *,
    fit: Fit,
    candidates: Sequence[float] = (0, 1),
    misfit: NonconformityScore = nonconformity,
    decimals: int | None = None,
) -> Ranked:
    """Ranks of the new cases' possible labels, all labels used for both stages: P(label in `.sets(alpha)`) >= 1 - alpha.

    For each distinct new score and each candidate, the curve is fitted to the n labelled cases and this one; the candidate stays unless
    the new case fits its label worse than all but alpha of the n + 1. No shortcut is taken: nothing is interpolated between new scores.
    One fit per distinct score and candidate: 300 new scores at n = 500 take 600 fits. `decimals` merges near scores by rounding, old and
    new alike, before anything else: the promise then holds for the rounded score, exactly.

    Measured coverage for alpha = 0.1: 0.897, 0.896, 0.900, 0.903, 0.898 for n = 9, 19, 50, 100, 500 (2000 to 600 simulations of 6 new
    cases, standard error 0.003 to 0.005); with ties at least that.

    A candidate that the fit refuses (LabelError: it leaves too few of a class) and a NaN score rule nothing out.

    Parameters
    ----------
    scores, labels : (n,) finite
    new : (m,) scores of cases without a label
    fit : (scores, labels) -> curve with `predict`; deterministic. It gets the cases sorted, so that it cannot tell which is the new one
    candidates : (k,) labels a new case may have
    misfit : (probabilities, labels) -> (n,) nonconformity; for ordered levels `partial(ordinal.nonconformity, levels=...)`

    Raises
    ------
    LabelError
        If a score or label is missing, or `fit` refuses the labelled cases.

    Source
    ------
    Vovk, Gammerman, Shafer (2005), Algorithmic Learning in a Random World, section 2.2; HCAT section 5.2 leaves it open.
    """
    given, y = checked(scores, labels)
    x, y = in_order(rounded(given, decimals), y)
    fit(x, y)
    distinct, place = np.unique(rounded(new, decimals), return_inverse=True)
    rank_of = partial(_rank_of, x, y, fit=fit, misfit=misfit)
    counts = np.array(
        [[rank_of(score, label) for label in candidates] for score in distinct.tolist()], dtype=int
    )
    counts = counts.reshape(len(distinct), len(candidates))[place]
    return Ranked(
        counts, plain(candidates), len(x), f"full conformal, {len(distinct) * len(candidates)} fits"
    )


def _rank_of(
    x: NDArray, y: NDArray, score: float, label: float, *, fit: Fit, misfit: NonconformityScore
) -> int:
    """How many of the n + 1 cases fit no better than the new one with this label."""
    if not np.isfinite(score):
        return len(x) + 1
    bag_x, bag_y = in_order(np.append(x, score), np.append(y, label))
    try:
        curve = fit(bag_x, bag_y)
    except LabelError:
        return len(bag_x)
    misfits = misfit(predicted(curve, bag_x), bag_y)
    own = misfits[(bag_x == score) & (bag_y == label)][0]
    return int(no_better(misfits, own))
