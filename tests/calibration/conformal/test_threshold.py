"""Split conformal sets: by hand, HCAT's formulas spelled out, laws, refusals, and the coverage they promise."""

from fractions import Fraction
from math import ceil, inf, isinf, sqrt

import numpy as np
import pytest
from scipy.special import expit

from ragassay.calibration.conformal import (
    SCORES,
    decide,
    decision_regions,
    expected_coverage,
    minimum_n,
    nonconformity,
    sets,
    threshold,
)

BOTH = pytest.mark.parametrize("score", SCORES)


def rng(seed=0):
    return np.random.default_rng(seed)


def judged(n, draw, slope=1.5):
    """A misfitting machine (its logit z, the truth's slope * z - 0.5): the promise must not rest on stage 1 being right."""
    z = 1.5 * draw.normal(size=n)
    return expit(z), (draw.random(n) < expit(slope * z - 0.5)).astype(int)


def test_nonconformity_by_hand():
    assert nonconformity([0.8, 0.8], [1, 0]) == pytest.approx([0.2, 0.8])
    assert nonconformity([0.8, 0.8, 0.5], [1, 0, 1], "negative_logit") == pytest.approx(
        [-np.log(4), np.log(4), 0.0]
    )


@pytest.mark.parametrize("n, alpha, k", [(9, 0.1, 9), (19, 0.1, 18), (4, 0.2, 4), (199, 0.05, 190)])
def test_threshold_by_hand(n, alpha, k):
    """The k-th smallest; scores 1..n in any order, so q_hat is k itself."""
    assert threshold(rng().permutation(np.arange(1.0, n + 1)), alpha) == k


def test_threshold_is_exact_where_floats_are_not():
    """(n + 1)(1 - alpha) in floats can land a hair above a whole number; the k meant is the one in tenths."""
    trapped = 0
    for tenths in range(1, 10):
        for n in range(1, 400):
            k = ceil((n + 1) * (1 - Fraction(tenths, 10)))
            for alpha in (tenths / 10, 1 - (10 - tenths) / 10, np.float64(tenths) * 0.1):
                assert threshold(np.arange(1.0, n + 1), alpha) == (k if k <= n else inf)
                trapped += ceil((n + 1) * (1 - alpha)) != k
    assert trapped > 50


def test_threshold_agrees_with_numpy_s_uninterpolated_quantile():
    """HCAT 5.2 step 2 as printed, at level ceil((n+1)(1-alpha))/n of the n scores (Angelopoulos, Bates 2023, section 1)."""
    for n in range(9, 200):
        s = rng(n).random(n)
        assert threshold(s, 0.1) == np.quantile(
            s, min(1.0, ceil(round((n + 1) * 0.9, 9)) / n), method="inverted_cdf"
        )


@pytest.mark.parametrize("alpha, n", [(0.1, 9), (0.05, 19), (0.2, 4), (0.01, 99), (0.5, 1), (0.3, 3)])
def test_minimum_n(alpha, n):
    assert minimum_n(alpha) == n
    assert isinf(threshold(np.zeros(n - 1), alpha)) and threshold(np.zeros(n), alpha) == 0


def test_sets_by_hand():
    assert sets([0.95, 0.5, 0.05], 0.3) == [[1], [], [0]]
    assert sets([0.95, 0.5, 0.05], 0.6) == [[1], [0, 1], [0]]
    assert sets([0.95, np.nan], inf) == [[0, 1], [0, 1]] and sets([np.nan], 0.1) == [[0, 1]]


def test_sets_agree_with_the_three_cases_of_hcat():
    """Section 5.2: {0} when p < min(q, 1-q); {1} when p > max; both when 1-q <= p <= q; none when q < p < 1-q."""
    for q in rng(1).random(50):
        p = rng(2).random(200)
        for given, found in zip(p, sets(p, q), strict=True):
            low, high = min(q, 1 - q), max(q, 1 - q)
            assert found == ([0] if given < low else [1] if given > high else [0, 1] if q >= 0.5 else [])


