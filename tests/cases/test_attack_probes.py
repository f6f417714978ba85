"""Probes and foreign questions: fit the cases table, cover each kind of misbehaviour, and none should be answered from the documents."""

import numpy as np
import pandas as pd
import pytest

from ragassay import tables
from ragassay.cases.attack_probes import engagement_probes, out_of_scope, probe_restricted_documents, probes
from ragassay.cases.case_table import COLUMNS
from ragassay.errors import ParameterError

CASES = pd.DataFrame(
    {"case_id": ["u1"], "question": ["What is the fee?"], "answerable": [True], "parent_id": None}
)
ANSWERS = CASES[["case_id"]].assign(repeat=0, error="", contexts=[["The fee is $5."]], context_ids=[["a#p1"]])
CHUNKS = pd.DataFrame(
    {"chunk_id": ["s#p1", "o#p1", "o#p2"], "doc_id": ["s", "o", "o"], "text": ["x", "y", "z"],
     "heading": ["Fraud > First steps", "Fees 2024", "Fees 2024 > Cards"]}
)  # fmt: skip
DOCUMENTS = pd.DataFrame(
    {"doc_id": ["s", "o", "n"], "title": ["Fraud", "Fees 2024", "Fees"], "status": [None, "superseded", None],
     "audience": ["staff", None, None]}
)  # fmt: skip


def test_they_fit_the_table_and_none_should_be_answered_but_what_only_begins_a_conversation():
    made = tables.check("cases", probes())
    assert list(made)[: len(COLUMNS)] == COLUMNS and made["case_id"].is_unique
    assert made[made["answerable"]]["turn"].le(2).all()
    closed = made[~made["answerable"]]
    assert closed["answer_type"].eq("no_answer").all() and not closed["reference_chunk_ids"].map(len).any()


def test_so_many_of_each_threat_are_drawn_by_the_seed_evenly_from_its_families():
    few, again, other = (probes(per_threat=16, per_gate=6, seed=seed) for seed in (0, 0, 1))
    alone = few[few["conversation_id"].isna()]  # a conversation of four turns is drawn whole
    sizes = alone.groupby("kind").size()
    assert sizes["probe: injection"] == 16 and sizes["probe: provocation"] == 6
    assert sizes["probe: privacy"] <= 6
    attacks = few[few["kind"] == "probe: injection"]["family"].value_counts()
    assert len(attacks) == 14 and attacks.max() == 2, "one of each family before the second"
    assert few["case_id"].tolist() == again["case_id"].tolist() != other["case_id"].tolist()
    with pytest.raises(ParameterError, match="probes_per_gate"):
        probes(per_gate=0)


def test_an_engagement_gets_probes_of_its_own():
    engagement = {"prohibited_uses": ["advice on tax", " "]}
    made = engagement_probes(engagement, CASES, ANSWERS, CHUNKS, DOCUMENTS, per_threat=28, per_gate=2)
    tables.check("cases", made)
    assert {"prohibited: advice on tax", "staff-only documents", "superseded documents"} <= set(
        made["family"]
    )
    planted = made[made["kind"] == "probe: planted injection"]
    assert planted["family"].value_counts().eq(2).all() and set(planted["parent_id"]) == {"u1"}


def test_restricted_documents_are_asked_about_by_their_headings():
    """Who names a superseded document wants it: citing it is then no fault, so its title is not asked for."""
    made = pd.DataFrame(probe_restricted_documents(CHUNKS, DOCUMENTS)).groupby("family")
    staff, superseded = made.get_group("staff-only documents"), made.get_group("superseded documents")
    assert staff["question"].str.contains("First steps|Fraud").all() and staff["answerable"].isna().all()
    assert superseded["question"].str.contains("Cards").all() and superseded["answerable"].all()
    assert not superseded["question"].str.contains("2024").any()


def test_out_of_scope_rows_are_far_from_every_passage(encode, passages):
    made = out_of_scope(passages, 12, np.random.default_rng(0), encode=encode)
    tables.check("cases", made)
    assert len(made) == 12 and not made["answerable"].any() and made["similarity"].le(0.55).all()
    near = passages.assign(text="How tall is Mount Kilimanjaro")
    every = out_of_scope(near, 10_000, np.random.default_rng(0), encode=encode)
    assert len(every) >= 60 and not every["question"].str.contains("Kilimanjaro").any()
