"""True success: how often people would accept the answers, though a machine judged most of them (Lesson section 7, FORMULAS 9).

A judge accepts a share p of the answers; people looked at some. Three estimates of what people would accept of all, side by side:

labelled only     the share among the labelled answers; needs no machine, wastes the rest
Rogan-Gladen      (p + t - 1) / (s + t - 1), with the judge's sensitivity s and specificity t measured on the labelled answers
prediction-powered   labels where there are labels, the machine elsewhere, its mean error on the labelled answers taken off (PPI)

The labelled answers must be drawn at random from the same population as the others: a random part of them, or a calibration set of its own.
Clusters (conversation, paraphrase group) are resampled whole, labelled and unlabelled ones apart, so both samples' errors are in the interval.

Measured coverage for a promised 0.95 (judge with s = 0.85, t = 0.75; 1,500 simulations, standard error 0.006; clusters of three with
correlation 0.5). In brackets how often Rogan-Gladen was refused, because the labels could not tell the judge from a coin:

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
from scipy import stats

from ragassay.calibration.judged_answers import JudgedAnswers
from ragassay.errors import LabelError
from ragassay.stats import Interval, mean_interval, not_available
from ragassay.stats.clusters import is_zero_one
from ragassay.stats.intervals import check_level
from ragassay.stats.resampling import expand_tails

FEWEST_LABELLED = 10
COLUMNS = ["segment", "estimate", "value", "low", "high", "n", "labelled", "level", "reason", "method"]


def corrected_share(pass_rate: float, sensitivity: float, specificity: float) -> float:
    """True share of good answers from the judge's pass rate: (p + t - 1) / (s + t - 1), clipped to [0, 1]; NaN when s + t <= 1.

    Source: Rogan, Gladen (1978), American Journal of Epidemiology 107; Lesson section 7.
    """
    power = sensitivity + specificity - 1
    return float(np.clip((pass_rate + specificity - 1) / power, 0.0, 1.0)) if power > 0 else float("nan")


def machine_only(judged: JudgedAnswers, *, level: float = 0.95, rng: np.random.Generator) -> Interval:
    """Share the machine accepts, in [0, 1], as if it were never wrong; interval over clusters."""
    rows = np.flatnonzero(np.asarray(judged.counted))
    cluster = None if judged.cluster is None else np.asarray(judged.cluster)[rows]
    return mean_interval(judged.machine[rows], clusters=cluster, level=level, span=(0.0, 1.0), rng=rng)


def labelled_only(judged: JudgedAnswers, *, level: float = 0.95, rng: np.random.Generator) -> Interval:
    """Share of the labelled answers that people accept, in [0, 1]; interval over clusters."""
    rows = np.flatnonzero(judged.labelled)
    cluster = None if judged.cluster is None else np.asarray(judged.cluster)[rows]
    return mean_interval(judged.human[rows], clusters=cluster, level=level, span=(0.0, 1.0), rng=rng)


def rogan_gladen(
    judged: JudgedAnswers, *, level: float = 0.95, n_boot: int = 2000, rng: np.random.Generator
) -> Interval:
    """True success by Rogan and Gladen, in [0, 1]; expanded percentile bootstrap over clusters of both samples.

    Refused (NaN, with the reason) when the labelled answers lack accepted or rejected ones, s + t <= 1, or the lower bound of s + t - 1
    reaches 0: the judge cannot be told from a coin. Clipped to [0, 1], and said.

    Measured coverage: see the module's docstring.

    Raises
    ------
    LabelError
        If a verdict is not 0 or 1.

    Source
    ------
    Lesson section 7; Rogan, Gladen (1978); FORMULAS 9.
    """
    check_level(level)
    if not is_zero_one(judged.machine):
        raise LabelError(
            "Rogan-Gladen needs verdicts of 0 or 1",
            found=judged.machine[:3],
            do="cut the probabilities at a stated threshold",
        )
    counts, strata = _counts(judged), _strata(judged)
    value, power = (float(each) for each in _estimates(counts.sum(axis=0)))
    n = int(np.asarray(judged.counted).sum())
    if np.isnan(value):
        return not_available(
            "the labelled answers hold none that people accept, or none that they reject, or s + t <= 1", n=n
        )
    drawn, powers = _estimates(_resampled(counts, strata, n_boot, rng))
    tails = expand_tails(np.array([(1 - level) / 2, (1 + level) / 2]), len(strata[0]))
    if not np.nanquantile(powers, tails[0]) > 0:
        return not_available(
            f"the lower bound of s + t - 1 = {power:.2f} reaches 0: the judge cannot be told from a coin", n=n
        )
    low, high = np.nanquantile(drawn, tails)
    return _clipped(
        value,
        float(low),
        float(high),
        n,
        f"Rogan-Gladen, bootstrap of {len(strata[0])} labelled and {len(strata[1])} other clusters",
    )


def prediction_powered(judged: JudgedAnswers, *, level: float = 0.95, power: float | None = None) -> Interval:
    """True success by prediction-powered inference, in [0, 1]: the machine where nobody looked, less its mean error where people did.

    `power` lambda in [0, 1] is how much the machine is trusted: 1 is plain PPI, 0 the labels alone; None takes the value of least
    variance (PPI++). Interval: Wilson's, for the share of as many independent labels as would have the same cluster-robust standard
    error. Needs 10 labelled answers; without unlabelled ones it is the mean of the labels.

    Measured coverage: see the module's docstring. A plain normal interval covers 0.90 with 50 labels and truth 0.9; this one 0.959.

    Source
    ------
    Angelopoulos, Bates, Fannjiang, Jordan, Zrnic (2023), Science 382; Angelopoulos, Duchi, Zrnic (2023), PPI++, equation 8.
    """
    check_level(level)
    labelled, other = judged.labelled, ~judged.labelled & np.asarray(judged.counted)
    n, rest = int(labelled.sum()), int(other.sum())
    if n < FEWEST_LABELLED:
        return not_available(f"{n} labelled answers, at least {FEWEST_LABELLED} needed", n=n + rest)
    trust = (
        (_best_power(judged.machine, judged.human, labelled, other) if power is None else power)
        if rest
        else 0.0
    )
    error = judged.human[labelled] - trust * judged.machine[labelled]
    value = float(error.mean() + trust * (judged.machine[other].mean() if rest else 0.0))
    influence = np.zeros(len(judged.machine))
    influence[labelled] = (error - error.mean()) / n
    if rest:
        influence[other] = trust * (judged.machine[other] - judged.machine[other].mean()) / rest
    spread, freedom = _cluster_spread(influence, judged)
    low, high = _score_bounds(value, spread, n, float(stats.t.ppf((1 + level) / 2, freedom)))
    return _clipped(
        value, low, high, n + rest, f"prediction-powered, lambda {trust:.2f}, {n} labelled, {rest} others"
    )


def true_success(
    judged: JudgedAnswers,
    *,
    segment: ArrayLike | None = None,
    level: float = 0.95,
    n_boot: int = 2000,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Raw share, labelled share, Rogan-Gladen and prediction-powered side by side, overall and by segment.

    Intervals of segments are at level 1 - (1 - level)/k for k segments, so that all of them hold together with probability `level`. In a
    segment sensitivity and specificity are its own: where its labels cannot carry them, the row says so. Columns: segment ("all" first),
    estimate, value, low, high, n, labelled, level, reason, method.
    """
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
        "machine, as it stands": machine_only(verdicts, level=level, rng=rng),
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
    """(clusters, 6): accepted by people and by the machine too; accepted by people; rejected likewise; accepted by the machine and all, counted."""
    good, bad, machine = judged.human == 1, judged.human == 0, judged.machine
    counted = np.asarray(judged.counted, dtype=float)
    each = np.column_stack([good * machine, good, bad * (1 - machine), bad, counted * machine, counted])
    return np.array([each[rows].sum(axis=0) for rows in judged.members()])


