"""Traces of a judge: what is read, what is counted, what is refused with its line; agreement measured as the source does."""

import functools
import json
import math

import numpy as np
import pytest
import small_judge_made as made
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.errors import LabelError
from ragassay.examination.judge_agreement import between_judges, marks_of_traces
from ragassay.examination.small_judge import features, read

ROW = made.traces(0)[0]
TEXTS = {name: ROW[name] for name in ("input", "references", "actual_output", "expected_output")}


def written(path, rows):
    path.write_text(
        "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8"
    )
    return path


def test_marks_are_read_by_three_names(tmp_path):
    marks = {"answer_relevancy": 4, "completeness": None, "usefulness": 1.0, "faithfulness": 0}
    rows = [
        TEXTS | marks,
        TEXTS | {"marks": marks},
        TEXTS | {f"judge_grouse_{mark}": value for mark, value in marks.items()},
    ]
    found = read(written(tmp_path / "t.jsonl", [*rows, ""]))
    assert found.marks == (marks, marks, marks) and found.rows[0] == TEXTS
    assert found.parse_failures == dict.fromkeys(made.MARKS, 0)


def test_a_mark_left_out_is_a_parse_failure_and_null_is_not(tmp_path):
    found = read(
        written(
            tmp_path / "t.jsonl",
            [
                TEXTS | {"completeness": 2},
                TEXTS | {"completeness": None, "usefulness": None},
                TEXTS | {"usefulness": 1},
            ],
        )
    )
    assert found.parse_failures == {
        "answer_relevancy": 3,
        "completeness": 1,
        "usefulness": 1,
        "faithfulness": 3,
    }
    np.testing.assert_array_equal(found.given("completeness"), [2, np.nan])
    counted = {(row.mark, row.given): row.n for row in found.balance.itertuples()}
    assert (
        counted[("completeness", "2")]
        == counted[("completeness", "null")]
        == counted[("completeness", "unparsed")]
        == 1
    )
    assert counted[("faithfulness", "unparsed")] == 3


@pytest.mark.parametrize(
    "mark, value",
    [
        ("answer_relevancy", 6),
        ("completeness", 2.5),
        ("faithfulness", True),
        ("completeness", "5"),
        ("usefulness", [1]),
        ("answer_relevancy", float("nan")),
    ],
)
def test_a_mark_out_of_range_is_refused_with_file_and_line(tmp_path, mark, value):
    with pytest.raises(LabelError, match=f"t.jsonl, line 3(.|\n)*{mark}"):
        read(written(tmp_path / "t.jsonl", [ROW, "", ROW | {mark: value}]))


@pytest.mark.parametrize(
    "line, words",
    [
        ("{not json", "no JSON object"),
        ("[1]", "no JSON object"),
        (json.dumps(TEXTS), "no mark"),
        (json.dumps(ROW | {"input": 3}), "'input' is no text"),
        (json.dumps(ROW | {"references": "text"}), "'references'"),
        (json.dumps(ROW | {"references": [1]}), "'references'"),
        (json.dumps(ROW | {"expected_output": ["x"]}), "'expected_output'"),
    ],
)
def test_a_line_that_is_no_trace_is_refused(tmp_path, line, words):
    with pytest.raises(LabelError, match=f"line 2(.|\n)*{words}"):
        read(written(tmp_path / "t.jsonl", [ROW, line]))


def test_all_bad_lines_are_counted_and_five_named(tmp_path):
    with pytest.raises(LabelError, match=r"line 5: (.|\n)*, and 4 more"):
        read(written(tmp_path / "t.jsonl", [ROW | {"faithfulness": 7}] * 9))


def test_null_is_no_grade_but_a_class():
    these = [
        {"answer_relevancy": value, "completeness": value, "usefulness": None if value is None else 1}
        for value in (1, 2, None, 4, 5, None)
    ]
    those = [
        {"answer_relevancy": value, "completeness": value, "usefulness": None}
        for value in (1, 3, None, 4, None, 2)
    ]
    rows = [{"input": str(place)} for place in range(6)]
    both = (marks_of_traces(rows, marks) for marks in (these, those))
    found = between_judges(*both, rng=np.random.default_rng(0)).set_index("mark")
    relevancy = found.loc["answer_relevancy"]
    assert (relevancy.value, relevancy.n, relevancy.left_out) == (pytest.approx(1.0), 3, 3)
    assert relevancy.identical == pytest.approx(3 / 6)
    assert found.loc["usefulness"].value == pytest.approx((2 * 2 / 8 + 0) / 2)
    assert found.loc["positive_acceptance"].identical == pytest.approx(4 / 6)  # not the last two


def seen(row):
    tools = made.tools()
    return features.features(features.as_sample(row), tools)


def test_features_tell_the_sixteen_kinds_apart():
    kinds = [seen(row) for row in made.traces(3)]
    right, wrong, uncited, distorted = kinds[0], kinds[13], kinds[14], kinds[15]
    assert right["cited_above_others_least"] > 0 > wrong["cited_above_others_least"]
    assert right["every_sentence_cites"] == 1 and uncited["every_sentence_cites"] == 0
    assert (
        right["numbers_not_cited"],
        distorted["numbers_not_cited"],
        distorted["numbers_of_truth_missing"],
    ) == (0, 1, 1)
    assert (
        kinds[10]["declines_alone"] == 1 and kinds[8]["responds_alone"] == 1 and kinds[3]["both_decline"] == 1
    )
    assert kinds[7]["answer_to_truth_least"] < right["answer_to_truth_least"]
    assert kinds[9]["truth_to_answer_least"] < right["truth_to_answer_least"]


@functools.cache
def names_of_features():
    return list(seen(ROW))


@settings(deadline=None, max_examples=60)
@given(st.text(), st.lists(st.text(), max_size=4), st.text(), st.text())
def test_features_of_wild_texts_are_finite_and_always_the_same_ones(question, references, answer, truth):
    found = seen(
        {"input": question, "references": references, "actual_output": answer, "expected_output": truth}
    )
    assert list(found) == names_of_features()
    assert all(math.isfinite(value) for value in found.values())
