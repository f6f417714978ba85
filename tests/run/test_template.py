"""A new engagement's file, made from the notebooks themselves: with every line uncommented it says what the notebooks default to."""

import datetime
import re
from pathlib import Path

import pytest

from ragassay.run import notebooks, parameters, template
from ragassay.run.parameters import RunSettings

ROOT = Path(__file__).parents[2]
TODAY = datetime.date.today().isoformat()


@pytest.fixture
def schemas(monkeypatch):
    monkeypatch.chdir(ROOT)
    return {name: parameters.declared(path) for name, path in notebooks().items()}


def test_as_written_only_the_date_departs(tmp_path, schemas):
    found = parameters.load(template.write("fresh", tmp_path), schemas)
    assert found.name == "fresh" and list(found.notebooks) == list(schemas)
    assert {name: values for name, values in found.notebooks.items() if values} == {
        "00_scope": {"date": TODAY}
    }


def test_uncommented_it_says_the_defaults(tmp_path, schemas):
    path = tmp_path / "full.yml"
    path.write_text(re.sub(r"(?m)^  # ", "  ", template.text("full")), encoding="utf-8")
    found = parameters.load(path, schemas)
    assert found.settings == {p.name: p.default for p in RunSettings.SCHEMA}
    for name, schema in schemas.items():
        assert found.notebooks[name] == {
            p.name: TODAY if p.name == "date" else p.default for p in schema if p.name != "run_dir"
        }


def test_a_parameter_stands_with_its_type_and_help(schemas):
    assert (
        "  # alpha: 0.1  # float; error rate allowed to the prediction sets, between 0 and 1\n"
        in template.text("x")
    )
