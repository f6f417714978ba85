"""Full and cross-conformal sets and the methods side by side: by hand, the definition spelled out, MAPIE, laws,
refusals, and the coverage they promise."""

import warnings
from dataclasses import dataclass
from functools import partial
from math import floor, sqrt

import numpy as np
import pandas as pd
import pytest
from mapie.classification import SplitConformalClassifier
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin

from ragassay.calibration import conformal
from ragassay.calibration.calibrators import fit_logistic
from ragassay.calibration.conformal import nonconformity, sets, threshold
from ragassay.calibration.full_conformal import METHODS, compare_methods, cross_conformal, full_conformal
from ragassay.errors import LabelError

ALPHAS = (0.05, 0.1, 0.2)


@dataclass(frozen=True)
class Line:
    """A logistic calibrator fitted in a few Newton steps with a ridge: quick, and content with one label."""

    weights: NDArray

    def predict(self, scores):
        return expit(self.weights[0] + self.weights[1] * np.asarray(scores, dtype=float))


def quick(x, y):
    design, weights = np.column_stack([np.ones(len(x)), x]), np.zeros(2)
    for _ in range(4):
        p = expit(design @ weights)
        hessian = design.T @ ((p * (1 - p))[:, None] * design) + np.eye(2)
        weights = weights - np.linalg.solve(hessian, design.T @ (p - y) + weights)
    return Line(weights)


def never_moved(_x, _y):
    return Line(np.array([0.0, 1.0]))


def cases(n, draw, *, ties=False):
    z = 1.5 * draw.normal(size=n)
    z = np.round(z) if ties else z
    return z, (draw.random(n) < expit(1.5 * z - 0.5)).astype(float)


def test_by_hand():
    """Nine labels 1 at probabilities 0.1 ... 0.9, a new case at 0.5 with a calibrator that does not move: as 1 it fits no
    worse than five of the ten (0.1 ... 0.5 and itself: six), as 0 (misfit 0.5) likewise."""
    p = np.arange(1, 10) / 10
    x = np.log(p / (1 - p))
    found = full_conformal(x, np.ones(9), [0.0, x[0], x[8]], fit=never_moved)
    assert found.counts[:, 1].tolist() == [6, 2, 10]
    assert found.counts[1].tolist() == [10, 2] and found.n == 9
    assert found.sets(0.2) == [[0, 1], [0], [1]], "a p value of exactly alpha is out"
    assert found.sets(0.19)[1] == [0, 1]


@pytest.mark.parametrize("seed", range(5))
def test_with_a_curve_that_does_not_move_it_is_the_split(seed):
    draw = np.random.default_rng(seed)
    x, y = cases(40, draw)
    new = draw.normal(size=30)
    for alpha in ALPHAS:
        expected = sets(expit(new), threshold(nonconformity(expit(x), y), alpha))
        assert full_conformal(x, y, new, fit=never_moved).sets(alpha) == expected
        assert cross_conformal(x, y, new, fit=never_moved, folds=7, rng=draw).sets(alpha) == expected


def test_full_agrees_with_the_definition():
    """Vovk et al. (2005), section 2.2: p(label) = share of the n + 1 cases at least as strange as the new one."""
    x, y = cases(30, np.random.default_rng(1))
    new = np.array([-1.0, 0.3, 2.0])
    found = full_conformal(x, y, new, fit=quick).counts / 31
    for row, score in enumerate(new):
        for label in (0, 1):
            calibrator = quick(np.append(x, score), np.append(y, label))
            strange = np.abs(np.append(y, label) - calibrator.predict(np.append(x, score)))
            assert found[row, label] == pytest.approx(np.mean(strange >= strange[-1] - 1e-12))


def test_cross_agrees_with_the_definition():
    """Vovk (2015), equation 4, leaving one out: (1 + cases whose misfit under the calibrator without them is at least
    the new one's)/(n + 1)."""
    x, y = cases(25, np.random.default_rng(2))
    new = np.array([-1.0, 0.3, 2.0])
    found = cross_conformal(x, y, new, fit=quick, folds=25, rng=np.random.default_rng(0)).counts
    without = [quick(np.delete(x, i), np.delete(y, i)) for i in range(25)]
    for row, score in enumerate(new):
        for label in (0, 1):
            reached = [
                abs(y[i] - calibrator.predict(x[i])) >= abs(label - calibrator.predict(score)) - 1e-12
                for i, calibrator in enumerate(without)
            ]
            assert found[row, label] == 1 + sum(reached)


class Told(ClassifierMixin, BaseEstimator):
    """A fitted classifier whose features are its probabilities."""

    classes_ = np.arange(2)

    def fit(self, _x, _y):
        return self

    def __sklearn_is_fitted__(self):
        return True

    def predict_proba(self, x):
        return np.asarray(x)

    def predict(self, x):
        return np.asarray(x).argmax(axis=1)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("n", [25, 50, 100, 500])
