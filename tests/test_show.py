"""Values as readers see them."""

import math

import numpy as np
import pandas as pd
import pytest

from ragassay import show
from ragassay.stats.intervals import Interval


@pytest.mark.parametrize(
    "value, text",
    [
        (0.8234, "0.823"), (1.2345, "1.23"), (12.345, "12.3"), (1234.5, "1,234"), (3.0, "3"), (-0.5, "−0.500"), (0.00002, "2.0e-05"), (0.0, "0"),
        (math.nan, "—"), (math.inf, "∞"), (None, "—"), (pd.NA, "—"), (pd.NaT, "—"), (True, "yes"), (np.False_, "no"), (1200, "1,200"), ([], "none"),
        (["a", "b"], "a, b"), (np.array([1, 2]), "1, 2"), ({"b": 1, "a": 2}, '{"a": 2, "b": 1}'), (pd.Timestamp("2026-11-20"), "2026-11-20"),
        (Interval(0.82, 0.78, 0.86, 240, 6), "0.82 [0.78, 0.86] n=240, 6 not measured"),
    ],
)  # fmt: skip
def test_values_by_hand(value, text):
    assert show.value_text(value) == text
