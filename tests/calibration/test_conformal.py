"""Split conformal sets, by topic and verdict too: by hand, HCAT's formulas spelled out, laws, refusals, and the
coverage they promise, overall and within each part."""

from fractions import Fraction
from math import ceil, inf, sqrt

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from scipy.stats import beta

from ragassay.calibration import conformal
from ragassay.calibration.conformal import (
    MONDRIAN,
    SCORES,
    calibrate_levels,
    expected_coverage,
    level_nonconformity,
    level_probabilities,
    level_sets,
    mondrian,
    nonconformity,
    sets,
    threshold,
)
from ragassay.errors import LabelError, ParameterError

ALPHAS = (0.05, 0.1, 0.2)


def rng(seed=0):
    return np.random.default_rng(seed)


def judged(n, draw, slope=1.5):
    """A misfitting machine (its logit z, the truth's slope * z - 0.5): the promise must not rest on stage 1 being right."""
    z = 1.5 * draw.normal(size=n)
    return expit(z), (draw.random(n) < expit(slope * z - 0.5)).astype(int)


def table(residuals, labels, **more):
    """Held-out cases with these residuals."""
    y = np.asarray(labels)
    return pd.DataFrame({"probability": np.abs(y - np.asarray(residuals)), "label": y, **more})


def test_nonconformity_by_hand():
    assert nonconformity([0.8, 0.8], [1, 0]) == pytest.approx([0.2, 0.8])
    found = nonconformity([0.8, 0.8, 0.5], [1, 0, 1], "negative_logit")
    assert found == pytest.approx([-np.log(4), np.log(4), 0.0])


def test_threshold_is_the_kth_smallest_where_floats_are_not_exact():
    """(n + 1)(1 - alpha) in floats can land a hair above a whole number; the k meant is the one in tenths."""
    trapped = 0
    for tenths in range(1, 10):
        for n in range(1, 400):
            k = ceil((n + 1) * (1 - Fraction(tenths, 10)))
            for alpha in (tenths / 10, 1 - (10 - tenths) / 10, np.float64(tenths) * 0.1):
                assert threshold(np.arange(1.0, n + 1), alpha) == (k if k <= n else inf)
                trapped += ceil((n + 1) * (1 - alpha)) != k
    assert trapped > 50


def test_sets_by_hand():
    assert sets([0.95, 0.5, 0.05], 0.3) == [[1], [], [0]]
    assert sets([0.95, 0.5, 0.05], 0.6) == [[1], [0, 1], [0]]
    assert sets([0.95, np.nan], inf) == [[0, 1], [0, 1]] and sets([np.nan], 0.1) == [[0, 1]]
    assert sets([0.9, 0.1], [[inf, 0.3]]) == [[0, 1], [0]]


def test_sets_agree_with_the_three_cases_of_hcat():
    """Section 5.2: {0} when p < min(q, 1-q); {1} when p > max; both when 1-q <= p <= q; none when q < p < 1-q."""
    for q in rng(1).random(50):
        p = rng(2).random(200)
        for each, found in zip(p, sets(p, q), strict=True):
            low, high = min(q, 1 - q), max(q, 1 - q)
            assert found == ([0] if each < low else [1] if each > high else [0, 1] if q >= 0.5 else [])


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("n", [9, 19, 50, 100, 500])
def test_covers_as_promised(n, alpha, ties, simulations):
    """1,500 calibration sets of n, 40 new cases each: mean coverage is k/(n + 1) (1 when no threshold exists), with
    ties (probabilities rounded to tenths) at least 1 - alpha; 3 standard errors."""
    draw, shares = rng(41), []
    for _ in range(simulations(1500)):
        p, y = judged(n + 40, draw)
        s = nonconformity(np.round(p, 1) if ties else p, y)
        shares.append((s[n:] <= threshold(s[:n], alpha)).mean())
    error = 3 * np.std(shares) / sqrt(len(shares)) + 1e-12
    assert np.mean(shares) >= 1 - alpha - error
    assert ties or np.mean(shares) == pytest.approx(expected_coverage(n, alpha).value, abs=error)


def test_expected_coverage_by_hand():
    assert expected_coverage(9, 0.1).value == 0.9 and expected_coverage(99, 0.1).value == 0.9
    assert expected_coverage(100, 0.1).value == pytest.approx(91 / 101)
    assert expected_coverage(19, 0.1).low == pytest.approx(beta.ppf(0.025, 18, 2))
    assert (expected_coverage(8, 0.1).value, expected_coverage(8, 0.1).reason) == (1.0, "every set is full")


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


