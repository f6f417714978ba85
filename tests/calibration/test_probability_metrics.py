"""Brier and its parts, log loss, calibration error, reliability, AUROC: by hand, against scikit-learn, laws, refusals, coverage."""

from math import isnan, sqrt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.calibration.probability_metrics import (
    BRIER_PARTS,
    auroc,
    brier,
    brier_decomposition,
    calibration_error_if_perfect,
    debiased_expected_calibration_error,
    expected_calibration_error,
    log_loss,
    log_loss_per_case,
    reliability,
)
from ragassay.errors import LabelError
from ragassay.stats import clopper_pearson


def rng(seed=0):
    return np.random.default_rng(seed)


def calibrated(n, seed=0):
    draw = rng(seed)
    p = draw.beta(2, 1, size=n)
    return p, (draw.random(n) < p).astype(float)


def test_brier_by_hand():
    assert brier([0.9, 0.2, 0.6, 0.5, 0.5, 0.5], [1, 0, 0, 1, 0, 1], rng=rng()).value == pytest.approx(
        (0.01 + 0.04 + 0.36 + 0.75) / 6
    )


@pytest.mark.parametrize("seed", range(5))
def test_brier_and_auroc_agree_with_scikit_learn(seed):
    from sklearn.metrics import brier_score_loss, roc_auc_score

    p, y = calibrated(80, seed)
    p = p.round(1)
    assert brier(p, y, rng=rng()).value == pytest.approx(brier_score_loss(y, p))
    assert auroc(p, y, rng=rng()).value == pytest.approx(roc_auc_score(y, p))


def test_calibration_error_by_hand():
    """Two bins of two: promises 0.2 and 0.9, observed 0.5 and 1: (0.3 + 0.1)/2."""
    assert expected_calibration_error([0.1, 0.3, 0.8, 1.0], [0, 1, 1, 1], bins=2) == pytest.approx(0.2)


@pytest.mark.parametrize("seed", range(5))
def test_calibration_error_is_the_mean_gap_of_the_table(seed):
    p, y = calibrated(83, seed)
    p = p.round(1 + seed % 2)
    table = reliability(p, y, bins=10)
    assert expected_calibration_error(p, y, bins=10) == np.average(table["gap"].abs(), weights=table["n"])
    same = np.random.default_rng(seed)
    drawn = [expected_calibration_error(p, same.random(83) < p) for _ in range(50)]
    found = calibration_error_if_perfect(p, n_draws=50, rng=rng(seed))
    assert (found.value, found.low) == (np.mean(drawn), np.quantile(drawn, 0.025))


def test_debiased_by_hand():
    """Two bins of four, gaps 0.25 and 0, observed 0.5 and 1: ((0.0625 - 0.25/3) + 0)/2 < 0 is reported as 0; without noise 0.5."""
    assert (
        debiased_expected_calibration_error([0.25] * 4 + [1.0] * 4, [0, 0, 1, 1, 1, 1, 1, 1], bins=2) == 0.0
    )
    assert debiased_expected_calibration_error(
        [0.5] * 4 + [0.6] * 4, [0] * 4 + [1] * 4, bins=2
    ) == pytest.approx(sqrt((0.25 + 0.16) / 2))


@pytest.mark.parametrize("seed", range(5))
def test_reliability_agrees_with_scikit_learn(seed):
    from sklearn.calibration import calibration_curve

    p, y = calibrated(200, seed)
    found = reliability(p, y, bins=10)
    observed, promised = calibration_curve(y, p, n_bins=10, strategy="quantile")
    assert found["observed"].to_numpy() == pytest.approx(observed) and found[
        "probability"
    ].to_numpy() == pytest.approx(promised)


def test_reliability_row_by_hand():
    row = reliability([0.5, 0.7, np.nan], [1, 0, 1], bins=1).iloc[0]
    assert (row["bin"], row["from"], row["to"], row["n"], row["observed"]) == (1, 0.5, 0.7, 2, 0.5)
    assert row["gap"] == pytest.approx(0.1) and row["low"] == clopper_pearson(1, 2).low


