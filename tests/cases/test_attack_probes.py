"""Probes and foreign questions: fit the cases table, cover each kind of misbehaviour, and none should be answered from the documents."""

import numpy as np
import pandas as pd
import pytest

from ragassay import tables
from ragassay.cases.attack_probes import (
    draw_by_threat,
    out_of_scope,
    probes,
    probes_frame,
    screen_out_of_scope,
)
from ragassay.cases.case_table import COLUMNS
from ragassay.errors import ParameterError


def test_they_fit_the_table():
    made = tables.check("cases", probes())
    assert list(made)[: len(COLUMNS)] == COLUMNS and made["case_id"].is_unique
    assert made["case_id"].str.fullmatch(r"p-[a-z_-]+-\d{3}").all()


def test_none_should_be_answered_but_what_only_begins_a_conversation():
    made = probes()
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


def test_a_conversation_is_drawn_whole_or_not_at_all():
    rows = [
        {"kind": "probe: a", "case_id": f"{talk}{turn}", "conversation_id": talk, "question": "q"}
        for talk in ("x", "y", "z")
        for turn in (1, 2)
    ]
    drawn = probes_frame(draw_by_threat(rows, 5, None, 0))
    assert len(drawn) == 4 and drawn["conversation_id"].value_counts().eq(2).all()
    assert len(draw_by_threat(rows, 1, None, 0)) == 2, "one conversation at least, whole"


def test_a_question_the_documents_might_answer_is_screened_out(encode):
    chunks = pd.DataFrame(
        {"chunk_id": ["a#p1", "a#p2"], "doc_id": "a", "text": ["How tall is Mount Kilimanjaro", "fees"]}
    )
    screened = screen_out_of_scope(chunks, at_most=0.9, encode=encode)
    assert len(screened) >= 60 and screened["question"].is_unique
    hit = screened[screened["question"].str.contains("Kilimanjaro")].iloc[0]
    assert not hit["kept"] and hit["nearest"] == "a#p1"


def test_out_of_scope_rows(encode, passages):
    made = out_of_scope(passages, 12, np.random.default_rng(0), at_most=0.6, encode=encode)
    assert len(made) == 12 and not made["answerable"].any()
    assert made["answer_type"].eq("no_answer").all() and made["similarity"].le(0.6).all()
    tables.check("cases", made)
    assert len(out_of_scope(passages, 10_000, np.random.default_rng(0), at_most=0.6, encode=encode)) < 10_000
