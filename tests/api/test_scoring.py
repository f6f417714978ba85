"""ragassay.score: answers of any tool in, every row out in its place, memory and disk alike; the summary has means
with intervals and what was left out; nothing in the result acts."""

import json
import tracemalloc
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from fake_scores import encode, rows
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

import ragassay
from ragassay import scores as scores_room
from ragassay.api import Scores, scoring
from ragassay.api.score_files import COLUMNS, write
from ragassay.api.scoring import interval_of, metric_names, summarise
from ragassay.documents.record_files import Flaw
from ragassay.errors import ParameterError
from ragassay.scores import METRICS
from ragassay.scores.metric import NotApplicable
from ragassay.stats import clopper_pearson, mean_interval

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
    assert scores.schema == "ragas" and list(table.columns) == list(COLUMNS) and scores.n_answers == 3
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
    assert metric_names("default") == list(scores_room.DEFAULT) and len(scores_room.DEFAULT) <= 25
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


@settings(deadline=None, max_examples=20)
@given(st.lists(st.dictionaries(NAMES, VALUES), min_size=1, max_size=5))
def test_every_row_comes_back_in_its_order_with_a_state(records):
    sound = {"answer": "So."}  # of rows that are all bad nothing comes back
    rows = [record | {"question": f"Question {i}?"} for i, record in enumerate([*records, sound])]
    table = score(rows).to_pandas()
    assert len(table) == len(rows) * len(WANTED) and table["metric"].tolist() == WANTED * len(rows)
    assert ((table["state"] == "scored") == table["value"].notna()).all()
    assert ((table["state"] == "scored") | (table["reason"] != "")).all()
    assert not table.duplicated(["case_id", "system", "repeat", "metric"]).any()


def test_by_hand():
    found = summarise([rows("groundedness", [0.25, 0.75, None, 0.5, None, None, None])])
    row = found.iloc[0]
    assert (
        list(found.columns) == scoring.COLUMNS
        and row["value"] == 0.5
        and (row["n"], row["left_out"]) == (3, 4)
    )
    assert (row["not_applicable"], row["not_measured"], row["error"]) == (2, 1, 1)
    assert row["why"].startswith("empty answer (2); ")


def test_rates_have_the_exact_interval():
    found = summarise([rows("privacy_leaks", [1.0] * 8 + [0.0] * 2)]).iloc[0]
    exact = clopper_pearson(8, 10)
    assert (found["value"], found["low"], found["high"]) == (exact.value, exact.low, exact.high)
    assert found["method"].startswith("Clopper-Pearson")


def test_what_was_drawn_together_is_one_cluster(rng):
    """Variants of a question among single questions; where nothing says so each answer is its own."""
    table = rows("x", list(rng.normal(size=30)))
    clusters = {case: f"group {i // 3}" for i, case in enumerate(table["case_id"][:15])}
    together, apart = (summarise([table], clusters=given).iloc[0] for given in (clusters, None))
    assert "20 clusters" in together["method"] and "30 values" in apart["method"]
    assert (together["clustered_by"], apart["clustered_by"]) == ("group", "")


@pytest.mark.parametrize("kind, truth, quoted", [("scale", 0.0, 0.957), ("pass mark", norm.cdf(0.5), 0.960)])
def test_the_interval_covers_with_conversations_as_the_docstring_says(kind, truth, quoted, simulations):
    """20 conversations of 10, correlation 0.3: each answer taken for itself covers in 0.665 and 0.817."""
    runs, codes, hits = simulations(2000, 20), np.repeat(np.arange(20), 10), 0
    for seed in range(runs):
        draw = np.random.default_rng(seed)
        values = draw.normal(size=20)[codes] * np.sqrt(0.3) + draw.normal(size=200) * np.sqrt(0.7)
        found = scoring.interval(values if kind == "scale" else (values > -0.5) * 1.0, codes, "x", draw)
        hits += found.low <= truth <= found.high
    assert hits / runs == pytest.approx(quoted, abs=4 * np.sqrt(0.05 * 0.95 / runs))


@given(st.lists(st.none() | st.floats(-1, 1), max_size=40))
def test_every_answer_is_counted_once(values):
    known = [value for value in values if value is not None]
    for _, row in summarise([rows("x", values)]).iterrows():
        assert row["n"] + row["left_out"] == len(values)
        assert row["left_out"] == row["not_applicable"] + row["not_measured"] + row["error"]
        assert not known or min(known) - 1e-9 <= row["value"] <= max(known) + 1e-9


def test_nothing_scored_says_why():
    row = summarise([rows("x", [None] * 4)]).iloc[0]
    assert np.isnan(row["value"])
    assert str(interval_of(row)) == "not available (2 not applicable, 1 not measured, 1 error)"


def test_many_cases_by_the_normal_approximation_agree_with_the_bootstrap(rng, monkeypatch):
    values, cases = rng.beta(2, 3, 3000), [f"c{i // 2}" for i in range(3000)]
    bootstrapped = mean_interval(values, clusters=np.array(cases), rng=rng)
    monkeypatch.setattr(scoring, "LARGE", 100)
    found = summarise([rows("x", list(values), cases=cases)]).iloc[0]
    assert found["method"].startswith("normal approximation over 1500 clusters")
    width = bootstrapped.high - bootstrapped.low
    assert found["low"] == pytest.approx(bootstrapped.low, abs=0.1 * width)
    assert found["high"] == pytest.approx(bootstrapped.high, abs=0.1 * width)


HOSTILE = "<script>alert(1)</script>\u202e"
PARTS = (
    rows("groundedness", [0.1, 0.9, 0.4, None, 0.3, 0.8, 0.7]),
    rows("privacy_leaks", [1, 1, 0, 1, 1, 1, None]),
)
TABLE = pd.concat(PARTS, ignore_index=True)
FLAW = Flaw("a.jsonl, line 3", "contexts", "'<b>'", "a list", "correct it")


@pytest.fixture(params=["memory", ".parquet", ".csv", ".jsonl"])
def made(request, tmp_path) -> Scores:
    if request.param == "memory":
        return Scores(TABLE, 7, "ours")
    write([TABLE], tmp_path / f"s{request.param}")
    return Scores(tmp_path / f"s{request.param}", 7, "ours")


def test_memory_and_disk_say_the_same(made):
    pd.testing.assert_frame_equal(made.to_pandas(), TABLE, check_dtype=False)
    pd.testing.assert_frame_equal(made.summary(), Scores(TABLE, 7, "ours").summary())
    assert all(column in repr(made.summary()) for column in made.summary())
    assert made.n_answers == 7 and repr(made) == repr(Scores(TABLE, 7, "ours"))


def test_hostile_texts_do_not_act():
    table, flaws = TABLE.assign(system=HOSTILE, reason=HOSTILE), (FLAW._replace(found=HOSTILE),)
    scores = Scores(table, 7, "ours", (HOSTILE,), flaws, 1)
    page = scores._repr_html_()
    assert "<script" not in page and "alert(1)" in page and "\u202e" not in page + repr(scores)


def test_what_could_not_be_read_is_told_and_counted():
    scores = Scores(TABLE, 7, "ours", ("No contexts.",), (FLAW,) * 30, 45)
    assert len(scores.problems()) == 11 and scores.problems()[-1] == "... and 35 more"
    assert "45 unreadable" in repr(scores)
    assert "No contexts." in scores._repr_html_() and Scores(TABLE, 7, "ours").problems() == []
