"""Values set in a parameter file: where they belong, with everything else as it was."""

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.errors import ParameterError
from ragassay.run import parameter_form
from ragassay.run.parameter_file import engagement

FILE = """# mine
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
    found = parameter_form.with_value(FILE, section, name, value)
    before = yaml.safe_load(FILE)
    assert line in found and yaml.safe_load(found) == before | {
        section: (before.get(section) or {}) | {name: value}
    }
    comments = [
        each for each in FILE.splitlines() if each.lstrip().startswith("# ") and "alpha: " not in each
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
            yaml.safe_load(parameter_form.with_value(FILE, "00_scope", name, value))["00_scope"][name]
            == value
        )


def test_a_section_that_holds_no_values_is_left_alone(tmp_path):
    path = tmp_path / "mine.yml"
    path.write_text("run: 3\n")
    with pytest.raises((ParameterError, TypeError)):
        parameter_form.write_yaml(path, "run", {"device": "cpu"})
    assert path.read_text() == "run: 3\n"
