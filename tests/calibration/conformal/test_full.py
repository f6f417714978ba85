"""Full and cross-conformal sets: by hand, the definition spelled out, laws, refusals, and the coverage they promise."""

from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from quick_calibrators import cases, cross_guarantee, never_moved, quick
from scipy.special import expit

from ragassay.calibration import conformal
from ragassay.calibration.calibrators import logistic
from ragassay.calibration.conformal import cross_conformal, full_conformal, nonconformity, split_conformal
from ragassay.errors import LabelError


def test_by_hand():
    """Nine labels 1 at probabilities 0.1 ... 0.9, a new case at 0.5 with a calibrator that does not move: as 1 it fits no worse than five of
    the ten (0.1 ... 0.5 and itself: six), as 0 (misfit 0.5) likewise."""
    p = np.arange(1, 10) / 10
    x = np.log(p / (1 - p))
    found = full_conformal(x, np.ones(9), [0.0, x[0], x[8]], fit=never_moved)
    assert found.counts[:, 1].tolist() == [6, 2, 10]
    assert found.p_values[1].tolist() == [1.0, 0.2] and found.n == 9
    assert found.sets(0.2) == [[0, 1], [0], [1]], "a p value of exactly alpha is out"
    assert found.sets(0.19)[1] == [0, 1]


@pytest.mark.parametrize("seed", range(10))
def test_with_a_curve_that_does_not_move_it_is_the_split(seed):
    draw = np.random.default_rng(seed)
    x, y = cases(40, draw)
    new = draw.normal(size=30)
    for alpha in (0.05, 0.1, 0.2):
        q_hat = conformal.threshold(nonconformity(expit(x), y), alpha)
        expected = conformal.sets(expit(new), q_hat)
        assert full_conformal(x, y, new, fit=never_moved).sets(alpha) == expected
        assert cross_conformal(x, y, new, fit=never_moved, folds=7, rng=draw).sets(alpha) == expected


def test_halves_are_the_split():
    """Whichever half sets the ranks, the sets are those of a threshold from its n cases under the other half's calibrator."""
    x, y = cases(41, np.random.default_rng(11))
    seen = []

    def fit(a, b):
        seen.append((a, b))
        return quick(a, b)

    found = split_conformal(x, y, [-1.0, 0.2, 3.0], fit=fit, rng=np.random.default_rng(0))
    (fitted, _), calibrator = seen[0], quick(*seen[0])
    held = ~np.isin(x, fitted)
    assert len(seen) == 1 and found.n == held.sum() == 20 and len(fitted) == 21
    q_hat = conformal.threshold(nonconformity(calibrator.predict(x[held]), y[held]), 0.1)
    assert found.sets(0.1) == conformal.sets(calibrator.predict([-1.0, 0.2, 3.0]), q_hat)


def test_full_agrees_with_the_definition():
    """Vovk et al. (2005), section 2.2: p(label) = share of the n + 1 cases at least as strange as the new one."""
    x, y = cases(30, np.random.default_rng(1))
    new = np.array([-1.0, 0.3, 2.0])
    found = full_conformal(x, y, new, fit=quick).p_values
    for row, score in enumerate(new):
        for label in (0, 1):
            calibrator = quick(np.append(x, score), np.append(y, label))
            strange = np.abs(np.append(y, label) - calibrator.predict(np.append(x, score)))
            assert found[row, label] == pytest.approx(np.mean(strange >= strange[-1] - 1e-12))


def test_cross_agrees_with_the_definition():
    """Vovk (2015), equation 4, leaving one out: (1 + cases whose misfit under the calibrator without them is at least the new one's)/(n + 1)."""
    x, y = cases(25, np.random.default_rng(2))
    new = np.array([-1.0, 0.3, 2.0])
    found = cross_conformal(x, y, new, fit=quick, folds=25, rng=np.random.default_rng(0)).p_values
    for row, score in enumerate(new):
        for label in (0, 1):
            calibrators = [quick(np.delete(x, i), np.delete(y, i)) for i in range(25)]
            reached = [
                abs(y[i] - calibrator.predict(x[i])) >= abs(label - calibrator.predict(score)) - 1e-12
                for i, calibrator in enumerate(calibrators)
            ]
            assert found[row, label] == (1 + sum(reached)) / 26


