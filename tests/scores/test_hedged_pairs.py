"""Fifty hedged inventions against fifty hedged truths: none is an abstention, and support tells them apart."""

import json
from pathlib import Path

import pandas as pd
import pytest

from ragassay.scores import score
from ragassay.scores.text_reading.answer_state import HEDGED, state

PAIRS = [
    json.loads(line)
    for line in Path(__file__).with_name("hedged_pairs.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize("kind", ["truth", "invention"])
def test_none_is_an_abstention(kind):
    states = [state(pair[kind]) for pair in PAIRS]
    assert states.count("declined") == 0
    assert states.count(HEDGED) >= 40


@pytest.mark.slow
def test_an_invention_is_less_supported_than_the_truth_in_nine_pairs_of_ten():
    rows = [
        {"case_id": f"{kind}{i}", "system": "s", "answer": pair[kind], "contexts": [pair["passage"]]}
        for i, pair in enumerate(PAIRS)
        for kind in ("truth", "invention")
    ]
    found = score(pd.DataFrame(rows), metrics=["support"])
    assert set(found["state"]) == {"scored"}
    value = found.set_index("case_id")["value"]
    below = [value[f"invention{i}"] < value[f"truth{i}"] for i in range(len(PAIRS))]
    assert sum(below) >= 45
