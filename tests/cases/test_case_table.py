"""Rows of the cases table: filled, ordered, of the right types; variants name their parent."""

import pandas as pd

from ragassay import tables
from ragassay.cases.case_table import ASKED_WITH, COLUMNS, cases_frame

CASE = {
    "case_id": "a",
    "question": "What is it?",
    "answer_type": "short_fact",
    "query_type": "factual",
    "kind": "own",
}


def test_absent_values_are_filled_and_the_group_is_the_case():
    table = tables.check("cases", cases_frame([CASE], extra=["note"]))
    added_later = {"family", "attack_text", "attack_goal", "attack_host", "canary", "origin", "why_no_answer"}
    assert list(table) == [*COLUMNS, "note"]
    assert {*COLUMNS, *ASKED_WITH} == set(tables.TABLES["cases"].columns) - added_later
    row = table.iloc[0]
    expected = {"group_id": "a", "language": "en", "answerable": True, "reference_chunk_ids": []}
    assert {name: row[name] for name in expected} == expected
    assert pd.isna(row["intensity"]) and row["parent_id"] is None
