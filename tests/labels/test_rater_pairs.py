"""Agreement of raters, and of machine with human: by hand, against scikit-learn, laws, coverage, refusals."""

from math import isnan, sqrt

import numpy as np
import pandas as pd
import pytest

from ragassay.calibration.error_rates import error_rates
from ragassay.errors import LabelError
from ragassay.labels.rater_pairs import (
    between_raters,
    cohen_kappa,
    disagreements,
    raw_agreement,
    weighted_kappa,
)
from ragassay.stats import clopper_pearson, wilson

BOTH = pytest.mark.parametrize("kappa", [cohen_kappa, weighted_kappa])


def rng(seed=0):
    return np.random.default_rng(seed)


def two_raters(n, draw):
    z = draw.normal(size=n)
    return [np.clip(np.round(3.6 + z + 0.6 * draw.normal(size=n)), 1, 5) for _ in range(2)]


def test_raw_agreement_by_hand():
    found = raw_agreement([1, 0, 1, 1, np.nan], [1, 1, 1, 1, 0])
    assert str(found) == f"0.75 [{wilson(3, 4).low:.2f}, {wilson(3, 4).high:.2f}] n=4, 1 not labelled by both"


def test_cohen_by_hand():
    """Cohen's textbook table 20, 5 / 10, 15: observed 0.7, by chance 0.5, kappa 0.4."""
    first, second = np.repeat([1, 1, 0, 0], [20, 5, 10, 15]), np.repeat([1, 0, 1, 0], [20, 5, 10, 15])
    found = cohen_kappa(first, second, rng=rng())
    assert found.value == pytest.approx(0.4) and found.low < 0.4 < found.high and found.n == 50


def test_weighted_by_hand():
    """1-1, 2-3, 3-3, 3-1: squared misses 0 1 0 4, mean 1.25; by chance the mean of (a - b)^2 over all pairs, 32/16."""
    a, b = np.array([1, 2, 3, 3]), np.array([1, 3, 3, 1])
    by_chance = np.mean((a[:, None] - b[None, :]) ** 2)
    assert weighted_kappa(a, b, rng=rng()).value == pytest.approx(1 - 1.25 / by_chance)


@pytest.mark.parametrize("seed", range(10))
def test_agrees_with_scikit_learn(seed):
    from sklearn.metrics import cohen_kappa_score

    a, b = two_raters(40, rng(seed))
    assert cohen_kappa(a, b, rng=rng()).value == pytest.approx(cohen_kappa_score(a, b))
    assert weighted_kappa(a, b, rng=rng()).value == pytest.approx(
        cohen_kappa_score(a, b, weights="quadratic", labels=[1, 2, 3, 4, 5])
    )


@BOTH
def test_laws(kappa):
    a, b = two_raters(60, rng())
    one = kappa(a, b, rng=rng(1))
    assert kappa(b, a, rng=rng(1)).value == pytest.approx(one.value)
    assert kappa(10 * a, 10 * b, rng=rng(1)) == one
    assert kappa(a, rng(3).permutation(a), rng=rng(1)).value == pytest.approx(0, abs=0.3)


def test_bootstrap_of_counts_is_the_bootstrap_of_cases():
    """Redrawing the counts of the table is redrawing cases: compare with the slow way (both 2,000 resamples)."""
    from sklearn.metrics import cohen_kappa_score

    a, b = two_raters(60, rng())
    fast, draws = cohen_kappa(a, b, rng=rng(1)), rng(2).integers(0, 60, (1000, 60))
    slow = np.quantile([cohen_kappa_score(a[rows], b[rows]) for rows in draws], [0.025, 0.975])
    assert [fast.low, fast.high] == pytest.approx(slow, abs=0.03)


@BOTH
def test_perfect_agreement_is_not_certainty(kappa):
    labels = np.repeat([0, 1], 15)
    found = kappa(labels, labels, rng=rng())
    assert found.value == found.high == 1 and found.low == pytest.approx(
        1 - (1 - clopper_pearson(30, 30).low) / 0.5
    )


@BOTH
def test_undefined_is_said(kappa):
    assert "one and the same label" in str(kappa([1, 1], [1, 1], rng=rng()))
    assert str(kappa([np.nan], [1], rng=rng())) == "not available (no case labelled by both)"
    assert kappa([1, 0, 1, np.nan], [1, 0, 0, 1], rng=rng()).left_out == 1


@BOTH
def test_raters_need_the_same_cases(kappa):
    with pytest.raises(LabelError, match="same cases"):
        kappa([1, 0], [1], rng=rng())


def test_weighted_refuses_a_label_outside_its_scale():
    with pytest.raises(LabelError, match="1 to 5"):
        weighted_kappa([1, 6], [1, 5], scale=(1, 5), rng=rng())


