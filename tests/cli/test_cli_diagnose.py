"""`ragassay diagnose`: text, JSON, options, refusals in five parts."""

import json

import pandas as pd
import pytest
from click.testing import CliRunner

from ragassay.cli import cli
from ragassay.errors import KitError

ROWS = pd.DataFrame(
    [
        ("a1", "A", True, ["d1"], ["d1"], "short", 1),
        ("a2", "A", False, ["d2"], ["d1"], "long", 1),
        ("b1", "B", True, ["d3"], ["d9"], "short", 0),
        ("b2", "B", True, ["d9"], ["d9"], "long", 1),
    ],
    columns=["query", "group", "correct", "retrieved", "gold", "style", "sc"],
).to_dict("records")


@pytest.fixture
def results(tmp_path):
    path = tmp_path / "results.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)) + "\n")
    return path


def ran(results, *words):
    return CliRunner().invoke(cli, ["diagnose", "--results", str(results), *words])


def test_the_closed_domain_rule_and_an_evaluator(results):
    told = json.loads(ran(results, "--json", "--closed-domain", "--evaluator", "sc=1").stdout)
    assert told["accuracy"] == 0.5 and told["reclassified"] == 1
    assert {each["mark"]: each["value"] for each in told["evaluators"]} == {
        "precision": pytest.approx(2 / 3), "recall": 1, "f1": pytest.approx(0.8),
    }  # fmt: skip


def test_text(results):
    said = ran(results, "--cluster", "style").stdout
    assert "defective module" in said and "contrasts" in said


@pytest.mark.parametrize(
    "words, complaint",
    [
        (["--cluster", "group2"], "column 'group2' is missing"),
        (["--cluster", "gold"], "a hypothesis contrasts two clusters"),
        (["--evaluator", "sc"], "--evaluator cannot be read"),
        (["--evaluator", "sc=high"], "--evaluator cannot be read"),
    ],
)
def test_refusals(results, words, complaint):
    if "gold" in words:
        results.write_text("\n".join(json.dumps(row | {"gold": "one"}) for row in ROWS))
    refused = ran(results, *words).exception
    assert isinstance(refused, KitError) and refused.what == complaint and refused.found
