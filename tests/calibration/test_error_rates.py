"""Errors of the machine: by hand, against scikit-learn, by segment, refusals."""

from math import isnan

import numpy as np
import pandas as pd
import pytest

from ragassay.calibration.error_rates import error_rates, error_rates_by_segment
from ragassay.errors import LabelError
from ragassay.stats import clopper_pearson

P, Y = [0.9, 0.2, 0.5, 0.7, 0.1, np.nan], [1, 1, 1, 0, 0, 1]


def test_at_every_cut_they_agree_with_roc():
    from sklearn.metrics import roc_curve

    draw = np.random.default_rng(0)
    p, y = draw.random(300).round(2), draw.integers(0, 2, 300)
    falls, rises, cuts = roc_curve(y, p, drop_intermediate=False)
    found = [error_rates(p, y, threshold=cut).set_index("measure").value for cut in cuts[1:]]
    assert [each["type_1"] for each in found] == pytest.approx(falls[1:])
    assert [each["type_2"] for each in found] == pytest.approx(1 - rises[1:])


def test_by_segment_is_errors_of_each_at_a_joint_level():
    segment = ["b", "a", "a", "b", "a", "b"]
    found = error_rates_by_segment(P, Y, segment)
    own = error_rates(np.array(P)[[0, 3, 5]], np.array(Y)[[0, 3, 5]], level=0.975)
    assert found["segment"].tolist() == ["a"] * 5 + ["b"] * 5 and (found["level"] == 0.975).all()
    pd.testing.assert_frame_equal(found[found["segment"] == "b"][own.columns].reset_index(drop=True), own)


def test_they_refuse():
    with pytest.raises(LabelError, match="segment"):
        error_rates_by_segment([0.5, 0.1], [1, 0], ["a"])
    with pytest.raises(LabelError, match="not 0 or 1"):
        error_rates([0.5], [2])


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
    assert (found["left_out"] == 1).all() and found.loc["type_2", "high"] == clopper_pearson(1, 3).high


@pytest.mark.parametrize("seed", range(5))
def test_errors_agree_with_scikit_learn(seed):
    from sklearn.metrics import accuracy_score, recall_score

    p, y = np.random.default_rng(seed).random(50), np.random.default_rng(seed + 9).integers(0, 2, 50)
    found = error_rates(p, y, threshold=0.4).set_index("measure")["value"]
    assert (
        found["sensitivity"] == pytest.approx(recall_score(y, p >= 0.4)) == pytest.approx(1 - found["type_2"])
    )
    assert (
        found["specificity"]
        == pytest.approx(recall_score(y, p >= 0.4, pos_label=0))
        == pytest.approx(1 - found["type_1"])
    )
    assert found["agreement"] == pytest.approx(accuracy_score(y, p >= 0.4))


def test_no_rejection_by_the_human_leaves_type_1_undefined():
    found = error_rates([0.9, 0.2], [1, 1]).set_index("measure")
    assert isnan(found.loc["type_1", "value"]) and found.loc["type_1", "reason"]
    assert found.loc["type_2", "value"] == 0.5


def test_errors_refuse():
    with pytest.raises(LabelError, match="not 0 or 1"):
        error_rates([0.5], [3])
    with pytest.raises(LabelError, match="one label"):
        error_rates([0.5, 0.1], [1])
