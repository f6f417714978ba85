"""Parameters: the tagged cell is the schema; what it says of type, default, help and range is read strictly."""

import pytest

from ragassay.errors import ParameterError
from ragassay.parameter_ranges import parse
from ragassay.run import parameters
from ragassay.run.parameters import Parameter
from run.conftest import notebook

CELL = """from ragassay.run.parameters import File

run_dir: str = "reports/x"  # where tables go
alpha: float = 0.1          # error rate # of the sets; in (0, 1)
tags: list[str] = ["a=b"]
rules: dict[str, str] = {"x": "low >= 0.8"}
rule: str = "high <= 0.2"   # a = b
# how it is cut,
# in the order given; "best" decides
method: str = "a"  # one of a, b
source: File = ""           # a file of labels"""


@pytest.fixture
def declared(tmp_path):
    return parameters.declared(notebook(tmp_path / "04_calibration.ipynb", CELL))


def test_the_cell_is_the_schema(declared):
    alpha = parse("in (0, 1)")
    assert declared[1] == Parameter("alpha", "float", 0.1, "error rate # of the sets; in (0, 1)", alpha)
    kinds = ["str", "float", "list[str]", "dict[str, str]", "str", "str", "File"]
    assert [p.annotation for p in declared] == kinds


def test_defaults_may_hold_signs_of_equality(declared):
    assert [p.default for p in declared[2:5]] == [["a=b"], {"x": "low >= 0.8"}, "high <= 0.2"]


def test_help_may_stand_on_the_lines_above(declared):
    assert declared[5].help == 'how it is cut, in the order given; "best" decides one of a, b'
    assert declared[5].range == parse("one of a, b") and declared[2].help == ""


@pytest.mark.parametrize(
    "cell, complaint",
    [
        ("alpha = 0.1", "name: type = default"),
        ("alpha: complex = 1", "complex is none of"),
        ("alpha: float = (", "not valid Python"),
        ("alpha: float = 0.1  # rate; in (0, 1", r"'in \(0, 1' is no range"),
        ("alpha: float = 0.1  # in [0, inf]", "open where it is infinite"),
        ("alpha: float = 0.1  # in (1, 0)", "must go up"),
        ("alpha: float = 2.0  # in (0, 1)", r"2\.0: the default must be float in \(0, 1\)"),
        ("tier: str = 'x'  # one of a, b", "must be str one of a, b"),
        ("tier: str = 'a'  # one of those that", "is no range"),
        ("tier: str = 'a'  # in [0, 1]", "not one of its type"),
        ("tier: str = 'a'  # one of ragassay.nowhere.THESE", "ragassay.nowhere"),
        ("n: int = 'a'", "must be int$"),
    ],
)
def test_a_flawed_cell_is_named(tmp_path, cell, complaint):
    with pytest.raises(ParameterError, match=complaint):
        parameters.declared(notebook(tmp_path / "x.ipynb", cell))


def test_a_notebook_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "x.ipynb").write_text("{ broken")
    (tmp_path / "y.ipynb").symlink_to("/dev/zero")
    for name in ("x.ipynb", "y.ipynb"):
        with pytest.raises(ParameterError, match="cannot be read"):
            parameters.declared(tmp_path / name)
