"""Slices: how they are written, which cases are in one, what is said of one that is not there."""

import pandas as pd
import pytest

from ragassay.analysis import scorecard_slices
from ragassay.errors import ParameterError

CASES = pd.DataFrame(
    {
        "case_id": ["a", "b", "c"],
        "language": ["es", "en", None],
        "year": [2024.0, 2025, 2025],
        "origin": ["own", "own", "log"],
    }
)


@pytest.mark.parametrize("text", ["T01", "", "language=", "=es", "="])
def test_what_is_no_slice_is_refused(text):
    with pytest.raises(ParameterError, match="a slice names a factor and one of its levels"):
        scorecard_slices.parse(text)


@pytest.mark.parametrize(
    "name, members",
    [
        ("all", "abc"),
        ("language=es", "a"),
        ("language=(none)", "c"),
        ("year=2025", "bc"),
        ("year=2025 & origin=own", "b"),
        ("origin=log", "c"),
    ],
)
def test_members_by_hand(name, members):
    assert "".join(CASES["case_id"][scorecard_slices.members(CASES, name)]) == members


@pytest.mark.parametrize(
    "name, said",
    [
        ("all", ""),
        ("language=es & origin=own", ""),
        ("lang=es", "the cases have no column 'lang'; did you mean 'language'?"),
        ("language=ES", "no case has language=ES; did you mean 'es'?"),
        ("language=fr", "no case has language=fr; there are (none), en, es"),
    ],
)
def test_what_is_absent_is_named_with_the_nearest_there_is(name, said):
    assert scorecard_slices.why_absent(name, CASES) == said