def _strata(judged: JudgedAnswers) -> tuple[NDArray, NDArray]:
    """Clusters with a label, and the others."""
    known = np.array([judged.labelled[rows].any() for rows in judged.members()])
    return np.flatnonzero(known), np.flatnonzero(~known)


def _estimates(counts: NDArray) -> tuple[NDArray, NDArray]:
    """True success (not clipped) and s + t - 1 of totals of shape (..., 6); NaN where undefined."""
    with np.errstate(invalid="ignore", divide="ignore"):
        sensitivity, specificity = counts[..., 0] / counts[..., 1], counts[..., 2] / counts[..., 3]
        power = sensitivity + specificity - 1
        return np.where(power > 0, (counts[..., 4] / counts[..., 5] + specificity - 1) / power, np.nan), power


def _resampled(
    counts: NDArray, strata: tuple[NDArray, NDArray], n_boot: int, rng: np.random.Generator
) -> NDArray:
    totals = np.zeros((n_boot, counts.shape[1]))
    for members in strata:
        if len(members):
            weights = rng.multinomial(len(members), np.full(len(members), 1 / len(members)), n_boot)
            totals += weights @ counts[members]
    return totals


def _best_power(machine: NDArray, human: NDArray, labelled: NDArray, other: NDArray) -> float:
    """Lambda of least variance, in [0, 1]: covariance of label and machine over (1 + n/N) times the machine's variance."""
    f, y = machine[labelled], human[labelled]
    spread = np.concatenate([f, machine[other]]).var()
    if spread == 0:
        return 0.0
    return float(np.clip(np.cov(f, y)[0, 1] / ((1 + labelled.sum() / other.sum()) * spread), 0.0, 1.0))


def _cluster_spread(influence: NDArray, judged: JudgedAnswers) -> tuple[float, int]:
    """Standard error from the clusters' influences, and its degrees of freedom: labelled clusters less one."""
    used = [rows for rows in judged.members() if (influence[rows] != 0).any() or judged.labelled[rows].any()]
    totals = np.array([influence[rows].sum() for rows in used])
    known = sum(bool(judged.labelled[rows].any()) for rows in used)
    return float(np.sqrt((totals**2).sum() * known / max(known - 1, 1))), max(known - 1, 1)


def _score_bounds(value: float, spread: float, n: int, reach: float) -> tuple[float, float]:
    """Wilson's interval for the share of as many independent labels as would have this standard error; with none, for n labels."""
    share = float(np.clip(value, 0.0, 1.0))
    size = share * (1 - share) / spread**2 if spread > 0 and 0 < share < 1 else n
    centre = (share + reach**2 / (2 * size)) / (1 + reach**2 / size)
    half = reach / (1 + reach**2 / size) * np.sqrt(share * (1 - share) / size + reach**2 / (4 * size**2))
    return centre - half, centre + half


def _clipped(value: float, low: float, high: float, n: int, method: str) -> Interval:
    note = "clipped to [0, 1]" if min(value, low) < 0 or max(value, high) > 1 else ""
    value, low, high = (float(np.clip(each, 0.0, 1.0)) for each in (value, low, high))
    return Interval(value, low, high, n, method=f"{method}{', ' + note if note else ''}")