@pytest.mark.parametrize("seed", range(20))
def test_both_scores_lead_to_the_same_sets(seed):
    p, y = judged(60, rng(seed))
    new = rng(seed + 100).random(200)
    one, two = (sets(new, threshold(nonconformity(p, y, score), 0.1), score) for score in SCORES)
    assert one == two


@pytest.mark.parametrize(
    "found, decision",
    [([1], "accept"), ([0], "reject"), ([0, 1], "review"), ([], "review"), (np.array([1.0]), "accept")],
)
def test_decide(found, decision):
    assert decide(found) == decision


@BOTH
@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.2])
@pytest.mark.parametrize("n", [9, 19, 50, 100, 500])
def test_covers_as_promised(n, alpha, score):
    """1,500 calibration sets of n, 40 new cases each: mean coverage is k/(n + 1) (1 when no threshold exists), 3 standard errors."""
    draw = rng(41)
    p_y = [judged(n + 40, draw) for _ in range(1500)]
    thresholds = [threshold(nonconformity(p[:n], y[:n], score), alpha) for p, y in p_y]
    shares = [
        (nonconformity(p[n:], y[n:], score) <= q).mean() for (p, y), q in zip(p_y, thresholds, strict=True)
    ]
    promised = expected_coverage(n, alpha).value
    assert promised >= 1 - alpha
    assert np.mean(shares) == pytest.approx(promised, abs=3 * np.std(shares) / sqrt(1500) + 1e-12)


def test_an_interpolated_quantile_under_covers():
    """Why `threshold` is not numpy's default: about 0.855 for a promised 0.90 at n = 19 (decision 2)."""
    draws = rng(43).random((20_000, 20))
    naive = (draws[:, 19] <= np.quantile(draws[:, :19], 0.9, axis=1)).mean()
    ours = np.mean([row[19] <= threshold(row[:19], 0.1) for row in draws[:5000]])
    assert naive == pytest.approx(0.855, abs=0.01) and ours == pytest.approx(0.90, abs=3 * sqrt(0.09 / 5000))


def test_expected_coverage_by_hand():
    assert expected_coverage(9, 0.1).value == 0.9 and expected_coverage(99, 0.1).value == 0.9
    assert expected_coverage(100, 0.1).value == pytest.approx(91 / 101)
    assert expected_coverage(20, 0.1, 0.9).low == pytest.approx(0.784, abs=0.001)
    small = expected_coverage(8, 0.1)
    assert (small.value, small.reason) == (1.0, "every set is full")


def test_clusters_weigh_alike_by_hand():
    """Four clusters at alpha 0.2: 0.8 of five is all four; at 0.4, three: the pair counts a half each."""
    scores, clusters = [1.0, 2.0, 3.0, 4.0, 5.0], ["a", "b", "b", "c", "d"]
    assert threshold(scores, 0.2, clusters) == 5.0 and threshold(scores[:4], 0.2, clusters[:4]) == inf
    assert threshold(scores, 0.4, clusters) == 4.0 and threshold(scores, 0.6, clusters) == 3.0
    assert threshold(scores, 0.4, range(5)) == threshold(scores, 0.4)


@pytest.mark.parametrize("n, each", [(4, [5]), (10, [5]), (20, [5]), (40, [5]), (20, list(range(1, 10)))])
def test_clusters_are_covered_as_promised(n, each, simulations):
    """Scores of a cluster that correlate at 0.8: a random answer of 40 new clusters is covered at 0.8, at most
    2/(n + 1) more (3 standard errors)."""
    draw, shares = rng(61), []
    for _ in range(simulations(2000)):
        names = np.repeat(np.arange(n + 40), draw.choice(each, n + 40))
        scores = np.sqrt(0.8) * draw.normal(size=n + 40)[names] + np.sqrt(0.2) * draw.normal(size=len(names))
        known = names < n
        hit = scores[~known] <= threshold(scores[known], 0.2, names[known])
        new = names[~known] - n
        shares.append((np.bincount(new, hit) / np.bincount(new)).mean())
    error = 3 * np.std(shares) / sqrt(len(shares))
    assert 0.8 - error <= np.mean(shares) <= 0.8 + 2 / (n + 1) + error


