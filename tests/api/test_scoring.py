"""ragassay.score: answers of any tool in, every row out in its place, memory and disk alike."""

import json
import tracemalloc
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ragassay
from api.fake_scores import encode
from ragassay import scores as scores_room
from ragassay.api import Scores
from ragassay.api.score_files import COLUMNS
from ragassay.api.scoring import metric_names
from ragassay.errors import ParameterError
from ragassay.scores import METRICS
from ragassay.scores.metric import NotApplicable

WANTED = ["groundedness", "citations_present", "privacy_leaks"]
LOG = [
    {
        "user_input": "What does it cost?",
        "response": "It costs $18 [1].",
        "retrieved_contexts": ["It is $18."],
    },
    {"user_input": "Why?", "response": "", "retrieved_contexts": ["Because."]},
    {"user_input": "Who?", "response": "Nobody knows.", "retrieved_contexts": None},
]


def score(answers, metrics=WANTED, **options) -> Scores:
    return ragassay.score(answers, metrics=metrics, encode=encode, **options)


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in LOG))
    return path


def test_a_log_of_another_tool(log):
    scores = score(log)
    table = scores.to_pandas()
    assert scores.schema == "ragas" and list(table.columns) == list(COLUMNS) and len(scores) == 3
    assert table["case_id"].tolist() == ["1"] * 3 + ["2"] * 3 + ["3"] * 3
    states = table[table["metric"] == "groundedness"]["state"].tolist()
    assert states == ["scored", "not_applicable", "not_measured"]


@pytest.mark.parametrize("kind", ["parquet", "jsonl", "csv"])
@pytest.mark.parametrize("batch", [1, 2, 256])
def test_memory_and_disk_and_batches_are_alike(log, tmp_path, kind, batch):
    on_disk = score(log, out=tmp_path / f"s.{kind}", batch=batch).to_pandas()
    pd.testing.assert_frame_equal(on_disk, score(log).to_pandas(), check_dtype=False)


def test_metrics_by_name_and_by_group():
    named = metric_names("groundedness, citations_present,groundedness")
    assert named == ["groundedness", "citations_present"]
    assert metric_names("default") == list(scores_room.DEFAULT)
    assert not any("judge" in METRICS[name].models for name in metric_names("all"))
    for wrong, words in (("groundednes", "did you mean 'groundedness'"), ("", "no metric is named")):
        with pytest.raises(ParameterError, match=words):
            metric_names(wrong)


def test_what_is_wrong_is_told_before_anything_is_read():
    def never():
        raise AssertionError("read too early")
        yield

    for options in ({"metrics": "groundednes"}, {"batch": 0}, {"out": "scores.txt"}, {"out": "none/s.csv"}):
        with pytest.raises(ParameterError):
            score(never(), **options)


@pytest.fixture
def derived(monkeypatch):
    """A metric of the whole table: how far a value is above the mean of all answers."""

    def above(values, names):
        mean, missing = np.nanmean(values), NotApplicable("a part is missing")
        return [missing if np.isnan(row).any() else (float(row[0] - mean), []) for row in values]

    parts = ("citations_present", "groundedness")
    made = replace(METRICS["citations_present"], name="above_average", derived=parts, measure=above)
    monkeypatch.setitem(METRICS, "above_average", made)


@pytest.mark.parametrize("metrics", [["above_average"], ["privacy_leaks", "above_average", "groundedness"]])
@pytest.mark.parametrize("batch", [1, 2, 9])
def test_derived_metrics_see_all_answers(derived, tmp_path, metrics, batch):
    expected = scores_room.score(pd.DataFrame([{"case_id": str(i), "system": "system", "question": row["user_input"], "answer": row["response"], "contexts": row["retrieved_contexts"]} for i, row in enumerate(LOG, 1)]), metrics=metrics, encode=encode)  # fmt: skip
    found = score(LOG, metrics, out=tmp_path / "s.parquet", batch=batch).to_pandas()
    assert found["metric"].tolist()[-3:] == ["above_average"] * 3
    assert set(found["metric"]) == set(metrics) and len(found) == 3 * len(metrics)
    both = found.merge(expected, on=["case_id", "metric"], suffixes=("", "_expected"), validate="one_to_one")
    assert both["value"].equals(both["value_expected"]) and both["reason"].equals(both["reason_expected"])


def peak_of(n: int, out) -> int:
    rows = ({**LOG[0], "retrieved_contexts": [f"Passage {i}. " * 800]} for i in range(n))
    tracemalloc.start()
    score(rows, ["citations_present", "privacy_leaks"], out=out, batch=50)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_memory_does_not_grow_with_the_answers(tmp_path):
    """Four times the answers of 10 KB: under 600 bytes more for each, the keys that tell repeats apart and the file's index."""
    few, many = peak_of(150, tmp_path / "a.parquet"), peak_of(600, tmp_path / "b.parquet")
    assert many - few < 450 * 600


LISTS = st.lists(st.text(max_size=10), max_size=3) | st.just("['a', 'b']")
VALUES = st.none() | st.text(max_size=30) | st.integers() | st.floats() | LISTS
NAMES = st.sampled_from("case_id system answer contexts context_ids answerable latency_s".split())


@settings(deadline=None, max_examples=40)
@given(st.lists(st.dictionaries(NAMES, VALUES), min_size=1, max_size=5))
def test_every_row_comes_back_in_its_order_with_a_state(records):
    sound = {"answer": "So."}  # of rows that are all bad nothing comes back
    rows = [record | {"question": f"Question {i}?"} for i, record in enumerate([*records, sound])]
    table = score(rows).to_pandas()
    assert len(table) == len(rows) * len(WANTED) and table["metric"].tolist() == WANTED * len(rows)
    assert ((table["state"] == "scored") == table["value"].notna()).all()
    assert ((table["state"] == "scored") | (table["reason"] != "")).all()
    assert not table.duplicated(["case_id", "system", "repeat", "metric"]).any()
