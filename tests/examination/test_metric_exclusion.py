"""Which metrics are barred, and why: by the suite, beyond rules, by probes; failure modes."""

import pandas as pd
import pytest

from ragassay.errors import ParameterError
from ragassay.examination import metric_exclusion, minimal_pairs
from ragassay.examination.examine import COLUMNS, FAILED, PASSED, Examination
from ragassay.examination.unit_test_suite import ALL_MARKS


def examination(passed, mark="faithfulness", tests=100, number=16):
    """All pass but this mark, which passes on the tests named."""
    rows = [
        (test, f"q{test % 9}", number, each, 1.0, "==1", PASSED if each != mark or test in passed else FAILED)
        for test in range(tests)
        for each in ALL_MARKS
    ]
    return Examination("it", pd.DataFrame(rows, columns=COLUMNS))


def pairs(told, tied, kind="number", metric="support"):
    rows = [
        (place, kind, metric, 0.0, 0.0, outcome)
        for place, outcome in enumerate(["told"] * told + ["tied"] * tied)
    ]
    return pd.DataFrame(rows, columns=minimal_pairs.COLUMNS)


@pytest.mark.parametrize(("passed", "by_rules", "said"), [
    (range(79), range(100), "79 of 100 unit tests (79 %)"), (range(80), range(100), ""),
    (range(80), range(70), "right on 10 of 30"), (range(86), range(70), ""),
])  # fmt: skip
def test_both_rates_must_be_reached(passed, by_rules, said):
    found = metric_exclusion.excluded_metrics(examination(passed), examination(by_rules))
    assert set(found) == ({"grouse_faithfulness"} if said else set()) and said in found.get(
        "grouse_faithfulness", ""
    )


@pytest.mark.parametrize(
    ("told", "tied", "is_barred"),
    [(20, 0, False), (10, 10, True), (14, 6, True), (15, 5, False), (0, 0, False)],
)
def test_pairs_must_be_told_apart_better_than_by_guessing(told, tied, is_barred):
    found = metric_exclusion.excluded_metrics(pairs=pairs(told, tied))
    assert set(found) == ({"support"} if is_barred else set())


@pytest.mark.parametrize("rules", [None, examination([], tests=9)])
def test_rules_alone_must_stand_beside(rules):
    with pytest.raises(ParameterError, match="rules alone"):
        metric_exclusion.excluded_metrics(examination([]), rules)