@pytest.mark.parametrize("alpha", [0, 1, -0.1, 1.5, 10, float("nan")])
def test_refuses_alpha(alpha):
    for refused in (
        lambda: threshold([0.1] * 50, alpha),
        lambda: minimum_n(alpha),
        lambda: expected_coverage(50, alpha),
    ):
        with pytest.raises(ValueError, match="alpha"):
            refused()


def test_refuses():
    with pytest.raises(ValueError, match="1 NaN"):
        threshold([0.1, np.nan], 0.1)
    with pytest.raises(ValueError, match="raw score"):
        nonconformity([1.2], [1])
    with pytest.raises(ValueError, match="labels must be 0 or 1"):
        nonconformity([0.2], [2])
    with pytest.raises(ValueError, match="residual, negative_logit"):
        nonconformity([0.2], [1], "margin")
    with pytest.raises(ValueError, match="q_hat"):
        sets([0.2], np.nan)


def holding(table, p):
    """The row of the table whose region holds p."""
    left, right = table.closed.isin(["both", "left"]), table.closed.isin(["both", "right"])
    low, high = table["from"], table["to"]
    inside = ((low < p) | (left & (low == p)) | (low == 0)) & (
        (high > p) | (right & (high == p)) | (high == 1)
    )
    found = table[inside]
    assert len(found) == 1, f"{p} lies in {len(found)} regions"
    return found.iloc[0]


def rows(table):
    return [
        (row["from"], pytest.approx(row["to"]), row["closed"], row["set"], row["decision"])
        for _, row in table.iterrows()
    ]


def test_regions_by_hand():
    """The three cases of HCAT section 5.2, with their thresholds."""
    assert rows(decision_regions(0.75)) == [
        (0.0, 0.25, "left", [0], "reject"),
        (0.25, 0.75, "both", [0, 1], "review"),
        (0.75, 1.0, "right", [1], "accept"),
    ]
    assert rows(decision_regions(0.25)) == [
        (0.0, 0.25, "both", [0], "reject"),
        (0.25, 0.75, "neither", [], "review"),
        (0.75, 1.0, "both", [1], "accept"),
    ]
    assert rows(decision_regions(0.5)) == [
        (0.0, 0.5, "left", [0], "reject"),
        (0.5, 0.5, "both", [0, 1], "review"),
        (0.5, 1.0, "right", [1], "accept"),
    ]


def test_a_verdict_never_ruled_out_has_no_region_against_it():
    assert rows(decision_regions([inf, 0.3])) == [
        (0.0, 0.7, "left", [0], "reject"),
        (0.7, 1.0, "both", [0, 1], "review"),
    ]
    assert decision_regions([0.3, inf])["decision"].tolist() == ["review", "accept"]


@pytest.mark.parametrize("q_hat", [1.0, inf])
def test_regions_without_a_threshold_leave_everything_to_review(q_hat):
    assert rows(decision_regions(q_hat)) == [(0.0, 1.0, "both", [0, 1], "review")]


def test_regions_agree_with_the_sets():
    draw = np.random.default_rng(0)
    for q_hat in draw.random(30):
        p = np.concatenate([draw.random(15), [0.0, 1.0]])
        table = decision_regions(q_hat)
        assert [holding(table, each)["set"] for each in p] == sets(p, q_hat)
        assert table["decision"].tolist() == [decide(each) for each in table["set"]]


@pytest.mark.parametrize("q_hat", [np.nan, -0.1])
def test_regions_refuse(q_hat):
    with pytest.raises(ValueError, match="q_hat"):
        decision_regions(q_hat)
