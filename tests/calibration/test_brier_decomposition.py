"""Log loss and what the Brier score is made of: by hand, against scikit-learn, sums, bias, refusals."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.calibration.brier_decomposition import BRIER_PARTS, brier_decomposition
from ragassay.calibration.probability_metrics import brier, log_loss, log_loss_per_case
from ragassay.errors import LabelError


def rng(seed=0):
    return np.random.default_rng(seed)


def calibrated(n, seed=0, promises=(0.1, 0.3, 0.5, 0.7, 0.9)):
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

    p, y = calibrated(80, seed)
    found = log_loss(p, y, rng=rng())
    assert (
        found.value == pytest.approx(rival(y, p)) and found.low < found.value < found.high and found.n == 80
    )


def test_a_broken_promise_of_certainty_is_dear_but_finite():
    assert log_loss_per_case([0.0, 1.0, 0.0, 1.0], [1, 0, 0, 1]) == pytest.approx(
        [34.54, 34.54, 0, 0], abs=0.01
    )


def test_missing_pairs_are_counted():
    p, y = calibrated(40)
    found = log_loss(np.r_[p, np.nan], np.r_[y, 1], rng=rng())
    assert (found.n, found.left_out) == (40, 1)


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


def test_parts_are_those_of_the_interval():
    p, y = calibrated(100)
    assert parts(p, y).value["brier"] == pytest.approx(brier(p, y, rng=rng()).value)


def test_correction_takes_the_bias_off(simulations):
    """Perfect promises of 0.2, 0.5 and 0.8, 100 labels: reliability 0, resolution 0.06, uncertainty 0.25 (1,000 simulations, 4 SE).

    Measured over 2,000: plain 0.0058, 0.0623, 0.2474; corrected 0.0001, 0.0591, 0.2499 (standard error of the resolution 0.0005).
    """
    tables = [parts(*calibrated(100, seed, (0.2, 0.5, 0.8)), bins=3) for seed in range(simulations(1000))]
    for part, truth in (("reliability", 0.0), ("resolution", 0.06), ("uncertainty", 0.25)):
        found = np.array([table.bias_corrected[part] for table in tables])
        assert found.mean() == pytest.approx(truth, abs=4 * found.std() / np.sqrt(len(tables)))
    assert np.mean([table.value["reliability"] for table in tables]) > 0.005


def test_a_small_reliability_may_fall_below_zero_and_is_kept():
    assert any(parts(*calibrated(100, seed)).bias_corrected["reliability"] < 0 for seed in range(5))


def test_one_label_in_a_bin_cannot_be_corrected():
    found = parts([0.1, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9], [0, 1, 1, 1, 0, 1, 1, 1, 1, 1], bins=2)
    assert np.isfinite(found.value).all()
    one = parts([0.4], [1.0])
    assert one.value["brier"] == pytest.approx(0.36) and np.isnan(one.bias_corrected["reliability"])


def test_nothing_measured_gives_no_row_and_raw_scores_are_refused():
    assert len(brier_decomposition([np.nan], [1.0])) == 0 and list(brier_decomposition([], []).columns) == [
        "part",
        "value",
        "bias_corrected",
        "meaning",
    ]
    for measure in (lambda p, y: log_loss(p, y, rng=rng()), brier_decomposition):
        with pytest.raises(ValueError, match="calibrate it first"):
            measure([0.5, 3.0], [1, 0])
        with pytest.raises(LabelError, match="not 0 or 1"):
            measure([0.5, 0.3], [1, 2])
        with pytest.raises(LabelError, match="every score needs one label"):
            measure([0.5], [1, 0])
