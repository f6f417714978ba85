"""The criteria that a run records for its findings: how many cases a retest needs."""

import pandas as pd
import pytest

from ragassay.analysis import checks
from ragassay.decision.closing import criteria


@pytest.mark.parametrize(
    "rule, n, fewest",
    [
        (f"no answer may hold one; {checks.CLEAR_IF_NONE}", 13, checks.TO_CLEAR),
        (f"no answer may hold one; {checks.CLEAR_IF_NONE}", 184, 184),
        ("raised where the lower bound is above 10 %", 13, 13),
    ],
)
def test_what_is_never_tolerated_is_retested_on_as_many_trials_as_clear_it(rule, n, fewest):
    row = {
        "check": "access",
        "aspect": "links",
        "metric": "shown",
        "outcome": "raised",
        "criterion": rule,
        "n": n,
    }
    [found] = criteria.of_checks(pd.DataFrame([row]))
    assert (found.fewest, found.passed) == (fewest, False)
