"""True success: how often people would accept the answers, though a machine judged most of them (Lesson
section 7, decision 9).

A judge accepts a share p of the answers; people looked at some. Three estimates of what people would accept
of all, side by side:

labelled only     the share among the labelled answers; needs no machine, wastes the rest
Rogan-Gladen      (p + t - 1) / (s + t - 1), with the judge's sensitivity s and specificity t measured on the
                  labelled answers
prediction-powered   labels where there are labels, the machine elsewhere, its mean error on the labelled
                     answers taken off (PPI)

The labelled answers must be drawn at random from the same population as the others: a random part of them, or
a calibration set of its own. Clusters (conversation, paraphrase group) are resampled whole, labelled and
unlabelled ones apart, so both samples' errors are in the interval.

Measured coverage for a promised 0.95 (judge with s = 0.85, t = 0.75; 1,500 simulations, standard error 0.006;
clusters of three with correlation 0.5). In brackets how often Rogan-Gladen was refused, because the labels
could not tell the judge from a coin:

    answers   labelled   clustered   truth   Rogan-Gladen    prediction-powered   labelled only
    100       50         no          0.7     0.952 (0.02)    0.951                0.959
    100       50         yes         0.7     0.957 (0.07)    0.961                0.958
    100       50         no          0.9     0.935 (0.36)    0.959                0.973
    300       100        no          0.9     0.948 (0.07)    0.961                0.949
    300       100        yes         0.9     0.946 (0.17)    0.950                0.935
    300       200        yes         0.7     0.939 (0.00)    0.949                0.951
    1,000     200        no          0.7     0.943 (0.00)    0.949                0.946
    1,000     200        yes         0.7     0.948 (0.00)    0.959                0.955
    1,000     200        yes         0.9     0.944 (0.01)    0.942                0.951
"""

from dataclasses import dataclass
from math import ceil, isfinite, nan

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtrit

from ragassay.calibration.calibrators.base import FEWEST_LABELS, FEWEST_PER_CLASS
from ragassay.defaults import CONFIDENCE, N_BOOT, POWER
from ragassay.errors import LabelError
from ragassay.stats import Interval, mean_interval, not_available, zero_event_bound
from ragassay.stats.clusters import group_rows, is_zero_one, number_vector
from ragassay.stats.intervals import check_level
from ragassay.stats.resampling import expand_tails

COLUMNS = ["segment", "estimate", "value", "low", "high", "n", "labelled", "level", "reason", "method"]
FEWEST_LABELLED = 10


@dataclass(frozen=True)
class JudgedAnswers:
    """Answers judged by a machine, some of them by people too.

    machine : (n,) verdict of the machine, 0 or 1 (for `prediction_powered` any number in [0, 1], such as a
        probability)
    human : (n,) label of the people, 0 or 1; NaN where nobody looked
    cluster : (n,) what was drawn independently; None takes every answer for itself
    counted : (n,) whether the answer is of the population to be estimated; False for a calibration set drawn
        apart. None counts all
    """

    machine: NDArray
    human: NDArray
    cluster: NDArray | None = None
    counted: NDArray | None = None

    def __post_init__(self) -> None:
        machine, human = number_vector(self.machine, "machine"), number_vector(self.human, "human")
        if machine.shape != human.shape:
            sizes = f"{len(machine)} verdicts, {len(human)} labels"
            raise LabelError("every verdict needs one label or a blank", found=sizes)
        if not is_zero_one(human):
            raise LabelError(
                "a label is not 0 or 1",
                found=sorted(set(human[~np.isnan(human)].tolist()))[:5],
                expected="0, 1 or missing",
            )
        if np.isnan(machine).any() or (machine < 0).any() or (machine > 1).any():
            raise LabelError(
                "a verdict of the instruments is missing or outside [0, 1]",
                found=machine[~((machine >= 0) & (machine <= 1))][0],
            )
        everyone = np.ones(len(machine), dtype=bool)
        counted = everyone if self.counted is None else np.asarray(self.counted, dtype=bool)
        for name, value in (("machine", machine), ("human", human), ("counted", counted)):
            object.__setattr__(self, name, value)

    @property
    def labelled(self) -> NDArray:
        """(n,) whether people looked."""
        return ~np.isnan(self.human)

    def part(self, rows: NDArray) -> "JudgedAnswers":
        """The answers of these rows."""
        cluster = None if self.cluster is None else np.asarray(self.cluster)[rows]
        return JudgedAnswers(self.machine[rows], self.human[rows], cluster, np.asarray(self.counted)[rows])

    def members(self) -> list[NDArray]:
        """Rows of each cluster."""
        return group_rows(self.cluster, len(self.machine))


