"""The summary: means with intervals, and what was left out, counted by state and reason."""

import numpy as np
import pytest
from fake_scores import rows
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from ragassay.api import summary
from ragassay.api.summary import COLUMNS, interval_of, summarise
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
    assert (found["value"], found["low"], found["high"]) == (exact.value, exact.low, exact.high) and found[
        "method"
    ].startswith("Clopper-Pearson")


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
    for _, row in summarise([rows("x", values)]).iterrows():
        assert (
            row["n"] + row["left_out"] == len(values)
            and row["left_out"] == row["not_applicable"] + row["not_measured"] + row["error"]
        )
        assert (
            not row["n"]
            or min(v for v in values if v is not None) - 1e-9
            <= row["value"]
            <= max(v for v in values if v is not None) + 1e-9
        )


def test_nothing_scored_says_why():
    row = summarise([rows("x", [None] * 4)]).iloc[0]
    assert (
        np.isnan(row["value"])
        and str(interval_of(row)) == "not available (2 not applicable, 1 not measured, 1 error)"
    )


def test_many_cases_by_the_normal_approximation_agree_with_the_bootstrap(rng, monkeypatch):
    values, cases = rng.beta(2, 3, 3000), [f"c{i // 2}" for i in range(3000)]
    bootstrapped = mean_interval(values, clusters=np.array(cases), rng=rng)
    monkeypatch.setattr(summary, "LARGE", 100)
    found = summarise([rows("x", list(values), cases=cases)]).iloc[0]
    assert found["method"].startswith("normal approximation over 1500 clusters")
    width = bootstrapped.high - bootstrapped.low
    assert (
        abs(found["low"] - bootstrapped.low) < 0.1 * width
        and abs(found["high"] - bootstrapped.high) < 0.1 * width
    )


def test_rows_that_could_not_be_read_are_one_reason():
    table = rows("x", [0.5, None, None], states=["scored", "error", "error"])
    table["reason"] = ["", *(f"the row could not be read: a.csv, line {i}: found 'x'" for i in (2, 3))]
    assert summarise([table]).iloc[0]["why"] == "the row could not be read (2)"
