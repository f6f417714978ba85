"""Thresholds by topic and verdict: by hand, the sets of each from all others, the promise kept within each part in
simulation."""

import functools
from math import inf, sqrt

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from ragassay.calibration import calibration_pipeline, conformal
from ragassay.calibration.conformal import (
    SCORES,
    expected_coverage,
    nonconformity,
    partition,
    sets,
    threshold,
    thresholds_by_class,
)
from ragassay.errors import ParameterError


def of_class(label, n, draw):
    """Probabilities of n cases that people gave this label, from a machine that is blind to half of the rejected answers."""
    z = draw.normal(1.5 if label else np.where(draw.random(n) < 0.5, 1.0, -2.0), 1.0, n)
    return expit(z)


def test_by_class_by_hand():
    found = thresholds_by_class([*range(1, 10), 5.0], [1] * 9 + [0], 0.1)
    assert found.tolist() == [[inf, 9.0]]
    assert sets([0.9, 0.1], [[inf, 0.3]]) == [[0, 1], [0]]
    assert sets([0.9, 0.5, 0.1], [[0.2, 0.6]]) == [[1], [1], [0]]


ALPHAS = (0.05, 0.1, 0.2)


@functools.cache
def class_shares(n):
    """Of 2,000 simulations: the shares of new cases of either label that are covered, at each alpha."""
    draw, shares = np.random.default_rng([51, n]), {alpha: [] for alpha in ALPHAS}
    drawn = [nonconformity(of_class(label, (2000, n + 20), draw), label) for label in (0, 1)]
    for s in np.stack(drawn, axis=1):
        for alpha in ALPHAS:
            limits = thresholds_by_class(s[:, :n].ravel(), np.repeat([0, 1], n), alpha)[0]
            shares[alpha].append((s[:, n:] <= limits[:, None]).mean(axis=1))
    return shares


@functools.cache
def topic_shares(n):
    """Of 2,000 simulations: the shares of new cases of either topic that are covered, at each alpha."""
    draw, shares = np.random.default_rng([52, n]), {alpha: [] for alpha in ALPHAS}
    z = draw.normal(size=(2000, 2, n + 20))
    y = draw.random(z.shape) < expit(np.array([[2.0], [-1.0]]) * z)
    for s in nonconformity(expit(z), y.astype(int)):
        for alpha in ALPHAS:
            found = conformal.thresholds_by_group(s[:, :n].ravel(), np.repeat(["cards", "loans"], n), alpha)
            limits = conformal.threshold_per_case(["cards", "loans"], found)
            shares[alpha].append((s[:, n:] <= limits[:, None]).mean(axis=1))
    return shares


def is_as_promised(shares, n, alpha):
    error = 3 * np.std(shares, axis=0) / sqrt(len(shares)) + 1e-12
    return (np.abs(np.mean(shares, axis=0) - expected_coverage(n, alpha).value) <= error).all()


@pytest.mark.slow
@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("n", [9, 19, 50, 100, 500])
def test_covers_each_class_as_promised(n, alpha):
    """n cases of either label, a machine blind to half of those rejected, 2,000 simulations of 20 new cases each, 3 standard errors."""
    assert is_as_promised(class_shares(n)[alpha], n, alpha)


@pytest.mark.slow
@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("n", [9, 19, 50, 100, 500])
def test_covers_each_topic_as_promised(n, alpha):
    """Two topics of n cases, the machine right in one and reversed in the other, 2,000 simulations of 20 new cases each, 3 SE."""
    assert is_as_promised(topic_shares(n)[alpha], n, alpha)


def test_groups_too_small_are_named():
    found = conformal.group_sizes(np.arange(12.0), ["b"] * 9 + ["a"] * 3, 0.1)
    assert found[["group", "n", "needed", "q_hat"]].to_numpy().tolist() == [
        ["a", 3, 9, inf],
        ["b", 9, 9, 8.0],
    ]
    assert [bool(each) for each in found["reason"]] == [True, False]


def test_class_thresholds_refuse():
    with pytest.raises(ValueError, match="label among"):
        thresholds_by_class([0.1, 0.2], [0, 2], 0.1)
    with pytest.raises(ValueError, match="label among"):
        thresholds_by_class([0.1, 0.2], [0, np.nan], 0.1)
    with pytest.raises(ValueError, match="NaN"):
        thresholds_by_class([0.1, np.nan], [0, 1], 0.1)
    with pytest.raises(ValueError, match="alpha"):
        thresholds_by_class([0.1, 0.3], [0, 1], 1)


