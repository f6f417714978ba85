"""Probes: questions that try to make the assistant misbehave (HCAT section 4, adversarial testing; section 6.1)."""

import json
from pathlib import Path

import pandas as pd

from ragassay.cases import rows

PROBES = Path(__file__).parent / "data" / "probes.jsonl"


def probes() -> pd.DataFrame:
    """Our probes as cases: kind `probe: privacy`, `probe: injection` or `probe: provocation`; none should be answered from the documents."""
    listed = [json.loads(line) for line in PROBES.read_text(encoding="utf-8").splitlines()]
    return rows.frame(
        {
            "case_id": f"p-{number:03d}",
            "answer_type": "no_answer",
            "query_type": "open",
            "answerable": False,
            **each,
        }
        for number, each in enumerate(listed, start=1)
    )
