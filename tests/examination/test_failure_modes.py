"""Failure modes: which were found, and false alarms; by hand, laws, refusals."""

import pandas as pd
import pytest
from test_unit_test_suite import TABLE, perfect, row, write

from ragassay.examination import unit_test_suite
from ragassay.examination.examine import examine
from ragassay.examination.failure_modes import MODES, OF_TYPE, by_failure_mode
from ragassay.examination.scorers import rules_alone
from ragassay.examination.unit_test_suite import MARKS


def table(tests, scorer) -> pd.DataFrame:
    return by_failure_mode(examine(tests, scorer)).set_index("mode")


@pytest.fixture
def tests(tmp_path):
    return unit_test_suite.read(write(tmp_path, [row(number) for number in TABLE]))


def test_by_hand(tests):
    """One test of each kind and a scorer that gives the best mark to all: it finds nothing and raises no alarm."""
    best = {"answer_relevancy": 5, "completeness": 5, "usefulness": None, "faithfulness": 1}
    found = table(tests, lambda rows: [best] * len(rows))
    assert found.loc["FM7", ["found", "n"]].tolist() == [0.0, 1] and found.loc["FM1", "n"] == 2
    # types 8, 9 and 13 are faithful; the scorer says so of each
    assert found.loc["FM7", ["false_alarms", "alarm_n"]].tolist() == [0.0, 3]
    # type 13 should be refused, is not, and so both its marks of acceptance are wrong
    assert found.loc["FM2", ["false_alarms", "alarm_n"]].tolist() == [1.0, 1]


def test_a_perfect_scorer_finds_all_and_raises_no_alarm(tests):
    found = table(tests, perfect(tests))
    tested = found[found.n > 0]
    assert (tested.found == 1).all() and (found.false_alarms.dropna() == 0).all()
    assert found.n.tolist() == [2, 1, 1, 1, 1, 0, 1] and pd.isna(found.loc["FM6", "found"])


def test_laws(tests):
    """Intervals hold the rate; what cannot be read finds nothing and alarms everywhere."""
    for scorer in (rules_alone, lambda rows: [{} for _ in rows]):
        found = table(tests, scorer)
        known = found[found.n > 0]
        assert ((known.low <= known.found) & (known.found <= known.high)).all()
    assert (known.found == 0).all() and (found.false_alarms.dropna() == 1).all()


def test_the_bundled_suite_tests_every_mode():
    """Nine questions: every type once each; a missing citation counts as FM6 by its definition."""
    tests = unit_test_suite.read()
    found = table(tests, perfect_of(tests))
    assert found.n.to_dict() == {"FM1": 18, "FM2": 9, "FM3": 27, "FM4": 18, "FM5": 9, "FM6": 18, "FM7": 9}
    assert list(found.index) == list(MODES) and set().union(*OF_TYPE.values()) == set(MODES)


def perfect_of(tests):
    meeting = {"==5": 5, "<5": 4, "==1": 1, "==0": 0, "==None": None}
    marks = [{mark: meeting[test.conditions[mark]] for mark in MARKS} for test in tests]
    return lambda rows: marks


def test_tests_of_one_question_do_not_count_as_drawn_by_themselves():
    """Formerly 18 tests of nine questions had the interval of 18: 81 % at its lower end, and not 66 %."""
    tests = unit_test_suite.read()
    found = table(tests, perfect_of(tests))
    assert found.loc["FM1", "low"] == pytest.approx(0.025 ** (1 / 9))
    assert found.loc["FM1", "alarm_high"] == pytest.approx(1 - 0.025 ** (1 / 9))