def held_out(n, seed=0):
    """Two topics: the machine right in one, reversed in the other; the first has twice the labels."""
    draw = np.random.default_rng(seed)
    group = np.where(np.arange(n) % 3 < 2, "cards", "loans")
    z = draw.normal(size=n)
    label = (draw.random(n) < expit(np.where(group == "cards", 2.0, -1.0) * z)).astype(int)
    names = [f"c{i:04d}" for i in range(n)]
    return pd.DataFrame({"case_id": names, "probability": expit(z), "label": label, "group": group})


def test_by_hand():
    s, y, g = np.arange(1, 21.0), np.tile([0, 1], 10), np.repeat(["a", "b"], 10)
    assert partition.fit_thresholds(s, y, g, 0.1).q_hat == {"all": 19.0}
    assert partition.fit_thresholds(s, y, g, 0.1, by="topic").q_hat == {"a": 10.0, "b": 20.0}
    assert partition.fit_thresholds(s, y, g, 0.1, by="verdict").q_hat == {"0": 19.0, "1": 20.0}
    assert partition.fit_thresholds(s[:5], y[:5], g[:5], 0.1, by="topic").q_hat == {"a": inf}


def test_each_case_gets_the_threshold_of_its_part():
    by_topic = partition.Thresholds("topic", {"a": 0.2})
    assert by_topic.per_case(["a", "new"]).tolist() == [[0.2, 0.2], [inf, inf]]
    by_verdict = partition.Thresholds("verdict", {"0": 0.2, "1": 0.6})
    assert by_verdict.per_case(["a", "new"]).tolist() == [[0.2, 0.6]] * 2


@pytest.mark.parametrize("by", partition.MONDRIAN)
@pytest.mark.parametrize("score", SCORES)
def test_a_case_is_judged_by_the_others_of_its_part(by, score):
    held = held_out(60)
    found = partition.held_out_sets(held, 0.2, score=score, by=by)
    s, row = nonconformity(held.probability, held.label, score), 7
    others = held.index != row
    part = {"none": others, "topic": others & (held.group == held.group[row])}
    for label in (0, 1):
        among = others & (held.label == label) if by == "verdict" else part[by]
        fits = nonconformity(held.probability[row], label, score) <= threshold(s[among], 0.2)
        assert (label in found[row]) == fits


def test_a_cluster_sets_no_threshold_for_itself():
    held = held_out(40).assign(cluster="one")
    assert partition.held_out_sets(held, 0.2) == [[0, 1]] * 40


def test_the_table_has_the_intervals_of_every_stratum():
    held = held_out(120)
    found = partition.compare_partitions(held, 0.1).set_index(["by", "stratum"])
    assert list(found.index) == [
        ("overall", "all"),
        ("class", "0"),
        ("class", "1"),
        ("topic", "cards"),
        ("topic", "loans"),
    ]
    own = conformal.coverage(partition.held_out_sets(held, 0.1, by="topic"), held.label, held.group)
    row = own[own.stratum == "loans"].iloc[0]
    assert found.loc[("topic", "loans"), "by topic"] == f"{row.value:.2f} [{row.low:.2f}, {row.high:.2f}]"


def test_without_labels_the_tables_are_empty():
    """What chapter 4 shows where nothing is calibrated."""
    held = calibration_pipeline.uncalibrated("m", "d", 0.1, "no labels").held_out
    assert partition.part_sizes(held, 0.1).empty
    assert partition.compare_partitions(held, 0.1)["n"].sum() == 0


def test_another_partition_is_refused():
    with pytest.raises(ParameterError, match="mondrian"):
        partition.fit_thresholds([0.1], [1], ["a"], 0.1, by="language")


@pytest.mark.parametrize("by", ["topic", "verdict"])
@pytest.mark.parametrize("score", SCORES)
def test_new_answers_are_covered_within_each_part(by, score, simulations):
    """Thresholds from 120 labelled cases, 60 new ones: in each part at least 0.9 and at most 1/(its smallest n + 1) more,
    both within 3 standard errors; with one threshold the topic in which the machine is reversed falls below."""
    own, pooled = [], []
    for seed in range(simulations(2000, 10)):
        both = held_out(180, seed)
        known, new = both[:120], both[120:].reset_index(drop=True)
        s = nonconformity(known.probability, known.label, score)
        for how, kept in ((by, own), ("none", pooled))[: 2 if by == "topic" else 1]:
            found = partition.fit_thresholds(s, known.label, known.group, 0.1, by=how)
            sets = conformal.sets(new.probability, found.per_case(new.group), score)
            table = conformal.coverage(sets, new.label, new.group)
            kept.append(table[table.by == ("group" if by == "topic" else "class")].value.tolist())
    error = 3 * np.std(own, axis=0) / sqrt(len(own))
    assert (np.mean(own, axis=0) >= 0.9 - error).all()
    assert (np.mean(own, axis=0) <= 0.9 + 1 / 30 + error).all()
    if by == "topic":
        assert np.mean(pooled, axis=0)[1] < 0.88
