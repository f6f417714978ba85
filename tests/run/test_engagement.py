"""An engagement's file: every flaw of it is named with its line, all at once; a new one says what the notebooks default to."""

import datetime
import re
from pathlib import Path

import pytest

from ragassay import parameter_ranges
from ragassay.errors import ParameterError
from ragassay.run import engagement, notebooks, parameter_file, parameters
from ragassay.run.engagement import SETTINGS
from ragassay.run.parameters import Parameter
from run.conftest import notebook


def read(tmp_path, text):
    path = tmp_path / "p.yml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return engagement.read_yaml(path)


def refused(tmp_path, text):
    with pytest.raises(ParameterError) as caught:
        read(tmp_path, text)
    return str(caught.value)


def test_values_and_lines(tmp_path):
    sections, lines = read(tmp_path, "\ufeffa:\n  b: 1\n  c:\n    - x\n    - {d: .5}\nrun:\n")
    assert sections == {"a": {"b": 1, "c": ["x", {"d": 0.5}]}, "run": None}
    assert lines[("a",)] == "line 1" and lines[("a", "c", 1, "d")] == "line 5"


@pytest.mark.parametrize(
    "text, complaint",
    [
        ("a:\n  x: 1\nb:\n  y: 1\na:\n  z: 1\n", "line 5: 'a' stands there already, in line 1"),
        ("a:\n  x: {k: 1,\n    k: 2}\n", "line 3: 'k' stands there already, in line 2"),
        ("a: &x [1]\nb: *x\n", "line 2: an alias"),
        ("a: " + "[" * 5000, "over 20 values in each other"),
        ("a: [1\n", "not valid YAML"),
        ("a: 1\n---\nb: 1\n", "not valid YAML"),
        ("? [a, b]\n: 1\n", "not valid YAML"),
        ("a: !!python/object/apply:os.system ['touch x']\n", "could not determine a constructor"),
        ("- a\n", "sections named after notebooks"),
        ("words", "sections named after notebooks"),
        (b"a: " + b"x" * 200_001, "over 200,000 bytes"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path, text, complaint):
    assert complaint in refused(tmp_path, text)


def test_what_is_no_file_is_not_opened(tmp_path):
    for path in (tmp_path, "/dev/zero", tmp_path / "none.yml"):
        with pytest.raises(ParameterError, match="does not exist, or"):
            engagement.read_yaml(tmp_path / path)


ROOT = Path(__file__).parents[2]
BIKES = "00_scope:\n  documents: docs\n  assistant: bikes:ask\n"
TODAY = datetime.date.today().isoformat()
CELL = """from ragassay.run.parameters import File

run_dir: str = "reports/x"  # where tables go
alpha: float = 0.1          # error rate # of the sets; in (0, 1)
tags: list[str] = ["a"]
accept: dict[str, float] = {"a": 1.0} # in (-inf, inf)
source: File = ""           # a file of labels"""


@pytest.fixture
def schemas(tmp_path):
    return {"04_calibration": parameters.declared(notebook(tmp_path / "04_calibration.ipynb", CELL))}


@pytest.fixture
def shipped(monkeypatch):
    monkeypatch.chdir(ROOT)
    return {name: parameters.declared(path) for name, path in notebooks().items()}


def load(tmp_path, schemas, text):
    (tmp_path / "p.yml").write_text(text)
    return engagement.load(tmp_path / "p.yml", schemas)


def flaws(tmp_path, schemas, text):
    with pytest.raises(ParameterError) as caught:
        load(tmp_path, schemas, text)
    return str(caught.value)


@pytest.mark.parametrize(
    "text, complaint",
    [
        ("  alhpa: 0.2\n", "line 2: 04_calibration has no parameter 'alhpa'; did you mean 'alpha'"),
        ("  alpha: high\n", "line 2: 04_calibration.alpha must be float in (0, 1), found 'high'"),
        ("  alpha: 1\n", "line 2: 04_calibration.alpha must be float in (0, 1), found 1"),
        ("  alpha: 1e-3\n", "write 0.001"),
        ("  source: No\n", "source must be File, found False; YAML reads dates, Yes and No"),
        ("  tags: [a, 3]\n", "found 3; YAML reads"),
        ("  source: 2026-10-05\n", "found 2026-10-05; YAML reads dates"),
        ("  accept: {a: 1,\n    b: .inf}\n", "accept must be dict[str, float] in (-inf, inf), found inf"),
        ("  source: nowhere.csv\n", "line 2: 04_calibration.source: an input does not exist; at nowhere.csv"),
        ("  run_dir: elsewhere\n", "has no parameter 'run_dir'"),
    ],
)
def test_a_flawed_value_is_named_with_its_line(tmp_path, schemas, text, complaint):
    assert complaint in flaws(tmp_path, schemas, f"04_calibration:\n{text}")


@pytest.mark.parametrize(
    "text, complaint",
    [
        (
            "04_calibratoin:\n  alpha: 0.2\n",
            "line 1: section '04_calibratoin' is for no notebook; did you mean",
        ),
        ("04_calibration: 3\n", "must hold names and values"),
        ("run:\n  formats: [html, word]\n", "line 2: run.formats must be list[str] one of html, pdf, docx"),
        ("run:\n  1: x\n", "run has no parameter '1'"),
    ],
)
def test_a_flawed_file_is_named(tmp_path, schemas, text, complaint):
    assert complaint in flaws(tmp_path, schemas, text)


def test_an_engagement_without_anything_to_validate_is_named_before_anything_runs(tmp_path, shipped):
    said = flaws(tmp_path, shipped, "00_scope:\n  system: bikes\n")
    assert "1 flaw(s)" in said and "line 1: 00_scope: there is no assistant to ask and no log" in said
    said = flaws(tmp_path, shipped, "run: {}\n00_scope:\n  assistant: mine.py:ask\n  tier: hihg\n")
    assert "3 flaw(s)" in said and "00_scope.assistant: cannot be read: FileNotFoundError" in said
    assert "line 2: 00_scope: there is nothing to check the assistant's" in said
    assert "set documents, or answers_log" in said


def test_a_log_without_passages_needs_documents(tmp_path, shipped):
    (tmp_path / "log.csv").write_text("question,answer,hits\nq,a,p\n")
    text = f"00_scope:\n  answers_log: {tmp_path / 'log.csv'}\n"
    said = flaws(tmp_path, shipped, text)
    assert "no passages" in said and "question, answer, hits" in said and "--map contexts=" in said
    assert load(tmp_path, shipped, f"{text}  map: {{contexts: hits}}\n").notebooks
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "a.md").write_text("# Fees")
    assert load(tmp_path, shipped, f"{text}  documents: {tmp_path / 'policies'}\n").notebooks


def test_names_are_checked_across_sections(tmp_path, shipped):
    """A dimension is one of chapter 2's, wherever it is named; a default that no longer fits is named by what changed."""
    said = flaws(
        tmp_path,
        shipped,
        "02_functionality:\n  accept_from: {useful: 4}\n"
        "04_calibration:\n  pairs:\n    support: useful\n"
        "07_conclusion:\n  matrix: {severe: High}\n  gates:\n    judged_useful: low >= 0.7\n    suport: low >= 0.7\n"
        "  waivers: {judged_usefl: signed}\n" + BIKES,
    )
    for complaint in (
        "line 2: 04_calibration.dimension: there is no dimension of accept_from 'relevant'",
        "line 10: 07_conclusion.gates: there is no metric 'suport'; did you mean 'support'?",
        "line 11: 07_conclusion.waivers: there is no gate 'judged_usefl'; did you mean 'judged_useful'?",
        "07_conclusion.matrix",
    ):
        assert complaint in said


def test_uncommented_it_says_the_defaults(tmp_path, shipped):
    path = tmp_path / "full.yml"
    text = re.sub(r"(?m)^  # ", "  ", parameter_file.new_text("full"))
    named = {"documents": "docs", "assistant": "bikes:ask"}  # the one thing that has no default
    for name, value in named.items():
        text = text.replace(f'  {name}: ""', f"  {name}: {value}")
    path.write_text(text, encoding="utf-8")
    found = engagement.load(path, shipped)
    assert found.settings == {p.name: p.default for p in SETTINGS}
    for name, schema in shipped.items():
        assert found.notebooks[name] == {
            p.name: TODAY if p.name == "date" else named.get(p.name, p.default)
            for p in schema
            if p.name != "run_dir"
        }


@pytest.mark.parametrize("name", ["../x", "a b", "", ".x"])
def test_a_name_must_be_a_file_name(name):
    with pytest.raises(ParameterError):
        parameter_file.write(name)


ALPHA = Parameter("alpha", "float", 0.1, "error rate; in (0, 1)", parameter_ranges.parse("in (0, 1)"))
SCHEMAS = {
    "00_scope": [Parameter("title", "str", "none", ""), Parameter("languages", "list[str]", ["en"], "")],
    "04_calibration": [ALPHA, Parameter("accept_from", "dict[str, float]", {}, "")],
}


@pytest.fixture
def load_given(tmp_path):
    def with_values(*given: str, file: str = "04_calibration:\n  alpha: 0.3\n"):
        path = tmp_path / "mine.yml"
        path.write_text(file)
        return engagement.load(Path(path), SCHEMAS, given)

    return with_values


def test_it_stands_for_the_files_value_and_is_remembered(load_given):
    found = load_given("04_calibration.alpha=0.2", "00_scope.languages=[en, es]", "run.cell_timeout_s=60")
    given = {"04_calibration.alpha": 0.2, "00_scope.languages": ["en", "es"], "run.cell_timeout_s": 60}
    assert found.given == given and found.settings["cell_timeout_s"] == 60
    assert found.notebooks == {"00_scope": {"languages": ["en", "es"]}, "04_calibration": {"alpha": 0.2}}
    assert load_given().given == {} and load_given().notebooks["04_calibration"] == {"alpha": 0.3}


@pytest.mark.parametrize(
    "written, read",
    [("2026-11-21", "2026-11-21"), ("a=b: c", "a=b: c"), ("", ""), ("'12'", "12"), ("12", "12")],
)
def test_a_text_is_taken_by_its_letters(load_given, written, read):
    assert load_given(f"00_scope.title={written}").notebooks["00_scope"]["title"] == read


@pytest.mark.parametrize("given", ["alpha=0.2", "04_calibration.alpha", "04_calibration.=1", "=", ".a=1"])
def test_what_names_no_parameter_is_refused(load_given, given):
    with pytest.raises(ParameterError, match="names no parameter"):
        load_given(given)
