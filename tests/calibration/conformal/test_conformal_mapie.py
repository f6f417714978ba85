"""MAPIE, the rival library: the same sets from the same probabilities, wherever it computes the same thing."""

import warnings

import numpy as np
import pytest
from mapie.classification import CrossConformalClassifier, SplitConformalClassifier
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneOut

from ragassay.calibration.conformal import cross_conformal, nonconformity, ordinal, sets, threshold

ALPHAS = (0.05, 0.1, 0.2)


class Told(ClassifierMixin, BaseEstimator):
    """A fitted classifier whose features are its probabilities."""

    def __init__(self, k=2):
        self.k = k

    def fit(self, _x, _y):
        return self

    @property
    def classes_(self):
        return np.arange(self.k)

    def __sklearn_is_fitted__(self):
        return True

    def predict_proba(self, x):
        return np.asarray(x)

    def predict(self, x):
        return np.asarray(x).argmax(axis=1)


def theirs(p, y, new, alpha, score, **params):
    """MAPIE's object and its prediction sets for `new`."""
    split = SplitConformalClassifier(
        Told(p.shape[1]), confidence_level=1 - alpha, conformity_score=score, prefit=True, random_state=3
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        split.conformalize(p, y)
        _, found = split.predict_set(new, conformity_score_params=params)
    return split, [np.flatnonzero(row).tolist() for row in found[:, :, 0]]


def graded(n, draw, k):
    """Probabilities of k ordered levels with one peak each, and labels drawn from them."""
    cuts = np.linspace(-2.5, 2.5, k - 1)
    p = np.diff(expit(cuts - 1.5 * draw.normal(size=9 * n)[:, None]), prepend=0, append=1, axis=1)
    turns = np.sign(np.diff(p, axis=1))
    p = p[(np.diff(turns, axis=1) <= 0).all(axis=1)][:n]
    return p, (draw.random(n)[:, None] > p.cumsum(axis=1)[:, :-1]).sum(axis=1)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("n", [25, 50, 100, 500])
@pytest.mark.parametrize("k", [2, 5])
def test_lac_sets_are_the_same(n, alpha, k):
    draw = np.random.default_rng([81, n, k])
    p, y = graded(n + 200, draw, k)
    _, found = theirs(p[:n], y[:n], p[n:], alpha, "lac")
    q_hat = threshold(ordinal.nonconformity(p[:n], y[:n], range(k), "lac"), alpha)
    assert ordinal.sets(p[n:], q_hat, range(k), "lac") == found
    if k == 2:
        assert sets(p[n:, 1], threshold(nonconformity(p[:n, 1], y[:n]), alpha)) == found


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("n", [50, 200])
def test_aps_is_the_same_where_probabilities_have_one_peak(n, alpha):
    """There the likelier neighbour is the next in order of probability, so growing from the peak is MAPIE's sorting. Its random scores
    are ours at its own u; at its threshold, its sets that hold the label across the border are those of `aps`."""
    draw = np.random.default_rng([82, n])
    p, y = graded(n + 200, draw, 5)
    rival, found = theirs(p[:n], y[:n], p[n:], alpha, "aps", include_last_label=True)
    u = np.random.RandomState(3).uniform(size=n)
    own = p[np.arange(n), y[:n]]
    assert rival.conformity_scores.ravel() == pytest.approx(
        ordinal.nonconformity(p[:n], y[:n], range(5)) + (1 - u) * own
    )
    assert ordinal.sets(p[n:], threshold(rival.conformity_scores.ravel(), alpha), range(5)) == found


def test_leaving_one_out_gives_the_same_sets():
    """MAPIE keeps a label that at least alpha(n - 1) cases fit no better, we (with Vovk 2015) one that more than alpha(n + 1) - 1 do:
    the same whole number for n = 50 and these alphas."""
    draw = np.random.default_rng(83)
    x = draw.normal(size=90)
    y = (draw.random(90) < expit(1.5 * x)).astype(int)

    class Calibrator:
        def __init__(self, a, b):
            self.model = LogisticRegression(tol=1e-10).fit(a[:, None], b)

        def predict(self, scores):
            return self.model.predict_proba(scores[:, None])[:, 1]

    ranked = cross_conformal(x[:50], y[:50], x[50:], fit=Calibrator, folds=50, rng=draw)
    for alpha in ALPHAS:
        rival = CrossConformalClassifier(
            LogisticRegression(tol=1e-10),
            confidence_level=1 - alpha,
            conformity_score="lac",
            cv=LeaveOneOut(),
        )
        rival.fit_conformalize(x[:50, None], y[:50])
        _, found = rival.predict_set(x[50:, None], agg_scores="crossval")
        assert ranked.sets(alpha) == [np.flatnonzero(row).tolist() for row in found[:, :, 0]]
