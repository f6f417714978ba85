"""`ragassay doctor`: what this machine can do, and what to do about a flaw."""

import pytest
from click.testing import CliRunner

from ragassay.cli import cli
from ragassay.errors import ModelError


def test_this_machine():
    lines = CliRunner().invoke(cli, ["doctor"]).stdout.splitlines()
    found = {line.split()[1]: line for line in lines}
    assert list(found) == ["python", "models", "heads", "notebooks", "seal"]
    assert "ok" in found["models"] and "on cpu" in found["models"] and "entailment " in found["heads"]
    assert " 8 in " in found["notebooks"] and "sealed by audit hook" in found["seal"]


@pytest.mark.parametrize(
    "problem, told",
    [
        (ModelError("the encoder's file is another", do="install it again"), "install it again"),
        (OSError("no permission"), "see the message"),
    ],
)
def test_a_flaw_says_what_to_do(monkeypatch, problem, told):
    def identity():
        raise problem

    monkeypatch.setattr("ragassay.models.identity", identity)
    monkeypatch.setattr("ragassay.models.shipped_heads", list)
    result = CliRunner().invoke(cli, ["doctor"])
    assert result.exit_code == 1 and result.stdout.count("FLAW") == 2
    assert told in result.stdout and "reinstall ragassay" in result.stdout
