"""A share of acceptable answers by a judge's scores and some labels: ours, and what two packages estimate.

    python bench/shares.py [worlds]   # 1,000 of each kind: ten minutes; writes shares.json beside itself

A world is 400 answers with a judge's score in [0, 1], its verdict (score of at least 0.5) and 100 labels
drawn at random. Log-odds of the scores are normal, AUROC 0.86:

    calibrated      75 % are acceptable; the score is the chance of it
    lenient         the same by a judge who is lenient and overconfident
    rare failures   97 % are acceptable, calibrated
    clusters        80 conversations of five, correlation 0.3; 20 whole ones are labelled
    one origin      half of the answers are of an origin without labels (60 % acceptable, AUROC 0.64; in the
                    other 85 %); the share of all is asked for, which the report of the kit refuses

The rivals are written here from what they document. Where the packages are installed, they have rows of their
own, which have never been run: no index within our reach offers them.

truescore   PPI++ with a normal interval, at least as wide as Wilson's of the labels where fewer than five are
            of one class; Rogan-Gladen by the delta method. Source: src/truescore/correct.py, version 0.7
cje-eval    isotonic calibration, cross-fitted in five folds: mean calibrated score and mean out-of-fold error
            of the labelled; clusters resampled, each time calibrated anew (200 times; there 2,000). Or that
            mean alone, its error by clusters and by a jackknife over folds. Refused where 5 % of the scores
            lie outside of the labelled ones'. Its optional spline before the isotonic step is left out.
            Source: cje/estimators/README.md, version 0.9

`covers`: share of the intervals given, cut to [0, 1], that hold the rate by which answers were drawn (its
standard error 0.007 at 0.95); `at_hand`: that hold the share of the 400 answers. `error`: absolute.
"""

import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats
from scipy.optimize import isotonic_regression
from scipy.special import expit, logit

from ragassay.calibration.inference import JudgedAnswers, prediction_powered, true_success
from ragassay.stats import mean_interval

ANSWERS, LABELLED, SIZE, FOLDS, RESAMPLES = 400, 100, 5, 5, 200
Z = stats.norm.ppf(0.975)
RATES = {"calibrated": 0.75, "lenient": 0.75, "rare failures": 0.97, "clusters": 0.75, "one origin": 0.725}
REFUSED = (np.nan, np.nan, np.nan)
Estimate = tuple[float, float, float]  # value, low, high


@dataclass
class World:
    """Answers by ascending score; `human` is NaN where there is no label, `truth` is known of all."""

    score: np.ndarray
    truth: np.ndarray
    human: np.ndarray
    cluster: np.ndarray

    @property
    def known(self) -> np.ndarray:
        return ~np.isnan(self.human)

    @property
    def verdict(self) -> np.ndarray:
        return (self.score >= 0.5).astype(float)


