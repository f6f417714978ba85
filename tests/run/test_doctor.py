"""The doctor: looks at this machine, changes nothing, and turns what it cannot do into a row that says what to do."""

import errno

import pytest

from ragassay.errors import ModelError
from ragassay.run import doctor
from ragassay.run.doctor import Row


def test_this_machine():
    rows = {row.what: row for row in doctor.examine()}
    assert list(rows) == list(doctor.CHECKS) and rows["models"].fine
    assert "entailment " in rows["heads"].found and "on cpu" in rows["models"].found
    assert rows["notebooks"].found.startswith("8 in ")
    assert rows["seal"].found.startswith("sealed by audit hook")


def test_a_missing_head_is_a_flaw(monkeypatch):
    shipped = [{"name": "toxicity", "file": "heads/toxicity.safetensors", "sha256": "ab" * 32}]
    monkeypatch.setattr("ragassay.models.shipped_heads", lambda: shipped)
    row = next(row for row in doctor.examine() if row.what == "heads")
    assert not row.fine and "entities" in row.found and "reinstall" in row.do


def no_model():
    raise ModelError("the encoder's file is not the one expected", found="0000", do="install it again")


def no_disk():
    raise OSError(errno.EACCES, "Permission denied")


@pytest.mark.parametrize(
    "check, expected",
    [
        (no_model, Row("x", "the encoder's file is not the one expected", False, "install it again")),
        (no_disk, Row("x", "[Errno 13] Permission denied", False, "see the message")),
    ],
)
def test_a_flaw_is_a_row(monkeypatch, check, expected):
    monkeypatch.setattr(doctor, "CHECKS", {"x": check, "y": lambda: "well"})
    assert doctor.examine() == [expected, Row("y", "well")]
