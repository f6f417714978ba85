"""Suites of unit tests: reading them, their conditions and types, and what an examination makes of right and wrong marks."""

import json

import pytest

from ragassay.errors import InputError
from ragassay.examination.examine import (
    ALL_MARKS,
    FAILED,
    FAILURES,
    MARKS,
    PASSED,
    UNPARSED,
    by_failure_mode,
    examine,
    meets,
    read_suite,
    rules_alone,
)

TABLE = {  # GroUSE table 6: relevancy, completeness, usefulness, faithfulness; and by the definition in 4.1, from which
    # the table departs in types 8, 13 and 16: positive acceptance, negative rejection
    8: ("<5", "==5", "==None", "==1", "==1", "==None"),
    9: ("==1", "==None", "==None", "==1", "==None", "==0"),
    11: ("==None", "==1", "==None", "==None", "==0", "==None"),
    13: ("==None", "==None", "==0", "==1", "==None", "==1"),
    16: ("==5", "==5", "==None", "==0", "==1", "==None"),
}
MEETING = {"==5": 5, "<5": 4, "==1": 1, "==0": 0, "==None": None}


def row(number, question="When does the pier open?", **more):
    wanted = {f"{mark}_condition": each for mark, each in zip(MARKS, TABLE[number], strict=False)}
    texts = {
        "input": question,
        "actual_output": "At nine [1].",
        "expected_output": "It opens at nine [1].",
        "references": ["The pier opens at nine."],
    }
    return {**texts, "conditions": wanted, "metadata": {"test_type": number}, **more}


def write(tmp_path, rows, name="suite.jsonl"):
    path = tmp_path / name
    path.write_text(
        "".join((each if isinstance(each, str) else json.dumps(each)) + "\n" for each in rows),
        encoding="utf-8",
    )
    return path


def perfect(tests):
    marks = [{mark: MEETING[test.conditions[mark]] for mark in MARKS} for test in tests]
    return lambda rows: marks


@pytest.mark.parametrize("number", TABLE)
def test_the_two_derived_marks_are_those_of_section_4_1(tmp_path, number):
    wanted = dict(zip(MARKS, TABLE[number], strict=False))
    (test,) = read_suite(write(tmp_path, [row(8) | {"conditions": wanted}]))
    assert tuple(test.conditions[mark] for mark in ALL_MARKS) == TABLE[number]


@pytest.mark.parametrize(("mark", "condition", "met"), [
    (5, "==5", True), (4, "< 5", True), (5, "<5", False), (None, "==None", True), (0, "==None", False),
    (None, "<5", False), (3, ">=3", True), (2, ">3", False),
])  # fmt: skip
def test_a_mark_meets_its_condition(mark, condition, met):
    assert meets(mark, condition) is met


@pytest.mark.parametrize(("bad", "said"), [
    ("", "holds no line"), ("{", "cannot be read"), ("[1]", "cannot be read"),
    (row(8, references="x"), "references"), (row(8, input=None), "input"),
    (row(8, conditions={}), "cannot be read"), ("[" * 9000, "cannot be read"),
])  # fmt: skip
def test_bad_files_are_refused(tmp_path, bad, said):
    with pytest.raises(InputError, match=said):
        read_suite(write(tmp_path, [bad]))


def test_by_hand(tmp_path):
    tests = read_suite(write(tmp_path, [row(8), row(16)]))
    marks = [
        {"answer_relevancy": 5, "completeness": 5, "usefulness": None, "faithfulness": 1},
        {"answer_relevancy": 5, "completeness": 5, "usefulness": None},
    ]
    found = examine(tests, lambda rows: marks)
    assert found.checks.outcome.tolist() == [FAILED, *[PASSED] * 5, *[PASSED] * 3, UNPARSED, PASSED, PASSED]
    shown = found.to_dict()
    assert shown["total"]["value"] == pytest.approx(10 / 12) and found.parse_failures == 1
    assert {number: each["value"] for number, each in shown["by_type"].items()} == {"8": 0, "16": 0}


@pytest.mark.parametrize(("answer", "marks"), [
    ("It opens at nine [1].", (5, 5, None, 1)),
    ("It opens at nine [1]. It is wet.", (5, 5, None, 0)),
    ("No document answers this question.", (None, None, None, None)),
    ("No document answers this question. However, it opens at nine [1].", (None, None, 1, 1)),
])  # fmt: skip
def test_rules_alone(answer, marks):
    found = rules_alone([{"input": "?", "actual_output": answer, "expected_output": "", "references": []}])
    assert tuple(found[0][mark] for mark in MARKS) == marks


@pytest.fixture
def five(tmp_path):
    return read_suite(write(tmp_path, [row(number) for number in TABLE]))


def modes_of(tests, scorer):
    return by_failure_mode(examine(tests, scorer)).set_index("mode")


def test_failure_modes_by_hand(five):
    """One test of each kind and a scorer that gives the best mark to all: it finds nothing and raises no alarm."""
    best = {"answer_relevancy": 5, "completeness": 5, "usefulness": None, "faithfulness": 1}
    found = modes_of(five, lambda rows: [best] * len(rows))
    assert found.loc["FM7", ["found", "n"]].tolist() == [0.0, 1] and found.loc["FM1", "n"] == 2
    # types 8, 9 and 13 are faithful; the scorer says so of each
    assert found.loc["FM7", ["false_alarms", "faultless"]].tolist() == [0.0, 3]
    # type 13 should be refused, is not, and so both its marks of acceptance are wrong
    assert found.loc["FM2", ["false_alarms", "faultless"]].tolist() == [1.0, 1]


def test_the_bundled_suite_tests_every_mode():
    """Nine questions: every type once each; a missing citation counts as FM6 by its definition."""
    tests = read_suite()
    found = modes_of(tests, perfect(tests))
    assert found.n.tolist() == [18, 9, 27, 18, 9, 18, 9] and list(found.index) == list(FAILURES)
