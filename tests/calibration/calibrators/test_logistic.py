"""Splitting labels and fitting the logistic calibrator: by hand, against scikit-learn, laws, refusals."""

import json
from math import log

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from ragassay.calibration.calibrators.logistic import Logistic, fit
from ragassay.calibration.label_split import split
from ragassay.errors import LabelError


def labelled(n=101, seed=0):
    draw = np.random.default_rng(seed)
    score = draw.normal(size=n)
    label = (draw.random(n) < expit(1 + 1.5 * score)).astype(int)
    names = {"case_id": [f"c{i:03d}" for i in range(n)], "group_id": [f"g{i // 4}" for i in range(n)]}
    return pd.DataFrame({**names, "score": score, "label": label})


@pytest.mark.parametrize("seed", range(5))
def test_split_deals_every_row_once_and_every_label_alike(seed):
    rows = labelled()
    fitting, conformal = split(rows, seed)
    assert sorted([*fitting["case_id"], *conformal["case_id"]]) == sorted(rows["case_id"])
    for label in (0, 1):
        assert abs((fitting["label"] == label).sum() - (conformal["label"] == label).sum()) <= 1


def test_split_depends_on_the_seed_and_not_on_row_order():
    rows = labelled()
    one, two, other = split(rows, 3), split(rows.sample(frac=1, random_state=1), 3), split(rows, 4)
    assert all(a.equals(b) for a, b in zip(one, two, strict=True)) and not one[0].equals(other[0])


def test_split_keeps_together_what_belongs_together():
    parts = split(labelled(), 0, together="group_id")
    assert not set(parts[0]["group_id"]) & set(parts[1]["group_id"])
    assert sum(map(len, parts)) == 101 and abs(len(parts[0]) - len(parts[1])) <= 8


def test_split_into_other_shares():
    assert [len(part) for part in split(labelled(100), 0, shares=(0.2, 0.3, 0.5), stratify=None)] == [
        20,
        30,
        50,
    ]
    assert [len(part) for part in split(labelled(4), 0, stratify=None)] == [2, 2]


def test_split_gives_every_row_the_same_chance(simulations):
    """Exchangeability is what conformal prediction rests on: over 600 seeds each row is in `fitting` half of the time (4 SE)."""
    rows = labelled(12)
    runs = simulations(600)
    counts = pd.concat([split(rows, seed)[0] for seed in range(runs)])["case_id"].value_counts() / runs
    assert (abs(counts - 0.5) <= 4 * 0.5 / np.sqrt(runs)).all() and len(counts) == 12


@pytest.mark.parametrize(
    "change, options, error, complaint",
    [
        ({}, {"shares": (0.5, 0.6)}, ValueError, "sum to 1"),
        ({}, {"shares": (1.0,)}, ValueError, "at least two"),
        ({}, {"stratify": "grade"}, LabelError, "'grade' is absent"),
        ({"label": [1, None, 0]}, {}, LabelError, "row 1"),
        ({"label": [1, 1, 1]}, {"shares": (0.999, 0.001)}, LabelError, "too few labels to split"),
    ],
)
def test_split_refuses(change, options, error, complaint):
    with pytest.raises(error, match=complaint):
        split(labelled(3).assign(**change), 0, **options)


def test_fit_by_hand():
    """Two score values, 10 labels each, 2 and 8 positive: the calibrator passes through the smoothed shares (hits t+, misses t-)."""
    scores, labels = np.repeat([0.0, 1.0], 10), np.tile([1, 1, 0, 0, 0, 0, 0, 0, 0, 0], 2)
    labels[10:] = 1 - labels[10:]
    high, low = 11 / 12, 1 / 12
    found = fit(scores, labels).predict([0.0, 1.0])
    assert found == pytest.approx([(2 * high + 8 * low) / 10, (8 * high + 2 * low) / 10], abs=1e-8)


@pytest.mark.parametrize("seed", range(10))
def test_fit_agrees_with_platt_scaling_in_scikit_learn(seed):
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.frozen import FrozenEstimator
    from sklearn.linear_model import LogisticRegression

    rows = labelled(60, seed)
    x = rows[["score"]].to_numpy()
    machine = LogisticRegression().fit(x, rows["label"])
    rival = CalibratedClassifierCV(FrozenEstimator(machine), method="sigmoid").fit(x, rows["label"])
    ours = fit(machine.decision_function(x), rows["label"]).predict(machine.decision_function(x))
    assert ours == pytest.approx(rival.predict_proba(x)[:, 1], abs=2e-3)


