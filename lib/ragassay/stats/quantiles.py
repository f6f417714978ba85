"""A quantile with its interval, free of any distribution: Woodruff's, by the share of values below it."""

from math import ceil, log

import numpy as np
from numpy.typing import ArrayLike

from ragassay.defaults import CONFIDENCE
from ragassay.stats.clusters import drop_missing
from ragassay.stats.intervals import Interval, check_level, not_available
from ragassay.stats.mean import mean_interval


def quantile_interval(
    values: ArrayLike,
    share: float,
    *,
    clusters: ArrayLike | None = None,
    level: float = CONFIDENCE,
    rng: np.random.Generator,
) -> Interval:
    """The value that a share of the measured values do not exceed, in the values' own units.

    The share of values at or below it has an interval (`mean_interval`, by clusters where there are any); the
    values at the ends of that interval bound the quantile. NaN is not measured: left out and counted. Fewer
    draws than `fewest_draws` show no such quantile: the value, no bounds, and the reason.

    Measured over 400 simulations (`make simulate`; share 0.95, level 0.95): of 200 log-normal values the
    interval covers the truth in 0.962, of 100 clusters of 1 to 3 values with a correlation of 0.5 within in
    0.925 (standard errors 0.010 and 0.013).

    Raises
    ------
    ValueError
        If `share` or `level` is not strictly between 0 and 1, or values or clusters do not fit.

    Source
    ------
    Woodruff (1952), Confidence intervals for medians and other position measures, JASA 47(260).
    """
    check_level(level)
    check_level(share)
    kept, members, left_out = drop_missing(values, clusters)
    if not len(kept):
        return not_available(
            f"none of {left_out} values measured" if left_out else "no cases", left_out=left_out
        )
    value = float(np.quantile(kept, share, method="inverted_cdf"))
    needed, how = fewest_draws(share, level), f"Woodruff, level {level:g}"
    if len(members) < needed:
        why = f"{len(members)} draws, at least {needed} needed for the {share:.0%} quantile"
        return not_available(why, value=value, n=len(kept), left_out=left_out, method=how)
    drawn = None if clusters is None else np.repeat(np.arange(len(members)), [len(rows) for rows in members])
    below = (kept[np.concatenate(members)] <= value).astype(float)
    found = mean_interval(below, clusters=drawn, level=level, span=(0.0, 1.0), rng=rng)
    low, high = np.quantile(kept, np.clip([found.low, found.high], 0.0, 1.0), method="inverted_cdf")
    return Interval(value, float(low), float(high), len(kept), left_out, "not measured" * bool(left_out), how)


def fewest_draws(share: float, level: float = CONFIDENCE) -> int:
    """Fewest independent values whose least and greatest bound the quantile as often as promised: 72 for the
    95 % quantile at level 0.95."""
    return ceil(log((1 - level) / 2) / log(max(share, 1 - share)) - 1e-9)
