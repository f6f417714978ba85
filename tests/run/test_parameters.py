"""Parameters: the tagged cell is the schema, every flaw of a YAML file is named with its line, all at once."""

import pytest

from ragassay.errors import ParameterError
from ragassay.run import parameters, template
from ragassay.run.parameters import Parameter
from run.conftest import notebook

CELL = """from ragassay.run.parameters import File

run_dir: str = "reports/x"  # where tables go
alpha: float = 0.1          # error rate # of the sets
tags: list[str] = ["a"]
source: File = ""           # a file of labels"""


@pytest.fixture
def schemas(tmp_path):
    return {"04_calibration": parameters.declared(notebook(tmp_path / "04_calibration.ipynb", CELL))}


def load(tmp_path, schemas, text):
    (tmp_path / "p.yml").write_text(text)
    return parameters.load(tmp_path / "p.yml", schemas)


def test_the_cell_is_the_schema(schemas):
    assert schemas["04_calibration"][1] == Parameter("alpha", "float", 0.1, "error rate # of the sets")
    assert [p.annotation for p in schemas["04_calibration"]] == ["str", "float", "list[str]", "File"]


def test_departures_and_defaults(tmp_path, schemas):
    found = load(tmp_path, schemas, "run:\n  cell_timeout_s: 5\n04_calibration:\n  alpha: 1\n")
    assert found.name == "p" and found.settings["cell_timeout_s"] == 5
    assert parameters.effective(schemas["04_calibration"], found.notebooks["04_calibration"])["alpha"] == 1


@pytest.mark.parametrize("text", ["", "04_calibration:\n", "# only a comment\n"])
def test_nothing_departs(tmp_path, schemas, text):
    assert not load(tmp_path, schemas, text).notebooks.get("04_calibration")


@pytest.mark.parametrize(
    "text, complaint",
    [
        (
            "04_calibration:\n  alhpa: 0.2\n",
            "line 2: 04_calibration has no parameter 'alhpa'; did you mean 'alpha'",
        ),
        (
            "04_calibratoin:\n  alpha: 0.2\n",
            "line 1: section '04_calibratoin' is for no notebook; did you mean '04_calibration'",
        ),
        ("04_calibration:\n  alpha: high\n", "line 2: 04_calibration.alpha must be float, found 'high'"),
        ("04_calibration:\n  alpha: 1e-3\n", "write 0.001"),
        ("04_calibration:\n  alpha: yes\n", "must be float, found True"),
        ("04_calibration:\n  tags: a\n", "must be list"),
        (
            "04_calibration:\n  source: nowhere.csv\n",
            "line 2: 04_calibration.source: file 'nowhere.csv' does not exist",
        ),
        ("04_calibration:\n  run_dir: elsewhere\n", "has no parameter 'run_dir'"),
        ("04_calibration: 3\n", "must hold names and values"),
        ("- a\n- b\n", "sections named after notebooks"),
        ("04_calibration:\n  alpha: [1\n", "not valid YAML"),
        ("run:\n  allow: everything\n", "must be list"),
    ],
)
def test_flaws_are_named(tmp_path, schemas, text, complaint):
    with pytest.raises(ParameterError) as caught:
        load(tmp_path, schemas, text)
    assert complaint in str(caught.value)


def test_all_flaws_at_once(tmp_path, schemas):
    with pytest.raises(ParameterError) as caught:
        load(tmp_path, schemas, "04_calibration:\n  alpha: x\n  tags: 1\nnothing:\n  a: 1\n")
    assert "3 flaw(s)" in str(caught.value)


def test_an_absent_file_says_how_to_make_one(tmp_path, schemas):
    with pytest.raises(ParameterError, match="ragassay init"):
        parameters.load(tmp_path / "none.yml", schemas)


@pytest.mark.parametrize(
    "cell, complaint",
    [
        ("alpha = 0.1", "name: type = default"),
        ("alpha: complex = 1", "complex"),
        ("alpha: float = (", "not valid Python"),
    ],
)
def test_a_flawed_cell_is_named(tmp_path, cell, complaint):
    with pytest.raises(ParameterError, match=complaint):
        parameters.declared(notebook(tmp_path / "x.ipynb", cell))


def test_a_notebook_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "x.ipynb").write_text("{ broken")
    with pytest.raises(ParameterError, match="cannot be read"):
        parameters.declared(tmp_path / "x.ipynb")


def test_a_new_file_is_valid_and_shows_every_parameter(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    notebook(tmp_path / "notebooks" / "00_scope.ipynb", CELL)
    path = template.write("mine")
    schemas = {"00_scope": parameters.declared(tmp_path / "notebooks" / "00_scope.ipynb")}
    assert parameters.load(path, schemas).notebooks == {"00_scope": {}}
    uncommented = path.read_text().replace("  # ", "  ", 0)
    assert all(f"# {p.name}: " in uncommented for p in schemas["00_scope"] if p.name != "run_dir")


@pytest.mark.parametrize("name", ["../x", "a b", "", ".x"])
def test_a_name_must_be_a_file_name(name):
    with pytest.raises(ParameterError):
        template.write(name)


def test_an_existing_file_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "params").mkdir()
    (tmp_path / "params" / "mine.yml").write_text("precious")
    with pytest.raises(ParameterError, match="exists already"):
        template.write("mine")
    assert (tmp_path / "params" / "mine.yml").read_text() == "precious"
