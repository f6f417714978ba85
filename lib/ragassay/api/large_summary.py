"""The summary of scores that do not fit into memory: every batch is read once, and its values are spread over
files by case, so that the repeats of a case meet in one file, which is held alone.

Sums are enough: with s the sum of a case's values less a constant, and n how many they are, the mean and the
cluster-robust error of `summary` follow from the sums of s, ss, sn and nn over all cases.
"""

import tempfile
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ragassay.analysis.saturated_metrics import DECIMALS, describe_commonest
from ragassay.api import summary
from ragassay.defaults import CONFIDENCE
from ragassay.stats import Interval, clopper_pearson
from ragassay.stats.intervals import not_available
from ragassay.stats.resampling import constant_interval

HELD = 2_000_000  # scores held at a time; up to so many are summed up by `summary`
FEW = 20_000  # values of one metric that are held whole: the bootstrap wants those of few cases
RECORD = np.dtype([("metric", "u4"), ("case", "u8"), ("value", "f8")])
MOST_FILES = 500


@dataclass
class _Sums:
    """What is kept of the scores of one metric."""

    left: summary.Left = field(default_factory=summary.Left)
    n: int = 0
    common: float = 0.0  # the commonest value, if one is more than half; taken off every value before summing
    surplus: int = 0  # of that value over all others, while the batches are read
    alike: int = 0
    ones: int = 0
    zeros: int = 0
    ends: tuple[float, float] = (np.inf, -np.inf)
    cases: int = 0
    sums: NDArray = field(default_factory=lambda: np.zeros(4))  # of s, ss, sn, nn
    few: list[NDArray] = field(default_factory=list)


def summarise(batches: Iterable[pd.DataFrame], rows: int, seed: int = 0) -> pd.DataFrame:
    """One row per system and metric, as `summary.summarise` gives it, in memory that does not grow.

    Means, counts, exact intervals and normal approximations are the same; the bootstrap, where a metric has
    at most 20,000 values, draws from them in another order. A metric with more values has the normal
    approximation, however few its cases.

    Parameters
    ----------
    rows : how many scores there are, about: they decide over how many files the values are spread
    """
    found: dict[tuple[str, str], _Sums] = {}
    with tempfile.TemporaryDirectory(prefix="ragassay-") as folder:
        files = [Path(folder) / f"{i}.values" for i in range(min(MOST_FILES, max(1, -(-rows // HELD))))]
        with ExitStack() as stack:
            _spread(batches, found, [stack.enter_context(path.open("wb")) for path in files])
        for path in files:
            _add(_read(path), list(found.values()))
    return summary.in_order([_row(*key, sums, seed) for key, sums in found.items()])


def _spread(batches: Iterable[pd.DataFrame], found: dict[tuple[str, str], _Sums], files: list) -> None:
    """Count what is left out, and write the values to the files by their cases."""
    for batch in batches:
        rows = batch.reset_index(drop=True)
        cases = pd.util.hash_array(rows["case_id"].to_numpy(dtype=object))
        for key, part in rows.groupby(["system", "metric"], sort=False):
            sums = found.setdefault(key, _Sums())  # type: ignore[arg-type]
            scored = sums.left.add(part)
            made = np.empty(int(scored.sum()), RECORD)
            made["metric"], made["case"] = list(found).index(key), cases[part.index.to_numpy()[scored]]  # type: ignore[arg-type]
            made["value"] = part["value"].to_numpy(dtype=float)[scored]
            _vote(sums, made["value"])
            places = made["case"] % len(files)
            for place in np.unique(places):
                files[place].write(made[places == place].tobytes())


def _vote(sums: _Sums, values: NDArray) -> None:
    """Let the values of a batch vote for the commonest: whatever has a majority of all, wins."""
    known, counts = np.unique(_rounded(values[~np.isnan(values)]), return_counts=True)
    if not len(known):
        return
    place = int(counts.argmax())
    lead = max(0, 2 * int(counts[place]) - int(counts.sum()))
    if known[place] == sums.common:
        sums.surplus += lead
    elif lead > sums.surplus:
        sums.common, sums.surplus = float(known[place]), lead - sums.surplus
    else:
        sums.surplus -= lead


def _read(path: Path) -> NDArray:
    return np.fromfile(path, dtype=RECORD)


def _add(records: NDArray, all_sums: list[_Sums]) -> None:
    """Add what one file holds: every case of it, whole."""
    records = records[~np.isnan(records["value"])]
    records = records[np.lexsort((records["case"], records["metric"]))]
    for place in np.unique(records["metric"]):
        part = records[slice(*np.searchsorted(records["metric"], [place, place + 1]))]
        _add_metric(all_sums[place], part["value"], part["case"])


def _add_metric(sums: _Sums, values: NDArray, cases: NDArray) -> None:
    starts = np.flatnonzero(np.r_[True, cases[1:] != cases[:-1]])
    s, n = np.add.reduceat(values - sums.common, starts), np.diff(np.r_[starts, len(values)])
    sums.sums += [s.sum(), (s * s).sum(), (s * n).sum(), (n * n).sum()]
    sums.n, sums.cases = sums.n + len(values), sums.cases + len(starts)
    sums.alike += int((_rounded(values) == sums.common).sum())
    sums.zeros, sums.ones = sums.zeros + int((values == 0).sum()), sums.ones + int((values == 1).sum())
    sums.ends = (min(sums.ends[0], float(values.min())), max(sums.ends[1], float(values.max())))
    if sums.n <= FEW:
        sums.few.append(np.column_stack([values, cases.view(np.float64)]))
    else:
        sums.few.clear()


def _row(system: str, metric: str, sums: _Sums, seed: int) -> dict:
    found = _interval(system, metric, sums, seed)
    return sums.left.row(system, metric, found, describe_commonest(sums.common, sums.alike, sums.n))


def _interval(system: str, metric: str, sums: _Sums, seed: int) -> Interval:
    """By all values while they are few, else from their sums; by the rules of `summary.interval`."""
    if not sums.n:
        return not_available(f"{sums.left.n} not measured")
    if sums.n <= FEW:
        both = np.concatenate([*sums.few, np.empty((0, 2))])
        values, codes = both[:, 0], np.unique(both[:, 1].copy().view(np.uint64), return_inverse=True)[1]
        return summary.interval(values, codes, metric, summary.rng_of(system, metric, seed))
    span = summary.span(metric, *sums.ends)
    if sums.zeros + sums.ones == sums.n == sums.cases and span in (None, (0, 1)):
        return clopper_pearson(sums.ones, sums.n)
    if sums.ends[0] == sums.ends[1]:
        return constant_interval(sums.ends[0], sums.cases, CONFIDENCE, span, n=sums.n, left_out=0)
    s, ss, sn, nn = sums.sums
    mean = s / sums.n
    return summary.by_normal(sums.common + mean, ss - 2 * mean * sn + mean**2 * nn, sums.n, sums.cases)


def _rounded(values: NDArray) -> NDArray:
    return np.round(values, DECIMALS) + 0.0  # not -0.0
