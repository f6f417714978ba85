"""How well a probability keeps its promise:
Brier score and its parts, log loss, calibration error, reliability by bin, how well a score ranks (AUROC).
"""

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ragassay.defaults import CALIBRATION_BINS, CONFIDENCE, DIAGRAM_BINS
from ragassay.errors import LabelError
from ragassay.stats import Interval, bootstrap, clopper_pearson, mean_interval, not_available

BRIER_PARTS = ("reliability", "resolution", "uncertainty", "within bins", "brier")
CLIP = 1e-15  # log loss keeps probabilities this far from 0 and 1


def brier(
    probability: ArrayLike, labels: ArrayLike, *, clusters: ArrayLike | None = None, rng: np.random.Generator
) -> Interval:
    """Mean squared distance between probability and 0/1 label, in [0, 1];
    lower is better, 0.25 is what always saying 0.5 earns.

    Source: Brier (1950), Monthly Weather Review 78. Pairs with a NaN are left out and counted.
    """
    p, y = _pair(probability, labels)
    return mean_interval((p - y) ** 2, clusters=clusters, rng=rng, span=(0.0, 1.0))


def log_loss(
    probability: ArrayLike, labels: ArrayLike, *, clusters: ArrayLike | None = None, rng: np.random.Generator
) -> Interval:
    """Mean of -log(probability given to the label that came), in nats;
    0 is perfect, lower is better, 0.693 is what always 0.5 earns.

    Probabilities are kept 1e-15 away from 0 and 1, so a promise of certainty that is broken costs 34.5, not
    infinity. Pairs with a NaN are left out and counted.

    Source: Good (1952), JRSS B 14.
    """
    return mean_interval(log_loss_per_case(probability, labels), clusters=clusters, rng=rng)


def log_loss_per_case(probability: ArrayLike, labels: ArrayLike) -> NDArray:
    """(n,) -log(probability given to the label that came), in nats, from 0 to 34.5;
    NaN where probability or label is missing.
    """
    p, y = _pair(probability, labels)
    _check_probabilities(p[~np.isnan(p)])
    kept = np.clip(p, CLIP, 1 - CLIP)
    return -np.log(np.where(y == 1, kept, 1 - kept)) + 0 * y


def expected_calibration_error(
    probability: ArrayLike, labels: ArrayLike, *, bins: int = CALIBRATION_BINS
) -> float:
    """Mean over equal-mass bins of |mean probability - share of label 1|, weighted by bin size, in [0, 1];
    lower is better.

    Biased upwards: even perfect probabilities miss a little in every bin. Read it beside
    `calibration_error_if_perfect` or use `calibration_error_debiased`. NaN when no pair is complete.

    Source: Naeini, Cooper, Hauskrecht (2015), AAAI; equal-mass bins as Nixon et al. (2019), CVPR workshops.
    """
    p, y = complete_pairs(probability, labels)
    return _calibration_error(p, bins)(y)


def debiased_expected_calibration_error(
    probability: ArrayLike, labels: ArrayLike, *, bins: int = CALIBRATION_BINS
) -> float:
    """Root of the bias-corrected mean squared calibration error over equal-mass bins (l2, not l1), in [0, 1];
    lower is better.

    From each bin's squared gap the variance of its share, s(1 - s)/(n - 1), is taken off, so that perfect
    probabilities average 0 before the root; a negative total is reported as 0. Bins of one label are skipped;
    NaN when none is left.

    Source: Kumar, Liang, Ma (2019), Verified Uncertainty Calibration, NeurIPS, definition 4.3.
    """
    binned = equal_mass_bins(*complete_pairs(probability, labels), bins)
    binned = binned[binned["n"] > 1]
    if len(binned) == 0:
        return float("nan")
    noise = binned["observed"] * (1 - binned["observed"]) / (binned["n"] - 1)
    return float(np.sqrt(max(0.0, np.average(binned["gap"] ** 2 - noise, weights=binned["n"]))))


