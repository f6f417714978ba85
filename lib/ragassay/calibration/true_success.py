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

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ragassay.calibration.judged_answers import JudgedAnswers, clipped_interval
from ragassay.calibration.prediction_powered import prediction_powered
from ragassay.defaults import CONFIDENCE, N_BOOT
from ragassay.errors import LabelError
from ragassay.stats import Interval, mean_interval, not_available
from ragassay.stats.clusters import is_zero_one
from ragassay.stats.intervals import check_level
from ragassay.stats.resampling import expand_tails

COLUMNS = ["segment", "estimate", "value", "low", "high", "n", "labelled", "level", "reason", "method"]


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
    rows = np.flatnonzero(np.asarray(judged.counted))
    cluster = None if judged.cluster is None else np.asarray(judged.cluster)[rows]
    return mean_interval(judged.machine[rows], clusters=cluster, level=level, span=(0.0, 1.0), rng=rng)


def labelled_only(judged: JudgedAnswers, *, level: float = CONFIDENCE, rng: np.random.Generator) -> Interval:
    """Share of the labelled answers that people accept, in [0, 1]; interval over clusters."""
    rows = np.flatnonzero(judged.labelled)
    cluster = None if judged.cluster is None else np.asarray(judged.cluster)[rows]
    return mean_interval(judged.human[rows], clusters=cluster, level=level, span=(0.0, 1.0), rng=rng)


def rogan_gladen(
    judged: JudgedAnswers, *, level: float = CONFIDENCE, n_boot: int = N_BOOT, rng: np.random.Generator
) -> Interval:
    """True success by Rogan and Gladen, in [0, 1];
    expanded percentile bootstrap over clusters of both samples.

    Refused (NaN, with the reason) when the labelled answers lack accepted or rejected ones or are of one
    cluster, s + t <= 1, or the lower bound of s + t - 1 reaches 0: the judge is not shown better than chance.
    Clipped to [0, 1], and said.

    Measured coverage: see the module's docstring.

    Raises
    ------
    LabelError
        If a verdict is not 0 or 1.

    Source
    ------
    Lesson section 7; Rogan, Gladen (1978); decision 9.
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
        return not_available(
            "the labelled answers hold none that people accept, or none that they reject, or s + t <= 1", n=n
        )
    if len(strata[0]) < 2:
        return not_available("the labelled answers are of 1 cluster, at least 2 needed", n=n)
    drawn, youdens = _estimates(_resampled(counts, strata, n_boot, rng))
    tails = expand_tails(np.array([(1 - level) / 2, (1 + level) / 2]), len(strata[0]))
    if not np.nanquantile(youdens, tails[0]) > 0:
        return not_available(
            f"the lower bound of s + t - 1 = {youden:.2f} reaches 0: the judge is not shown better than "
            "chance",
            n=n,
        )
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
