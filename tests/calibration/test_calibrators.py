"""Calibrators: by hand, against scikit-learn, laws (monotone, finite, JSON), refusals, and a truth that is known.

Mean distance between calibrator and truth over scores 0.02 to 0.98 (scores uniform on [0, 1], 40 simulations each):

    truth                    kind       n = 100   1,000    10,000
    logistic                 logistic   0.043     0.014    0.005
    one step                 isotonic   0.080     0.024    0.007
    one step                 boosted    0.078     0.027    0.015
    cubic                    isotonic   0.072     0.032    0.015
    cubic                    boosted    0.069     0.033    0.017
    proportional odds, 4     ordinal    0.039     0.012    0.004
"""

import json
from math import log

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from ragassay.calibration import calibrators
from ragassay.calibration.calibrators import (
    FOLDS,
    KINDS,
    RATE,
    ROUNDS,
    cross_validate,
    folds_of,
    platt_targets,
    simplest,
    split,
)
from ragassay.errors import LabelError, ParameterError

TEN, GRID = np.arange(10.0), np.linspace(0.02, 0.98, 200)


def fit(kind, scores, labels):
    return KINDS[kind](scores, labels)


def labelled(n=120, seed=0, slope=1.5):
    draw = np.random.default_rng(seed)
    score = draw.normal(size=n)
    return score, (draw.random(n) < expit(0.5 + slope * score)).astype(float)


def graded(n=200, seed=0):
    draw = np.random.default_rng(seed)
    score = draw.normal(size=n)
    return score, 1 + (score[:, None] * 1.5 + draw.logistic(size=(n, 1)) > [-1.5, 0, 2]).sum(axis=1)


def acceptance(calibrator, scores):
    """P(highest label), whatever the kind."""
    found = calibrator.predict(scores)
    return found[:, -1] if found.ndim == 2 else found


@pytest.mark.parametrize("kind", KINDS)
def test_json_gives_the_same_calibrator_bit_for_bit_and_refuses_all_else(kind):
    calibrator = fit(kind, *(graded() if kind == "ordinal" else labelled()))
    again = calibrators.from_json(calibrator.model_dump_json())
    assert again == calibrator and (again.predict(GRID) == calibrator.predict(GRID)).all()
    fields = json.loads(calibrator.model_dump_json())
    longest = max(fields, key=lambda name: len(str(fields[name])))
    wild = [{**fields, "extra": 1}, {**fields, longest: "x"}, {**fields, longest: float("nan")}]
    for text in ("", "[1]", "{}", *map(json.dumps, wild)):
        with pytest.raises(ValueError, match="validation error"):
            calibrators.from_json(text)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sign", [1, -1])
def test_monotone_in_the_sense_of_the_labels(kind, sign):
    score, label = labelled()
    found = acceptance(fit(kind, sign * score, label), np.linspace(-6, 6, 500))
    assert (sign * np.diff(found) >= 0).all() and found[0] != found[-1]


@pytest.mark.parametrize("kind", KINDS)
def test_free_of_the_score_s_unit_and_the_rows_order_and_blank_without_a_score(kind):
    score, label = labelled()
    order = np.random.default_rng(1).permutation(len(score))
    plain = acceptance(fit(kind, score, label), score)
    moved = acceptance(fit(kind, 1e-3 * score + 40, label), 1e-3 * score + 40)
    mixed = acceptance(fit(kind, score[order], label[order]), score)
    assert moved == pytest.approx(plain, abs=1e-6) and mixed == pytest.approx(plain, abs=1e-6)
    assert np.isnan(acceptance(fit(kind, score, label), [np.nan])).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scores, labels, complaint", [
    (TEN, np.ones(10), "too few labels"), (TEN[:5], [0, 1, 0, 1, 1], "5 labels"),
    (np.full(10, 0.3), [0, 1] * 5, "every score is the same"),
    (np.r_[TEN[:9], np.nan], [0, 1] * 5, "row 9"), (np.r_[TEN[:9], -1e200], [0, 1] * 5, "row 9"),
    (TEN, [0, 1] * 4 + [0, np.nan], "row 9"), (TEN, [0, 1], "every score needs one label"),
    ([], [], "too few labels"),
])  # fmt: skip
def test_refuses(kind, scores, labels, complaint):
    with pytest.raises(LabelError, match=complaint):
        fit(kind, scores, labels)