def test_split_sets_are_mapie_s(n, alpha):
    draw = np.random.default_rng([81, n])
    p = draw.random(n + 200)
    y, both = (draw.random(n + 200) < p).astype(int), np.column_stack([1 - p, p])
    rival = SplitConformalClassifier(Told(), confidence_level=1 - alpha, conformity_score="lac", prefit=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = rival.conformalize(both[:n], y[:n]).predict_set(both[n:])[1]
    q_hat = threshold(nonconformity(p[:n], y[:n]), alpha)
    assert sets(p[n:], q_hat) == [np.flatnonzero(row).tolist() for row in found[:, :, 0]]


def test_refuses():
    draw = np.random.default_rng(10)
    x, y = cases(60, draw)
    for run in (full_conformal, partial(cross_conformal, rng=draw)):
        for scores, labels, fit, complaint in (
            (x[:12], np.repeat([0.0, 1.0], [10, 2]), fit_logistic, "too few labels"),
            (x, np.ones(60), fit_logistic, "too few labels"),
            ([*x[:-1], np.nan], y, quick, "missing or infinite"),
            (x[:-1], y, quick, "one label"),
        ):
            with pytest.raises(LabelError, match=complaint):
                run(scores, labels, [0.0], fit=fit)
        with pytest.raises(ValueError, match="alpha"):
            run(x, y, [0.0], fit=quick).sets(1)
    with pytest.raises(LabelError, match="fewer labelled cases"):
        cross_conformal(x[:5], y[:5], [0.0], fit=quick, rng=draw)


def covered(run, n, ties, sims, fresh=6, fit=quick):
    """(sims, alphas) shares of new labels in their set."""
    draw, shares = np.random.default_rng([71, n, ties]), []
    for _ in range(sims):
        x, y = cases(n + fresh, draw, ties=ties)
        counts = run(x[:n], y[:n], x[n:], fit=fit, rng=draw).counts
        own = counts[np.arange(fresh), y[n:].astype(int)]
        shares.append([(own > floor(round(alpha * (n + 1), 9))).mean() for alpha in ALPHAS])
    return np.array(shares)


def transductive(x, y, new, *, fit, rng):
    return full_conformal(x, y, new, fit=fit)


@pytest.mark.parametrize("n, sims", [(9, 2000), (19, 2000), (50, 1500), (100, 1000), (500, 600)])
@pytest.mark.parametrize("ties", [False, True])
def test_full_covers_as_promised(n, sims, ties, simulations):
    """6 new cases each: 1 - floor(alpha(n + 1))/(n + 1) within 3 standard errors, with every label in both stages; with
    ties (about nine distinct scores) at least 1 - alpha."""
    sims = simulations(sims, 10)
    shares = covered(transductive, n, ties, sims)
    promised, error = [conformal.expected_coverage(n, alpha).value for alpha in ALPHAS], shares.std(axis=0)
    apart = shares.mean(axis=0) - (1 - np.array(ALPHAS) if ties else promised)
    assert ((apart if ties else -np.abs(apart)) >= -3 * error / sqrt(sims) - 1e-12).all()


@pytest.mark.parametrize("n, sims", [(9, 700), (19, 700), (50, 600), (100, 500), (500, 300)])
@pytest.mark.parametrize("ties", [False, True])
def test_cross_covers(n, sims, ties, simulations):
    """At least 1 - 2 alpha less its term for folds (Barber et al. 2021, theorem 4) as promised, and 1 - alpha less one
    point as measured."""
    sims, folds = simulations(sims), min(n, 10)
    shares = covered(partial(cross_conformal, folds=folds), n, ties, sims)
    uneven = min(2 * (1 - 1 / folds) / (n / folds + 1), (1 - folds / n) / (folds + 1))
    assert (shares.mean(axis=0) >= 1 - 2 * np.array(ALPHAS) - uneven).all()
    assert (shares.mean(axis=0) >= 1 - np.array(ALPHAS) - 0.01 - 3 * shares.std(axis=0) / sqrt(sims)).all()


def labelled(n, seed, topics=True):
    """Answers of two topics: in `clear` the score tells the label well, in `murky` badly."""
    rng = np.random.default_rng(seed)
    murky = rng.random(n) < 0.5
    label = (rng.random(n) < 0.6).astype(int)
    value = np.where(murky, 0.3, 2.0) * (2 * label - 1) + rng.normal(size=n) * 0.8
    found = pd.DataFrame({"case_id": [f"c{i}" for i in range(n)], "value": value, "label": label})
    found["cluster"] = found["case_id"]
    return found.assign(group=np.where(murky, "murky", "clear")) if topics else found


def test_a_row_for_each_method():
    found = compare_methods(labelled(80, 0), alpha=0.2)
    assert found["method"].tolist() == list(METHODS)
    assert (found["n"] == 80).all() and (found["reason"] == "").all() and found["coverage"].ge(0.65).all()
    assert found.set_index("method")["promise"]["by topic"] == "1 - alpha for each topic"


def test_the_promise_holds_within_each_topic(simulations):
    """A pooled threshold gives the murky topic less than it promises; its own gives what it promises."""
    hits = {(method, topic): [] for method in ("split", "by topic") for topic in ("clear", "murky")}
    for seed in range(simulations(150)):
        table = labelled(240, 1000 + seed)
        known, new = table[:200], table[200:]
        for (method, topic), found in hits.items():
            made = METHODS[method][1](known, new, 0.2, seed)
            hit = np.array([label in each for label, each in zip(new["label"], made, strict=True)])
            found += hit[(new["group"] == topic).to_numpy()].tolist()
    for topic in ("clear", "murky"):
        found = hits["by topic", topic]
        assert np.mean(found) >= 0.8 - 3 * np.sqrt(0.16 / len(found))
    assert np.mean(hits["split", "murky"]) < np.mean(hits["by topic", "murky"]) - 0.02
