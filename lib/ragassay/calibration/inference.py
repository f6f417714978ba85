"""True success: how often people would accept the answers, though a machine judged most of them (Lesson
section 7, decision 9).

What people labelled is known; only the other answers are estimated, and the two are added up, so no estimate
leaves what the labels allow, from accepted / N to (accepted + unlabelled) / N. Two
estimates for the answers that nobody read: Rogan and Gladen's (`true_success`), clipped to [0, 1], and as the
cross-check `prediction_powered`, the machine's mean less its mean error on the labelled answers.

A gate asks about answers to come, of which these are a sample. The interval is therefore that of the share
among such answers: clusters (conversation, paraphrase group) are resampled whole, labelled and unlabelled
ones apart, and it may reach beyond what is possible for these N answers. Where all are labelled it is that
of a mean. The labelled answers must be drawn at random from the same answers: of one origin, say.

Measured coverage for a promised 0.95 of the share among answers to come (in brackets that of the lower
bound, promised 0.975), mean width (in brackets how often Rogan-Gladen was refused); 1,000 simulations, of 384
answers 2,000, standard error 0.007; clusters share half their fate. No estimate left what the labels allow:

    answers  labelled  cluster of  truth  s, t        Rogan-Gladen               prediction-powered
    30       15        1           0.7    0.85, 0.75  0.962 (0.987) 0.44 (0.60)  0.975 (0.994) 0.41
    60       60        1           0.8    0.70, 0.90  0.968 (0.988) 0.21 (0.00)  0.968 (0.988) 0.20
    100      50        2           0.7    0.85, 0.75  0.957 (0.972) 0.35 (0.04)  0.954 (0.977) 0.26
    300      100       1           0.9    0.85, 0.75  0.950 (0.971) 0.21 (0.08)  0.951 (0.980) 0.11
    384      264       1           0.45   0.73, 0.88  0.938 (0.973) 0.13 (0.00)  0.944 (0.974) 0.11
    1,000    200       3           0.9    0.85, 0.75  0.948 (0.979) 0.17 (0.00)  0.943 (0.979) 0.09

Pooled over two origins of which one alone was read, prediction-powered inference would cover all in 0.43.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, nan, sqrt

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtrit

from ragassay import parameter_ranges
from ragassay.calibration import conformal
from ragassay.calibration.calibrators import FEWEST_LABELS, FEWEST_PER_CLASS
from ragassay.defaults import (
    ACCEPTED,
    ALPHA,
    CONFIDENCE,
    LABEL_COUNTS,
    N_BOOT,
    N_JUDGED,
    POWER,
    SENSITIVITY,
    SPECIFICITY,
)
from ragassay.errors import LabelError, ParameterError
from ragassay.stats import (
    Interval,
    expand_tails,
    expected_half_width,
    group_rows,
    is_zero_one,
    mean_interval,
    not_available,
    number_vector,
    zero_event_bound,
)


@dataclass(frozen=True)
class JudgedAnswers:
    """Answers judged by a machine, some of them by people too.

    machine : (n,) verdict of the machine, 0 or 1 (for `prediction_powered` any number in [0, 1], such as a
        probability)
    human : (n,) label of the people, 0 or 1; NaN where nobody looked
    cluster : (n,) what was drawn independently; None takes every answer for itself
    """

    machine: NDArray
    human: NDArray
    cluster: NDArray | None = None

    def __post_init__(self) -> None:
        machine, human = number_vector(self.machine, "machine"), number_vector(self.human, "human")
        if machine.shape != human.shape:
            raise LabelError(
                "every verdict needs one label or a blank",
                found=f"{len(machine)} verdicts, {len(human)} labels",
            )
        if not is_zero_one(human):
            found = sorted(set(human[~np.isnan(human)].tolist()))[:5]
            raise LabelError("a label is not 0 or 1", found=found, expected="0, 1 or missing")
        outside = ~((machine >= 0) & (machine <= 1))
        if outside.any():
            raise LabelError(
                "a verdict of the instruments is missing or outside [0, 1]", found=machine[outside][0]
            )

    @property
    def labelled(self) -> NDArray:
        """(n,) whether people looked."""
        return ~np.isnan(self.human)

    def totals(self, values: NDArray) -> NDArray:
        """Sum of (n, ...) values over the answers of each cluster."""
        if self.cluster is None:
            return values
        return np.array([values[rows].sum(axis=0) for rows in group_rows(self.cluster, len(values))])


def corrected_share(pass_rate: ArrayLike, sensitivity: ArrayLike, specificity: ArrayLike) -> NDArray:
    """True share of good answers from the judge's pass rate: (p + t - 1) / (s + t - 1), not clipped;
    NaN where s + t <= 1.

    Source: Rogan, Gladen (1978), American Journal of Epidemiology 107; Lesson section 7.
    """
    p, s, t = (np.asarray(each, dtype=float) for each in (pass_rate, sensitivity, specificity))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(s + t - 1 > 0, (p + t - 1) / (s + t - 1), np.nan)


def labels_only(judged: JudgedAnswers, *, rng: np.random.Generator) -> Interval:
    """Share that people accept of the answers they looked at, in [0, 1]; interval over clusters."""
    read = judged.labelled
    cluster = None if judged.cluster is None else judged.cluster[read]
    return mean_interval(judged.human[read], clusters=cluster, span=(0.0, 1.0), rng=rng)


def true_success(judged: JudgedAnswers, *, n_boot: int = N_BOOT, rng: np.random.Generator) -> Interval:
    """Share of answers that people would accept, in [0, 1], higher is better: the labels, and Rogan and
    Gladen's estimate where there is none; expanded percentile bootstrap over clusters of both samples.

    Not available, with the labels that are needed and those there are (`labels_needed`; all answers at the
    most): fewer than 10 labelled answers, fewer than 3 that people accept or reject, all labelled ones of
    one cluster, s + t <= 1, or the lower bound of s + t - 1 at 0 or below: the machine is not shown better
    than chance. Nor where its verdicts are not 0 or 1. Without unlabelled answers it is the mean of the
    labels, whatever the machine is worth.

    Source: Lesson section 7; Rogan, Gladen (1978); decision 9.
    """
    n, labels = len(judged.machine), judged.human[judged.labelled]
    if n and len(labels) == n:
        return labels_only(judged, rng=rng)
    if not is_zero_one(judged.machine):
        return not_available("the instruments' verdicts are not 0 or 1", n=n)
    good, bad, other = judged.human == 1, judged.human == 0, ~judged.labelled
    machine = judged.machine
    counts = judged.totals(
        np.column_stack([good * machine, good, bad * (1 - machine), bad, other * machine, other])
    )  # (clusters, 6)
    has_label = counts[:, 1] + counts[:, 3] > 0
    known, others = np.flatnonzero(has_label), np.flatnonzero(~has_label)
    if min(good.sum(), bad.sum()) < FEWEST_PER_CLASS or len(labels) < FEWEST_LABELS or len(known) < 2:
        return not_available(_needs_labels(judged, (SENSITIVITY, SPECIFICITY, ACCEPTED)), n=n)
    resampled = np.zeros((n_boot, 6))
    for members in (known, others):  # labelled and unlabelled clusters apart
        if len(members):
            weights = rng.multinomial(len(members), np.full(len(members), 1 / len(members)), n_boot)
            resampled += weights @ counts[members]
    drawn, youden = _estimates(resampled)
    tails = expand_tails(np.array([(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]), len(known))
    sensitivity, specificity = float(machine[good].mean()), float(1 - machine[bad].mean())
    if not min(sensitivity + specificity - 1, np.nanquantile(youden, tails[0])) > 0:
        rates = (sensitivity, specificity, float(good.sum() / len(labels)))
        return not_available(f"no better than chance; {_needs_labels(judged, rates)}", n=n)
    low, high = np.nanquantile(drawn, tails)
    value = float(_estimates(counts.sum(axis=0))[0])
    plain = corrected_share(machine[other].mean(), sensitivity, specificity)
    clipped = "" if 0 <= plain <= 1 else ", clipped to what is possible"
    how = f"Rogan-Gladen, bootstrap of {len(known)} labelled and {len(others)} other clusters{clipped}"
    return Interval(value, float(low), float(high), n, method=how)


def labels_needed(sensitivity: float, specificity: float, accepted: float) -> float:
    """How many labels tell this machine from a coin in 80 % of samples: the lower 95 % bound of s + t - 1
    above 0, by the normal approximation.

    accepted : share of the labelled answers that people accept. At least 10; infinite where s + t <= 1
    """
    youden = sensitivity + specificity - 1
    if not youden > 0:
        return float("inf")
    variance = sensitivity * (1 - sensitivity) / accepted + specificity * (1 - specificity) / (1 - accepted)
    return max(
        FEWEST_LABELS, ceil(variance * (float(ndtri((1 + CONFIDENCE) / 2) + ndtri(POWER)) / youden) ** 2)
    )


def prediction_powered(judged: JudgedAnswers) -> Interval:
    """True success by prediction-powered inference, in [0, 1]:
    the machine where nobody looked, less its mean error where people did.

    Lambda, in [0, 1], how much the machine is trusted, has the value of least variance (PPI++). Clipped to
    what the labels allow. Interval: Wilson's, for as many independent labels as would have the same
    cluster-robust standard error (a normal one covers 0.90 with 50 labels and truth 0.9, this one 0.959).
    Needs 10 labelled answers where some are unlabelled; else it is the mean of the labels.

    Source: Angelopoulos, Bates, Fannjiang, Jordan, Zrnic (2023), Science 382; Angelopoulos, Duchi, Zrnic
    (2023), PPI++, equation 8.
    """
    labelled, other, machine = judged.labelled, ~judged.labelled, judged.machine
    n, rest = int(labelled.sum()), int(other.sum())
    if n < (FEWEST_LABELS if rest else 1):
        return not_available(f"{n} labelled answers, at least {FEWEST_LABELS} needed", n=n + rest)
    lam, elsewhere = 0.0, 0.0
    variance = machine.var(ddof=1) if rest else 0.0
    if variance > 0:
        covariance = np.cov(machine[labelled], judged.human[labelled], ddof=0)[0, 1]
        lam = float(np.clip(covariance / ((1 + n / rest) * variance), 0.0, 1.0))
        elsewhere = lam * machine[other].mean()
    error = judged.human[labelled] - lam * machine[labelled]
    accepted = judged.human[labelled].sum() / (n + rest)  # were all unlabelled ones rejected
    value = float(np.clip(error.mean() + elsewhere, accepted, accepted + rest / (n + rest)))
    influence = np.zeros(n + rest)
    influence[labelled] = (error - error.mean()) / n
    if rest:
        influence[other] = lam * (machine[other] - machine[other].mean()) / rest
    known = int((judged.totals(labelled.astype(float)) > 0).sum())
    freedom = max(known - 1, 1)
    standard_error = float(np.sqrt((judged.totals(influence) ** 2).sum() * known / freedom))
    low, high = _wilson_bounds(value, standard_error, n, float(stdtrit(freedom, (1 + CONFIDENCE) / 2)))
    if low == high:  # no other label was seen, which is no proof that there is none
        unseen = zero_event_bound(freedom + 1)
        low, high = low * (1 - unseen), high + unseen * (1 - high)
    how = f"prediction-powered, lambda {lam:.2f}, {n} labelled, {rest} others"
    return Interval(value, max(low, 0.0), min(high, 1.0), n + rest, method=how)


def share_accepted(
    human: ArrayLike, machine: ArrayLike, clusters: ArrayLike | None = None, *, seed: int = 0
) -> pd.DataFrame:
    """The share of all answers that raters would accept, by several methods: method, value, low, high, n,
    reason (why a method gives none).

    labels : of the answers read alone; machine : what the machine accepts, as if it were never wrong;
    rogan_gladen : the others at the machine's share, corrected by its errors (`true_success`);
    prediction_powered : the others at the machine's share, less its mean error

    Parameters
    ----------
    human : (n,) 0 or 1, NaN where nobody looked; machine : (n,) the machine's verdict, 0 or 1
    clusters : (n,) what was drawn independently; None takes every answer for itself

    >>> shares = share_accepted([1, 0, None, None], [1, 0, 1, 1]).set_index("method")["value"]
    >>> float(shares["labels"]), float(shares["machine"])
    (0.5, 0.75)
    """
    names = None if clusters is None else np.asarray(clusters)
    judged = JudgedAnswers(np.asarray(machine, dtype=float), np.asarray(human, dtype=float), names)
    rng = np.random.default_rng(seed)
    estimates = {
        "labels": labels_only(judged, rng=rng),
        "machine": mean_interval(judged.machine, clusters=names, span=(0.0, 1.0), rng=rng),
        "rogan_gladen": true_success(judged, rng=rng),
        "prediction_powered": prediction_powered(judged),
    }
    rows = [(name, one.value, one.low, one.high, one.n, one.reason) for name, one in estimates.items()]
    return pd.DataFrame(rows, columns=["method", "value", "low", "high", "n", "reason"])


def _needs_labels(judged: JudgedAnswers, rates: tuple[float, float, float]) -> str:
    n, known = len(judged.machine), int(judged.labelled.sum())
    return f"needs labels: {min(n, max(known + 1, labels_needed(*rates))):.0f} (has {known})"


def _estimates(counts: NDArray) -> tuple[NDArray, NDArray]:
    """True success and Youden's s + t - 1 of totals of shape (..., 6): accepted by people and by the machine
    too; accepted by people; rejected likewise; unlabelled and accepted by the machine; unlabelled."""
    with np.errstate(invalid="ignore", divide="ignore"):
        sensitivity, specificity = counts[..., 0] / counts[..., 1], counts[..., 2] / counts[..., 3]
        pass_rate = counts[..., 4] / counts[..., 5]
    others = np.clip(corrected_share(pass_rate, sensitivity, specificity), 0.0, 1.0) * counts[..., 5]
    n = counts[..., 1] + counts[..., 3] + counts[..., 5]
    return (counts[..., 1] + others) / n, sensitivity + specificity - 1


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


def plan(
    sizes: Sequence[int] = LABEL_COUNTS,
    *,
    accepted: float = ACCEPTED,
    sensitivity: float = SENSITIVITY,
    specificity: float = SPECIFICITY,
    answers: int = N_JUDGED,
    alpha: float = ALPHA,
) -> pd.DataFrame:
    """What n labels buy, before anybody reads an answer; a row per number of labels: half widths of 95 %
    intervals, and what the prediction sets promise. Half of the labels fit the calibrator, half set the
    threshold. They are of independent answers drawn at random; of answers that hang together (one
    conversation, one paraphrase group) count conversations.

    accepted : share of answers that people are expected to accept, strictly between 0 and 1
    sensitivity, specificity : share of acceptable answers that the machine accepts, of the others that it
        rejects; their sum above 1
    answers : answers the machine judges in all
    alpha : error rate allowed to the prediction sets

    share : of the accepted share, from the labels alone;  sensitivity, specificity : of each
    rogan_gladen : of true success corrected by them, to first order;  prediction_powered : by
        prediction-powered inference at its best lambda (PPI++, equation 8)
    coverage_low, _high : where the coverage of the sets falls in 95 % of calibrations; NaN where all are full
    finite : chance that each class alone has labels enough for a threshold of its own

    Raises ParameterError if a size is below 2, or an expectation outside its range.
    """
    parameter_ranges.check("accepted", accepted, "in (0, 1)")
    parameter_ranges.check("alpha", alpha, "in (0, 1)")
    share, s, t = accepted, sensitivity, specificity
    if not (min(s, t) >= 0 and max(s, t) <= 1 and s + t > 1):
        raise ParameterError("sensitivity and specificity must sum to more than 1", found=(s, t))
    if not sizes or min(sizes) < 2 or answers < 1:
        raise ParameterError(
            "a plan needs 2 labels or more, and an answer", found=f"{list(sizes)} labels of {answers} answers"
        )
    p = share * s + (1 - share) * (1 - t)  # what the machine accepts
    reach, youden, variance = float(ndtri((1 + CONFIDENCE) / 2)), s + t - 1, share * (1 - share)
    noise = share * s * (1 - s) + (1 - share) * t * (1 - t)
    correlation = variance * youden**2 / (p * (1 - p))
    least, rows = conformal.minimum_n(alpha), []
    for n in sizes:
        among = min(n, answers)
        rest = 1 - among / answers
        others = (rest * p * (1 - p) / answers + rest**2 * noise / among) / youden**2
        corrected = among * variance / answers**2 + others
        widths = (
            expected_half_width(share, n),
            expected_half_width(s, round(n * share)),
            expected_half_width(t, round(n * (1 - share))),
            reach * sqrt(corrected),
            reach * sqrt(variance / among * (1 - correlation * rest)),
        )
        setting = n // 2
        covered, finite = (nan, nan), 0.0
        if setting >= least:
            promised = conformal.expected_coverage(setting, alpha)
            covered = (promised.low, promised.high)
            few, most = scipy.stats.binom.cdf([least - 1, setting - least], setting, share)
            finite = max(float(most - few), 0.0)
        rows.append((n, *widths, *covered, finite))
    return pd.DataFrame(
        rows,
        columns=[
            *("labels", "share", "sensitivity", "specificity", "rogan_gladen", "prediction_powered"),
            *("coverage_low", "coverage_high", "finite"),
        ],
    )