def clipped_interval(
    value: float, low: float, high: float, n: int, method: str, *, clusters: int, level: float
) -> Interval:
    """An estimated share as an interval within [0, 1]; where it had to be clipped, the method says so.

    Bounds that meet say that nothing else was seen, not that nothing else exists: then another outcome is
    bounded as an event not seen in so many `clusters` (`zero_event_bound`).
    """
    note = "clipped to [0, 1]" if min(value, low) < 0 or max(value, high) > 1 else ""
    value, low, high = (float(np.clip(each, 0.0, 1.0)) for each in (value, low, high))
    if low == high:
        unseen = zero_event_bound(clusters, level)
        low, high = low * (1 - unseen), high + unseen * (1 - high)
        note = ", ".join(
            filter(None, [note, f"Clopper-Pearson for an outcome unseen in {clusters} clusters"])
        )
    return Interval(value, low, high, n, method=f"{method}{', ' + note if note else ''}")


def corrected_share(pass_rate: ArrayLike, sensitivity: ArrayLike, specificity: ArrayLike) -> NDArray:
    """True share of good answers from the judge's pass rate: (p + t - 1) / (s + t - 1), not clipped;
    NaN where s + t <= 1.

    Source: Rogan, Gladen (1978), American Journal of Epidemiology 107; Lesson section 7.
    """
    p, s, t = (np.asarray(each, dtype=float) for each in (pass_rate, sensitivity, specificity))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(s + t - 1 > 0, (p + t - 1) / (s + t - 1), np.nan)


def machine_only(judged: JudgedAnswers, *, level: float = CONFIDENCE, rng: np.random.Generator) -> Interval:
    """Share the machine accepts, in [0, 1], as if it were never wrong; interval over clusters."""
    return _share(judged.machine, np.flatnonzero(np.asarray(judged.counted)), judged.cluster, level, rng)


def labelled_only(judged: JudgedAnswers, *, level: float = CONFIDENCE, rng: np.random.Generator) -> Interval:
    """Share of the labelled answers that people accept, in [0, 1]; interval over clusters."""
    return _share(judged.human, np.flatnonzero(judged.labelled), judged.cluster, level, rng)


def _share(
    values: NDArray, rows: NDArray, cluster: NDArray | None, level: float, rng: np.random.Generator
) -> Interval:
    names = None if cluster is None else np.asarray(cluster)[rows]
    return mean_interval(values[rows], clusters=names, level=level, span=(0.0, 1.0), rng=rng)