def test_refuses_a_kind_there_is_not_and_graded_labels():
    with pytest.raises(ParameterError, match=r"spline[\s\S]*logistic, ordinal"):
        calibrators.fit(rows_to_split(), "spline")
    with pytest.raises(LabelError, match="not 0 or 1"):
        fit("logistic", TEN, [1, 2] * 5)
    with pytest.raises(LabelError, match="9 of level 1, 2 of level 2"):
        fit("ordinal", np.arange(11.0), [1] * 9 + [2] * 2)


def test_logistic_by_hand():
    """Two score values, 10 labels each, 2 and 8 positive: the calibrator passes through the smoothed shares."""
    scores, labels = np.repeat([0.0, 1.0], 10), np.tile([1, 1, 0, 0, 0, 0, 0, 0, 0, 0], 2)
    labels[10:] = 1 - labels[10:]
    high, low = 11 / 12, 1 / 12
    found = fit("logistic", scores, labels).predict([0.0, 1.0])
    assert found == pytest.approx([(2 * high + 8 * low) / 10, (8 * high + 2 * low) / 10], abs=1e-8)
    apart = fit("logistic", np.repeat([0.0, 1e-6], 200), np.repeat([0, 1], 200))
    assert apart.slope == pytest.approx(log(201), rel=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_logistic_is_the_maximum_likelihood_of_the_smoothed_targets(seed):
    """Each row twice, as a 1 and as a 0, weighted by its target: plain logistic regression finds the same."""
    score, label = labelled(50, seed)
    low, high = platt_targets(label)
    target = np.where(label == 1, high, low)
    rival = LogisticRegression(C=1e12, tol=1e-10, max_iter=5000)
    x = np.tile(score, 2)[:, None]
    rival.fit(x, np.repeat([1, 0], 50), sample_weight=np.r_[target, 1 - target])
    found = fit("logistic", score, label).predict(score)
    assert found == pytest.approx(rival.predict_proba(x)[:50, 1], abs=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_isotonic_is_scikit_learn_s_squeezed_between_platt_s_targets(seed):
    """HCAT 5.1: piecewise constant. scikit-learn fits the same and predicts straight lines between."""
    score, label = labelled(60, seed)
    low, high = platt_targets(label)
    rival = IsotonicRegression(out_of_bounds="clip").fit(score, label)
    steps = fit("isotonic", score, label)
    assert steps.predict(score) == pytest.approx(low + (high - low) * rival.predict(score), abs=1e-12)
    assert set(steps.predict(np.linspace(-4, 4, 2000))) <= set(steps.predict(score))


def test_isotonic_by_hand():
    """0 1 0 1 ... pools each falling pair: shares 0, 1/2, 1 over 2, 4 and 4 labels, squeezed between 1/6 and 7/8."""
    labels, (low, high) = [0, 0, 1, 0, 1, 0, 1, 1, 1, 1], (1 / 6, 7 / 8)
    middle = (low + high) / 2
    steps = fit("isotonic", TEN, labels)
    assert steps.predict(TEN) == pytest.approx([low] * 2 + [middle] * 4 + [high] * 4)
    assert steps.predict([-3, 99]) == pytest.approx([low, high])
    assert steps.edges == (1.5, 5.5) and steps.predict([1.5, 1.75]) == pytest.approx([low, middle])


@pytest.mark.parametrize("n", [80, 2000])
def test_boosted_is_scikit_learn_s_at_every_labelled_score(n):
    score, label = labelled(n)
    low, high = platt_targets(label)
    tree = {"max_leaf_nodes": 4, "min_samples_leaf": max(5, n // 20), "monotonic_cst": [1]}
    model = HistGradientBoostingClassifier(
        max_iter=ROUNDS, learning_rate=RATE, early_stopping=False, random_state=0, **tree
    )
    rival = model.fit(score[:, None], label).predict_proba(score[:, None])[:, 1]
    found = fit("boosted", score, label).predict(score)
    assert found == pytest.approx(low + (high - low) * rival, abs=1e-9)


def test_ordinal_has_the_greatest_likelihood_spelled_out():
    """The loss of the definition, P(level) as a difference of two logistic calibrators, is least at the fitted one."""
    score, level = graded(80)
    counts, targets = np.bincount(level)[1:], []
    for at in np.asarray(level) - 1:
        below = [(sum(counts[:cut]), sum(counts[cut:]), at >= cut) for cut in (1, 2, 3)]
        a, b, c = ((up + 1) / (up + 2) if reached else 1 / (down + 2) for down, up, reached in below)
        targets.append([1 - a, a - b, b - c, c])
    found = fit("ordinal", score, level)
    z = (score - score.mean()) / score.std()

    def loss(slope, *cuts):
        above = expit(slope * z[:, None] - np.array([-np.inf, *cuts, np.inf]))
        return -np.sum(targets * np.log(above[:, :-1] - above[:, 1:]))

    best = np.array([found.slope, *found.cuts])
    assert all(loss(*(best + step)) > loss(*best) for step in 1e-3 * np.vstack([np.eye(4), -np.eye(4)]))
    chances = found.predict(np.linspace(-8, 8, 300))
    assert chances.shape == (300, 4) and chances.sum(axis=1) == pytest.approx(np.ones(300))
    assert (np.diff(chances[:, ::-1].cumsum(axis=1), axis=0)[:, :3] >= 0).all()


def of_levels(score):
    """(n, 4) proportional odds with slope 3 and cuts 0, 1.5 and 3."""
    above = expit(3 * score[:, None] - np.array([-np.inf, 0.0, 1.5, 3.0, np.inf]))
    return above[:, :-1] - above[:, 1:]


TRUTHS = {
    "logistic": lambda x: expit(1 + 4 * (x - 0.5)),
    "step": lambda x: np.where(x < 0.4, 0.2, 0.8),
    "cubic": lambda x: 0.1 + 0.8 * x**3,
    "levels": of_levels,
}


def drawn(truth, n, seed):
    draw = np.random.default_rng([seed, n])
    score = draw.uniform(size=n)
    p, chance = TRUTHS[truth](score), draw.random(n)
    if p.ndim == 1:
        return score, (chance < p).astype(float)
    return score, 1.0 + (chance[:, None] > np.cumsum(p, axis=1)[:, :3]).sum(axis=1)


@pytest.mark.slow
@pytest.mark.parametrize("truth, kind, limits", [
    ("logistic", "logistic", (0.06, 0.02, 0.007)), ("step", "isotonic", (0.10, 0.035, 0.012)),
    ("step", "boosted", (0.10, 0.040, 0.020)), ("cubic", "isotonic", (0.10, 0.045, 0.020)),
    ("cubic", "boosted", (0.10, 0.045, 0.022)), ("levels", "ordinal", (0.06, 0.02, 0.007)),
])  # fmt: skip
def test_finds_the_truth_as_labels_grow(truth, kind, limits):
    far = []
    for n in (100, 1000, 10_000):
        found = [fit(kind, *drawn(truth, n, seed)).predict(GRID) for seed in range(20)]
        far.append(np.mean(np.abs(np.array(found) - TRUTHS[truth](GRID))))
    assert all(each < limit for each, limit in zip(far, limits, strict=True)) and far[0] > far[1] > far[2]


def rows_to_split(n=101, seed=0):
    draw = np.random.default_rng(seed)
    names = {"case_id": [f"c{i:03d}" for i in range(n)], "group_id": [f"g{i // 4}" for i in range(n)]}
    return pd.DataFrame({**names, "score": draw.normal(size=n), "label": (draw.random(n) < 0.6).astype(int)})


@pytest.mark.parametrize("seed", range(5))
def test_split_deals_every_row_once_and_every_label_alike(seed):
    rows = rows_to_split()
    fitting, conformal = split(rows, seed)
    assert sorted([*fitting["case_id"], *conformal["case_id"]]) == sorted(rows["case_id"])
    for label in (0, 1):
        assert abs((fitting["label"] == label).sum() - (conformal["label"] == label).sum()) <= 1


def test_split_depends_on_the_seed_and_not_on_row_order():
    rows = rows_to_split()
    one, two, other = split(rows, 3), split(rows.sample(frac=1, random_state=1), 3), split(rows, 4)
    assert all(a.equals(b) for a, b in zip(one, two, strict=True)) and not one[0].equals(other[0])


def test_split_keeps_together_what_belongs_together():
    parts = split(rows_to_split(), 0, together="group_id")
    assert not set(parts[0]["group_id"]) & set(parts[1]["group_id"])
    assert sum(map(len, parts)) == 101 and abs(len(parts[0]) - len(parts[1])) <= 8


def test_split_gives_every_row_the_same_chance(simulations):
    """Exchangeability is what conformal prediction rests on: over 600 seeds each row is in `fitting` half of the time (4 SE)."""
    rows = rows_to_split(12)
    runs = simulations(600)
    counts = pd.concat([split(rows, seed)[0] for seed in range(runs)])["case_id"].value_counts() / runs
    assert (abs(counts - 0.5) <= 4 * 0.5 / np.sqrt(runs)).all() and len(counts) == 12


@pytest.mark.parametrize("change, options, error, complaint", [
    ({}, {"stratify": "grade"}, LabelError, "'grade' is absent"),
    ({"label": [1, None, 0]}, {}, LabelError, "row 1"),
    ({"label": [1, 1, 1]}, {"shares": (0.999, 0.001)}, LabelError, "too few labels to split"),
])  # fmt: skip
def test_split_refuses(change, options, error, complaint):
    with pytest.raises(error, match=complaint):
        split(rows_to_split(3).assign(**change), 0, **options)


def compared(score, label, *, clusters=None, **options):
    rows = pd.DataFrame({"value": score, "label": label})
    return cross_validate(rows if clusters is None else rows.assign(cluster=clusters), **options)


def chosen(table):
    return table.kind[table.chosen].item()


def stepped(n=600, seed=0):
    """A truth no logistic calibrator can follow: 0.05 below 0.3, 0.5 in between, 0.95 above 0.7."""
    score = np.random.default_rng(seed).uniform(size=n)
    return score, (
        np.random.default_rng(seed + 1).random(n) < np.select([score < 0.3, score < 0.7], [0.05, 0.5], 0.95)
    ).astype(float)


def test_the_table_by_hand():
    """Log loss of each fold from a calibrator fitted without it, spelled out."""
    score, label = labelled(150)
    found = compared(score, label, seed=4)
    fold = folds_of(label, FOLDS, 4)
    losses = []
    for held in (fold == number for number in range(FOLDS)):
        p = fit("isotonic", score[~held], label[~held]).predict(score[held])
        losses.append(-np.mean(np.log(np.where(label[held] == 1, p, 1 - p))))
    row = found.set_index("kind").loc["isotonic"]
    assert row.log_loss == pytest.approx(np.mean(losses)) and row.standard_error == pytest.approx(
        np.std(losses, ddof=1) / np.sqrt(FOLDS)
    )


def test_the_simplest_within_one_standard_error_wins():
    table = pd.DataFrame({"kind": ["logistic", "isotonic", "boosted"], "log_loss": [0.52, 0.51, 0.50]})
    assert simplest(table.assign(standard_error=[0.1, 0.1, 0.012])) == "isotonic"
    assert simplest(table.assign(standard_error=0.001)) == "boosted"
    assert simplest(table.assign(standard_error=0.03, log_loss=[np.nan, 0.6, 0.5])) == "boosted"
    assert simplest(table.assign(standard_error=np.nan, log_loss=np.nan)) == "logistic"


def test_a_straight_truth_gets_the_logistic_and_a_stepped_one_a_free_curve():
    kinds = [chosen(compared(*labelled(300, seed), seed=seed)) for seed in range(5)]
    assert kinds.count("logistic") >= 4
    assert chosen(compared(*stepped(3000), seed=0)) in ("isotonic", "boosted")


def test_a_calibrator_selected_among_many_promises_no_more_than_one_given(simulations):
    """Choosing on the labels one fits must not buy over-confidence: 60 choices from 150 labels of a logistic truth,
    asked of the truth."""
    grid = np.linspace(0.02, 0.98, 200)
    truth = TRUTHS["logistic"](grid)
    excess = {"given": [], "chosen": []}
    for seed in range(simulations(60)):
        score, label = drawn("logistic", 150, seed)
        rows = pd.DataFrame({"value": score, "label": label})
        for name, made in (
            ("given", calibrators.fit(rows)),
            ("chosen", calibrators.fit(rows, cross_validate(rows, seed=seed))),
        ):
            p = made.predict(grid)
            loss = truth * np.log(truth / p) + (1 - truth) * np.log((1 - truth) / (1 - p))
            excess[name].append(np.mean(loss))
    assert np.mean(excess["chosen"]) < np.mean(excess["given"]) + 0.01
