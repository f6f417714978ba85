"""How far two humans agree with each other (HCAT section 5);
`raters` does so for any number, `machine` has the errors of the machine.

Kappa is agreement beyond chance: 1 is perfect, 0 what two raters with these habits would reach by chance,
below 0 worse than that. It falls when one label is rare even if raters hardly differ, so the raw share of
agreement always stands beside it.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragassay.defaults import CONFIDENCE, N_BOOT
from ragassay.errors import LabelError
from ragassay.stats import Interval, clopper_pearson, not_available


def raw_agreement(first: ArrayLike, second: ArrayLike, *, level: float = CONFIDENCE) -> Interval:
    """Share of cases both raters labelled alike, in [0, 1]; higher is better; exact interval.

    Pairs with a NaN are left out.
    """
    a, b, left_out = _both(first, second)
    found = clopper_pearson(int((a == b).sum()), len(a), level)
    why = found.reason or ("not labelled by both" if left_out else "")
    return Interval(found.value, found.low, found.high, found.n, left_out, why, found.method)


def cohen_kappa(
    first: ArrayLike,
    second: ArrayLike,
    *,
    level: float = CONFIDENCE,
    n_boot: int = N_BOOT,
    rng: np.random.Generator,
) -> Interval:
    """Cohen's kappa for unordered labels, in [-1, 1]; higher is better; percentile bootstrap over cases.

    Not available when both raters give one and the same label throughout (chance alone explains all). Perfect
    agreement does not vary under resampling: its lower bound puts Clopper-Pearson's bound on the raw
    agreement in its place. Measured coverage for a promised 0.95 (kappa 0.6, 2,000 simulations, standard
    error 0.005): 0.929 at n = 20, 0.934 at 60, 0.948 at 240; with one label in nine out of ten cases 0.90 at
    n = 30.

    Source: Cohen (1960), Educational and Psychological Measurement 20.
    """
    return _kappa(first, second, None, level, n_boot, rng)


def weighted_kappa(
    first: ArrayLike,
    second: ArrayLike,
    *,
    scale: tuple[float, float] | None = None,
    level: float = CONFIDENCE,
    n_boot: int = N_BOOT,
    rng: np.random.Generator,
) -> Interval:
    """Cohen's kappa with quadratic weights, for ordered labels such as 1 to 5:
    a miss by two steps counts four times one by one.

    In [-1, 1], higher is better; percentile bootstrap over cases. Its value does not depend on `scale` (low,
    high), which is only checked: a label outside is refused. Perfect agreement is bounded as in
    `cohen_kappa`, a miss counted as the widest one. Measured coverage for a promised 0.95 (five levels, kappa
    0.68): 0.922 at n = 20, 0.941 at 60, 0.944 at 240.

    Source: Cohen (1968), Psychological Bulletin 70.
    """
    if scale is not None:
        seen = np.concatenate([np.asarray(first, dtype=float), np.asarray(second, dtype=float)])
        bad = (seen < scale[0]) | (seen > scale[1])
        if bad.any():
            raise LabelError(
                "a label lies outside its scale",
                found=seen[bad.argmax()],
                expected=f"{scale[0]:g} to {scale[1]:g}",
            )
    return _kappa(first, second, 2, level, n_boot, rng)


def _both(first: ArrayLike, second: ArrayLike) -> tuple[NDArray, NDArray, int]:
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if a.ndim != 1 or a.shape != b.shape:
        raise LabelError(
            "two raters need the same cases in the same order", found=f"shapes {a.shape} and {b.shape}"
        )
    keep = ~(np.isnan(a) | np.isnan(b))
    return a[keep], b[keep], int((~keep).sum())


def _kappa(
    first: ArrayLike,
    second: ArrayLike,
    power: int | None,
    level: float,
    n_boot: int,
    rng: np.random.Generator,
) -> Interval:
    a, b, left_out = _both(first, second)
    if len(a) == 0:
        return not_available("no case labelled by both", left_out=left_out)
    levels, codes = np.unique(np.concatenate([a, b]), return_inverse=True)
    if len(levels) == 1:
        return not_available(
            "both raters gave one and the same label throughout", n=len(a), left_out=left_out
        )
    table = np.zeros((len(levels), len(levels)))
    np.add.at(table, (codes[: len(a)], codes[len(a) :]), 1)
    miss = _miss(levels, power)
    value = float(_kappa_of(table, miss))
    low, high, how = _kappa_bounds(table, miss, value, level, n_boot, rng)
    why = "not labelled by both" if left_out else ""
    return Interval(value, low, high, len(a), left_out, why, how)


def _miss(levels: NDArray, power: int | None) -> NDArray:
    apart = np.abs(levels[:, None] - levels[None, :])
    return (apart > 0).astype(float) if power is None else (apart / apart.max()) ** power


def _kappa_of(tables: NDArray, miss: NDArray) -> NDArray:
    """Kappa of each (..., k, k) table of counts: 1 - observed misses / misses expected by chance."""
    n = tables.sum(axis=(-2, -1))
    chance = np.einsum("...i,...j,ij->...", tables.sum(axis=-1), tables.sum(axis=-2), miss) / n
    with np.errstate(invalid="ignore", divide="ignore"):
        return 1 - (tables * miss).sum(axis=(-2, -1)) / chance


def _kappa_bounds(
    table: NDArray, miss: NDArray, value: float, level: float, n_boot: int, rng: np.random.Generator
) -> tuple[float, float, str]:
    n = int(table.sum())
    if value == 1.0:
        agreed = clopper_pearson(n, n, level).low
        chance = float(np.einsum("i,j,ij->", table.sum(axis=1), table.sum(axis=0), miss) / n**2)
        return (
            max(-1.0, 1 - (1 - agreed) / chance),
            1.0,
            f"perfect agreement: Clopper-Pearson bound on raw agreement, level {level:g}",
        )
    drawn = _kappa_of(rng.multinomial(n, table.ravel() / n, n_boot).reshape(-1, *table.shape), miss)
    low, high = np.nanquantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high), f"percentile bootstrap of {n} cases, {n_boot} resamples, level {level:g}"