def rogan_gladen(
    judged: JudgedAnswers, *, level: float = CONFIDENCE, n_boot: int = N_BOOT, rng: np.random.Generator
) -> Interval:
    """True success by Rogan and Gladen, in [0, 1];
    expanded percentile bootstrap over clusters of both samples.

    Refused (NaN, with the reason) when the labelled answers lack accepted or rejected ones or are of one
    cluster, s + t <= 1, or the lower bound of s + t - 1 reaches 0: the judge is not shown better than chance.
    Clipped to [0, 1], and said.

    Measured coverage: see the module's docstring.

    Raises LabelError if a verdict is not 0 or 1.

    Source: Lesson section 7; Rogan, Gladen (1978); decision 9.
    """
    check_level(level)
    if not is_zero_one(judged.machine):
        raise LabelError(
            "Rogan-Gladen needs verdicts of 0 or 1",
            found=judged.machine[:3],
            do="cut the probabilities at a stated threshold",
        )
    counts = _counts(judged)
    strata = _strata(counts)
    value, youden = (float(each) for each in _estimates(counts.sum(axis=0)))
    n = int(np.asarray(judged.counted).sum())
    if np.isnan(value):
        return not_available("no label accepted, none rejected, or s + t <= 1", n=n)
    if len(strata[0]) < 2:
        return not_available("the labelled answers are of 1 cluster, at least 2 needed", n=n)
    drawn, youdens = _estimates(_resampled(counts, strata, n_boot, rng))
    tails = expand_tails(np.array([(1 - level) / 2, (1 + level) / 2]), len(strata[0]))
    if not np.nanquantile(youdens, tails[0]) > 0:
        return not_available(f"judge no better than chance: s + t - 1 = {youden:.2f}", n=n)
    low, high = np.nanquantile(drawn, tails)
    return clipped_interval(
        value,
        float(low),
        float(high),
        n,
        f"Rogan-Gladen, bootstrap of {len(strata[0])} labelled and {len(strata[1])} other clusters",
        clusters=min(len(strata[0]), int((counts[:, 5] > 0).sum())),
        level=level,
    )


