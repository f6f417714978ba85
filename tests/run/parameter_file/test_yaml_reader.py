"""The YAML of an engagement: bounded, no aliases, each name once, every flaw with its line, all at once."""

import pytest

from ragassay.errors import ParameterError
from ragassay.run.parameter_file import yaml_reader


def read(tmp_path, text):
    path = tmp_path / "p.yml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return yaml_reader.read(path)


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
            yaml_reader.read(tmp_path / path)