@pytest.mark.slow
@BOTH
def test_kappa_covers(kappa):
    """240 cases, 500 simulations: 0.95 within 3 standard errors (0.029); the truth is a long-run kappa."""
    draw = rng(51)
    truth = kappa(*two_raters(1_000_000, draw), n_boot=2, rng=draw).value
    found = [kappa(*two_raters(240, draw), n_boot=1000, rng=draw) for _ in range(500)]
    assert np.mean([each.low <= truth <= each.high for each in found]) == pytest.approx(
        0.95, abs=3 * sqrt(0.95 * 0.05 / 500)
    )


@pytest.fixture
def labels():
    rows = [("c1", "grounded", "ann", 1), ("c1", "grounded", "bob", 0), ("c2", "grounded", "ann", 1), ("c2", "grounded", "bob", 1),
            ("c1", "relevant", "ann", 5), ("c1", "relevant", "bob", 2), ("c2", "relevant", "ann", 4), ("c2", "relevant", "bob", 4),
            ("c3", "relevant", "ann", 3)]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["case_id", "dimension", "rater", "label"])
    return frame.assign(system="bank", scale=np.where(frame["dimension"] == "grounded", "0-1", "1-5"))


def test_disagreements_by_hand(labels):
    found = disagreements(labels.sample(frac=1, random_state=1))
    assert found[["case_id", "dimension", "spread"]].to_numpy().tolist() == [
        ["c1", "relevant", 3],
        ["c1", "grounded", 1],
    ]
    assert found.loc[0, "given"] == "ann: 5; bob: 2"
    assert len(disagreements(labels[labels["case_id"] == "c2"])) == 0


def test_between_raters_by_hand(labels):
    found = between_raters(labels, rng=rng())
    assert found[["dimension", "first", "second", "n", "agreement", "kind"]].to_numpy().tolist() == [
        ["grounded", "ann", "bob", 2, 0.5, "cohen"], ["relevant", "ann", "bob", 2, 0.5, "quadratic"]
    ]  # fmt: skip
    assert len(between_raters(labels[labels["rater"] == "ann"], rng=rng())) == 0
    with pytest.raises(LabelError, match="scale"):
        between_raters(labels.assign(scale="low to high"), rng=rng())


def test_errors_by_hand():
    """Human 1 1 1 0 0, machine accepts 1 0 1 1 0: one bad answer let through of 2, one good one refused of 3."""
    found = error_rates([0.9, 0.2, 0.5, 0.7, 0.1, np.nan], [1, 1, 1, 0, 0, 1]).set_index("measure")
    shares = {
        "type_1": 1 / 2,
        "type_2": 1 / 3,
        "sensitivity": 2 / 3,
        "specificity": 1 / 2,
        "agreement": 3 / 5,
    }
    assert found["value"].to_dict() == pytest.approx(shares)
    assert found["n"].to_dict() == {
        "type_1": 2,
        "type_2": 3,
        "sensitivity": 3,
        "specificity": 2,
        "agreement": 5,
    }
    assert (found["left_out"] == 1).all() and found.loc["type_2", "high"] == wilson(1, 3).high


@pytest.mark.parametrize("seed", range(5))
def test_errors_agree_with_scikit_learn(seed):
    from sklearn.metrics import accuracy_score, recall_score

    p, y = rng(seed).random(50), rng(seed + 9).integers(0, 2, 50)
    found = error_rates(p, y, cut=0.4).set_index("measure")["value"]
    assert (
        found["sensitivity"] == pytest.approx(recall_score(y, p >= 0.4)) == pytest.approx(1 - found["type_2"])
    )
    assert (
        found["specificity"]
        == pytest.approx(recall_score(y, p >= 0.4, pos_label=0))
        == pytest.approx(1 - found["type_1"])
    )
    assert found["agreement"] == pytest.approx(accuracy_score(y, p >= 0.4))


def test_a_higher_cut_trades_type_1_for_type_2():
    p, y = rng(1).random(200), rng(2).integers(0, 2, 200)
    by_cut = [error_rates(p, y, cut=cut).set_index("measure")["value"] for cut in (0.0, 0.3, 0.6, 1.1)]
    assert [each["type_1"] for each in by_cut] == sorted((each["type_1"] for each in by_cut), reverse=True)
    assert by_cut[0]["type_1"] == 1 and by_cut[-1]["type_2"] == 1


def test_no_rejection_by_the_human_leaves_type_1_undefined():
    found = error_rates([0.9, 0.2], [1, 1]).set_index("measure")
    assert (
        isnan(found.loc["type_1", "value"]) and found.loc["type_1", "reason"] == "no case the human judged so"
    )
    assert found.loc["type_2", "value"] == 0.5


def test_errors_refuse():
    with pytest.raises(LabelError, match="not 0 or 1"):
        error_rates([0.5], [3])
    with pytest.raises(LabelError, match="one label"):
        error_rates([0.5, 0.1], [1])