def true_success(
    judged: JudgedAnswers,
    *,
    segment: ArrayLike | None = None,
    level: float = CONFIDENCE,
    n_boot: int = N_BOOT,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Raw share, labelled share, Rogan-Gladen and prediction-powered side by side, overall and by segment.

    Intervals of segments are at level 1 - (1 - level)/k for k segments, so that all of them hold together
    with probability `level`. In a segment sensitivity and specificity are its own: where its labels cannot
    carry them, the row says so. Columns: segment ("all" first), estimate, value, low, high, n, labelled,
    level, reason, method.
    """
    if not len(judged.machine):
        return pd.DataFrame(columns=COLUMNS)
    rows = _rows("all", judged, level, n_boot, rng)
    if segment is not None:
        names = np.asarray(segment).astype(str)
        levels = sorted(set(names[np.asarray(judged.counted)].tolist()))
        for name in levels:
            rows += _rows(
                name, judged.part(np.flatnonzero(names == name)), 1 - (1 - level) / len(levels), n_boot, rng
            )
    return pd.DataFrame(rows, columns=COLUMNS)


def _rows(
    name: str, judged: JudgedAnswers, level: float, n_boot: int, rng: np.random.Generator
) -> list[tuple]:
    verdicts = JudgedAnswers(
        (judged.machine >= 0.5).astype(float), judged.human, judged.cluster, judged.counted
    )
    found = {
        "instruments, as they stand": machine_only(verdicts, level=level, rng=rng),
        "labelled only": labelled_only(judged, level=level, rng=rng),
        "Rogan-Gladen": rogan_gladen(verdicts, level=level, n_boot=n_boot, rng=rng),
        "prediction-powered": prediction_powered(judged, level=level),
    }
    labelled = int(judged.labelled.sum())
    return [
        (name, how, each.value, each.low, each.high, each.n, labelled, level, each.reason, each.method)
        for how, each in found.items()
    ]


def success_of_slice(judged: JudgedAnswers, *, rng: np.random.Generator) -> Interval:
    """`rogan_gladen` of one slice at level 0.95, with sensitivity and specificity of its own; where it is
    refused, `reason` says how many labels there are and would be needed.

    Refused besides: fewer than 10 labelled answers, or fewer than 3 that people accept or reject (as the
    calibrators refuse them), and verdicts that are not 0 or 1. Higher is better, in [0, 1].

    Measured coverage for a promised 0.95, in brackets that of the lower bound (promised 0.975), then how
    often it was refused; 2,000 simulations, standard error 0.005:

        answers   labelled   truth   s, t         coverage         refused
        30        15         0.7     0.85, 0.75   0.961 (0.981)    0.60
        60        30         0.7     0.95, 0.95   0.963 (0.979)    0.01
        60        60         0.8     0.70, 0.90   0.959 (0.976)    0.02
        100       50         0.5     0.85, 0.75   0.951 (0.972)    0.00
    """
    n, labelled = int(np.asarray(judged.counted).sum()), judged.human[judged.labelled]
    if not n:
        return not_available("no verdict of the instruments on these answers")
    if not is_zero_one(judged.machine):
        return not_available("the instruments' verdicts are not 0 or 1", n=n)
    good, bad = int((labelled == 1).sum()), int((labelled == 0).sum())
    if good + bad < FEWEST_LABELS or min(good, bad) < FEWEST_PER_CLASS:
        needed = f"at least {FEWEST_LABELS}, and {FEWEST_PER_CLASS} of each, needed"
        why = f"{good + bad} labelled answers, {good} accepted and {bad} rejected: {needed}"
        return not_available(why, n=n)
    found = rogan_gladen(judged, rng=rng)
    if isfinite(found.low):
        return found
    more = labels_needed(*machine_rates(judged), good / (good + bad))
    return not_available(f"{found.reason} ({good + bad} labelled, about {more:.0f} needed)", n=n)


def machine_rates(judged: JudgedAnswers) -> tuple[float, float]:
    """Sensitivity and specificity of the machine on the labelled answers, in [0, 1]; NaN without a label."""
    good, bad = judged.machine[judged.human == 1], judged.machine[judged.human == 0]
    return (float(good.mean()) if len(good) else nan), (float(1 - bad.mean()) if len(bad) else nan)


def labels_needed(
    sensitivity: float,
    specificity: float,
    accepted: float,
    *,
    level: float = CONFIDENCE,
    power: float = POWER,
) -> float:
    """How many labels tell this machine from a coin in a share `power` of samples: the lower bound of
    s + t - 1 above 0, by the normal approximation.

    accepted : share of the labelled answers that people accept. At least 10; infinite where s + t <= 1
    """
    youden = sensitivity + specificity - 1
    if not youden > 0:
        return float("inf")
    variance = sensitivity * (1 - sensitivity) / accepted + specificity * (1 - specificity) / (1 - accepted)
    reach = float(ndtri((1 + level) / 2) + ndtri(power))
    return max(FEWEST_LABELS, ceil(variance * (reach / youden) ** 2))


def prediction_powered(
    judged: JudgedAnswers, *, level: float = CONFIDENCE, lam: float | None = None
) -> Interval:
    """True success by prediction-powered inference, in [0, 1]:
    the machine where nobody looked, less its mean error where people did.

    `lam` (lambda), in [0, 1], is how much the machine is trusted: 1 is PPI, 0 the labels alone; None takes
    the value of least variance (PPI++). Interval: Wilson's, for the share of as many independent labels as
    would have the same cluster-robust standard error. Needs 10 labelled answers; without unlabelled ones it
    is the mean of the labels.

    Measured coverage: see `true_success`. A plain normal interval covers 0.90 with 50 labels and truth 0.9;
    this one 0.959.

    Source: Angelopoulos, Bates, Fannjiang, Jordan, Zrnic (2023), Science 382; Angelopoulos, Duchi, Zrnic
    (2023), PPI++, equation 8.
    """
    check_level(level)
    labelled, other = judged.labelled, ~judged.labelled & np.asarray(judged.counted)
    n, rest = int(labelled.sum()), int(other.sum())
    if n < FEWEST_LABELLED:
        return not_available(f"{n} labelled answers, at least {FEWEST_LABELLED} needed", n=n + rest)
    if lam is None or not rest:
        lam = _best_lambda(judged.machine, judged.human, labelled, other) if rest else 0.0
    error = judged.human[labelled] - lam * judged.machine[labelled]
    value = float(error.mean() + lam * (judged.machine[other].mean() if rest else 0.0))
    influence = np.zeros(len(judged.machine))
    influence[labelled] = (error - error.mean()) / n
    if rest:
        influence[other] = lam * (judged.machine[other] - judged.machine[other].mean()) / rest
    error_of_mean, freedom = _cluster_error(influence, judged)
    low, high = _wilson_bounds(value, error_of_mean, n, float(stdtrit(freedom, (1 + level) / 2)))
    how = f"prediction-powered, lambda {lam:.2f}, {n} labelled, {rest} others"
    return clipped_interval(value, low, high, n + rest, how, clusters=freedom + 1, level=level)


def _best_lambda(machine: NDArray, human: NDArray, labelled: NDArray, other: NDArray) -> float:
    """Lambda of least variance, in [0, 1]:
    covariance of label and machine over (1 + n/N) times the machine's variance.
    """
    f, y, n = machine[labelled], human[labelled], labelled.sum()
    variance = np.concatenate([f, machine[other]]).var(ddof=1)
    if variance == 0:
        return 0.0
    return float(np.clip(np.cov(f, y, ddof=0)[0, 1] / ((1 + n / other.sum()) * variance), 0.0, 1.0))


def _cluster_error(influence: NDArray, judged: JudgedAnswers) -> tuple[float, int]:
    """Standard error from the clusters' influences, and its degrees of freedom:
    labelled clusters less one.
    """
    members = judged.members()
    rows, starts = np.concatenate(members), np.cumsum([0, *map(len, members[:-1])])
    labelled = np.logical_or.reduceat(judged.labelled[rows], starts)
    used = labelled | np.logical_or.reduceat(influence[rows] != 0, starts)
    totals = np.array([influence[rows].sum() for rows in members])[used]
    known = int(labelled.sum())
    return float(np.sqrt((totals**2).sum() * known / max(known - 1, 1))), max(known - 1, 1)


def _wilson_bounds(value: float, error: float, n: int, z: float) -> tuple[float, float]:
    """Wilson's interval for the share of as many independent labels as would have this standard error; with
    none, for n labels. No width at 0 and 1, where Wilson's bound of an event unseen would be another.
    """
    share = float(np.clip(value, 0.0, 1.0))
    if share in (0.0, 1.0):
        return share, share
    size = share * (1 - share) / error**2 if error > 0 else n
    centre = (share + z**2 / (2 * size)) / (1 + z**2 / size)
    half = z / (1 + z**2 / size) * np.sqrt(share * (1 - share) / size + z**2 / (4 * size**2))
    return centre - half, centre + half


def _counts(judged: JudgedAnswers) -> NDArray:
    """(clusters, 6): accepted by people and by the machine too; accepted by people; rejected likewise;
    accepted by the machine and all, counted.
    """
    good, bad, machine = judged.human == 1, judged.human == 0, judged.machine
    counted = np.asarray(judged.counted, dtype=float)
    each = np.column_stack([good * machine, good, bad * (1 - machine), bad, counted * machine, counted])
    members = judged.members()
    starts = np.cumsum([0, *map(len, members[:-1])])
    return np.add.reduceat(each[np.concatenate(members)], starts, axis=0)


def _strata(counts: NDArray) -> tuple[NDArray, NDArray]:
    """Clusters with a label, and the others; `counts` as `_counts` gives them."""
    known = counts[:, 1] + counts[:, 3] > 0
    return np.flatnonzero(known), np.flatnonzero(~known)


def _estimates(counts: NDArray) -> tuple[NDArray, NDArray]:
    """True success (not clipped) and Youden's s + t - 1 of totals of shape (..., 6); NaN where undefined."""
    with np.errstate(invalid="ignore", divide="ignore"):
        sensitivity, specificity = counts[..., 0] / counts[..., 1], counts[..., 2] / counts[..., 3]
        pass_rate = counts[..., 4] / counts[..., 5]
    return corrected_share(pass_rate, sensitivity, specificity), sensitivity + specificity - 1


def _resampled(
    counts: NDArray, strata: tuple[NDArray, NDArray], n_boot: int, rng: np.random.Generator
) -> NDArray:
    totals = np.zeros((n_boot, counts.shape[1]))
    for members in strata:
        if len(members):
            weights = rng.multinomial(len(members), np.full(len(members), 1 / len(members)), n_boot)
            totals += weights @ counts[members]
    return totals