def test_refuses():
    for call, complaint in (
        (lambda: threshold([0.1, np.nan], 0.1), "1 NaN"),
        (lambda: nonconformity([1.2], [1]), "raw score"),
        (lambda: nonconformity([0.2], [2]), "labels must be 0 or 1"),
        (lambda: nonconformity([0.2], [1], "margin"), "residual, negative_logit"),
        (lambda: sets([0.2], np.nan), "q_hat"),
        (lambda: threshold([0.1] * 50, 1), "alpha"),
        (lambda: conformal.minimum_n(-0.1), "alpha"),
        (lambda: expected_coverage(50, float("nan")), "alpha"),
    ):
        with pytest.raises(ValueError, match=complaint):
            call()
    with pytest.raises(ParameterError, match="mondrian"):
        mondrian(table([0.1], [1]), 0.1, by="language")


def test_partitions_by_hand():
    held = table(np.arange(1, 21) / 20, np.tile([0, 1], 10), group=np.repeat(["a", "b"], 10))
    by = {name: mondrian(held, 0.1, by=name).q_hat for name in MONDRIAN}
    assert by["none"]["all"] == pytest.approx((0.95, 0.95))
    assert by["topic"]["a"] == pytest.approx((0.5, 0.5)) and by["topic"]["b"] == pytest.approx((1, 1))
    assert by["verdict"]["all"] == pytest.approx((0.95, 1.0))
    assert mondrian(held[:5], 0.1, by="topic").q_hat == {"a": (inf, inf)}


@pytest.mark.parametrize("by", ["none", "topic"])
def test_a_verdict_with_too_few_labels_is_never_ruled_out(by):
    """Eight rejected labels of 100 at alpha 0.1: the pooled threshold is finite, yet nothing is accepted."""
    held = table(np.arange(100) / 200, [0] * 8 + [1] * 92, group="a")
    zero, one = mondrian(held, 0.1, by=by).per_case(["a"])[0]
    assert zero == inf and one < inf
    enough = conformal.split(table(np.arange(100) / 200, [0] * 9 + [1] * 91), 0.1)
    assert np.isfinite(enough.per_case(["a"])).all()


def two_topics(n, seed=0):
    """The machine right in one topic, reversed in the other; the first has twice the labels."""
    draw = np.random.default_rng(seed)
    group = np.where(np.arange(n) % 3 < 2, "cards", "loans")
    z = draw.normal(size=n)
    label = (draw.random(n) < expit(np.where(group == "cards", 2.0, -1.0) * z)).astype(int)
    return pd.DataFrame({"probability": expit(z), "label": label, "group": group})


@pytest.mark.parametrize("by", ["topic", "verdict"])
@pytest.mark.parametrize("score", SCORES)
def test_new_answers_are_covered_within_each_part(by, score, simulations):
    """Thresholds from 120 labelled cases, 60 new ones: in each part at least 0.9 and at most 1/(its smallest n + 1) more,
    both within 3 standard errors; with one threshold the topic in which the machine is reversed falls below."""
    own, pooled = [], []
    for seed in range(simulations(2000, 20)):
        both = two_topics(180, seed)
        known, new = both[:120], both[120:].reset_index(drop=True)
        part, label = new["group"] if by == "topic" else new["label"], new["label"].to_numpy()
        for how, kept in ((by, own), ("none", pooled)):
            limits = mondrian(known, 0.1, score=score, by=how).per_case(new["group"])
            hit = nonconformity(new["probability"], label, score) <= limits[np.arange(60), label]
            kept.append(pd.Series(hit).groupby(part).mean().tolist())
    error = 3 * np.std(own, axis=0) / sqrt(len(own))
    assert (np.mean(own, axis=0) >= 0.9 - error).all()
    assert (np.mean(own, axis=0) <= 0.9 + 1 / 30 + error).all()
    assert by == "verdict" or np.mean(pooled, axis=0)[1] < 0.88


def held_out(n, draw, **more):
    p = expit(draw.normal(size=n))
    return pd.DataFrame({"probability": p, "label": (draw.random(n) < 0.7).astype(int), **more})