def draw(kind: str, rng: np.random.Generator) -> World:
    answer, rate = np.arange(ANSWERS), np.full(ANSWERS, RATES[kind])
    cluster = answer // SIZE if kind == "clusters" else answer
    first = answer < (ANSWERS // 2 if kind == "one origin" else ANSWERS)
    if kind == "clusters":
        rate = rng.beta(RATES[kind] * 7 / 3, (1 - RATES[kind]) * 7 / 3, ANSWERS // SIZE)[cluster]
    if kind == "one origin":
        rate = np.where(first, 0.85, 0.6)
    labels = rng.permutation(np.unique(cluster[first]))[: LABELLED * len(set(cluster)) // ANSWERS]
    truth = (rng.random(ANSWERS) < rate).astype(float)
    odds = np.where(first, 1.5, 0.5) * rng.normal((truth - 0.5) * np.where(first, 1.5, 0.5))
    odds = 2.5 * odds + 4 if kind == "lenient" else odds + logit(RATES[kind])
    order, human = np.argsort(odds), np.where(np.isin(cluster, labels), truth, np.nan)
    return World(expit(odds)[order], truth[order], human[order], cluster[order])


def ours(world: World, rng: np.random.Generator) -> Iterator[tuple[str, Estimate]]:
    clusters = world.cluster if len(set(world.cluster)) < ANSWERS else None
    verdicts, scores = (JudgedAnswers(by, world.human, clusters) for by in (world.verdict, world.score))
    among = None if clusters is None else clusters[world.known]
    found = {
        "labels alone": mean_interval(world.human[world.known], clusters=among, span=(0.0, 1.0), rng=rng),
        "ours: Rogan-Gladen, verdict": true_success(verdicts, n_boot=500, rng=rng),
        "ours: prediction-powered, verdict": prediction_powered(verdicts),
        "ours: prediction-powered, score": prediction_powered(scores),
    }
    yield from ((name, (each.value, each.low, each.high)) for name, each in found.items())


def theirs(world: World, rng: np.random.Generator) -> Iterator[tuple[str, Estimate]]:
    yield "truescore: Rogan-Gladen, verdict", rogan_gladen(world)
    yield "truescore: PPI++, verdict", ppi(world, world.verdict)
    yield "truescore: PPI++, score", ppi(world, world.score)
    fold = (rng.permutation(world.cluster.max() + 1) % FOLDS)[world.cluster]
    x, labelled = world.score, world.score[world.known]
    refused = ((x < labelled.min()) | (x > labelled.max())).mean() >= 0.05
    yield "cje-eval: isotonic, bootstrap", REFUSED if refused else cje_bootstrap(world, fold, rng)
    yield "cje-eval: isotonic, jackknife", REFUSED if refused else cje_jackknife(world, fold)
    yield from installed(world)


def variance_of_mean(values: np.ndarray, cluster: np.ndarray) -> float:
    """Of a mean, by what the clusters add to it."""
    _, code = np.unique(cluster, return_inverse=True)
    totals = np.bincount(code, values - values.mean())
    return len(totals) / (len(totals) - 1) * float((totals**2).sum()) / len(values) ** 2


def ppi(world: World, judge: np.ndarray) -> Estimate:
    """The labels' mean less lambda times the judge's, plus lambda times that of the others."""
    known, n = world.known, int(world.known.sum())
    y, f, others = world.human[known], judge[known], judge[~known]
    trust = np.cov(y, f)[0, 1] / (f.var(ddof=1) * (1 + n / len(others))) if f.var() else 0.0
    trust = float(np.clip(trust, 0, 1))
    error = y - trust * f
    value, groups = error.mean() + trust * others.mean(), len(set(world.cluster[known]))
    variance = variance_of_mean(error, world.cluster[known])
    variance += trust**2 * variance_of_mean(others, world.cluster[~known])
    half = (Z if groups == n else stats.t.ppf(0.975, groups - 1)) * np.sqrt(variance)
    if min(y.sum(), n - y.sum()) < 5:
        exact = stats.binomtest(int(y.sum()), n).proportion_ci(method="wilson")
        half = max(half, (exact.high - exact.low) / 2)
    return value, value - half, value + half


def rogan_gladen(world: World) -> Estimate:
    good, bad, p = world.verdict[world.human == 1], world.verdict[world.human == 0], world.verdict.mean()
    s, t = good.mean(), 1 - bad.mean() if len(bad) else 0.0
    if s + t <= 1:
        return REFUSED
    value = (p + t - 1) / (s + t - 1)
    variance = p * (1 - p) / ANSWERS + value**2 * s * (1 - s) / len(good)
    half = Z * np.sqrt(variance + (1 - value) ** 2 * t * (1 - t) / len(bad)) / (s + t - 1)
    return tuple(np.clip([value, value - half, value + half], 0, 1))


def calibrated(world: World, weight: np.ndarray, fold: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Isotonic scores of all answers, and those of the labelled by the folds which leave them out."""
    known = world.known & (weight > 0)
    x, y, w, part = world.score[known], world.human[known], weight[known], fold[known]
    left_out = np.zeros(len(x))
    for k in range(FOLDS):
        left_out[part == k] = isotonic(x[part != k], y[part != k], w[part != k], x[part == k])
    return isotonic(x, y, w, world.score), left_out


def isotonic(x: np.ndarray, y: np.ndarray, weight: np.ndarray, new: np.ndarray) -> np.ndarray:
    """As scikit-learn's `IsotonicRegression`: linear between the points, level outside; `x` ascends."""
    return np.interp(new, x, isotonic_regression(y, weights=weight).x)


def cje_bootstrap(world: World, fold: np.ndarray, rng: np.random.Generator) -> Estimate:
    def augmented(weight: np.ndarray) -> float:
        everyone, left_out = calibrated(world, weight, fold)
        known = world.known & (weight > 0)
        error = world.human[known] - left_out
        return everyone @ weight / weight.sum() + error @ weight[known] / weight[known].sum()

    n = world.cluster.max() + 1
    weights = rng.multinomial(n, np.full(n, 1 / n), RESAMPLES)[:, world.cluster].astype(float)
    low, high = np.percentile([augmented(weight) for weight in weights], [2.5, 97.5])
    return augmented(np.ones(ANSWERS)), low, high


def cje_jackknife(world: World, fold: np.ndarray) -> Estimate:
    x, y, part = world.score[world.known], world.human[world.known], fold[world.known]
    kept = [part != k for k in range(FOLDS)]
    means = np.array([isotonic(x[k], y[k], np.ones(k.sum()), world.score).mean() for k in kept])
    everyone = isotonic(x, y, np.ones(len(x)), world.score)
    variance = (FOLDS - 1) * means.var() + variance_of_mean(everyone, world.cluster)
    value, half = everyone.mean(), stats.t.ppf(0.975, FOLDS - 1) * np.sqrt(variance)
    return value, value - half, value + half


def installed(world: World) -> Iterator[tuple[str, Estimate]]:
    """By the packages themselves."""
    with suppress(ImportError):
        from truescore.correct import ppi_estimate

        known, places = world.human[world.known], np.flatnonzero(world.known)
        found = ppi_estimate(world.score, known, places, clusters=world.cluster)
        yield "truescore itself: PPI++, score", (found.point, found.low, found.high)
    with suppress(ImportError):
        from cje import calibrated_mean_ci

        found = calibrated_mean_ci(world.score, world.human, cluster_ids=world.cluster)
        yield "cje-eval itself", (found.estimate, *found.ci)


def main() -> None:
    worlds, rows = int(sys.argv[1]) if sys.argv[1:] else 1000, []
    for number, (kind, rate) in enumerate(RATES.items()):
        for seed in range(worlds):
            first, second, third = np.random.default_rng([number, seed]).spawn(3)
            world = draw(kind, first)
            for name, (value, low, high) in (*ours(world, second), *theirs(world, third)):
                low, high = np.clip([low, high], 0, 1)
                holds = [low <= each <= high if low >= 0 else np.nan for each in (rate, world.truth.mean())]
                rows.append((kind, name, *holds, high - low, abs(value - rate), np.isnan(low)))
    table = pd.DataFrame(
        rows, columns=["world", "estimate", "covers", "at_hand", "width", "error", "refused"]
    )
    found = table.groupby(["world", "estimate"], sort=False).agg(lambda each: each.astype(float).mean())
    print(found.round(3).to_string())
    lines = found.round(3).reset_index().to_json(orient="records", lines=True).strip()
    text = f'{{"worlds": {worlds}, "rows": [\n' + lines.replace("\n", ",\n") + "\n]}\n"
    Path(__file__).with_suffix(".json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
