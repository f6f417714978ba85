"""What the sets do on labelled cases that set no threshold:
how often they hold the label, how many labels they hold.
"""

from collections.abc import Sequence
from math import nan

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ragassay.calibration.conformal.threshold import nonconformity, threshold
from ragassay.stats import Interval, clopper_pearson


def coverage(
    prediction_sets: Sequence[Sequence[float]] | pd.Series, labels: ArrayLike, groups: ArrayLike | None = None
) -> pd.DataFrame:
    """How often the sets hold the human's label: overall, per class, and per group;
    one row each, in that order, sorted.

    Columns: by (overall, class, group), stratum, n, covered, value, low, high (Clopper-Pearson, level 0.95),
    labels_per_set (1 is best), decided (sets of one label), wrong (decided, but not as the human did). Cases
    without a label are left out.
    """
    y = np.asarray(labels, dtype=float)
    if len(prediction_sets) != len(y):
        raise ValueError(f"every set needs one label; found {len(prediction_sets)} sets and {len(y)} labels")
    names = None if groups is None else group_names(groups, len(y))
    known = ~np.isnan(y)
    strata = [("overall", "all", known)] + [("class", f"{c:g}", y == c) for c in np.unique(y[known])]
    strata += (
        [("group", str(name), known & (names == name)) for name in np.unique(names[known])]
        if names is not None
        else []
    )
    hits = np.array([label in each for each, label in zip(prediction_sets, y, strict=True)], dtype=bool)
    sizes = np.array([len(each) for each in prediction_sets], dtype=int)
    columns = ["by", "stratum", "n", "covered", "value", "low", "high", "labels_per_set", "decided", "wrong"]
    return pd.DataFrame(
        [(by, name, *_coverage_row(hits[rows], sizes[rows])) for by, name, rows in strata], columns=columns
    )


def coverage_over_splits(
    probability: ArrayLike,
    labels: ArrayLike,
    alpha: float,
    *,
    n_splits: int = 200,
    score: str = "residual",
    rng: np.random.Generator,
) -> Interval:
    """Mean coverage over random halvings of the labelled cases (threshold from one half, coverage on the
    other); should be >= 1 - alpha.

    low, high: where 95% of the halvings fall: the scatter of one split, not a confidence interval of the
    mean. The probabilities must come from a calibrator fitted on other cases. Cases with a NaN are left out.
    """
    p, y = np.asarray(probability, dtype=float), np.asarray(labels, dtype=float)
    known = ~(np.isnan(p) | np.isnan(y))
    scores = nonconformity(p[known], y[known], score)
    n, half = len(scores), len(scores) // 2
    if half < 1:
        return Interval(nan, nan, nan, n, int((~known).sum()), "fewer than 2 labelled cases")
    orders = rng.permuted(np.tile(np.arange(n), (n_splits, 1)), axis=1)
    shares = [
        float((scores[order[half:]] <= threshold(scores[order[:half]], alpha)).mean()) for order in orders
    ]
    low, high = np.quantile(shares, [0.025, 0.975])
    method = f"central 95% of {n_splits} random halvings, {half} cases for the threshold"
    return Interval(float(np.mean(shares)), float(low), float(high), n, int((~known).sum()), "", method)


def _coverage_row(hits: NDArray, sizes: NDArray) -> tuple:
    found = clopper_pearson(int(hits.sum()), len(hits))
    mean_size = float(sizes.mean()) if len(sizes) else nan
    alone = sizes == 1
    return (
        len(hits),
        int(hits.sum()),
        found.value,
        found.low,
        found.high,
        mean_size,
        int(alone.sum()),
        int((alone & ~hits).sum()),
    )


def group_names(groups: ArrayLike, n: int) -> NDArray:
    """(n,) names as text. Raises ValueError unless there is one per case."""
    names = np.asarray(groups).astype(str)
    if names.shape != (n,):
        raise ValueError(f"groups must have one name per case; found shape {names.shape} for {n} cases")
    return names