def test_coverage_has_a_row_a_stratum():
    held = held_out(60, rng(), group=["cards", "loans"] * 30)
    found = conformal.coverage(held, 0.2)
    strata = [("overall", "all"), ("verdict", "0"), ("verdict", "1"), ("topic", "cards"), ("topic", "loans")]
    assert list(zip(found["by"], found["stratum"], strict=True)) == strata
    assert found["n"].tolist()[1:3] == held["label"].value_counts().sort_index().tolist()
    assert (found["low"] <= found["value"]).all() and (found["value"] <= found["high"]).all()


def test_coverage_by_hand():
    """A calibrator that is never wrong and one that always is, on sets of one label and of none."""
    right = pd.DataFrame({"probability": [0.9, 0.1] * 30, "label": [1, 0] * 30})
    found = conformal.coverage(right, 0.1).iloc[0]
    assert (found["value"], found["decided"], found["wrong"]) == (1, 1, 0)
    assert (found["n"], found["n_decided"]) == (60, 60) and 0.04 < found["wrong_high"] < 0.07
    turned = conformal.coverage(right.assign(label=[0, 1] * 30), 0.1).iloc[0]
    assert (turned["value"], turned["decided"]) == (1, 0) and np.isnan(turned["wrong"])


LEVELS = [1, 2, 3, 4, 5]
PEAK = [[0.05, 0.1, 0.2, 0.4, 0.25]]


def labelled(n, seed=0):
    """Scores and levels 1 to 5, related."""
    draw = np.random.default_rng(seed)
    value = draw.normal(size=n)
    level = np.clip(np.round(3 + value + 0.7 * draw.logistic(size=n)), 1, 5)
    names = [f"c{i:04d}" for i in range(n)]
    return pd.DataFrame({"case_id": names, "value": value, "level": level, "cluster": names})


def test_sets_of_levels_by_hand():
    """Grown 4, 5 (0.25 > 0.2), 3, 2, 1: the mass before each."""
    assert level_nonconformity(PEAK)[0] == pytest.approx([0.95, 0.85, 0.65, 0.0, 0.4])
    assert level_sets(PEAK, 0.5, LEVELS) == [[4, 5]] and level_sets(PEAK, 0.7, LEVELS) == [[3, 4, 5]]
    assert level_sets(PEAK, 0.0, LEVELS) == [[4]] and level_sets(PEAK, inf, LEVELS) == [LEVELS]
    assert level_sets([[np.nan] * 5, PEAK[0]], 0.0, LEVELS) == [LEVELS, [4]]


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


def test_sets_agree_with_the_algorithm_as_printed():
    draw = np.random.default_rng(5)
    for k in (2, 3, 5, 7):
        p = draw.dirichlet(np.full(k, 0.7), 300)
        for limit in draw.random(5):
            assert level_sets(p, limit, range(k)) == [as_printed(row, limit) for row in p]


def test_the_threshold_is_that_of_the_held_out_labels_and_levels_nobody_gave_have_no_chance():
    found = calibrate_levels(labelled(120), [0, *LEVELS], alpha=0.2)
    chances = level_probabilities(found.calibrator, found.held_out.value, [0, *LEVELS])
    held = np.sort(level_nonconformity(chances)[np.arange(len(chances)), found.held_out.level.astype(int)])
    assert found.q_hat == held[int(np.ceil((len(held) + 1) * 0.8)) - 1] and (chances[:, 0] == 0).all()


@pytest.mark.parametrize(
    "rows", [labelled(1), labelled(8), labelled(60).assign(level=3.0), labelled(60).assign(value=0.5)]
)
def test_labels_that_carry_nothing_are_refused(rows):
    with pytest.raises(LabelError):
        calibrate_levels(rows, LEVELS)


@pytest.mark.parametrize("alpha", [0.1, 0.2])
def test_the_promise_is_kept(alpha, simulations):
    """150 simulations of 100 labels: mean coverage of 50 new answers at least nominal less three standard errors, and at
    most 1/51 + 0.03 above."""
    shares = []
    for seed in range(simulations(150)):
        new = labelled(50, seed=10_000 + seed)
        sets = calibrate_levels(labelled(100, seed=seed), LEVELS, alpha=alpha, seed=seed).sets(new.value)
        shares.append(np.mean([level in found for found, level in zip(sets, new.level, strict=True)]))
    error = 3 * np.std(shares) / np.sqrt(len(shares))
    assert 1 - alpha - error <= np.mean(shares) <= 1 - alpha + 1 / 51 + 0.03 + error
