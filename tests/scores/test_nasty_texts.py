"""Nasty texts in every place of an answer's row: each row comes back in order, with a state and a reason, and nothing ends in an error."""

import json

import numpy as np
import pandas as pd
import pytest
from fake_encoder import FakeEncoder
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragassay import tables
from ragassay.scores import DEFAULT, METRICS, score

FEE = {"case_id": "c1", "system": "s", "question": "What is the fee?", "answer": "The fee is $5 [a#p1]."}
CASE = {"case_id": "c1", "answerable": True, "reference_chunk_ids": ["a#p1", "c#p3"], "language": "en"}
NASTY = [
    "",
    " ",
    "\x00",
    "\x00\x01 a\x00b",
    "Yes",
    "👋🏽",
    "👋 Yes 👋",
    "שלום עולם. \u202eevil\u202c [a#p1]",
    "[a#p1][b#p2]",
    "[a#p1, ; ,]",
    "...!?!",
    "\ud800 lone",
    "<script>alert(1)</script>",
    "| a | b |\n|---|---|",
    "=1+1",
    "{{x}} {0} %s",
    "a" * 50_000,  # as long as is scored
    "a. " * 2_000,
    "[" * 5_000,
    "[1]" * 1_000,
    "\n" * 5_000,
    "好的。可以。",
]
WILD = st.one_of(st.sampled_from(NASTY), st.text(max_size=80), st.none())
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "case_id": st.sampled_from(["c1", "c2", "c1"]),
            "system": st.just("s"),
            "question": WILD,
            "answer": WILD,
            "contexts": st.one_of(
                st.none(), st.lists(st.one_of(WILD, st.just("The fee is $5.")), max_size=3)
            ),
            "context_ids": st.one_of(
                st.none(), st.lists(st.sampled_from(["a#p1", "a#p1", "b#p2", "\x00"]), max_size=3)
            ),
            "reference_chunk_ids": st.one_of(
                st.none(), st.lists(st.sampled_from(["a#p1", "b#p2"]), max_size=2)
            ),
            "answerable": st.sampled_from([True, False, None]),
            "error": st.sampled_from([None, "", "boom"]),
        }
    ),
    min_size=1,
    max_size=4,
)


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(ROWS)
def test_every_row_comes_back_in_order_with_a_state(rows):
    """Few, since networks read each; test_bad_input.py draws many without them."""
    table = score(
        pd.DataFrame(rows, dtype=object), encode=FakeEncoder()
    )  # dtype: pandas' own strings refuse lone surrogates
    assert table["case_id"].tolist() == [row["case_id"] for row in rows for _ in DEFAULT]
    assert table["metric"].tolist() == list(DEFAULT) * len(rows)
    for row in table.itertuples():
        assert row.state in tables.STATES and (row.state == "scored") == (row.reason == "")
        assert (
            np.isnan(row.value)
            if row.state != "scored"
            else METRICS[row.metric].low - 1e-6 <= row.value <= METRICS[row.metric].high + 1e-6
        )
        assert isinstance(json.loads(row.detail), list)
        assert row.detail.encode("utf-8") and row.reason.encode("utf-8") is not None


@pytest.mark.parametrize("text", NASTY)
@pytest.mark.parametrize("place", ["answer", "question", "contexts"])
def test_nasty_texts_in_every_place(text, place):
    answer = {
        **FEE,
        "context_ids": ["a#p1"],
        "contexts": ["The fee."],
        place: [text] if place == "contexts" else text,
    }
    table = score(pd.DataFrame([answer], dtype=object), pd.DataFrame([CASE]), encode=FakeEncoder())
    assert len(table) == len(DEFAULT) and not (table["state"] == "error").any(), table[
        table["state"] == "error"
    ]
