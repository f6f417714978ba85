"""Sets of ordered levels: by hand, algorithm 1 of Lu et al. spelled out, laws, refusals, and the coverage they promise."""

from math import inf, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from ragassay.calibration.conformal import expected_coverage, ordinal, threshold

LEVELS = (1, 2, 3, 4, 5)
PEAK = [[0.05, 0.1, 0.2, 0.4, 0.25]]


def graded(n, draw, *, steps=None, truth=1.0):
    """A proportional-odds machine that is `truth` times too sure, (n, 5), and the human levels; `steps` rounds its score (ties)."""
    z = 1.5 * draw.normal(size=n)
    z = z if steps is None else np.round(z * steps) / steps
    cuts = np.array([-2.0, -1.0, 0.5, 1.5])
    believed, real = (
        np.diff(expit(cuts - slope * z[:, None]), prepend=0, append=1, axis=1) for slope in (1.0, truth)
    )
    return believed, 1 + (draw.random(n)[:, None] > real.cumsum(axis=1)[:, :4]).sum(axis=1)


def test_by_hand():
    """Grown 4, 5 (0.25 > 0.2), 3, 2, 1: the mass before each."""
    assert ordinal.all_levels(PEAK, LEVELS)[0] == pytest.approx([0.95, 0.85, 0.65, 0.0, 0.4])
    assert ordinal.all_levels(PEAK, LEVELS, "lac")[0] == pytest.approx([0.95, 0.9, 0.8, 0.6, 0.75])
    assert ordinal.nonconformity(PEAK * 2, [3, np.nan], LEVELS) == pytest.approx([0.65, np.nan], nan_ok=True)
    assert ordinal.sets(PEAK, 0.5, LEVELS) == [[4, 5]] and ordinal.sets(PEAK, 0.7, LEVELS) == [[3, 4, 5]]
    assert ordinal.sets(PEAK, 0.0, LEVELS) == [[4]] and ordinal.sets(PEAK, inf, LEVELS) == [[1, 2, 3, 4, 5]]
    assert ordinal.sets(PEAK, 0.78, LEVELS, "lac") == [[4, 5]] and ordinal.sets(PEAK, 0.5, LEVELS, "lac") == [
        []
    ]


def test_thresholds_of_groups_and_of_levels():
    assert ordinal.sets(PEAK * 2, [0.0, 0.5], LEVELS) == [[4], [4, 5]]
    assert ordinal.sets(PEAK, [[inf, 0, 0, 0, 0.5]], LEVELS) == [[1, 4, 5]]


def test_a_missing_probability_rules_nothing_out():
    assert ordinal.sets([[np.nan] * 5, PEAK[0]], 0.0, LEVELS) == [[1, 2, 3, 4, 5], [4]]
    assert ordinal.sets([[0.2, np.nan]], 0.0, (0, 1), "lac") == [[0, 1]]


def as_printed(p, limit):
    """Lu et al. (2022), algorithm 1: while the mass is at most lambda, take the likelier of the two neighbours."""
    low = high = int(np.argmax(p))
    mass = p[low]
    while mass <= limit and (low > 0 or high < len(p) - 1):
        below, above = (p[low - 1] if low > 0 else -1), (p[high + 1] if high < len(p) - 1 else -1)
        if below >= above:
            low, mass = low - 1, mass + below
        else:
            high, mass = high + 1, mass + above
    return list(range(low, high + 1))


def test_agrees_with_the_algorithm_as_printed():
    draw = np.random.default_rng(5)
    for k in (2, 3, 5, 7):
        p = draw.dirichlet(np.full(k, 0.7), 300)
        for limit in draw.random(5):
            assert ordinal.sets(p, limit, range(k)) == [as_printed(row, limit) for row in p]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.floats(0, 1), min_size=2, max_size=9).filter(lambda p: sum(p) > 1e-3),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_sets_are_nested_ranges_and_never_empty(weights, one, other):
    p = np.array([weights]) / sum(weights)
    levels = list(range(len(weights)))
    small, large = (ordinal.sets(p, limit, levels)[0] for limit in sorted((one, other)))
    assert set(small) <= set(large) and small and large == list(range(large[0], large[-1] + 1))
    assert int(p.argmax()) in small