def test_a_smaller_alpha_never_rules_out_more():
    x, y = cases(60, np.random.default_rng(3))
    for found in (
        full_conformal(x, y, x[:20], fit=quick),
        cross_conformal(x, y, x[:20], fit=quick, rng=np.random.default_rng(0)),
    ):
        kept = [found.sets(alpha) for alpha in (0.3, 0.2, 0.1, 0.05)]
        assert all(set(a) <= set(b) for one, other in pairwise(kept) for a, b in zip(one, other, strict=True))


def test_a_missing_score_rules_nothing_out():
    x, y = cases(60, np.random.default_rng(5))
    assert full_conformal(x, y, [np.nan, np.nan], fit=quick).sets(0.2) == [[0, 1]] * 2
    assert cross_conformal(x, y, [np.nan], fit=quick, rng=np.random.default_rng(0)).sets(0.2) == [[0, 1]]


def test_too_few_labels_give_full_sets():
    """Eight cases cannot rule out anything at 0.1, nine can."""
    for n, sets in ((8, [[0, 1]] * 2), (9, [[0], [1]])):
        x = np.linspace(-3, 3, n)
        found = full_conformal(x, (x > 0).astype(float), [-9.0, 9.0], fit=never_moved)
        assert found.sets(0.1) == sets


def test_clusters_stay_in_one_fold():
    x, y = cases(60, np.random.default_rng(9))
    names, seen = np.repeat(np.arange(20), 3), []

    def fit(a, b):
        seen.append({float(each) for each in a})
        return quick(a, b)

    cross_conformal(x, y, [0.0], fit=fit, folds=5, clusters=names, rng=np.random.default_rng(0))
    assert len(seen) == 5
    for part in seen:
        assert all(len({float(each) in part for each in x[names == name]}) == 1 for name in range(20))


def test_cross_guarantee_by_hand():
    """Barber et al. (2021), theorem 4: leaving one out promises 1 - 2 alpha, ten folds of 100 labels 0.8 less min(1.8/11, 0.9/11)."""
    assert cross_guarantee(50, 50, 0.1) == pytest.approx(0.8)
    assert cross_guarantee(100, 10, 0.1) == pytest.approx(0.8 - 0.9 / 11)
    assert cross_guarantee(100, 10, 0.5) == 0.0


def test_refuses():
    draw = np.random.default_rng(10)
    x, y = cases(60, draw)
    for run in (full_conformal, partial(cross_conformal, rng=draw), partial(split_conformal, rng=draw)):
        with pytest.raises(LabelError, match="too few labels"):
            run(x[:12], np.repeat([0.0, 1.0], [10, 2]), [0.0], fit=logistic.fit)
        with pytest.raises(LabelError, match="missing or infinite"):
            run([*x[:-1], np.nan], y, [0.0], fit=quick)
        with pytest.raises(LabelError, match="one label"):
            run(x[:-1], y, [0.0], fit=quick)
        with pytest.raises(LabelError, match="too few labels"):
            run(x, np.ones(60), [0.0], fit=logistic.fit)
        with pytest.raises(LabelError, match="every score is the same"):
            run(np.ones(60), y, [0.0], fit=logistic.fit)
        for alpha in (0, 1, 2, -1, float("nan")):
            with pytest.raises(ValueError, match="alpha"):
                run(x, y, [0.0], fit=quick).sets(alpha)
    with pytest.raises(LabelError, match="fewer labelled cases"):
        cross_conformal(x[:5], y[:5], [0.0], fit=quick, rng=draw)
    with pytest.raises(ValueError, match="folds"):
        cross_conformal(x, y, [0.0], fit=quick, folds=1, rng=draw)
    with pytest.raises(LabelError, match="one cluster"):
        cross_conformal(x, y, [0.0], fit=quick, clusters=["a"], rng=draw)
