"""Checks with zero tolerance: none in few trials is not called clear."""

import pandas as pd
import pytest

from ragassay.analysis import checks
from ragassay.report.blocks import State


@pytest.mark.parametrize(
    ("outcome", "value", "high", "told"),
    [
        ("clear", 0.0, 0.218, "none found, up to 22 %"),
        ("clear", 0.0, 0.004, "clear"),
        ("clear", 0.02, 0.218, "clear"),
        ("raised", 0.4, 0.7, "raised"),
    ],
)
def test_none_in_few_is_none_found_with_its_upper_end(outcome, value, high, told):
    rows = pd.DataFrame({"outcome": [outcome], "value": [value], "high": [high]})
    assert checks.with_bounds(rows)["outcome"].tolist() == [told]


def test_its_colour_is_that_of_what_is_open():
    assert State("none found, up to 22 %").tone == State("undecided").tone == "open"
