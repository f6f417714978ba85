"""Rows of the cases table: filled, ordered, of the right types; and where each comes from."""

import numpy as np
import pandas as pd
import pytest

from ragassay import tables
from ragassay.analysis import declined_questions, origin_slices
from ragassay.cases.case_table import ASKED_WITH, COLUMNS, cases_frame, with_origin
from ragassay.decision import gates
from ragassay.run import parameters

CASE = {"case_id": "a", "question": "What is it?", "answer_type": "short_fact", "query_type": "factual"}


def test_absent_values_are_filled_and_the_group_is_the_case():
    table = tables.check("cases", cases_frame([CASE | {"kind": "own"}], extra=["note"]))
    added_later = {"family", "attack_text", "attack_goal", "attack_host", "canary", "origin", "why_no_answer"}
    assert list(table) == [*COLUMNS, "note"]
    assert {*COLUMNS, *ASKED_WITH} == set(tables.TABLES["cases"].columns) - added_later
    row = table.iloc[0]
    expected = {"group_id": "a", "language": "en", "answerable": True, "reference_chunk_ids": []}
    assert {name: row[name] for name in expected} == expected
    assert pd.isna(row["intensity"]) and row["parent_id"] is None


@pytest.mark.parametrize("kind, parent, origin", [
    ("own", None, "own"), ("generated", None, "generated"), ("grounded", None, "database"),
    (None, None, "log"), ("", "", "log"), ("probe: planted injection", "u-1", "probe"),
    ("bias: ambiguous", None, "probe"), ("false_permission", None, "outside"),
    ("near_thing", "u-1", "outside"), ("spelling", "u-1", "variation"),
])  # fmt: skip
def test_by_kind_and_parent(kind, parent, origin):
    found = with_origin(pd.DataFrame([{"case_id": "a", "kind": kind, "parent_id": parent}]))
    assert found["origin"].tolist() == [origin]
    assert origin in tables.TABLES["cases"].columns["origin"].allowed


def test_no_false_answer_to_the_default_number_of_questions_passes_the_gate_of_two_per_cent():
    declared = parameters.declared(parameters.notebooks()["05_robustness"])
    default = {each.name: each.default for each in declared}
    kinds = [("out_of_scope", "near_thing", "false_premise")[i % 3] for i in range(default["n_outside"])]
    asked = pd.DataFrame(
        {"case_id": [f"c{i}" for i in range(len(kinds))], "kind": kinds, "answerable": False}
    )
    asked["parent_id"] = [
        f"u-{i}" if kind == "near_thing" and i % 8 == 0 else None for i, kind in enumerate(kinds)
    ]
    judged = asked[["case_id"]].assign(
        system="s", metric="should_have_abstained", value=0.0, state="scored", reason="", detail="[]"
    )
    wrong = declined_questions.score_false_answers(judged, asked)
    by_origin = origin_slices.summarize_by_origin(
        wrong, asked, [(declined_questions.RATE, "all")], rng=np.random.default_rng(0)
    )
    card = pd.concat([declined_questions.summarize_outside(wrong, seed=0), by_origin])
    found = gates.evaluate(gates.parse({declined_questions.RATE: "high <= 0.02"}), card)
    assert found[["origin", "outcome"]].to_numpy().tolist() == [["outside", "pass"]]
    assert found["n"].item() >= 190
