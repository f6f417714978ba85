"""How well a probability keeps its promise: Brier score, log loss, calibration error, reliability by bin; how
well a score ranks (AUROC); errors of the machine against the human at one threshold (HCAT section 5).

scikit-learn has the points without clusters, intervals, or bins that end where a value does; the tests hold
these to them.
"""

from math import nan

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit, stdtrit

from ragassay.defaults import CALIBRATION_BINS, CONFIDENCE, DIAGRAM_BINS
from ragassay.errors import LabelError
from ragassay.stats import Interval, clopper_pearson, mean_interval, not_available

CLIP = 1e-15  # log loss keeps probabilities this far from 0 and 1


def brier(
    probability: ArrayLike, labels: ArrayLike, *, clusters: ArrayLike | None = None, rng: np.random.Generator
) -> Interval:
    """Mean squared distance between probability and 0/1 label, in [0, 1]; lower is better, 0.25 is what
    always saying 0.5 earns. Pairs with a NaN are left out and counted. Source: Brier (1950).
    """
    p, y = _probabilities(probability, labels)
    return mean_interval((p - y) ** 2, clusters=clusters, rng=rng, span=(0.0, 1.0))


def log_loss(
    probability: ArrayLike, labels: ArrayLike, *, clusters: ArrayLike | None = None, rng: np.random.Generator
) -> Interval:
    """Mean of -log(probability given to the label that came), in nats; 0 is perfect, lower is better, 0.693
    is what always 0.5 earns. A broken promise of certainty costs 34.5, not infinity. Pairs with a NaN are
    left out and counted. Source: Good (1952).
    """
    return mean_interval(log_loss_per_case(probability, labels), clusters=clusters, rng=rng)


def log_loss_per_case(probability: ArrayLike, labels: ArrayLike) -> NDArray:
    """(n,) the log loss of each case, from 0 to 34.5; NaN where probability or label is missing."""
    p, y = _probabilities(probability, labels)
    kept = np.clip(p, CLIP, 1 - CLIP)
    return -np.log(np.where(y == 1, kept, 1 - kept)) + 0 * y


def expected_calibration_error(
    probability: ArrayLike, labels: ArrayLike, *, bins: int = CALIBRATION_BINS
) -> float:
    """Mean over equal-mass bins of |mean probability - share of label 1|, weighted by bin size, in [0, 1];
    lower is better.

    Biased upwards: even perfect probabilities miss a little in every bin. NaN when no pair is complete.

    Source: Naeini, Cooper, Hauskrecht (2015), AAAI; equal-mass bins as Nixon et al. (2019), CVPR workshops.
    """
    table = reliability(probability, labels, bins=bins)
    return float(np.average(table["gap"].abs(), weights=table["n"])) if len(table) else nan


def auroc(scores: ArrayLike, labels: ArrayLike, *, clusters: ArrayLike | None = None) -> Interval:
    """Chance that an answer labelled 1 scores above one labelled 0 (ties count half), in [0, 1];
    0.5 is blind, below it reversed.

    DeLong's interval over clusters, on the logit scale, with as many degrees of freedom as the rarer class
    has clusters, less one. At exactly 0 or 1 it has no width: the bounds are Clopper-Pearson's for
    min(n+, n-) disjoint pairs. One class only: not available; a constant score: no interval.

    Measured coverage for a promised 0.95 (2,000 simulations, standard error 0.005; `make simulate`), of
    answers drawn one by one, and of conversations alike within (0.3) with their clusters and without:

        accepted and rejected             AUROC   clusters   without
        40 and 40                          0.80      0.960
        100 and 6                          0.80      0.958
        40 and 40                          0.96      0.940
        40 conversations of 5, 60 %        0.74      0.956     0.928
        12 conversations of 10, 60 %       0.74      0.945     0.900

    Source: DeLong, DeLong, Clarke-Pearson (1988), Biometrics 44; clusters: Obuchowski (1997), Biometrics 53.
    """
    x, y = _pair(scores, labels)
    keep = ~(np.isnan(x) | np.isnan(y))
    x, y, left_out = x[keep], y[keep], int((~keep).sum())
    pairs = int(min((y == 0).sum(), (y == 1).sum()))
    if pairs == 0:
        return not_available(
            "labels of one class only" if len(y) else "no cases", n=len(y), left_out=left_out
        )
    places = np.empty(len(x))  # the share of the other class that each answer stands on its own side of
    for own in (0, 1):
        others = np.sort(x[y != own])
        below = np.searchsorted(others, x[y == own], "left") + np.searchsorted(others, x[y == own], "right")
        places[y == own] = np.abs(1 - own - below / (2 * len(others)))
    value = float(places[y == 1].mean())
    if value in (0.0, 1.0):
        found = clopper_pearson(round(value * pairs), pairs)
    else:
        groups = np.arange(len(y)) if clusters is None else np.asarray(clusters)[keep]
        found = _delong(places, y, np.unique(groups, return_inverse=True)[1])
    reason = found.reason or ("not measured" if left_out else "")
    return Interval(value, found.low, found.high, len(y), left_out, reason, found.method)


