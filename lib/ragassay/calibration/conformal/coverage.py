"""How often the sets hold the rater's label, on answers that set no threshold."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ragassay.calibration.conformal.partition import clusters_of, groups_of, mondrian
from ragassay.calibration.conformal.threshold import nonconformity
from ragassay.stats import clopper_pearson

N_SPLITS, ASIDE = 200, 5
COLUMNS = [
    *("by", "stratum", "n", "value", "low", "high"),
    *("decided", "decided_low", "decided_high", "n_decided", "wrong", "wrong_low", "wrong_high", "reason"),
]


def coverage(
    held: pd.DataFrame,
    alpha: float,
    *,
    score: str = "residual",
    by: str = "none",
    n_splits: int = N_SPLITS,
    seed: int = 0,
) -> pd.DataFrame:
    """Coverage over random splits of the cases that the calibrator has not seen: each time a fifth of the
    clusters is put aside, the others set the thresholds, and the sets of those aside are held against their
    labels. One row overall, one per verdict, one per topic.

    n : labelled cases; value : mean coverage over the splits, in [0, 1]; low, high : where 95 % of the splits
    fall, which is the scatter of a fifth of the cases and no confidence interval; decided : share with one
    label left, of n; wrong : share of the n_decided that the rater judged otherwise, no value where none was;
    both with Clopper-Pearson intervals of the cases, each counted as on average over its splits

    The overall value says that the sets are made as promised, and no more: under random splits of tie-free
    cases its expectation is k/(n + 1) whatever the score is worth (`expected_coverage`, with the scatter of
    one calibration). What the score is worth shows in the rows by verdict and topic, in `decided` and
    `wrong`.

    held, score, by : as in `mondrian`
    """
    rng = np.random.default_rng(seed)
    fits, label = _fits_over_splits(held, alpha, score, by, n_splits, rng)
    hit = fits[:, np.arange(len(held)), label]
    alone = np.where(np.isnan(hit), np.nan, fits.sum(axis=2) == 1)
    strata = [("overall", "all", np.ones(len(held), dtype=bool))]
    strata += [("verdict", str(each), label == each) for each in np.unique(label)]
    groups = groups_of(held)
    strata += [("topic", each, groups == each) for each in np.unique(groups) if "group" in held]
    rows = [(kind, name, *_row(hit[:, own], alone[:, own])) for kind, name, own in strata]
    return pd.DataFrame(rows, columns=COLUMNS)


def _fits_over_splits(
    held: pd.DataFrame, alpha: float, score: str, by: str, n_splits: int, rng: np.random.Generator
) -> tuple[NDArray, NDArray]:
    """(n_splits, n, 2) 1 where the label is in the set, 0 where not, NaN where the case was not aside; and
    the (n,) labels."""
    both = [nonconformity(held["probability"], np.full(len(held), each), score) for each in (0, 1)]
    of_label, groups = np.column_stack(both), groups_of(held)
    rows = held[["probability", "label"]].assign(cluster=clusters_of(held))
    rows = rows.assign(group=groups) if by == "topic" else rows
    fits = np.full((n_splits, len(held), 2), np.nan)
    for split, aside in enumerate(_splits(rows["cluster"].to_numpy(), n_splits, rng)):
        limits = mondrian(rows[~aside], alpha, score=score, by=by).per_case(groups[aside])
        fits[split, aside] = ~(of_label[aside] > limits)
    return fits, held["label"].to_numpy(dtype=int)


def _splits(clusters: NDArray, n_splits: int, rng: np.random.Generator) -> Iterator[NDArray]:
    """The cases aside at each split: a fifth of the clusters, one at least; none with fewer than two."""
    n = len(np.unique(clusters))
    for _ in range(n_splits if n > 1 else 0):
        yield np.isin(clusters, rng.permutation(n)[: max(1, n // ASIDE)])


def _row(hit: NDArray, alone: NDArray) -> tuple:
    """COLUMNS from n on, of the cases of a stratum, from (n_splits, cases)."""
    n, seen = hit.shape[1], (~np.isnan(hit)).sum(axis=1)
    if not seen.any():
        return n, *[np.nan] * 6, 0, *[np.nan] * 3, "fewer than two labelled cases"
    shares = np.nansum(hit, axis=1)[seen > 0] / seen[seen > 0]
    of_all = n / seen.sum()
    decided = round(np.nansum(alone) * of_all)
    wrong = min(round(((alone == 1) & (hit == 0)).sum() * of_all), decided)
    of_both = [clopper_pearson(decided, n), clopper_pearson(wrong, decided)]
    alone_, wrong_ = ([one.value, one.low, one.high] for one in of_both)
    return n, shares.mean(), *np.quantile(shares, [0.025, 0.975]), *alone_, decided, *wrong_, ""