def test_lac_of_two_levels_is_the_residual_of_two_labels():
    from ragassay.calibration import conformal

    p = np.random.default_rng(6).random(200)
    two = np.column_stack([1 - p, p])
    assert ordinal.all_levels(two, (0, 1), "lac")[:, 1] == pytest.approx(conformal.nonconformity(p, 1))
    assert ordinal.sets(two, 0.3, (0, 1), "lac") == conformal.sets(p, 0.3)


@pytest.mark.parametrize(
    "found, decision",
    [([4, 5], "accept"), ([4], "accept"), ([1, 2, 3], "reject"), ([3, 4], "review"), ([], "review")],
)
def test_decide(found, decision):
    assert ordinal.decide(found, accept_from=4) == decision


def coverages(n, score, steps, alphas, sims=1500, fresh=20):
    """(sims, alphas) shares of new labels in their set; all simulations are drawn and scored in one call."""
    draw = np.random.default_rng([61, n])
    p, y = graded(sims * (n + fresh), draw, steps=steps, truth=0.6)
    scores = ordinal.nonconformity(p, y, LEVELS, score).reshape(sims, n + fresh)
    return np.array([[(s[n:] <= threshold(s[:n], alpha)).mean() for alpha in alphas] for s in scores])


ALPHAS = (0.05, 0.1, 0.2)


@pytest.mark.slow
@pytest.mark.parametrize("n", [9, 19, 50, 100, 500])
def test_covers_as_promised(n):
    """1,500 calibration sets, 20 new cases each, a machine too sure of itself: k/(n + 1) within 3 standard errors."""
    shares = coverages(n, "lac", None, ALPHAS)
    promised = [expected_coverage(n, alpha).value for alpha in ALPHAS]
    assert (
        np.abs(shares.mean(axis=0) - promised) <= 3 * shares.std(axis=0) / sqrt(len(shares)) + 1e-12
    ).all()


@pytest.mark.slow
@pytest.mark.parametrize("n", [9, 19, 50, 100, 500])
@pytest.mark.parametrize("score", ["aps", "lac"])
def test_covers_at_least_as_promised_with_ties(n, score):
    """Scores rounded to halves, so a dozen distinct probabilities; aps ties at 0 as well."""
    shares = coverages(n, score, 2, ALPHAS)
    error = 3 * shares.std(axis=0) / sqrt(len(shares))
    assert (shares.mean(axis=0) >= 1 - np.array(ALPHAS) - error).all()


@pytest.mark.parametrize(
    "call, word",
    [
        (lambda: ordinal.sets([[0.5, 0.5]], 0.1, LEVELS), "one column per level"),
        (lambda: ordinal.sets([[0.5, 0.6]], 0.1, (0, 1)), "sum to 1"),
        (lambda: ordinal.sets([[-0.5, 1.5]], 0.1, (0, 1)), "sum to 1"),
        (lambda: ordinal.sets([[0.5, 0.5]], 0.1, (1, 0)), "ascending"),
        (lambda: ordinal.sets([[0.5, 0.5]], np.nan, (0, 1)), "q_hat"),
        (lambda: ordinal.sets([[0.5, 0.5]], 0.1, (0, 1), "margin"), "aps, lac"),
        (lambda: ordinal.nonconformity([[0.5, 0.5]], [2], (0, 1)), "on the scale"),
        (lambda: ordinal.nonconformity([[0.5, 0.5]], [0, 1], (0, 1)), "on the scale"),
    ],
)
def test_refuses(call, word):
    with pytest.raises(ValueError, match=word):
        call()
