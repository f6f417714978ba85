"""`ragassay instruments`: JSON, text, files, a judge's dry run, refusals. Rules alone mark, so that no model is loaded."""

import json

import pytest
from click.testing import CliRunner

from ragassay.cli import cli
from ragassay.errors import KitError
from ragassay.examination.suite import FOLDER


def ran(*arguments):
    return CliRunner().invoke(cli, ["instruments", str(FOLDER / "training.jsonl"), *map(str, arguments)])


def test_json():
    told = json.loads(ran("--scorer", "rules", "--json").stdout)
    assert told["scorer"] == "rules" and told["tests"] == 16 and told["total"]["n"] == 96
    assert set(told["total"]) == {"value", "low", "high", "n"} and told["by_type"].keys() == {
        str(number) for number in range(1, 17)
    }
    assert told["baseline"]["by_metric"] == told["by_metric"] and told["parse_failures"] == 0


def test_text_and_files(tmp_path):
    result = ran("--scorer", "rules", "--out", tmp_path / "x")
    assert result.exit_code == 0 and "rules alone" in result.stdout and "Low faithfulness 3" in result.stdout
    assert {path.name for path in (tmp_path / "x").iterdir()} == {
        "checks.csv",
        "pass_rates.json",
        "matrix.svg",
    }


def test_a_dry_run_sends_nothing():
    result = ran("--scorer", "judge", "--judge", "http://127.0.0.1:9/v1", "--judge-model", "m", "--dry-run")
    assert result.exit_code == 0 and "nothing was sent" in result.stdout


@pytest.mark.parametrize("arguments", [("--scorer", "judge"), ("--scorer", "nobody")])
def test_refusals(arguments):
    assert isinstance(ran(*arguments).exception, KitError)


def test_a_judge_beside_another_scorer_is_refused():
    refused = ran("--scorer", "rules", "--judge", "http://localhost:1/v1", "--judge-model", "m").exception
    assert isinstance(refused, KitError) and "the scorer is none" in str(refused)
