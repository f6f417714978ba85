"""The mean as the report prints it: the interval that suits the data, and why values are missing."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragassay.defaults import CONFIDENCE
from ragassay.stats.clusters import is_zero_one, number_vector
from ragassay.stats.intervals import Interval, clopper_pearson
from ragassay.stats.resampling import Span, bootstrap


def mean_interval(
    values: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    rng: np.random.Generator,
    reasons: Sequence[str | None] | None = None,
    level: float = CONFIDENCE,
    span: Span | None = None,
) -> Interval:
    """Mean of the measured values with the interval that suits them: Clopper and Pearson's for 0/1 values
    that were drawn independently (why: `stats.intervals`), else `bca_expanded`.

    `reasons` (n,) says in words why each NaN is not measured; they are counted into the result: `6 not
    measured`, or `6 left out (4 not applicable, 2 not measured)`. `span`: the scale's ends, such as (1, 5),
    for when all values are equal.
    """
    numbers = number_vector(values, "values")
    missing = np.isnan(numbers)
    if clusters is None and not missing.all() and is_zero_one(numbers) and span in (None, (0, 1)):
        found = clopper_pearson(int(np.nansum(numbers)), int((~missing).sum()), level)
    else:
        found = bootstrap(numbers, clusters=clusters, method="bca_expanded", level=level, span=span, rng=rng)
    why = (
        _counted(_words(missing, reasons))
        if not np.isnan(found.low)
        else _lack(found, _words(missing, reasons))
    )
    return Interval(found.value, found.low, found.high, found.n, int(missing.sum()), why, found.method)


def _words(missing: NDArray, reasons: Sequence[str | None] | None) -> list[str]:
    if reasons is None:
        return ["not measured"] * int(missing.sum())
    if len(reasons) != len(missing):
        raise ValueError(
            f"reasons must have one entry per value; found {len(reasons)} for {len(missing)} values"
        )
    given = [reason for reason, gone in zip(reasons, missing, strict=True) if gone]
    return [
        reason.replace("_", " ") if isinstance(reason, str) and reason else "not measured" for reason in given
    ]


def _counted(words: list[str]) -> str:
    kinds = sorted(set(words))
    if len(kinds) < 2:
        return "".join(kinds)
    return f"left out ({', '.join(f'{words.count(kind)} {kind}' for kind in kinds)})"


def _lack(found: Interval, words: list[str]) -> str:
    return f"{len(words)} {_counted(words)}" if words and np.isnan(found.value) else found.reason
