"""Many slices of the same units at once: difference from the rest, and how rarely chance alone makes a slice
as low. No chance is drawn: equal data give equal p values.

Values are compared, and exchanged, within strata (origins of the questions). `member` (n, k) is the share of
each unit that is in each slice; `strata` (n,) are codes.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

FINEST = 12  # steps from the least to the greatest value
LARGEST = 100_000  # steps times squared units of the smaller of slice and rest that are counted


@dataclass(frozen=True)
class Compared:
    """Of each slice, (k,): difference, its mean minus that of the rest of its strata; error, the standard
    deviation that exchanges of the values give it; z, the normal deviate of the one-sided p value, below 0
    where the slice is lower. NaN where there is nothing to compare."""

    difference: NDArray
    error: NDArray
    z: NDArray


def compare(values: NDArray, member: NDArray, strata: NDArray) -> Compared:
    """Fisher's permutation test of each slice: how often an exchange of the values within strata leaves its
    sum as low.

    Every exchange is counted where units lie wholly in or out; values of more than FINEST steps are rounded.
    Where clusters lie in part in a slice, or it is large (LARGEST), the sum is a Pearson type III of the
    exact mean, variance and skewness of all exchanges: a true p of 1e-4 becomes one 1 to 8 times as large.

    Source: Fisher (1935), The Design of Experiments, section 21; Mielke, Berry (2007), Permutation Methods,
    2.3; third moment: Hajek, Sidak, Sen (1999), Theory of Rank Tests 3.3.
    """
    sums, information, variance, third = np.zeros((4, member.shape[1]))
    for rows in _rows_of(strata):
        n, residuals = len(rows), values[rows] - values[rows].mean()
        centred = member[rows] - member[rows].mean(axis=0)
        squares = centred * centred
        sums += residuals @ centred
        information += squares.sum(axis=0)
        variance += squares.sum(axis=0) * (residuals**2).sum() / max(1, n - 1)
        if n > 2:
            third += n / ((n - 1) * (n - 2)) * (squares * centred).sum(axis=0) * (residuals**3).sum()
    information = np.where(information > 1e-9, information, np.nan)
    variance = np.where(variance > 1e-15, variance, np.nan)
    z = _pearson_scores(sums / np.sqrt(variance), third / variance**1.5)
    whole = ((member == 0) | (member == 1)).all(axis=0) & ~np.isnan(z)
    if whole.any():
        counted = _exact_scores(_steps(values), member[:, whole].astype(int), strata)
        z[whole] = np.where(np.isnan(counted), z[whole], counted)
    return Compared(sums / information, np.sqrt(variance) / information, z)


def _pearson_scores(standardized: NDArray, skewness: NDArray) -> NDArray:
    """Normal deviates of a Pearson type III: Wilson, Hilferty (1931), PNAS 17(12)."""
    skew = np.where(np.abs(skewness) < 1e-6, 1e-6, skewness)
    return (np.cbrt(skew * standardized / 2 + 1) - 1) * 6 / skew + skew / 6


def _steps(values: NDArray) -> NDArray:
    """The values as whole steps above the least: exactly where FINEST are enough, else rounded."""
    away = values - values.min()
    for fineness in range(1, FINEST + 1):
        steps = np.rint(away * fineness)
        if steps.max() <= FINEST and np.allclose(steps, away * fineness, atol=1e-6):
            return steps.astype(int)
    return np.rint(away / away.max() * FINEST).astype(int)


def _exact_scores(steps: NDArray, member: NDArray, strata: NDArray) -> NDArray:
    """(k,) normal deviates of the share of exchanges that leave the sum as low; NaN of too large slices."""
    parts = _rows_of(strata)
    inside = np.array([member[rows].sum(axis=0) for rows in parts])
    drawn = np.minimum(inside, np.array([[len(rows)] for rows in parts]) - inside)
    fits = np.flatnonzero(drawn.max(axis=0) ** 2 * steps.max() <= LARGEST)
    sums = [_sums_of_draws(steps[rows], int(drawn[h, fits].max(initial=0))) for h, rows in enumerate(parts)]
    found = np.full(member.shape[1], np.nan)
    for place in fits:
        chances, least = np.ones(1), 0
        for h, rows in enumerate(parts):
            own = np.trim_zeros(sums[h][drawn[h, place]], "b")
            if inside[h, place] > drawn[h, place]:  # the rest was drawn
                own, least = own[::-1], least + int(steps[rows].sum()) - len(own) + 1
            chances = np.convolve(chances, own)
        as_low = chances[: int(steps @ member[:, place]) - least + 1].sum()
        found[place] = ndtri(min(as_low, 1 - 1e-12))
    return found


def _sums_of_draws(steps: NDArray, most: int) -> NDArray:
    """(most + 1, s) chance of each sum of 0, 1, ... units drawn without replacement."""
    table = np.zeros((most + 1, most * int(steps.max()) + 1))
    table[0, 0] = 1.0
    for seen, step in enumerate(steps, 1):
        taken = np.arange(most + 1)[:, None] / seen
        with_it = taken[1:] * table[:-1, : table.shape[1] - step]
        table *= 1 - taken
        table[1:, step:] += with_it
    return table


def _rows_of(strata: NDArray) -> list[NDArray]:
    return [np.flatnonzero(strata == code) for code in np.unique(strata)]
