"""How large a weakness the search for weak slices would have found: what its silence means."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from ragassay.analysis.detectable_differences import POWER
from ragassay.analysis.slicing.slice_tests import Moments

_GRID = np.linspace(0.005, 1.0, 200)


def detectable(
    known: Moments, needed: NDArray, inside: NDArray, outside: NDArray, values: NDArray, least: float
) -> NDArray:
    """(k,) the smallest true difference from the rest, above 0, that the search finds with 80 % power in a
    slice of each size; NaN where it would find none.

    needed : (k,) standard scores by which a slice must be lower (`slice_tests.needed_scores`)
    inside, outside : (k,) clusters in the slice and in what it is compared with
    least : the smallest observed difference that counts, in the metric's units
    """
    if not len(values):
        return np.full(len(needed), np.nan)
    is_share = set(np.unique(np.abs(values))) <= {0.0, 1.0}
    rate = float(values.mean()) + (1.0 if values.min(initial=0.0) < 0 else 0.0)
    if is_share:
        return _of_shares(known, needed, inside, outside, rate, least)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(known.variance) / known.information
    return np.maximum(needed * error, least) + ndtri(POWER) * error


def _of_shares(
    known: Moments, needed: NDArray, inside: NDArray, outside: NDArray, rate: float, least: float
) -> NDArray:
    """Of verdicts of 0 or 1, whose spread changes with their mean: the smallest difference of a grid."""
    n = inside + outside
    lower = _GRID[:, None]
    rest = np.minimum(rate + lower * inside / n, 1.0)
    there = rest - lower
    with np.errstate(divide="ignore", invalid="ignore"):
        by_chance = np.sqrt(np.maximum(rate * (1 - rate), 0) / known.information)
        spread = np.sqrt(np.maximum(there * (1 - there), 0) / inside + rest * (1 - rest) / outside)
    found = (lower >= np.maximum(needed * by_chance, least) + ndtri(POWER) * spread) & (there >= 0)
    return np.where(found.any(axis=0), _GRID[found.argmax(axis=0)], np.nan)
