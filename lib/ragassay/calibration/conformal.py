"""Stage 2: conformal prediction sets, which hold the rater's label at a stated rate (HCAT section 5.2,
decision 2).

The promise: if labelled cases and new cases are exchangeable, P(label in set) >= 1 - alpha, on average over
calibration sets and cases (marginally). It is not a promise for each class or topic (`coverage` measures
those, `mondrian` extends it to them), nor for one calibration set: with n cases the coverage of a single
q_hat scatters as Beta(k, n + 1 - k) (`expected_coverage`).

Here: split conformal. Scores of held-out cases set the threshold q_hat, the k-th smallest, one for all or
(Mondrian) one for each topic or label, so that the promise holds within each; new cases get the labels below
it, and a decision where one label is left. A pooled threshold keeps its promise on average only: a topic the
machine judges badly may be covered far less. The price is labels: every group needs `minimum_n(alpha)` of its
own, or its sets are full. Measured within each for alpha = 0.1, n = 9 to 500 (2000 simulations, standard
error 0.0015 to 0.0025): labels 0.898 to 0.902, topics 0.900 to 0.906.

Of a longer scale (1 to 5), proportional odds give the chance of every level, and a set is a range of levels
without a gap. It grows from the most likely level to the likelier neighbour, one at a time; a level's
nonconformity is the mass of the levels taken before it. Sets are never empty: where the most likely level is
right more often than promised, they hold it alone and cover as often as it is right. Measured coverage for
alpha = 0.1, n = 9 to 500, a machine too sure of itself (1500 simulations, standard error 0.002 to 0.003):
0.899 to 0.904; with ties 0.914 to 0.917. Source: HCAT section 5.1 (ordinal regression); Lu, Angelopoulos,
Pomerantz (2022), MICCAI, algorithm 1 (sets).

`full_conformal` makes every label serve both stages: full (transductive) and cross.

Which one: full where it fits in the time (one fit for each new score and label), cross where it does not,
split where one threshold must be shown and kept. At 40, 80 and 200 labels, alpha = 0.1, the machine decides
79, 85 and 89 % of the answers by split, 85, 89 and 91 % by cross and by full (120, 120, 60 simulations), all
covering 0.89 to 0.90.

Calibrators with steps (isotonic, boosted) tie many cases: their sets cover more than promised, decide less.

Why not MAPIE: the tests hold these sets to MAPIE's (1.6) where it computes the same. It refuses few labels,
knows no clusters or ordered levels, and has no full conformal prediction.

Measured coverage for a promised 0.9 (exact: k/(n + 1)); for alpha = 0.05 and 0.2 likewise, in the tests:

n labels                    9      19     50     100    500    simulations (standard error)
exact, continuous scores    0.900  0.900  0.902  0.901  0.900
split                       0.899  0.900  0.903  0.898  0.900  4000 sets of n, 20 new cases (0.001 to 0.002)
split, ties                 0.949  0.947  0.948  0.944  0.934  the same
full                        0.897  0.896  0.900  0.903  0.898  2000 to 600 sets, 6 new cases (0.003 to 0.005)
full, ties                  0.924  0.923  0.936  0.931  0.923  the same
cross, 10 folds             0.899  0.908  0.904  0.904  0.892  the same
cross, 10 folds, ties       0.924  0.926  0.933  0.940  0.932  the same
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, inf, isinf

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, expit, logit

from ragassay import parameter_ranges
from ragassay.calibration import calibrators
from ragassay.calibration.calibrators import Ordinal, fit_ordinal
from ragassay.defaults import ALPHA, CONFIDENCE
from ragassay.stats import Interval, clopper_pearson

SCORES: dict[str, tuple[Callable, Callable]] = {  # of p and y; and the residual at which it has a value
    "residual": (lambda p, y: np.abs(y - p), float),
    "negative_logit": (lambda p, y: np.where(y == 1, -logit(p), logit(p)) + 0 * y, expit),
}
MONDRIAN = ("none", "topic", "verdict")
NO_GROUP, ALL = "(none)", "all"
N_SPLITS, ASIDE = 200, 5
COVERAGE = [
    *("by", "stratum", "n", "value", "low", "high"),
    *("decided", "decided_low", "decided_high", "n_decided", "wrong", "wrong_low", "wrong_high", "reason"),
]


def nonconformity(probability: ArrayLike, label: ArrayLike, score: str = "residual") -> NDArray:
    """(n,) how badly a label fits its probability; higher is worse; NaN where either is NaN.

    residual : |y - p| = 1 - P(Y = y), in [0, 1]
    negative_logit : -logit P(Y = y), in [-inf, inf]; 0 at p = 0.5

    For two labels the second is an increasing function of the first, so both lead to the same sets.

    Parameters
    ----------
    probability : (n,) of label 1, in [0, 1]
    label : (n,) or scalar, 0 or 1

    Raises ValueError if a probability, a label or the score is none of these.

    Source: HCAT section 5.2, step 1 (residual); Angelopoulos, Bates (2023), section 1 (any monotone score).
    """
    parameter_ranges.check("nonconformity", score, f"one of {', '.join(SCORES)}")
    p, y = np.asarray(probability, dtype=float), np.asarray(label, dtype=float)
    if ((p < 0) | (p > 1)).any():
        raise ValueError(
            "probabilities must lie in [0, 1] (a raw score? calibrate it first); "
            f"found {np.nanmin(p):g} to {np.nanmax(p):g}"
        )
    if not ((y == 0) | (y == 1) | np.isnan(y)).all():
        raise ValueError(f"labels must be 0 or 1; found {np.unique(y).tolist()}")
    return SCORES[score][0](p, y)


def quantile_rank(n: int, alpha: float) -> int:
    """k = ceil((n + 1)(1 - alpha)): which of n sorted nonconformity scores is the threshold, above n when
    there is none. 0.1 means one tenth, so n = 9, 19, 99 give 9, 18, 90."""
    parameter_ranges.check("alpha", alpha, "in (0, 1)")
    return ceil(round((n + 1) * (1 - alpha), 9))


def minimum_n(alpha: float) -> int:
    """Fewest calibration cases with a finite threshold: ceil((1 - alpha)/alpha), 9 for 0.1, 19 for 0.05."""
    parameter_ranges.check("alpha", alpha, "in (0, 1)")
    return ceil(round(min((1 - alpha) / alpha, 1e15), 9))


def threshold(scores: ArrayLike, alpha: float, clusters: ArrayLike | None = None) -> float:
    """q_hat: the k-th smallest of n nonconformity scores, k = ceil((n + 1)(1 - alpha)); infinite when k > n
    (n < minimum_n(alpha)). An interpolated quantile under-covers (0.855 for a promised 0.90 at n = 19).

    With `clusters` (n,), such as conversations, n is their number and each weighs as one, whatever its size:
    the smallest score below which lie (n + 1)(1 - alpha) of the clusters, each by the share of its answers.
    A random answer of a new cluster is then covered at 1 - alpha at least, 2/(n + 1) more at most. Measured
    for a promised 0.8 (2,000 calibrations, 40 new clusters, standard error 0.004 at most; scores of a cluster
    correlate at 0.8):

    clusters                  4 of 5    10 of 5   20 of 5   40 of 5   20 of 1 to 9
    each weighs as one        0.892     0.846     0.824     0.811     0.829
    clusters not declared     0.775     0.790     0.795     0.796     0.796

    Raises ValueError if alpha is not strictly between 0 and 1, or a score is NaN.

    Source: HCAT section 5.2, step 2; Vovk et al. (2005); decision 2. Clusters: Lee, Barber, Willett (2023),
    Distribution-free inference with hierarchical data, section 3.
    """
    parameter_ranges.check("alpha", alpha, "in (0, 1)")
    s = np.asarray(scores, dtype=float)
    if s.ndim != 1 or np.isnan(s).any():
        raise ValueError(
            f"scores must be one-dimensional without NaN; found shape {s.shape}, {int(np.isnan(s).sum())} NaN"
        )
    names = np.arange(len(s)) if clusters is None else np.asarray(clusters)
    _, place, sizes = np.unique(names, return_inverse=True, return_counts=True)
    order = np.argsort(s)
    enough = np.flatnonzero(np.cumsum(1 / sizes[place[order]]) >= ((len(sizes) + 1) * (1 - alpha) - 1e-9))
    return float(s[order[enough[0]]]) if len(enough) else inf


def expected_coverage(n: int, alpha: float) -> Interval:
    """Coverage that one threshold from n cases will have on new cases: its mean k/(n + 1) and where it falls
    in 95 % of draws. Exact for continuous scores (ties can only raise it); 1 when no finite threshold exists.

    Source: Vovk (2012), ACML, section 2.
    """
    k = quantile_rank(n, alpha)
    if k > n:
        return Interval(1.0, 1.0, 1.0, n, reason="every set is full", method="no finite threshold")
    low, high = betaincinv(k, n + 1 - k, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Interval(
        k / (n + 1), float(low), float(high), n, method=f"Beta({k}, {n + 1 - k}), central {CONFIDENCE:g}"
    )


def sets(probability: ArrayLike, q_hat: float | ArrayLike, score: str = "residual") -> list[list[int]]:
    """One sorted list of labels per case: those whose nonconformity is at most q_hat; [0, 1] for NaN. [0] or
    [1]: the machine may decide; [0, 1] or []: it may not.

    q_hat : one threshold, or (n, 2) or (1, 2) thresholds of label 0 and label 1 (`Thresholds.per_case`)
    """
    p, limit = np.asarray(probability, dtype=float), np.asarray(q_hat, dtype=float)
    limit = np.broadcast_to(limit if limit.ndim == 2 else limit[..., None], (len(p), 2))
    if np.isnan(limit).any():
        raise ValueError("q_hat must not be NaN")
    fits = [~(nonconformity(p, label, score) > limit[:, label]) for label in (0, 1)]
    return [[label for label in (0, 1) if fits[label][row]] for row in range(len(p))]


def decide(prediction_set: Sequence[float]) -> str:
    """`accept` for [1], `reject` for [0], `review` by a human for both labels or none."""
    labels = [int(label) for label in prediction_set]
    return "accept" if labels == [1] else "reject" if labels == [0] else "review"


@dataclass(frozen=True)
class Thresholds:
    """q_hat of every part of the answers.

    by : none, topic or verdict
    q_hat : part (`all`, or a topic's name) -> thresholds of label 0 and label 1; infinite: never ruled out
    score : the nonconformity score that they are of, `residual` or `negative_logit`
    """

    by: str
    q_hat: Mapping[str, tuple[float, float]]
    score: str = "residual"

    def per_case(self, groups: ArrayLike) -> NDArray:
        """(n, 2) threshold of label 0 and label 1, for cases of these topics; infinite for one never seen."""
        names = np.asarray(groups).astype(str).tolist()
        parts = names if self.by == "topic" else [ALL] * len(names)
        return np.array([self.q_hat.get(part, (inf, inf)) for part in parts], dtype=float).reshape(-1, 2)

    def sets(self, probability: ArrayLike, groups: ArrayLike | None = None) -> list[list[int]]:
        """One sorted list of verdicts a case: those not ruled out. `groups`: its topic, where they are by
        topic."""
        p = np.asarray(probability, dtype=float)
        return sets(p, self.per_case(np.full(len(p), ALL) if groups is None else groups), self.score)

    @property
    def residuals(self) -> tuple[float, float]:
        """The thresholds of label 0 and label 1 as distances from the probability; infinite by topic."""
        zero, one = self.per_case([ALL])[0].tolist()
        residual = SCORES[self.score][1]
        return float(residual(zero)), float(residual(one))


def split(held: pd.DataFrame, alpha: float, *, score: str = "residual") -> Thresholds:
    """One threshold for all answers, from labelled ones that the calibrator has not seen (HCAT section 5.2).

    held : probability, label; cluster where answers hang together; score : one of SCORES (`nonconformity`)

    >>> held = pd.DataFrame({"probability": [0.1, 0.2] * 10 + [0.8, 0.9] * 10, "label": [0] * 20 + [1] * 20})
    >>> split(held, alpha=0.1).sets([0.1, 0.5, 0.9])
    [[0], [], [1]]
    """
    return mondrian(held, alpha, by="none", score=score)


def mondrian(held: pd.DataFrame, alpha: float, *, by: str = "topic", score: str = "residual") -> Thresholds:
    """A threshold for each topic or each verdict, from labelled answers that the calibrator has not seen;
    with `by="none"` one for all.

    A label with fewer than `minimum_n(alpha)` cases (clusters) is never ruled out, under any partition: where
    hardly any label rejects, nothing is accepted without a person.

    held : probability, label; cluster and group (the topic) where there are any
    score : one of SCORES (`nonconformity`)

    Raises ParameterError if `by` is not none, topic or verdict; ValueError as `threshold`.

    >>> held = pd.DataFrame({"probability": [0.1, 0.4] * 10 + [0.8, 0.9] * 10, "label": [0] * 20 + [1] * 20})
    >>> mondrian(held, alpha=0.1, by="verdict").sets([0.3, 0.7])
    [[0], []]

    Source: Vovk et al. (2005), Algorithmic Learning in a Random World, section 4.5; Vovk (2012), ACML,
    section 4 (label-conditional).
    """
    parameter_ranges.check("mondrian", by, f"one of {', '.join(MONDRIAN)}")
    scores, clusters = nonconformity(held["probability"], held["label"], score), clusters_of(held)
    own = [(held["label"] == label).to_numpy() for label in (0, 1)]
    of_label = [threshold(scores[rows], alpha, clusters[rows]) for rows in own]
    if by == "verdict":
        return Thresholds(by, {ALL: (of_label[0], of_label[1])}, score)
    zero, one = (inf if isinf(limit) else 0.0 for limit in of_label)
    names, parts = groups_of(held) if by == "topic" else np.full(len(held), ALL), {}
    for part in np.unique(names).tolist():
        q_hat = threshold(scores[names == part], alpha, clusters[names == part])
        parts[part] = (max(q_hat, zero), max(q_hat, one))
    return Thresholds(by, parts, score)


def groups_of(held: pd.DataFrame) -> NDArray:
    """(n,) the topic of each case as text; `(none)` where it has none."""
    topics = held["group"] if "group" in held else pd.Series(NO_GROUP, index=held.index)
    return topics.fillna(NO_GROUP).astype(str).to_numpy()


def clusters_of(held: pd.DataFrame) -> NDArray:
    """(n,) the cluster of each case, numbered: what was drawn independently; without one, the case itself."""
    return pd.factorize(held["cluster"])[0] if "cluster" in held else np.arange(len(held))


def coverage(
    held: pd.DataFrame, alpha: float, *, score: str = "residual", by: str = "none", seed: int = 0
) -> pd.DataFrame:
    """Coverage over random splits of the cases that the calibrator has not seen: each time a fifth of the
    clusters is put aside, the others set the thresholds, and the sets of those aside are held against their
    labels. One row overall, one per verdict, one per topic.

    n : labelled cases; value : mean coverage over the splits, in [0, 1]; low, high : where 95 % of the splits
    fall, which is the scatter of a fifth of the cases and no confidence interval; decided : share with one
    label left, of n; wrong : share of the n_decided that the rater judged otherwise, no value where none was;
    both with Clopper-Pearson intervals of the cases, each counted as on average over its splits

    The overall value says that the sets are made as promised, and no more: its expectation is k/(n + 1)
    whatever the score is worth. That shows in the rows by verdict and topic, in `decided` and `wrong`.

    held, score, by : as in `mondrian`

    >>> held = pd.DataFrame({"probability": np.arange(60) / 60, "label": [0] * 30 + [1] * 30})
    >>> coverage(held, alpha=0.2)[["stratum", "n", "reason"]].to_numpy().tolist()
    [['all', 60, ''], ['0', 30, ''], ['1', 30, '']]
    """
    rng, n = np.random.default_rng(seed), len(held)
    label, groups, clusters = held["label"].to_numpy(dtype=int), groups_of(held), clusters_of(held)
    both = [nonconformity(held["probability"], np.full(n, each), score) for each in (0, 1)]
    of_label, known = np.column_stack(both), held.assign(group=groups, cluster=clusters)
    fits = np.full((N_SPLITS, n, 2), np.nan)  # 1 where a label is in the set; NaN where the case is not aside
    m = len(np.unique(clusters))
    for row in range(N_SPLITS if m > 1 else 0):
        aside = np.isin(clusters, rng.permutation(m)[: max(1, m // ASIDE)])
        fits[row, aside] = ~(
            of_label[aside] > mondrian(known[~aside], alpha, score=score, by=by).per_case(groups[aside])
        )
    hit = fits[:, np.arange(n), label]
    alone = np.where(np.isnan(hit), np.nan, fits.sum(axis=2) == 1)
    strata = [
        ("overall", "all", np.ones(n, dtype=bool)),
        *(("verdict", str(each), label == each) for each in np.unique(label)),
        *(("topic", each, groups == each) for each in np.unique(groups) if "group" in held),
    ]
    rows = [(kind, name, *_coverage_row(hit[:, own], alone[:, own])) for kind, name, own in strata]
    return pd.DataFrame(rows, columns=COVERAGE)


def _coverage_row(hit: NDArray, alone: NDArray) -> tuple:
    """COVERAGE from n on, of the cases of a stratum, from (N_SPLITS, cases)."""
    n, seen = hit.shape[1], (~np.isnan(hit)).sum(axis=1)
    if not seen.any():
        return n, *[np.nan] * 6, 0, *[np.nan] * 3, "fewer than two labelled cases"
    shares = np.nansum(hit, axis=1)[seen > 0] / seen[seen > 0]
    of_all = n / seen.sum()
    n_decided = round(np.nansum(alone) * of_all)
    n_wrong = min(round(((alone == 1) & (hit == 0)).sum() * of_all), n_decided)
    decided, wrong = clopper_pearson(n_decided, n), clopper_pearson(n_wrong, n_decided)
    of_decided = (decided.value, decided.low, decided.high, n_decided, wrong.value, wrong.low, wrong.high)
    return n, shares.mean(), *np.quantile(shares, [0.025, 0.975]), *of_decided, ""


@dataclass(frozen=True)
class LevelCalibration:
    """A metric calibrated to the levels of a scale, ascending.

    q_hat : threshold of the sets, set by the half held_out; infinite when there are too few labels
    """

    calibrator: Ordinal
    levels: tuple[float, ...]
    q_hat: float
    held_out: pd.DataFrame

    def sets(self, scores: ArrayLike) -> list[list[float]]:
        """The levels not ruled out for each score, without a gap; the whole scale where it is NaN."""
        return level_sets(level_probabilities(self.calibrator, scores, self.levels), self.q_hat, self.levels)


def calibrate_levels(
    labelled: pd.DataFrame, levels: Sequence[float], *, alpha: float = ALPHA, seed: int = 0
) -> LevelCalibration:
    """Proportional odds on one half of the labelled cases, adaptive prediction sets from the other.

    Parameters
    ----------
    labelled : as `calibration.join` gives it: value, level (the raters' median), cluster
    levels : every level of the scale, also those nobody gave

    Raises LabelError if they cannot carry it: a missing score or label, too few of two levels, a constant
    score, no two parts.
    """
    fitting, held_out = calibrators.split(labelled, seed, stratify="level", together="cluster")
    calibrator = fit_ordinal(fitting["value"], fitting["level"])
    probabilities = level_probabilities(calibrator, held_out["value"], levels)
    place = np.searchsorted(np.asarray(levels, dtype=float), held_out["level"])
    scores = level_nonconformity(probabilities)[np.arange(len(place)), place]
    q_hat = threshold(scores, alpha, held_out["cluster"])
    return LevelCalibration(calibrator, tuple(float(level) for level in levels), q_hat, held_out)


def level_probabilities(calibrator: Ordinal, scores: ArrayLike, levels: Sequence[float]) -> NDArray:
    """(n, k) probabilities of all levels of the scale: 0 for a level that the calibrator never saw."""
    known = calibrator.predict(scores)
    probabilities = np.where(np.isnan(known[:, :1]), np.nan, np.zeros((len(known), len(levels))))
    probabilities[:, np.searchsorted(np.asarray(levels, dtype=float), calibrator.grades)] = known
    return probabilities


def level_nonconformity(probabilities: ArrayLike) -> NDArray:
    """(n, k) mass of the levels taken before each, in [0, 1], growing from the most likely one; higher is
    worse. Of two like neighbours the lower goes first; a row of NaN where a probability is missing.

    probabilities : (n, k) of the levels, lowest first; rows sum to 1
    """
    p = np.asarray(probabilities, dtype=float)
    (n, k), known = p.shape, ~np.isnan(p).any(axis=1)
    rows, filled = np.arange(n), np.where(known[:, None], p, 1 / k)
    framed = np.column_stack([np.full(n, -1.0), filled, np.full(n, -1.0)])
    low = high = filled.argmax(axis=1)
    mass, before = filled[rows, low], np.zeros((n, k))
    for _ in range(k - 1):
        down = framed[rows, low] >= framed[rows, high + 2]
        taken = np.where(down, low - 1, high + 1)
        before[rows, taken], mass = mass, mass + filled[rows, taken]
        low, high = np.where(down, low - 1, low), np.where(down, high, high + 1)
    return np.where(known[:, None], before, np.nan)


def level_sets(probabilities: ArrayLike, q_hat: float, levels: Sequence[float]) -> list[list[float]]:
    """The levels of each case, ascending, whose nonconformity is at most q_hat; all where one is NaN."""
    scale = [int(level) if float(level).is_integer() else float(level) for level in levels]
    inside = ~(level_nonconformity(probabilities) > q_hat)
    return [[level for level, fits in zip(scale, row, strict=True) if fits] for row in inside]
