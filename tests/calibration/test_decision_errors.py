"""Errors of the machine's decisions: by hand, and what a calibration that there is none of says."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from ragassay import tables
from ragassay.calibration import decision_errors
from ragassay.calibration.calibration_pipeline import uncalibrated

HELD = pd.DataFrame(
    {
        "decision": ["accept"] * 40 + ["reject"] * 7 + ["review"] * 13,
        "label": [1] * 33 + [0] * 7 + [0] * 4 + [1] * 3 + [1] * 13,
    }
)
DECIDED = pd.DataFrame({"decision": ["accept"] * 50 + ["reject"] * 10 + ["review"] * 40})


def errors(held=HELD, decided=DECIDED, alpha=0.1) -> pd.DataFrame:
    calibrated = replace(uncalibrated("m", "d", alpha, ""), held_out=held)
    table = decision_errors.decision_errors(calibrated, decided)
    return tables.check("decision_errors", table).set_index("decision")


def test_by_hand():
    """7 of 40 accepted and 3 of 7 rejected are wrong; half of the answers would be accepted."""
    found = errors()
    assert found[["n", "wrong"]].to_numpy().tolist() == [[40, 7], [7, 3], [47, 10], [13, 0]]
    assert found["value"].tolist()[:3] == pytest.approx([7 / 40, 3 / 7, 10 / 47])
    assert found["share"].tolist() == pytest.approx([0.5, 0.1, 0.6, 0.4])
    assert np.isnan(found.loc["review", "value"]) and found.loc["review", "reason"]
    assert not found["alone"].any()


def test_the_machine_decides_alone_only_where_the_upper_end_is_allowed():
    right = pd.DataFrame({"decision": ["accept"] * 60, "label": 1})
    found = errors(right, alpha=0.1)
    assert found["alone"].tolist() == [True, False, False, False] and found.loc["accept", "high"] < 0.1
    assert not errors(right.head(20), alpha=0.1)["alone"].any(), "20 right of 20 may be one wrong of six"
    assert found.loc["reject", "reason"]


def test_without_a_calibration_people_read_all():
    none = uncalibrated("m", "d", 0.1, "m is not calibrated: no labels.")
    table = decision_errors.decision_errors(none, DECIDED.head(0))
    found = tables.check("decision_errors", table).set_index("decision")
    assert found.loc["review", "share"] == 1
    assert found.loc["accept or reject", "reason"] == none.why_not and found["value"].isna().all()
