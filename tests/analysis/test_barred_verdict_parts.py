"""A verdict that is cut from a score on which no gate may rest says so."""

import pandas as pd
import pytest

from ragassay import provenance
from ragassay.analysis import barred_verdict_parts
from ragassay.defaults import VERDICT
from ragassay.scores.metric_registry import METRICS

CARD = pd.DataFrame(
    {"metric": ["supported_claims_rate"], "slice": ["all"], "saturated": ["1 for 328 of 328"]}
)
LEAD = "The instruments' verdict is cut, among others, from a score on which no gate may rest: "


@pytest.mark.parametrize(
    "barred, card, said",
    [
        ({}, None, ""),
        ({"directness": "x"}, None, f"{LEAD}directness (it failed its examination)."),
        ({"grouse_faithfulness": "x"}, CARD.assign(saturated=""), ""),
        ({}, CARD, f"{LEAD}supported claims (saturated: 1 for 328 of 328)."),
        (
            {"supported_claims_rate": "x"},
            CARD,
            f"{LEAD}supported claims (it failed its examination, saturated: 1 for 328 of 328).",
        ),
    ],
)
def test_the_parts_on_which_no_gate_may_rest_are_named(barred, card, said):
    assert barred_verdict_parts.of_parts(VERDICT, barred, card) == said
    assert barred_verdict_parts.of_parts("my_verdict", barred, card) == ""


def test_it_is_read_from_the_run_and_silent_before_the_examination(tmp_path):
    (tmp_path / "tables").mkdir()
    assert barred_verdict_parts.caveat(tmp_path, VERDICT) == ""
    provenance.save(tmp_path, "barred.json", {"supported_claims_rate": "x"})
    assert "supported claims (it failed" in barred_verdict_parts.caveat(tmp_path, VERDICT)


def test_a_verdict_is_cut_from_metrics_that_its_formula_names():
    verdicts = [metric for metric in METRICS.values() if metric.cut_from]
    assert VERDICT in {metric.name for metric in verdicts}
    assert all(name in METRICS for metric in verdicts for name in metric.cut_from)
    assert all(name in METRICS[VERDICT].formula for name in METRICS[VERDICT].cut_from)
