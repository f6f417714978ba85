"""When labels were made, as they say themselves."""

import pandas as pd
import pytest

from ragassay.report.evidence_dates import labelled_in_words


@pytest.mark.parametrize(
    "days, said",
    [
        (["2026-11-21", "2026-11-21"], "made on 2026-11-21, by their own record"),
        (["2026-11-22T10:00", "2026-11-21", None],
         "made from 2026-11-21 to 2026-11-22, by their own record; 1 of 3 are undated"),
        ([None, "yesterday"], "undated"),
        ([], "undated"),
    ],
)  # fmt: skip
def test_the_days_stand_as_recorded(days, said):
    assert labelled_in_words(pd.DataFrame({"labelled_at": pd.Series(days, dtype=object)})) == said


def test_labels_without_the_column_are_undated():
    assert labelled_in_words(pd.DataFrame({"label": [1.0]})) == "undated"