def calibration_error_if_perfect(
    probability: ArrayLike, *, bins: int = CALIBRATION_BINS, n_draws: int = 1000, rng: np.random.Generator
) -> Interval:
    """What `expected_calibration_error` would be if the probabilities were exactly right:
    mean and central 95% of simulated labels.

    A measured error above `high` is evidence of miscalibration (one-sided level 0.025); one below it is not
    evidence of calibration.
    """
    p = np.asarray(probability, dtype=float)
    p = p[~np.isnan(p)]
    if len(p) == 0:
        return not_available("no probabilities")
    _check_probabilities(p)
    error = _calibration_error(p, bins)
    drawn = [error(rng.random(len(p)) < p) for _ in range(n_draws)]
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Interval(
        float(np.mean(drawn)),
        float(low),
        float(high),
        len(p),
        method=f"{n_draws} simulated label sets, central 95%",
    )


def auroc(
    scores: ArrayLike,
    labels: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    level: float = CONFIDENCE,
    rng: np.random.Generator,
) -> Interval:
    """Chance that an answer labelled 1 scores above one labelled 0 (ties count half), in [0, 1];
    0.5 is blind, below it reversed.

    Expanded BCa bootstrap over clusters (1,000 resamples); measured coverage for a promised 0.95 (1,000
    simulations, standard error 0.007): 0.956 with 40 + 40 labels, 0.943 with 60 + 12 and AUROC 0.8, 0.940
    with 40 + 40 and AUROC 0.96 (the percentile interval: 0.930, 0.910, 0.893). At exactly 0 or 1 resamples
    cannot vary: the bounds are Clopper-Pearson's for min(n+, n-) disjoint pairs. One class only: not
    available.

    Source: Hanley, McNeil (1982), Radiology 143.
    """
    x, y = _pair(scores, labels)
    keep = ~(np.isnan(x) | np.isnan(y))
    x, y, left_out = x[keep], y[keep], int((~keep).sum())
    pairs = int(min((y == 0).sum(), (y == 1).sum()))
    if pairs == 0:
        return not_available(
            "labels of one class only" if len(y) else "no cases", n=len(y), left_out=left_out
        )
    value = _rank_share(x, y)
    if value in (0.0, 1.0):
        found = clopper_pearson(round(value * pairs), pairs, level)
    else:
        groups = None if clusters is None else np.asarray(clusters)[keep]
        found = bootstrap(
            np.arange(len(y)),
            clusters=groups,
            statistic=lambda rows: _rank_share(x[rows.astype(int)], y[rows.astype(int)]),
            method="bca_expanded",
            level=level,
            n_boot=1000,
            rng=rng,
        )
    reason = found.reason or ("not measured" if left_out else "")
    return Interval(value, found.low, found.high, len(y), left_out, reason, found.method)


def reliability(probability: ArrayLike, labels: ArrayLike, *, bins: int = DIAGRAM_BINS) -> pd.DataFrame:
    """One row per equal-mass bin of probability: does a promise of p come true in a share p of cases?

    Columns: bin, from, to (smallest and largest probability in it), n, probability (mean), observed (share of
    label 1), low, high (Clopper-Pearson, level 0.95), gap (probability - observed; above 0 is
    over-confident). Equal probabilities share a bin, which ends where a value ends, so there may be fewer
    bins than asked for; pairs with a NaN are left out.
    """
    return equal_mass_bins(*complete_pairs(probability, labels), bins)


