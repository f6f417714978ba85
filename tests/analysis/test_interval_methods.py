"""Where a table holds several kinds of interval, its note names the rows of each, and why."""

import numpy as np

from ragassay.analysis import interval_methods
from ragassay.examination import examine, scorers, unit_test_suite
from ragassay.stats import clopper_pearson, mean_interval

EXACT = clopper_pearson(3, 9).method
PART = mean_interval(np.linspace(0, 1, 30), rng=np.random.default_rng(0)).method
ALIKE = mean_interval(
    np.ones(12), clusters=np.arange(12) // 3, span=(0.0, 1.0), rng=np.random.default_rng(0)
).method


def test_each_kind_that_the_kit_makes_is_named_with_its_rows():
    told = interval_methods.note(["a", "b", "c", "a"], [EXACT, PART, ALIKE, EXACT])
    assert told.startswith("Intervals: exact (Clopper-Pearson) for a, as each case is counted 0 or 1; ")
    assert "bootstrap (BCa) for b, as a case may count in part" in told
    assert "exact over what was drawn (Clopper-Pearson) for c, as all values are alike" in told


def test_one_kind_names_no_rows():
    assert interval_methods.note(["a", "b"], [EXACT, EXACT]) == (
        "Intervals: exact (Clopper-Pearson), as each case is counted 0 or 1."
    )


def test_what_is_not_known_is_not_named():
    assert interval_methods.note(["a", "b"], ["", None]) == ""


def test_the_marks_of_unit_tests_say_which_interval_each_has():
    found = examine.examine(
        unit_test_suite.read(unit_test_suite.BUNDLED), scorers.rules_alone, name="rules"
    ).summary()
    told = interval_methods.note(found["name"], found["method"])
    assert found["method"].str.len().min() > 0 and "bootstrap (BCa) for all six marks" in told
