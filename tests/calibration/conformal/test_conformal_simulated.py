"""Coverage of split, full and cross-conformal sets as promised, in seeded simulations; the figures are in the library's docstrings."""

from functools import partial
from math import floor, sqrt

import numpy as np
import pandas as pd
import pytest
from quick_calibrators import cases, cross_guarantee, quick
from scipy.special import expit

from ragassay.calibration import conformal
from ragassay.calibration.calibrators import logistic
from ragassay.calibration.conformal import (
    SCORES,
    cross_conformal,
    expected_coverage,
    full_conformal,
    nonconformity,
    threshold,
)
from ragassay.calibration.label_split import split


def covered(run, n, ties, alphas, sims, fresh, fit=quick, draw_cases=cases):
    """(sims, alphas) shares of new labels in their set."""
    draw, shares = np.random.default_rng([71, n, ties]), []
    for _ in range(sims):
        x, y = draw_cases(n + fresh, draw, ties=ties)
        counts = run(x[:n], y[:n], x[n:], fit=fit, rng=draw).counts
        own = counts[np.arange(fresh), y[n:].astype(int)]
        shares.append([(own > floor(round(alpha * (n + 1), 9))).mean() for alpha in alphas])
    return np.array(shares)


def transductive(x, y, new, *, fit, rng):
    return full_conformal(x, y, new, fit=fit)


ALPHAS = (0.05, 0.1, 0.2)
ALL_N = pytest.mark.parametrize("n, sims", [(9, 2000), (19, 2000), (50, 1500), (100, 1000), (500, 600)])


@ALL_N
def test_full_covers_as_promised(n, sims, simulations):
    """Continuous scores, 6 new cases each: 1 - floor(alpha(n + 1))/(n + 1) within 3 standard errors, with every label in both stages."""
    sims = simulations(sims)
    shares = covered(transductive, n, False, ALPHAS, sims, 6)
    promised = [conformal.expected_coverage(n, alpha).value for alpha in ALPHAS]
    assert (np.abs(shares.mean(axis=0) - promised) <= 3 * shares.std(axis=0) / sqrt(sims) + 1e-12).all()


@ALL_N
def test_full_covers_at_least_as_promised_with_ties(n, sims, simulations):
    """Scores rounded to whole numbers, about nine distinct ones."""
    sims = simulations(sims)
    shares = covered(transductive, n, True, ALPHAS, sims, 6)
    assert (shares.mean(axis=0) >= 1 - np.array(ALPHAS) - 3 * shares.std(axis=0) / sqrt(sims)).all()


@pytest.mark.parametrize("n, sims", [(9, 700), (19, 700), (50, 600), (100, 500), (500, 300)])
@pytest.mark.parametrize("ties", [False, True])
def test_cross_covers(n, sims, ties, simulations):
    """At least 1 - 2 alpha less its term for folds as promised, and 1 - alpha less one point as measured."""
    sims = simulations(sims)
    shares = covered(partial(cross_conformal, folds=min(n, 10)), n, ties, ALPHAS, sims, 6)
    assert (shares.mean(axis=0) >= [cross_guarantee(n, min(n, 10), alpha) for alpha in ALPHAS]).all()
    assert (shares.mean(axis=0) >= 1 - np.array(ALPHAS) - 0.01 - 3 * shares.std(axis=0) / sqrt(sims)).all()


@pytest.mark.parametrize("n", [50, 100])
def test_full_covers_with_the_calibrator_of_stage_1(n, simulations):
    """The real calibrator: 250 labelled sets, 3 new cases each, 3 standard errors."""
    sims = simulations(250)
    shares = covered(transductive, n, False, ALPHAS, sims, 3, fit=logistic.fit)
    promised = [conformal.expected_coverage(n, alpha).value for alpha in ALPHAS]
    assert (np.abs(shares.mean(axis=0) - promised) <= 3 * shares.std(axis=0) / sqrt(sims) + 1e-12).all()


def misjudged(n, draw):
    """A misfitting machine (its logit z, the truth's 1.5 z - 0.5): the promise must not rest on stage 1 being right."""
    z = 1.5 * draw.normal(size=n)
    return expit(z), (draw.random(n) < expit(1.5 * z - 0.5)).astype(int)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.2])
@pytest.mark.parametrize("n", [9, 19, 50, 100, 500])
def test_covers_at_least_as_promised_with_ties(n, alpha, score, simulations):
    """Probabilities rounded to tenths: at least 1 - alpha, 3 standard errors."""
    draw, sims = np.random.default_rng(48), simulations(1500)
    p_y = [(np.round(p, 1), y) for p, y in (misjudged(n + 40, draw) for _ in range(sims))]
    thresholds = [threshold(nonconformity(p[:n], y[:n], score), alpha) for p, y in p_y]
    shares = [
        (nonconformity(p[n:], y[n:], score) <= q).mean() for (p, y), q in zip(p_y, thresholds, strict=True)
    ]
    assert np.mean(shares) >= 1 - alpha - 3 * np.std(shares) / sqrt(sims)


def test_both_stages_together_cover(simulations):
    """80 labels, stratified into halves, calibrator on one, threshold on the other, 20 new answers: at least 0.9 (3 standard errors)."""
    draw, shares = np.random.default_rng(46), []
    for seed in range(simulations(600)):
        score = draw.normal(size=100)
        rows = pd.DataFrame(
            {"score": score, "label": (draw.random(100) < expit(0.8 + 1.5 * score)).astype(int)}
        )
        fitting, held_out = split(rows.iloc[:80], seed)
        calibrator, new = logistic.fit(fitting["score"], fitting["label"]), rows.iloc[80:]
        q_hat = threshold(nonconformity(calibrator.predict(held_out["score"]), held_out["label"]), 0.1)
        shares.append((nonconformity(calibrator.predict(new["score"]), new["label"]) <= q_hat).mean())
    error = 3 * np.std(shares) / sqrt(len(shares))
    assert 0.9 - error <= np.mean(shares) <= expected_coverage(38, 0.1).value + 0.01 + error
