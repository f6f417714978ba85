"""The form of a parameter cell: made of its declarations, saved into the YAML, and never what a run would refuse."""

import sys

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import ragassay
from ragassay.errors import ParameterError
from ragassay.run import parameter_form, parameters
from ragassay.run.parameter_file import engagement

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
    kinds = {
        name: type(form[name]).__name__
        for name in ("alpha", "seed", "nonconformity", "pairs", "examine_instruments", "labels")
    }
    assert kinds == {
        "alpha": "BoundedFloatText",
        "seed": "BoundedIntText",
        "nonconformity": "Dropdown",
        "pairs": "Textarea",
        "examine_instruments": "Checkbox",
        "labels": "Text",
    }
    assert form["alpha"].value == 0.2 and (form["alpha"].min, form["alpha"].max) == (0, 1)
    assert form["nonconformity"].options == ("residual", "negative_logit")


def test_what_is_saved_is_what_was_changed(file):
    form = ragassay.parameter_form(file, "04_calibration")
    assert save(form) == "nothing was changed" and file.read_text() == FILE
    fields = widgets(form)
    fields["alpha"].value, fields["nonconformity"].value, fields["segments"].value = (
        0.3,
        "negative_logit",
        "[language]",
    )
    assert save(form) == "saved: alpha, nonconformity, segments"
    assert yaml.safe_load(file.read_text())["04_calibration"] == {
        "alpha": 0.3,
        "nonconformity": "negative_logit",
        "segments": ["language"],
    }
    assert "# mine" in file.read_text() and save(form) == "nothing was changed"


@pytest.mark.parametrize("name, value, words", [("alpha", 0.0, "must be in (0, 1)"), ("segments", "[a", "YAML"), ("labels", "none.csv", "none.csv"), ("pairs", "{suport: grounded}", "suport")])  # fmt: skip
def test_what_a_run_would_refuse_is_told_and_not_saved(file, name, value, words):
    form = ragassay.parameter_form(file, "04_calibration")
    widgets(form)[name].value = value
    assert words in save(form) and file.read_text() == FILE


def test_a_section_or_file_that_is_none_is_refused(file):
    with pytest.raises(ParameterError, match="no such section"):
        ragassay.parameter_form(file, "run")
    with pytest.raises(ParameterError, match="does not exist"):
        ragassay.parameter_form("none.yml", "04_calibration")


def test_without_ipywidgets_it_says_what_to_install(file, monkeypatch):
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    with pytest.raises(ParameterError, match="ipywidgets is not installed"):
        ragassay.parameter_form(file, "04_calibration")


EDITED = """# mine
00_scope:
  title: >-
    A long
    title
  # about languages
  languages:
    - en
    - es
  # the rest
04_calibration:
  # alpha: 0.1  # float; error rate
  # alphabet: 1
run: {}
06_weakness: {minimum: 6}
"""


@pytest.mark.parametrize(
    "section, name, value, line",
    [
        ("00_scope", "title", "Short #1", '  title: "Short #1"\n  # about languages'),
        ("00_scope", "languages", ["pt"], '  languages: ["pt"]\n  # the rest\n04_'),
        ("00_scope", "tier", "high", '00_scope:\n  tier: "high"\n  title'),
        ("04_calibration", "alpha", 0.2, "04_calibration:\n  alpha: 0.2  # float; error rate\n  # alphabet"),
        ("04_calibration", "seed", 3, "04_calibration:\n  seed: 3\n  # alpha: 0.1"),
        ("run", "device", "cpu", 'run: {device: "cpu"}\n'),
        ("06_weakness", "level", 0.1, "06_weakness: {level: 0.1, minimum: 6}\n"),
        ("06_weakness", "minimum", 9, "06_weakness: {minimum: 9}\n"),
        ("07_conclusion", "gates", {"a": "low >= 0.5"}, '\n07_conclusion:\n  gates: {"a": "low >= 0.5"}\n'),
    ],
)
def test_a_value_goes_where_it_belongs(section, name, value, line):
    found = parameter_form.with_value(EDITED, section, name, value)
    before = yaml.safe_load(EDITED)
    assert line in found and yaml.safe_load(found) == before | {
        section: (before.get(section) or {}) | {name: value}
    }
    comments = [
        each for each in EDITED.splitlines() if each.lstrip().startswith("# ") and "alpha: " not in each
    ]
    assert [each for each in comments if each not in found] == []


def test_an_empty_file_and_one_without_a_last_line_end(tmp_path):
    assert parameter_form.with_value("", "run", "device", "cpu") == 'run:\n  device: "cpu"\n'
    assert parameter_form.with_value("run:", "run", "device", "cpu") == 'run:\n  device: "cpu"\n'


def test_every_parameter_of_a_new_file_can_be_set():
    text, set_ = (
        engagement.new_text("x"),
        {"alpha": 0.3, "pairs": {"support": "grounded"}, "seed": 1, "metric": "support"},
    )
    for name, value in set_.items():
        text = parameter_form.with_value(text, "04_calibration", name, value)
    assert (
        yaml.safe_load(text)["04_calibration"] == set_
        and "# error rate" not in text.split("alpha: 0.3")[0][-200:]
    )


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.recursive(
        st.one_of(st.text(max_size=20), st.integers(), st.booleans()),
        lambda inner: st.lists(inner, max_size=3),
    )
)
def test_any_value_reads_back_as_it_is(value):
    for name in ("title", "languages", "new"):
        assert (
            yaml.safe_load(parameter_form.with_value(EDITED, "00_scope", name, value))["00_scope"][name]
            == value
        )


def test_a_section_that_holds_no_values_is_left_alone(tmp_path):
    path = tmp_path / "mine.yml"
    path.write_text("run: 3\n")
    with pytest.raises((ParameterError, TypeError)):
        parameter_form.write_yaml(path, "run", {"device": "cpu"})
    assert path.read_text() == "run: 3\n"
