"""`ragassay instruments`: JSON, text, a judge, refusals. Rules alone mark, so that no model is loaded."""

import json

import pytest
from click.testing import CliRunner

from models.rule_judge import RuleJudge
from ragassay.cli import cli
from ragassay.cli import instruments as verb
from ragassay.errors import KitError
from ragassay.examination.examine import FOLDER


def ran(*arguments):
    return CliRunner().invoke(cli, ["instruments", str(FOLDER / "training.jsonl"), *map(str, arguments)])


def test_json():
    told = json.loads(ran("--scorer", "rules", "--json").stdout)
    assert told["scorer"] == "rules" and told["tests"] == 16 and told["total"]["n"] == 96
    assert set(told["total"]) == {"value", "low", "high", "n"} and len(told["by_type"]) == 16
    assert told["baseline"]["by_metric"] == told["by_metric"] and told["parse_failures"] == 0


def test_text():
    result = ran("--scorer", "rules")
    assert result.exit_code == 0 and "rules alone" in result.stdout and "Low faithfulness 3" in result.stdout
    assert "failure_modes" in result.stdout and "a fact is distorted" in result.stdout


@pytest.fixture
def judge(monkeypatch):
    """A judge by rule in the place of any that the command line names."""
    standing_in = RuleJudge()

    def standing_in_for(options):
        del options["judge"], options["journal"]
        return standing_in

    monkeypatch.setitem(verb.callback.__globals__, "take_judge", standing_in_for)
    return standing_in


NAMED = ("--judge", "rule@http://127.0.0.1:9/v1")


def test_a_judge_against_another_scorer_and_on_length(judge):
    words = ("--scorer", "judge", *NAMED, "--against", "rules", "--verbosity")
    told = json.loads(ran(*words, "--json").stdout)
    assert {row["measure"] for row in told["agreement"]} == {"Spearman", "macro-F1"}
    assert len(told["verbosity"]) == 8 and len(told["failure_modes"]) == 7
    asked = {request.name for request in judge.asked}
    assert asked >= {"relevancy", "completeness", "faithfulness", "lesson"}


@pytest.mark.parametrize("arguments", [("--scorer", "judge"), ("--scorer", "nobody")])
def test_refusals(arguments):
    assert isinstance(ran(*arguments).exception, KitError)
