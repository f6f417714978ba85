"""Values given on the command line: typed and range-checked like those of the file."""

from pathlib import Path

import pytest

from ragassay import parameter_ranges
from ragassay.errors import ParameterError
from ragassay.run.parameter_file import engagement
from ragassay.run.parameters import Parameter

ALPHA = Parameter("alpha", "float", 0.1, "error rate; in (0, 1)", parameter_ranges.parse("in (0, 1)"))
SCHEMAS = {
    "00_scope": [Parameter("title", "str", "none", ""), Parameter("languages", "list[str]", ["en"], "")],
    "04_calibration": [ALPHA, Parameter("accept_from", "dict[str, float]", {}, "")],
}


@pytest.fixture
def load(tmp_path):
    def with_values(*given: str, file: str = "04_calibration:\n  alpha: 0.3\n"):
        path = tmp_path / "mine.yml"
        path.write_text(file)
        return engagement.load(Path(path), SCHEMAS, given)

    return with_values


def test_it_stands_for_the_files_value_and_is_remembered(load):
    found = load("04_calibration.alpha=0.2", "00_scope.languages=[en, es]", "run.cell_timeout_s=60")
    assert found.notebooks["04_calibration"] == {"alpha": 0.2}
    assert (
        found.notebooks["00_scope"] == {"languages": ["en", "es"]} and found.settings["cell_timeout_s"] == 60
    )
    assert found.given == {
        "04_calibration.alpha": 0.2,
        "00_scope.languages": ["en", "es"],
        "run.cell_timeout_s": 60,
    }
    assert load().given == {} and load().notebooks["04_calibration"] == {"alpha": 0.3}


@pytest.mark.parametrize(
    "written, read",
    [("2026-11-21", "2026-11-21"), ("a=b: c", "a=b: c"), ("", ""), ("'12'", "12"), ("12", "12")],
)
def test_a_text_is_taken_by_its_letters(load, written, read):
    assert load(f"00_scope.title={written}").notebooks["00_scope"]["title"] == read


@pytest.mark.parametrize(
    "given, words",
    [
        (
            "04_calibration.alpha=1.5",
            "-p 04_calibration.alpha: 04_calibration.alpha must be in (0, 1), found 1.5",
        ),
        ("04_calibration.alpha=soon", "must be float"),
        ("04_calibration.alhpa=0.2", "did you mean 'alpha'"),
        ("04_calibrat.alpha=0.2", "is for no notebook"),
        ("04_calibration.accept_from={a: x}", "must be dict[str, float]"),
    ],
)
def test_a_flaw_is_told_with_the_option(load, given, words):
    with pytest.raises(ParameterError) as told:
        load(given)
    assert words in str(told.value) and "-p 04_" in str(told.value) and "line " not in str(told.value)


@pytest.mark.parametrize("given", ["alpha=0.2", "04_calibration.alpha", "04_calibration.=1", "=", ".a=1"])
def test_what_names_no_parameter_is_refused(load, given):
    with pytest.raises(ParameterError, match="names no parameter"):
        load(given)


@pytest.mark.parametrize(
    "value", ["[1", "*a", "{1: 2}", "&a [*a]", "{a: 1, a: 2}", "!!python/name:os.system x"]
)
def test_what_is_no_plain_value_is_refused(load, value):
    with pytest.raises(ParameterError, match="not valid YAML"):
        load(f"04_calibration.accept_from={value}")


def test_the_first_flaw_of_the_file_keeps_its_line(load):
    with pytest.raises(ParameterError, match=r"line 2: 04_calibration\.alpha must be"):
        load("00_scope.title=x", file="04_calibration:\n  alpha: 3\n")