def test_equal_probabilities_share_a_bin_and_no_row_is_lost():
    p = np.repeat([0.2, 0.5, 0.9], [50, 3, 47])
    found = reliability(p, rng().random(100) < p, bins=10)
    assert found["n"].tolist() == [50, 3, 47] and found["from"].equals(found["to"])
    assert reliability(*calibrated(237), bins=7)["n"].between(33, 35).all()


def test_nothing_to_measure_is_not_zero():
    assert (
        isnan(expected_calibration_error([], []))
        and isnan(debiased_expected_calibration_error([0.5], [1]))
        and len(reliability([], [])) == 0
    )
    for found in (
        auroc([0.1, 0.2], [1, 1], rng=rng()),
        auroc([], [], rng=rng()),
        brier([np.nan], [1], rng=rng()),
    ):
        assert isnan(found.value) and found.reason


def test_auroc_by_hand():
    """Of 2 x 2 pairs one is reversed and one tied: (2 + 0.5)/4."""
    assert auroc([0.9, 0.4, 0.4, 0.6], [1, 1, 0, 0], rng=rng()).value == pytest.approx(2.5 / 4)


def test_auroc_knows_only_ranks_and_mirrors():
    p, y = calibrated(60)
    one, two, back = (auroc(x, y, rng=rng(1)) for x in (p, np.exp(9 * p), -p))
    assert (one.value, one.low, one.high) == (two.value, two.low, two.high)
    assert back.value == pytest.approx(1 - one.value) and back.low == pytest.approx(1 - one.high)


def test_perfect_ranking_is_not_certainty():
    found = auroc(np.arange(30.0), np.repeat([0, 1], [20, 10]), rng=rng())
    assert (found.value, found.low, found.high) == (1.0, pytest.approx(clopper_pearson(10, 10).low), 1.0)
    assert auroc(-np.arange(30.0), np.repeat([0, 1], [20, 10]), rng=rng()).high == pytest.approx(
        clopper_pearson(0, 10).high
    )


