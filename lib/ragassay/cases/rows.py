"""Rows of the cases table: every column filled, in the table's order."""

from collections.abc import Iterable

import pandas as pd

COLUMNS = [
    "case_id",
    "question",
    "answer_type",
    "query_type",
    "topic",
    "answerable",
    "reference_answer",
    "reference_chunk_ids",
    "language",
    "segment",
    "group_id",
    "parent_id",
    "kind",
    "intensity",
    "conversation_id",
]
DEFAULTS = {
    "topic": None,
    "answerable": True,
    "reference_answer": None,
    "language": "en",
    "segment": None,
    "parent_id": None,
    "intensity": None,
    "conversation_id": None,
}


def frame(rows: Iterable[dict], extra: Iterable[str] = ()) -> pd.DataFrame:
    """The rows as a cases table; absent values by default (answerable, English, no variation), the group by default the case itself."""
    filled = [DEFAULTS | {"reference_chunk_ids": [], "group_id": row["case_id"]} | row for row in rows]
    table = pd.DataFrame(filled, columns=[*COLUMNS, *extra])
    texts = [column for column in COLUMNS if column not in ("answerable", "reference_chunk_ids", "intensity")]
    return table.astype(dict.fromkeys(texts, object) | {"answerable": bool, "intensity": float})


def varied(case: dict, kind: str, mark: str, question: str, intensity: float | None = None) -> dict:
    """The case asked in other words: its own id and kind, the parent named, the group shared."""
    parent = case["case_id"]
    return case | {
        "case_id": f"{parent}-{mark}",
        "question": question,
        "parent_id": parent,
        "group_id": parent,
        "kind": kind,
        "intensity": intensity,
    }
