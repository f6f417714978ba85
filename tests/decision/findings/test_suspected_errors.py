"""What instruments alone suspect: how often they were right elsewhere is as measured."""

import json
from pathlib import Path

from ragassay.decision.findings.suspected_errors import ELSEWHERE, REFUSALS, SUPPORT, SUSPECTED

BENCH = Path(__file__).resolve().parents[3] / "bench"


def test_the_figures_are_those_that_the_bench_keeps():
    kept = json.loads((BENCH / "refusals.json").read_text(encoding="utf-8"))["written"]
    part = "English, its batch left out: "
    told = [
        "{:.0f} % [{:.0f}, {:.0f}]".format(*(100 * each for each in kept[f"{part}{what} of refusals"]))
        for what in ("precision", "recall")
    ]
    assert all(figure in REFUSALS for figure in told) and f"{kept[part + 'answers']:,}" in REFUSALS
    assert set(ELSEWHERE) == set(SUSPECTED)


def test_so_are_those_of_support():
    kept = json.loads((BENCH / "support.json").read_text(encoding="utf-8"))
    for row in kept:
        percent = {name: f"{100 * row[name]:.0f}" for name in ("value", "low", "high")}
        if row["score"] == "not supported, of those below 0.5" and row["set"] != "wice":
            assert "{value} % [{low}, {high}]".format(**percent) in SUPPORT
        if row["score"] == "not supported, of all" and row["set"] != "wice":
            assert "{value} %".format(**percent) in SUPPORT
