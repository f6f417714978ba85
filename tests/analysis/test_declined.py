"""Which questions were declined: by hand; the mean of the rows is the rate of the scorecard, also by slice."""

import numpy as np
import pandas as pd
import pytest
from made import cases_of

from ragassay import tables
from ragassay.analysis import robustness, scorecard
from ragassay.analysis.declined import declined

NO = "I cannot find this in the documents."


@pytest.fixture
def asked():
    cases = cases_of(
        ["T1", "T2"] * 20, language=["en"] * 20 + ["es"] * 20, answerable=[False] * 38 + [True] * 2
    )
    given = [NO if i % 4 else "The fee is 5 dollars." for i in range(39)]
    answers = pd.DataFrame(
        {"case_id": cases.case_id[:39], "system": "bank", "repeat": 0, "answer": given, "error": ""}
    )
    return answers.assign(error=["the service was down"] + [""] * 38), cases


def test_by_hand(asked):
    """38 questions without an answer: one ended in an error, nine others were answered, 28 declined."""
    found = declined(*asked, name="unanswerable_declined")
    tables.check("scores", found)
    assert found["value"].sum() == 28 and found["value"].notna().sum() == 37
    assert found["state"].value_counts().to_dict() == {"scored": 37, "not_measured": 1}
    one = declined(*asked, name="answerable_declined", answerable=True)
    assert one["state"].tolist() == ["scored", "not_measured"]  # the last was never asked


def test_its_mean_is_the_rate(asked):
    found, rate = declined(*asked, name="m"), robustness.abstention_rate(*asked)
    assert rate.value == pytest.approx(found["value"].mean()) and (rate.n, rate.left_out) == (37, 1)


def test_a_gate_on_a_slice_of_it_finds_its_cases(asked):
    """Before, a rate had no slices at all: the gate stayed incomplete."""
    found = scorecard.summarize_slices(
        declined(*asked, name="m"), asked[1], [("m", "language=es")], rng=np.random.default_rng(0)
    )
    assert found["n"].tolist() == [18] and found["value"][0] == pytest.approx(13 / 18)


def test_nothing_asked_is_no_row(asked):
    assert declined(asked[0], asked[1][:0], name="m").empty
    none = declined(asked[0][:0], asked[1], name="m")
    tables.check("scores", none)
    assert set(none["state"]) == {"not_measured"}
