"""`ragassay doctor`: what this machine can do, and what to do about a flaw."""

import pytest
from click.testing import CliRunner

from ragassay.cli import cli
from ragassay.errors import ModelError


def test_this_machine():
    done = CliRunner().invoke(cli, ["doctor"])
    checked = {line.split()[1]: line.split()[0] for line in done.stdout.splitlines()}
    assert done.exit_code == 0 and checked == dict.fromkeys(
        "python models heads notebooks seal".split(), "ok"
    )


LOG = """prompt,bot_reply,gold,latency_s,rightly
What is the fee?,Six dollars.,It is $6.,1.2,1
When is it due?,In May.,,0.4,0
Who signs?,None,,0.1,
"""


def test_what_a_file_of_answers_supports(tmp_path):
    (tmp_path / "results.csv").write_text(LOG)
    mapping = ["--map", "answer=bot_reply,reference_answer=gold,label:grounded=rightly"]
    said = CliRunner().invoke(cli, ["doctor", str(tmp_path / "results.csv"), *mapping]).stdout
    assert "bot_reply  answer" in said and "line 4, column 'bot_reply'" in said
    assert "3 rows, 1 left out; 2 answers to 3 questions" in said
    assert (
        "contexts 0, context_ids 0, reference_answer 1, reference_chunk_ids 0, answerable 0, labels 2" in said
    )
    able = next(line for line in said.splitlines() if line.startswith("metrics that can be computed"))
    assert "answer_relevancy" in able and "latency_within_budget" in able and "groundedness" not in able
    assert "metrics that lack answerable: should_have_abstained, abstention_correct" in said
    assert (
        "gate abstention_correct: lacks answerable" in said and "gate judged_grounded: lacks answers" in said
    )
    assert "calibration: 2 answers are labelled, 10 are needed" in said
    assert said.splitlines()[-1].endswith(f"{' '.join(mapping)} --documents FOLDER")


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
    result = CliRunner().invoke(cli, ["doctor"])
    assert result.exit_code == 1 and result.stdout.count("FLAW") == 1
    assert told in result.stdout
