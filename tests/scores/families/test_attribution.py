"""Attribution by taking the reference passages away: by hand, spelled out, laws, refusals."""

import json

import pandas as pd
import pytest
from fake_tools import INSTRUMENTS

from ragassay.scores import DEFAULT, score
from ragassay.scores.families.attribution import drop

FEE, CARD = "The wire fee is 25 dollars.", "Cards bloom by night."
ROW = {
    "case_id": "c",
    "system": "s",
    "question": "How much is the wire fee?",
    "answer": "The wire fee is 25 dollars [a#p1].",
    "contexts": [FEE, CARD],
    "context_ids": ["a#p1", "a#p2"],
    "reference_chunk_ids": ["a#p1"],
}
NAMES = ["groundedness_drop", "supported_claims_drop"]


def measured(metrics=NAMES, **changed):
    return score(pd.DataFrame([ROW | changed]), metrics=metrics, instruments=INSTRUMENTS).set_index("metric")


def test_by_hand():
    """The one claim is supported by the reference passage alone: 1 with it, 0 without."""
    found = measured()
    assert found.value["supported_claims_drop"] == 1.0
    detail = json.loads(found.detail["supported_claims_drop"])
    assert detail == [{"with": 1.0, "without": 0.0, "taken": ["a#p1"]}]


@pytest.mark.parametrize("extra", [CARD, FEE, "The fee is due.", "25 dollars"])
def test_spelled_out_and_laws(extra):
    """The difference of the two scores, each computed by itself; groundedness never rises without a passage; a copy of the passage hides the drop."""
    contexts, ids = [FEE, CARD, extra], ["a#p1", "a#p2", "a#p3"]
    found = measured(contexts=contexts, context_ids=ids)
    for name, part in zip(NAMES, ("groundedness", "supported_claims_rate"), strict=True):
        whole = measured([part], contexts=contexts, context_ids=ids).value[part]
        without = measured([part], contexts=contexts[1:], context_ids=ids[1:]).value[part]
        assert found.value[name] == pytest.approx(whole - without, abs=2e-6)
    assert found.value["groundedness_drop"] >= 0
    if extra == FEE:
        assert found.value.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    "changed, state, reason",
    [
        ({"reference_chunk_ids": ["a#p9"]}, "not_applicable", "no reference passage was retrieved"),
        (
            {"reference_chunk_ids": ["a#p1", "a#p2"]},
            "not_applicable",
            "only reference passages were retrieved",
        ),
        ({"reference_chunk_ids": None}, "not_measured", "reference_chunk_ids not given"),
        ({"answer": "I could not find this."}, "not_applicable", "the assistant abstained"),
        ({"context_ids": ["a#p1"]}, "error", "context_ids has 1 entries for 2 contexts"),
    ],
)
def test_refusals(changed, state, reason):
    found = measured(**changed)
    assert set(found.state) == {state} and all(why.startswith(reason) for why in found.reason)


def test_an_undefined_score_has_no_drop():
    with pytest.raises(ValueError, match="undefined"):
        drop(float("nan"), 0.5)
    assert set(NAMES).isdisjoint(DEFAULT)
