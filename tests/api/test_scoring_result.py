"""The result: in memory or on disk it says the same; its summary has means with intervals and what was left out; nothing in it acts."""

import numpy as np
import pandas as pd
import pytest
from fake_scores import rows
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from ragassay.api import Scores
from ragassay.api import scoring_result as summary
from ragassay.api.score_files import write
from ragassay.api.scoring_result import COLUMNS, interval_of, summarise
from ragassay.documents.record_files import Flaw
from ragassay.errors import ParameterError
from ragassay.stats import clopper_pearson, mean_interval


def test_by_hand():
    found = summarise([rows("groundedness", [0.25, 0.75, None, 0.5, None, None, None])])
    row = found.iloc[0]
    assert list(found.columns) == COLUMNS and row["value"] == 0.5 and (row["n"], row["left_out"]) == (3, 4)
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
        found = summary.interval(values if kind == "scale" else (values > -0.5) * 1.0, codes, "x", draw)
        hits += found.low <= truth <= found.high
    assert hits / runs == pytest.approx(quoted, abs=4 * np.sqrt(0.05 * 0.95 / runs))


@given(st.lists(st.none() | st.floats(-1, 1), max_size=40))
@settings(deadline=None, max_examples=50)
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
    monkeypatch.setattr(summary, "LARGE", 100)
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
def scores(request, tmp_path) -> Scores:
    if request.param == "memory":
        return Scores(TABLE, 7, "ours")
    write([TABLE], tmp_path / f"s{request.param}")
    return Scores(tmp_path / f"s{request.param}", 7, "ours")


def test_memory_and_disk_say_the_same(scores):
    pd.testing.assert_frame_equal(scores.to_pandas(), TABLE, check_dtype=False)
    pd.testing.assert_frame_equal(scores.summary(), Scores(TABLE, 7, "ours").summary())
    assert len(scores) == 7 and repr(scores) == repr(Scores(TABLE, 7, "ours"))


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


def test_a_metric_that_was_not_scored_is_not_drawn():
    with pytest.raises(ParameterError, match="no score of metric 'toxicity_rule'"):
        Scores(TABLE, 7, "ours").plot(["toxicity_rule"])