@pytest.mark.parametrize("seed", range(10))
def test_fit_is_the_maximum_likelihood_of_the_smoothed_targets(seed):
    """Each row twice, as a 1 and as a 0, weighted by its target: plain logistic regression must find the same calibrator."""
    from sklearn.linear_model import LogisticRegression

    rows = labelled(50, seed)
    positive = rows["label"].sum()
    target = np.where(rows["label"] == 1, (positive + 1) / (positive + 2), 1 / (50 - positive + 2))
    x = np.tile(rows["score"], 2)[:, None]
    weights = np.concatenate([target, 1 - target])
    rival = LogisticRegression(C=1e12, tol=1e-10, max_iter=5000).fit(
        x, np.repeat([1, 0], 50), sample_weight=weights
    )
    assert fit(rows["score"], rows["label"]).predict(rows["score"]) == pytest.approx(
        rival.predict_proba(x)[:50, 1], abs=1e-4
    )


def test_mean_probability_is_the_mean_target():
    """The likelihood equation of the intercept."""
    rows = labelled()
    positive, n = rows["label"].sum(), len(rows)
    target = (positive * (positive + 1) / (positive + 2) + (n - positive) / (n - positive + 2)) / n
    assert fit(rows["score"], rows["label"]).predict(rows["score"]).mean() == pytest.approx(target, abs=1e-8)


def test_monotone_and_free_of_the_score_s_unit():
    rows = labelled()
    plain, stretched = fit(rows["score"], rows["label"]), fit(1e-4 * rows["score"] + 900, rows["label"])
    grid = np.linspace(-5, 5, 50)
    assert (np.diff(plain.predict(grid)) > 0).all() and plain.direction == "rises"
    assert stretched.predict(1e-4 * grid + 900) == pytest.approx(plain.predict(grid), abs=1e-6)


def test_a_metric_that_ranks_the_wrong_way_round_is_reported():
    rows = labelled()
    found = fit(-rows["score"], rows["label"])
    assert found.slope < 0 and found.direction == "falls" and "against the metric's sense" in str(found)
    assert found.predict(-rows["score"]) == pytest.approx(
        fit(rows["score"], rows["label"]).predict(rows["score"])
    )


@pytest.mark.parametrize("gap", [1.0, 1e-6, 1e6])
@pytest.mark.parametrize("n", [10, 400])
def test_perfect_separation_stays_finite(n, gap):
    """Two points a gap apart: the calibrator reaches exactly the smoothed targets, and promises nothing beyond them there."""
    found = fit(np.repeat([0.0, gap], n // 2), np.repeat([0, 1], n // 2))
    limit = log((n / 2 + 1) / 1)
    assert np.isfinite([found.slope, found.intercept]).all() and found.slope == pytest.approx(limit, rel=1e-4)
    spread = fit(np.arange(n, dtype=float), np.repeat([0, 1], n // 2)).predict([-1e9, 1e9])
    assert np.isfinite(spread).all()


def test_one_extreme_score_does_not_break_the_fit():
    rows = labelled()
    rows.loc[0, ["score", "label"]] = [1e6, 1]
    assert np.isfinite(fit(rows["score"], rows["label"]).predict(rows["score"])).all()


def test_recovers_the_truth():
    """20,000 labels drawn from a known calibrator: slope 1.5, intercept 1 (standard errors about 0.02)."""
    rows = labelled(20_000)
    found = fit(rows["score"], rows["label"])
    assert found.slope / found.scale == pytest.approx(1.5, abs=0.1)
    assert found.predict([0.0])[0] == pytest.approx(expit(1), abs=0.02)


def test_a_missing_score_has_no_probability():
    found = fit(*labelled()[["score", "label"]].to_numpy().T).predict([0.0, np.nan])
    assert np.isnan(found).tolist() == [False, True]


def test_json_round_trip_is_exact():
    found = fit(*labelled()[["score", "label"]].to_numpy().T)
    assert Logistic.from_json(found.to_json()) == found
    for text in (
        "[1]",
        "{}",
        json.dumps({**json.loads(found.to_json()), "extra": 1}),
        found.to_json().replace("logistic", "isotonic"),
    ):
        with pytest.raises(ValueError, match="expected a logistic calibrator"):
            Logistic.from_json(text)


TEN = np.arange(10.0)


@pytest.mark.parametrize(
    "scores, labels, complaint",
    [
        (TEN, np.ones(10), "all of one class"),
        (TEN, [1, 1, *[0] * 8], "2 of them 1"),
        (TEN[:9], [0, 1] * 4 + [1], "9 labels"),
        (np.full(10, 0.3), [0, 1] * 5, "every score is the same"),
        (np.r_[TEN[:9], np.nan], [0, 1] * 5, "row 9"),
        (np.r_[np.inf, TEN[1:]], [0, 1] * 5, "row 0"),
        (TEN, [0, 1] * 4 + [0, np.nan], "row 9"),
        (TEN, [0, 1] * 4 + [0, 3], "not 0 or 1"),
        (TEN, [0, 1], "every score needs one label"),
    ],
)
def test_fit_refuses(scores, labels, complaint):
    with pytest.raises(LabelError, match=complaint):
        fit(scores, labels)
