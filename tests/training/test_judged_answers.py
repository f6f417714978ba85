"""Answers judged by sentence: the files are whole, and what the bench says of a score follows by hand."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def bench():
    spec = importlib.util.spec_from_file_location("judged_answers", ROOT / "bench" / "judged_answers.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def table(bench):
    """Two sets: of the first true words score 0.9 and false ones 0.1, of the second the other way round."""
    rows = [
        (name, style, supported)
        for name in ("one", "two")
        for style in bench.STYLES
        for supported in (True, False)
    ]
    return pd.DataFrame(rows, columns=["set", "style", "supported"])


def test_figures_of_a_score_by_hand(bench):
    given = table(bench)
    right = (given["set"] == "one") == given["supported"]
    found = bench.of_score(given, np.where(right, 0.9, 0.1))
    assert found["tempted"][0] == 0.5 and found["left_out"] == 0
    assert [found["auroc"][style][0] for style in (*bench.STYLES, "all styles")] == [0.5] * 4
    assert bench.of_score(given, given["supported"].astype(float).to_numpy())["tempted"][0] == 0
    assert bench.of_score(given, np.full(len(given), 0.5))["tempted"][0] == 1
    assert bench.of_score(given, (~given["supported"]).astype(float).to_numpy())["tempted"][0] == 1


def test_the_file_of_figures_is_of_these_sentences(bench):
    kept = json.loads(bench.OUT.read_text(encoding="utf-8"))
    rows = list(bench.sentences())
    assert kept["sentences"] == len(rows) and kept["sets"] == len({row["set"] for row in rows})
    assert set(kept) == {"sentences", "sets", *bench.METRICS, bench.WORDS, bench.READER}
    assert kept[bench.READER] == bench.second_reader()