def test_missing_pairs_are_counted_and_clusters_follow():
    p, y = calibrated(60)
    p[:5] = np.nan
    found = auroc(p, y, clusters=np.arange(60) // 3, rng=rng())
    assert (found.n, found.left_out) == (55, 5) and "19 clusters" in found.method


def test_auroc_covers(simulations):
    """True AUROC of N(0, 1) against N(1.2, 1) is Phi(1.2/sqrt 2); 40 + 40 labels, 300 simulations (3 standard errors: 0.038)."""
    from scipy.stats import norm

    draw, truth = rng(31), norm.cdf(1.2 / sqrt(2))
    labels = np.repeat([0, 1], 40)
    found = [auroc(draw.normal(size=80) + 1.2 * labels, labels, rng=draw) for _ in range(simulations(300))]
    assert np.mean([each.low <= truth <= each.high for each in found]) == pytest.approx(
        0.95, abs=3 * sqrt(0.95 * 0.05 / len(found))
    )


@pytest.mark.parametrize(
    "method", [expected_calibration_error, debiased_expected_calibration_error, reliability]
)
def test_refuses(method):
    with pytest.raises(ValueError, match="raw score"):
        method([1.5, 0.2], [1, 0])
    with pytest.raises(LabelError, match="not 0 or 1"):
        method([0.5, 0.2], [1, 4])
    with pytest.raises(LabelError, match="one label"):
        method([0.5], [1, 0])
    with pytest.raises(ValueError, match="bins"):
        method([0.5, 0.2], [1, 0], bins=0)


def stepped(n, seed=0, promises=(0.1, 0.3, 0.5, 0.7, 0.9)):
    draw = rng(seed)
    p = draw.choice(promises, size=n)
    return p, (draw.random(n) < p).astype(float)


def parts(*pair, **options) -> pd.DataFrame:
    return brier_decomposition(*pair, **options).set_index("part")


def test_log_loss_by_hand():
    assert log_loss([0.9, 0.2, 0.5] * 3, [1, 0, 1] * 3, rng=rng()).value == pytest.approx(
        -np.log([0.9, 0.8, 0.5]).mean()
    )
    assert log_loss_per_case([0.5, np.nan, 0.5], [1, 1, np.nan]) == pytest.approx(
        [np.log(2), np.nan, np.nan], nan_ok=True
    )


@pytest.mark.parametrize("seed", range(5))
def test_log_loss_agrees_with_scikit_learn(seed):
    from sklearn.metrics import log_loss as rival

    p, y = stepped(80, seed)
    found = log_loss(p, y, rng=rng())
    assert (
        found.value == pytest.approx(rival(y, p)) and found.low < found.value < found.high and found.n == 80
    )


def test_parts_by_hand():
    """Two bins of five at 0.2 and 0.8, shares 0.4 and 1, of all 0.7: gaps -0.2 and -0.2, shares 0.3 from the whole."""
    found = parts([0.2] * 5 + [0.8] * 5, [1, 1, 0, 0, 0, 1, 1, 1, 1, 1], bins=2)
    noise, overall = 0.5 * 0.4 * 0.6 / 4, 0.7 * 0.3 / 9
    assert found.value[list(BRIER_PARTS)].to_numpy() == pytest.approx([0.04, 0.09, 0.21, 0, 0.16])
    assert found.bias_corrected[list(BRIER_PARTS)].to_numpy() == pytest.approx(
        [0.04 - noise, 0.09 - noise + overall, 0.21 + overall, 0, 0.16]
    )


@given(
    st.lists(st.tuples(st.floats(0, 1), st.sampled_from([0.0, 1.0])), min_size=1, max_size=60),
    st.integers(1, 15),
)
def test_parts_add_up_to_the_brier_score(pairs, bins):
    p, y = np.array(pairs).T
    found = parts(p, y, bins=bins)
    assert found.value["brier"] == pytest.approx(np.mean((p - y) ** 2))
    for column in (found.value, found.bias_corrected):
        total = column["reliability"] - column["resolution"] + column["uncertainty"] + column["within bins"]
        assert np.isnan(total) or total == pytest.approx(column["brier"], abs=1e-12)


def test_correction_takes_the_bias_off(simulations):
    """Perfect promises of 0.2, 0.5 and 0.8, 100 labels: reliability 0, resolution 0.06, uncertainty 0.25 (1,000 simulations, 4 SE).

    Measured over 2,000: plain 0.0058, 0.0623, 0.2474; corrected 0.0001, 0.0591, 0.2499 (standard error of the resolution 0.0005).
    """
    tables = [parts(*stepped(100, seed, (0.2, 0.5, 0.8)), bins=3) for seed in range(simulations(1000))]
    for part, truth in (("reliability", 0.0), ("resolution", 0.06), ("uncertainty", 0.25)):
        found = np.array([table.bias_corrected[part] for table in tables])
        assert found.mean() == pytest.approx(truth, abs=4 * found.std() / np.sqrt(len(tables)))
    assert np.mean([table.value["reliability"] for table in tables]) > 0.005


def test_nothing_measured_gives_no_row_and_raw_scores_are_refused():
    empty = brier_decomposition([], [])
    assert len(brier_decomposition([np.nan], [1.0])) == 0 and list(empty) == [
        "part",
        "value",
        "bias_corrected",
    ]
    for measure in (lambda p, y: log_loss(p, y, rng=rng()), brier_decomposition):
        with pytest.raises(ValueError, match="calibrate it first"):
            measure([0.5, 3.0], [1, 0])
        with pytest.raises(LabelError, match="not 0 or 1"):
            measure([0.5, 0.3], [1, 2])
        with pytest.raises(LabelError, match="every score needs one label"):
            measure([0.5], [1, 0])