def _delong(places: NDArray, y: NDArray, clusters: NDArray) -> Interval:
    """The interval of the mean place, from the sums of each cluster."""
    value, n = places[y == 1].mean(), clusters.max() + 1
    sums = [np.bincount(clusters, np.where(y == own, places - value, 0)) / (y == own).sum() for own in (0, 1)]
    counts = [len(np.unique(clusters[y == own])) for own in (0, 1)]
    if min(counts) < 2:
        return not_available("all labels of one class are in one cluster", value=value, n=len(y))
    variance = sum((part**2).sum() * m / (m - 1) for part, m in zip(sums, counts, strict=True))
    variance += 2 * (sums[0] * sums[1]).sum() * n / (n - 1)
    if variance <= 0:
        return not_available("the score tells no two answers apart", value=value, n=len(y))
    reach = stdtrit(min(counts) - 1, (1 + CONFIDENCE) / 2) * np.sqrt(variance) / (value * (1 - value))
    low, high = expit(logit(value) + np.array([-reach, reach]))
    return Interval(
        value, float(low), float(high), len(y), method=f"DeLong over {n} clusters, level {CONFIDENCE:g}"
    )


def reliability(probability: ArrayLike, labels: ArrayLike, *, bins: int = DIAGRAM_BINS) -> pd.DataFrame:
    """One row per equal-mass bin of probability: does a promise of p come true in a share p of cases?

    Columns: bin, from, to (smallest and largest probability in it), n, probability (mean), observed (share of
    label 1), low, high (Clopper-Pearson, level 0.95), gap (probability - observed; above 0 is
    over-confident). Equal probabilities share a bin, which ends where a value ends, so there may be fewer
    bins than asked for; pairs with a NaN are left out.
    """
    if bins < 1:
        raise ValueError(f"bins must be at least 1; found {bins}")
    p, y = _probabilities(probability, labels)
    keep = ~(np.isnan(p) | np.isnan(y))
    p, y, rows = p[keep], y[keep], []
    order = np.sort(p)
    starts = np.flatnonzero(np.diff(order)) + 1  # where a new value begins: only there can a bin
    wanted = (np.arange(1, bins) * len(p)) // bins
    edges = np.unique([order[starts[np.abs(starts - place).argmin()]] for place in wanted if len(starts)])
    which = np.searchsorted(edges, p, side="right")  # none of the bins is empty
    for number in np.unique(which):
        own, promised = p[which == number], float(p[which == number].mean())
        share = clopper_pearson(int(y[which == number].sum()), len(own))
        observed = (share.value, share.low, share.high, promised - share.value)
        rows.append((number + 1, float(own.min()), float(own.max()), len(own), promised, *observed))
    return pd.DataFrame(
        rows, columns=["bin", "from", "to", "n", "probability", "observed", "low", "high", "gap"]
    )


def error_rates(probability: ArrayLike, labels: ArrayLike, *, threshold: float = 0.5) -> pd.DataFrame:
    """Errors of the machine, which accepts when probability >= threshold, against the human, who accepts when
    label = 1; one row per measure: measure, events, n, left_out, value, low, high (Clopper-Pearson), reason.

    type_1 : the machine accepts what the human rejects, as a share of the human's rejections; lower is better
    type_2 : the machine rejects what the human accepts, as a share of the human's acceptances; lower is
        better
    sensitivity, specificity : shares of the human's acceptances, rejections, the machine agrees with; higher
        is better
    agreement : share of all cases both judge alike

    The null hypothesis is that the answer is unacceptable, so a type I error lets a bad answer through. A
    value is NaN, with the reason, when the human never rejected (accepted).

    Raises LabelError if a label is not 0, 1 or missing, or lengths differ.

    Source: HCAT section 5.
    """
    p, y = _pair(probability, labels)
    known = ~(np.isnan(p) | np.isnan(y))
    accepts, human = p[known] >= threshold, y[known] == 1
    measures = {
        "type_1": (accepts & ~human, ~human),
        "type_2": (~accepts & human, human),
        "sensitivity": (accepts & human, human),
        "specificity": (~accepts & ~human, ~human),
        "agreement": (accepts == human, np.ones_like(human)),
    }
    rows = []
    for name, (events, among) in measures.items():
        found = clopper_pearson(int(events.sum()), int(among.sum()))
        reason = "" if found.n else "no case that the raters judged so"
        left_out = int((~known).sum())
        rows.append((name, int(events.sum()), found.n, left_out, found.value, found.low, found.high, reason))
    return pd.DataFrame(
        rows, columns=["measure", "events", "n", "left_out", "value", "low", "high", "reason"]
    )


def _pair(probability: ArrayLike, labels: ArrayLike) -> tuple[NDArray, NDArray]:
    p, y = np.asarray(probability, dtype=float), np.asarray(labels, dtype=float)
    if p.ndim != 1 or p.shape != y.shape:
        raise LabelError("every score needs one label", found=f"shapes {p.shape} and {y.shape}")
    bad = ~(np.isin(y, (0.0, 1.0)) | np.isnan(y))
    if bad.any():
        where, expected = f"row {bad.argmax()}", "0, 1 or missing"
        raise LabelError("a label is not 0 or 1", where=where, found=y[bad.argmax()], expected=expected)
    return p, y


def _probabilities(probability: ArrayLike, labels: ArrayLike) -> tuple[NDArray, NDArray]:
    p, y = _pair(probability, labels)
    if ((p < 0) | (p > 1)).any():
        raise ValueError(
            "probabilities must lie in [0, 1] (a raw score? calibrate it first); "
            f"found {np.nanmin(p):g} to {np.nanmax(p):g}"
        )
    return p, y
