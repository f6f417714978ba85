"""Parts of the labels: disjoint, stratified, whole clusters, any order; the kind of calibrator is chosen by unseen labels."""

import numpy as np
import pandas as pd
import pytest

from calibration.test_calibrators import TRUTHS, drawn, labelled
from ragassay.calibration import calibrators
from ragassay.calibration.calibrator_selection import FOLDS, cross_validate, fit, folds_of, simplest, split
from ragassay.errors import LabelError


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
        p = calibrators.fit("isotonic", score[~held], label[~held]).predict(score[held])
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
        for name, made in (("given", fit(rows)), ("chosen", fit(rows, cross_validate(rows, seed=seed)))):
            p = made.predict(grid)
            loss = truth * np.log(truth / p) + (1 - truth) * np.log((1 - truth) / (1 - p))
            excess[name].append(np.mean(loss))
    assert np.mean(excess["chosen"]) < np.mean(excess["given"]) + 0.01