def brier_decomposition(
    probability: ArrayLike, labels: ArrayLike, *, bins: int = CALIBRATION_BINS
) -> pd.DataFrame:
    """What the Brier score is made of, over equal-mass bins:
    Brier = reliability - resolution + uncertainty + within bins.

    One row per part, columns part, value, bias_corrected; both columns of numbers obey the sum
    exactly. Reliability is better low, resolution high. `value` is Murphy's; reliability and resolution then
    come out too large, since the shares they are made of are themselves uncertain. `bias_corrected` takes
    that off and is unbiased for fixed bins, so a part that is small may fall below 0. At most one bin per
    five labels; where a bin holds a single label
    `bias_corrected` is NaN. No row when no pair is complete.

    Measured: perfect probabilities, 200 labels, 10 bins (4,000 simulations): reliability
    averages 0.0083 where the truth is 0, bias-corrected -0.0001 (standard error 0.0001).

    Source: Murphy (1973), Journal of Applied Meteorology 12; within bins: Stephenson, Coelho, Jolliffe
    (2008), Weather and Forecasting 23; correction: Ferro, Fricker (2012), Quarterly Journal of the Royal
    Meteorological Society 138, section 4.
    """
    p, y = complete_pairs(probability, labels)
    columns = ["part", "value", "bias_corrected"]
    if len(p) == 0:
        return pd.DataFrame(columns=columns)
    binned = equal_mass_bins(p, y, max(1, min(bins, len(p) // 5)))
    plain, noise = _murphy(p, y, binned), _murphy_noise(binned, len(p))
    rows = [(part, plain[part], plain[part] + noise.get(part, 0.0)) for part in BRIER_PARTS]
    return pd.DataFrame(rows, columns=columns)


def _murphy(p: NDArray, y: NDArray, binned: pd.DataFrame) -> dict[str, float]:
    share, brier_score = float(y.mean()), float(np.mean((p - y) ** 2))
    found = {
        "brier": brier_score,
        "reliability": float(np.average(binned["gap"] ** 2, weights=binned["n"])),
        "resolution": float(np.average((binned["observed"] - share) ** 2, weights=binned["n"])),
        "uncertainty": share * (1 - share),
    }
    return found | {
        "within bins": brier_score - found["reliability"] + found["resolution"] - found["uncertainty"]
    }


def _murphy_noise(binned: pd.DataFrame, n: int) -> dict[str, float]:
    """What the correction adds to each part;
    reliability, resolution and uncertainty change so that the sum does not.
    """
    observed, size = binned["observed"], binned["n"]
    single = bool((size < 2).any())
    within = (
        float("nan") if single else float(np.average(observed * (1 - observed) / (size - 1), weights=size))
    )
    share = float(np.average(observed, weights=size))
    overall = share * (1 - share) / (n - 1) if n > 1 else float("nan")
    return {"reliability": -within, "resolution": overall - within, "uncertainty": overall}


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


def _pair(probability: ArrayLike, labels: ArrayLike) -> tuple[NDArray, NDArray]:
    p, y = np.asarray(probability, dtype=float), np.asarray(labels, dtype=float)
    if p.ndim != 1 or p.shape != y.shape:
        raise LabelError("every score needs one label", found=f"shapes {p.shape} and {y.shape}")
    bad = ~(np.isin(y, (0.0, 1.0)) | np.isnan(y))
    if bad.any():
        raise LabelError(
            "a label is not 0 or 1",
            where=f"row {bad.argmax()}",
            found=y[bad.argmax()],
            expected="0, 1 or missing",
        )
    return p, y


def complete_pairs(probability: ArrayLike, labels: ArrayLike) -> tuple[NDArray, NDArray]:
    """Probabilities in [0, 1] and labels 0 or 1 without the pairs that lack one;
    LabelError or ValueError otherwise.
    """
    p, y = _pair(probability, labels)
    keep = ~(np.isnan(p) | np.isnan(y))
    p, y = p[keep], y[keep]
    _check_probabilities(p)
    return p, y


def _check_probabilities(p: NDArray) -> None:
    if ((p < 0) | (p > 1)).any():
        found = f"{p.min():g} to {p.max():g}"
        raise ValueError(f"probabilities must lie in [0, 1]; found {found} (a raw score? calibrate it first)")


def _calibration_error(p: NDArray, bins: int) -> Callable[[NDArray], float]:
    """The calibration error of these probabilities as a function of their labels; bins are made once."""
    which = bin_of_each(p, bins)
    if len(which) == 0:
        return lambda _: float("nan")
    n = np.bincount(which)
    promised = np.array([p[which == each].mean() for each in range(len(n))])
    return lambda y: float(np.average(np.abs(promised - np.bincount(which, weights=y) / n), weights=n))


def _rank_share(x: NDArray, y: NDArray) -> float:
    accepted, rejected = x[y == 1], np.sort(x[y == 0])
    if len(accepted) == 0 or len(rejected) == 0:
        return float("nan")
    below = np.searchsorted(rejected, accepted, side="left") + np.searchsorted(
        rejected, accepted, side="right"
    )
    return float(below.mean() / (2 * len(rejected)))
