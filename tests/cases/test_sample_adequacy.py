"""Adequacy counts and what n cases can show: by hand, against scipy and statsmodels' formula, laws, refusals."""

import math

import numpy as np
import pandas as pd
import pytest

from ragassay.cases import case_table
from ragassay.cases.sample_adequacy import adequacy, minimum_detectable_effect, power

TOPICS = pd.DataFrame({"topic": ["T01", "T02"], "label": ["cards", "loans"], "n_chunks": [9, 4]})


CASE = {"question": "?", "answer_type": "short_fact", "query_type": "factual", "kind": "own", "topic": "T01"}


def cases_of(*changes):
    return case_table.cases_frame(CASE | {"case_id": str(i)} | one for i, one in enumerate(changes))


def test_counts_questions_not_their_variants():
    unanswered = {"answerable": False, "answer_type": "no_answer"}
    cases = cases_of({}, {"query_type": "yes_no"}, {"parent_id": "1"}, unanswered, {"kind": "grounded"})
    table = adequacy(cases, TOPICS)
    assert table["n_cases"].tolist() == [2, 0] and table["uncovered"].tolist() == [False, True]
    assert table.loc[0, ["factual", "yes_no", "short_fact"]].tolist() == [1, 1, 2]


def test_fall_has_the_power_it_promises():
    """The textbook sample size for the fall found is the n we started from."""
    p, n = 0.8, 150
    q = p - minimum_detectable_effect(p, n)
    middle = (p + q) / 2
    needed = (
        1.959964 * math.sqrt(2 * middle * (1 - middle)) + 0.841621 * math.sqrt(p * (1 - p) + q * (1 - q))
    ) ** 2 / (p - q) ** 2
    assert needed == pytest.approx(n, rel=1e-5)


def test_what_a_stratum_still_needs():
    table = adequacy(cases_of(*[{}] * 10), TOPICS)
    assert table["needed"].tolist() == [21, 31] and np.isnan(table.loc[1, "half_width"])


def test_what_so_many_show():
    """None among 190 bounds a rate by 2 %; none at all says nothing."""
    table = power(pd.Series({"outside": 190, "none": 0}))
    assert table.loc["outside", "bound"] == pytest.approx(0.0192, abs=1e-4)
    assert table.loc["outside", "fall"] == round(minimum_detectable_effect(0.8, 190), 4)
    assert table.loc["none", ["half_width", "fall", "bound"]].isna().all()
