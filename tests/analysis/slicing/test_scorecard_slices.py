"""Slices: how they are written, which cases are in one, what is said of one that is not there."""

import pandas as pd
import pytest

from ragassay.analysis.slicing import scorecard_slices
from ragassay.errors import ParameterError

CASES = pd.DataFrame(
    {"case_id": ["a", "b", "c"], "language": ["es", "en", None], "year": [2024.0, 2025, 2025]}
)


@pytest.mark.parametrize("text", ["T01", "", "language=", "=es", "="])
def test_what_is_no_slice_is_refused(text):
    with pytest.raises(ParameterError, match="a slice names a factor and one of its levels"):
        scorecard_slices.parse(text)


def test_members_by_hand():
    assert scorecard_slices.members(CASES, scorecard_slices.parse("language=es")).tolist() == [
        True,
        False,
        False,
    ]
    assert scorecard_slices.members(CASES, scorecard_slices.parse("language=(none)")).tolist() == [
        False,
        False,
        True,
    ]
    assert scorecard_slices.members(CASES, scorecard_slices.parse("year=2025")).tolist() == [
        False,
        True,
        True,
    ]


@pytest.mark.parametrize(
    "text, said",
    [
        ("language=es", ""),
        ("lang=es", "the cases have no column 'lang'; did you mean 'language'?"),
        ("language=ES", "no case has language=ES; did you mean 'es'?"),
        ("language=fr", "no case has language=fr; there are (none), en, es"),
    ],
)
def test_what_is_absent_is_named_with_the_nearest_there_is(text, said):
    assert scorecard_slices.why_absent(scorecard_slices.parse(text), CASES) == said
