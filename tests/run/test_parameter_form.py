"""The form of a parameter cell: made of its declarations, saved into the YAML, and never what a run would refuse."""

import pytest
import yaml

import ragassay
from ragassay.errors import ParameterError
from ragassay.run import parameters

FILE = "00_scope:\n  answers_log: log.jsonl\n04_calibration:\n  # mine\n  alpha: 0.2\n"


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.jsonl").write_text('{"question": "a?", "answer": "b.", "contexts": ["b."]}\n')
    (tmp_path / "mine.yml").write_text(FILE)
    return tmp_path / "mine.yml"


def widgets(form):
    return {each.description: each for each in form.children if getattr(each, "description", "")}


def save(form):
    widgets(form)["Save"].click()
    return form.children[-1].value


def test_every_parameter_has_a_widget_of_its_kind_with_its_help(file):
    for section, book in parameters.notebooks().items():
        form = ragassay.parameter_form(file, section)
        names = [each.name for each in parameters.declared(book) if each.name != "run_dir"]
        assert list(widgets(form)) == [*names, "Save"]
    form = widgets(ragassay.parameter_form(file, "04_calibration"))
    kinds = {"alpha": "Text", "nonconformity": "Dropdown", "examine_instruments": "Checkbox"}
    assert {name: type(form[name]).__name__ for name in kinds} == kinds and form["alpha"].value == "0.2"
    assert form["nonconformity"].options == ("residual", "negative_logit")


def test_what_is_saved_is_what_was_changed(file):
    form = ragassay.parameter_form(file, "04_calibration")
    assert save(form) == "nothing was changed" and file.read_text() == FILE
    fields = widgets(form)
    for name, value in {"alpha": "0.3", "nonconformity": "negative_logit", "segments": "[language]"}.items():
        fields[name].value = value
    assert save(form) == "saved: alpha, nonconformity, segments"
    assert yaml.safe_load(file.read_text())["04_calibration"] == {
        "alpha": 0.3,
        "nonconformity": "negative_logit",
        "segments": ["language"],
    }
    assert yaml.safe_load(file.read_text())["00_scope"] == {"answers_log": "log.jsonl", "date": ""}
    assert "  # seed: " in file.read_text() and save(form) == "nothing was changed"


@pytest.mark.parametrize("name, value, words", [("alpha", "0.0", "must be float in (0, 1)"), ("segments", "[a", "YAML"), ("suite", "none.csv", "none.csv"), ("pairs", "{suport: grounded}", "suport")])  # fmt: skip
def test_what_a_run_would_refuse_is_told_and_not_saved(file, name, value, words):
    form = ragassay.parameter_form(file, "04_calibration")
    widgets(form)[name].value = value
    assert words in save(form) and file.read_text() == FILE


def test_a_section_or_file_that_is_none_is_refused(file):
    with pytest.raises(ParameterError, match="no such section"):
        ragassay.parameter_form(file, "run")
    with pytest.raises(ParameterError, match="does not exist"):
        ragassay.parameter_form("none.yml", "04_calibration")
