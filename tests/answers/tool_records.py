"""One record of each tool, with the names that the tool gives them; and what it says in our words."""

import json
from pathlib import Path

from ragassay.answers.answer_batches import adapt
from ragassay.answers.log_schemas import OURS, detect
from ragassay.documents.record_files import Record


def read_pairs(name: str) -> dict[str, tuple[dict, dict]]:
    """Tool -> one record by its documented schema, with made-up content, and what it says in our words."""
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    return {tool: tuple(pair) for tool, pair in json.loads(text).items()}


Q, A, P1, P2, R = (
    "What does a stop payment cost?",
    "It costs $18.00.",
    "A stop payment order costs $18.00.",
    "It lasts six months.",
    "$18.00",
)
TEXTS = {"question": Q, "answer": A, "contexts": [P1, P2]}
FULL = TEXTS | {"reference_answer": R}

RECORDS: dict[str, tuple[dict, dict]] = read_pairs("tool_records.json")
SCORED: dict[str, tuple[dict, dict]] = read_pairs("scored_records.json")  # with the scores that it carries


def row_of(record: dict, schema=None) -> dict:
    """The record in our words, none of which is unreadable."""
    row, flaws = adapt(Record(record, "here"), schema or detect([record]))
    assert not flaws
    return row


def ours(row: dict) -> dict:
    """Of a row, what stands in columns of ours."""
    return {name: value for name, value in row.items() if name in OURS}
