"""The thresholds of entailment: they hold for the heads that ship, are typed once, and are said to be
uncalibrated with another model."""

import json

import pytest

from models.tiny_classifier import made
from ragassay.errors import InputError
from ragassay.models import entailment_thresholds, model_files, shipped_heads

BAD = '{{"networks": {{}}, "uses": {{"claims": {{"threshold": {}}}}}}}'


@pytest.fixture(autouse=True)
def of_no_run(monkeypatch):
    for name in model_files.OF_RUN.values():
        monkeypatch.delenv(name, raising=False)


def test_they_were_chosen_for_the_head_that_ships():
    """A head that was trained anew asks for training/thresholds.py to be run anew."""
    known = {head["name"]: head["sha256"] for head in shipped_heads()}
    wanted = dict(entailment_thresholds.stored()["networks"])
    assert len(wanted.pop("encoder")) == 64
    assert wanted == {"entailment": known["entailment"]}
    assert entailment_thresholds.uncalibrated() == []


@pytest.fixture
def file_of(tmp_path):
    """Writes thresholds as training/thresholds.py does, for these networks; the path."""

    def write(networks, **uses):
        content = {"networks": networks, "uses": {use: {"threshold": value} for use, value in uses.items()}}
        (tmp_path / "mine.json").write_text(json.dumps(content))
        return str(tmp_path / "mine.json")

    return write


@pytest.fixture
def nli(tmp_path, monkeypatch):
    folder = made(tmp_path / "nli", ["contradiction", "neutral", "entailment"])
    monkeypatch.setenv("RAGASSAY_ENTAILMENT", folder)
    return folder


def test_thresholds_chosen_for_a_named_model_take_the_place_of_one_half(nli, file_of, monkeypatch):
    own = entailment_thresholds.networks()
    assert own["entailment"] == model_files.folder_sha256(model_files.Path(nli)) and len(own) == 2
    monkeypatch.setenv("RAGASSAY_THRESHOLDS", file_of(own, claims=0.71, citations=0.64))
    assert [entailment_thresholds.threshold(use) for use in ("claims", "citations")] == [0.71, 0.64]
    assert entailment_thresholds.threshold("contradiction") == entailment_thresholds.UNCALIBRATED
    (said,) = entailment_thresholds.uncalibrated()
    assert "contradiction" in said and "claims" not in said and "citations" not in said


def test_those_of_another_encoder_hold_for_entailment_alone(nli, file_of, monkeypatch):
    networks = entailment_thresholds.networks() | {"encoder": "0" * 64}
    monkeypatch.setenv("RAGASSAY_THRESHOLDS", file_of(networks, claims=0.7, citation_similarity=0.9))
    assert entailment_thresholds.threshold("claims") == 0.7
    use = "citation_similarity"
    assert entailment_thresholds.threshold(use) == entailment_thresholds.shipped(use)


@pytest.mark.parametrize("content", ["", "[]", "{}", *map(BAD.format, ('"high"', "NaN", "1.5", "0"))])
def test_what_is_no_file_of_thresholds_is_refused(tmp_path, monkeypatch, content):
    (tmp_path / "mine.json").write_text(content)
    for name in ("mine.json", "nowhere.json"):
        monkeypatch.setenv("RAGASSAY_THRESHOLDS", str(tmp_path / name))
        with pytest.raises(InputError, match="cannot be read"):
            entailment_thresholds.threshold("claims")


@pytest.mark.parametrize("use", ["claims", "citations", "contradiction", "grouse_by_reference"])
def test_another_model_of_entailment_is_held_to_one_half_and_said_to_be_uncalibrated(use, monkeypatch):
    monkeypatch.setenv("RAGASSAY_ENTAILMENT", "a-bank/nli")
    assert entailment_thresholds.threshold(use) == entailment_thresholds.UNCALIBRATED == 0.5
    (said,) = entailment_thresholds.uncalibrated()
    assert "a-bank/nli" in said and use in said and "citation_similarity" not in said


def test_those_of_another_model_are_refused_in_five_parts(nli, file_of, monkeypatch):
    networks = entailment_thresholds.networks() | {"entailment": "0" * 64}
    monkeypatch.setenv("RAGASSAY_THRESHOLDS", file_of(networks, claims=0.7))
    with pytest.raises(InputError, match="chosen for another model of entailment") as told:
        entailment_thresholds.threshold("claims")
    assert told.value.where.name == "mine.json" and "0000" in told.value.found and told.value.do
    assert entailment_thresholds.networks()["entailment"][:16] in told.value.expected
    monkeypatch.delenv("RAGASSAY_ENTAILMENT")
    with pytest.raises(InputError, match="chosen for another model of entailment"):
        entailment_thresholds.threshold("claims")
