"""Probabilities in bins of equal mass, and what came true in each."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ragassay.stats import clopper_pearson


def equal_mass_bins(p: NDArray, y: NDArray, bins: int) -> pd.DataFrame:
    """The table of `reliability`, from complete pairs."""
    columns = ["bin", "from", "to", "n", "probability", "observed", "low", "high", "gap"]
    which = bin_of_each(p, bins)
    rows = [_bin_row(p[which == each], y[which == each]) for each in np.unique(which)]
    return pd.DataFrame([(number, *row) for number, row in enumerate(rows, start=1)], columns=columns)


def bin_of_each(p: NDArray, bins: int) -> NDArray:
    """(n,) the equal-mass bin of each probability, from 0; none of the bins is empty."""
    if bins < 1:
        raise ValueError(f"bins must be at least 1; found {bins}")
    order = np.sort(p)
    starts = np.flatnonzero(np.diff(order)) + 1  # where a new value begins: only there can a bin
    wanted = (np.arange(1, bins) * len(p)) // bins
    edges = np.unique([order[starts[np.abs(starts - place).argmin()]] for place in wanted if len(starts)])
    return np.searchsorted(edges, p, side="right")


def _bin_row(p: NDArray, y: NDArray) -> tuple:
    share = clopper_pearson(int(y.sum()), len(y))
    return (
        float(p.min()),
        float(p.max()),
        len(y),
        float(p.mean()),
        share.value,
        share.low,
        share.high,
        float(p.mean()) - share.value,
    )
