"""The thresholds of entailment: they hold for the heads that ship, are typed once, and are said to be
uncalibrated with another model."""

import pytest

from ragassay.models import model_files, shipped_heads, thresholds
from ragassay.scores import METRICS, cards

USES = {
    "claims",
    "citations",
    "citation_similarity",
    "contradiction",
    "grouse_by_reference",
    "grouse_by_passage",
}


@pytest.fixture(autouse=True)
def of_no_run(monkeypatch):
    for name in model_files.OF_RUN.values():
        monkeypatch.delenv(name, raising=False)


def test_they_were_chosen_for_the_heads_that_ship():
    """A head that was trained anew asks for training/thresholds.py to be run anew."""
    known = {head["name"]: head["sha256"] for head in shipped_heads()}
    wanted = dict(thresholds.stored()["networks"])
    assert len(wanted.pop("encoder")) == 64
    assert wanted == {name: known[name] for name in ("entailment", "entailment_aligned")}
    assert thresholds.uncalibrated() == []


def test_every_use_has_its_threshold_its_criterion_each_set_left_out_and_a_curve():
    uses = thresholds.stored()["uses"]
    assert set(uses) == USES
    for name, one in uses.items():
        low, high = one["interval"]
        assert 0 < low <= thresholds.threshold(name) <= high < 1 and one["why"]
        assert set(one["left_out"]) == set(one["sets"]) and len(one["sets"]) >= 3
        alarms = [row["false_positive_rate"] for row in one["curve"]]
        assert alarms == sorted(alarms, reverse=True), "fewer are let through by a higher threshold"
        assert one["threshold"] in [row["threshold"] for row in one["curve"]]


@pytest.mark.parametrize("use", sorted(USES - {"citation_similarity"}))
def test_another_model_of_entailment_is_held_to_one_half_and_said_to_be_uncalibrated(use, monkeypatch):
    monkeypatch.setenv("RAGASSAY_ENTAILMENT", "a-bank/nli")
    assert thresholds.threshold(use) == thresholds.UNCALIBRATED == 0.5
    (said,) = thresholds.uncalibrated()
    assert "a-bank/nli" in said and use in said and "citation_similarity" not in said


def test_another_encoder_is_said_to_be_uncalibrated(monkeypatch):
    (said,) = thresholds.uncalibrated("a-bank/encoder")
    assert "a-bank/encoder" in said and "citation_similarity" in said and "claims" not in said
    monkeypatch.setenv("RAGASSAY_ENCODER", "a-bank/other")
    assert "a-bank/other" in thresholds.uncalibrated()[0]


def test_a_head_of_the_same_name_but_other_weights_is_another_model(monkeypatch):
    monkeypatch.setattr(
        thresholds.headfile, "shipped_heads", lambda: [{"name": "entailment", "sha256": "0" * 64}]
    )
    thresholds._is_calibrated.cache_clear()
    try:
        assert thresholds.threshold("claims") == 0.5 and thresholds.uncalibrated()
    finally:
        monkeypatch.undo()
        thresholds._is_calibrated.cache_clear()


@pytest.mark.parametrize(
    ("metric", "use"),
    [
        ("supported_claims_rate", "claims"),
        ("supported_claims_entailed", "claims"),
        ("citations_entailed", "citations"),
        ("citations_supported", "citation_similarity"),
    ],
)
def test_the_cards_say_the_threshold_that_counts(metric, use):
    assert f">= {thresholds.shipped(use):g}" in METRICS[metric].formula
    assert metric in cards.text()
