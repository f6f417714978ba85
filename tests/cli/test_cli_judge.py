"""`ragassay score --judge`: a dry run pays nothing and says the most it could take; a run says what it took and pays nothing twice."""

import json

import numpy as np
import pandas as pd
import pytest

from command_line import called
from models.misbehaving_server import MisbehavingServer
from models.rule_judge import reply
from ragassay import models
from ragassay.api.scoring import metric_names
from ragassay.models.judge import Judge
from ragassay.models.judge_messages import KEY
from ragassay.scores.score import dry_run

SECRET = "sk-very-secret-0123456789"
SHARED = {"system": "s", "question": "What is the fee?", "contexts": ["The answer."]}
ROWS = [SHARED | {"case_id": f"c{i}", "answer": f"The answer is {i} euros [d#p1]."} for i in range(3)]
GRADES = ("--metrics", "judge_groundedness,judge_directness")


@pytest.fixture
def call(monkeypatch, tmp_path, capsys):
    """`ragassay score answers.jsonl ...` in an empty folder; gives exit code, output, errors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(KEY, SECRET)
    monkeypatch.setattr(
        models, "encode", lambda texts, model="minilm": np.eye(26)[[len(text) % 26 for text in texts]]
    )
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))

    def run(*words: str) -> tuple[int, str, str]:
        words = ("score", "answers.jsonl", *words, "--journal", "judge.sqlite")
        code, out, err = called(words, monkeypatch, capsys)
        assert SECRET not in out + err
        return code, out, err

    return run


def test_a_dry_run_sends_nothing_and_says_what_it_would_take(call, tmp_path):
    with MisbehavingServer(reply) as server:
        words = f"--judge rule@{server.url} --dry-run --prices 2 10 --out s.csv"
        code, out, _ = call(*GRADES, *words.split())
        judge = Judge(server.url, "rule", tmp_path / "judge.sqlite", price_in=2, price_out=10)
        expected = dry_run([pd.DataFrame(ROWS)], metric_names(GRADES[1]), judge)
        assert code == 0 and not server.asked and not (tmp_path / "s.csv").exists()
    assert expected.calls == 3 and str(expected) in out
    assert f"cost: at most {expected.cost(2, 10):,.4f} at 2 per million" in out


def test_a_run_says_what_it_took_and_pays_nothing_twice(call, tmp_path):
    with MisbehavingServer(reply) as server:
        more = f"--judge rule@{server.url} --prices 2 0 --out s.csv"
        words = (*GRADES, *more.split())
        code, out, _ = call(*words)
        again, free, _ = call(*words, "--replace")
        assert (code, again) == (0, 0) and sum(server.asked.values()) == 3
        assert {headers["authorization"] for headers in server.headers} == {f"Bearer {SECRET}"}
    took = "3 requests: 0 from the journal, 3 replies paid, 0 without a reply; 300 tokens sent, 30 received"
    assert took in out and "cost 0.0006" in out
    assert "3 requests: 3 from the journal, 0 replies paid" in free and "cost" not in free
    assert pd.read_csv(tmp_path / "s.csv")["value"].tolist() == [5.0, 3.0] * 3
    assert all(SECRET.encode() not in path.read_bytes() for path in tmp_path.iterdir())


HERE = "--judge rule@http://127.0.0.1:9/v1"


@pytest.mark.parametrize(
    "words, said",
    [
        ("--dry-run", "none is named"),
        ("--judge rule", "an endpoint and a model"),
        ("--judge rule@http://u:p@127.0.0.1:9/v1 --metrics judge", "nothing secret"),
        (HERE, "none of the metrics needs a judge"),
        (f"{HERE} --metrics judge --prices -1 0", "prices"),
        (f"{HERE} --metrics judge_groundednes", "did you mean 'judge_groundedness'"),
    ],
)
def test_a_mistake_is_told_before_anything_is_read(call, tmp_path, words, said):
    code, out, err = call(*words.split())
    assert code == 1 and said in err and not out
    assert [path.name for path in tmp_path.iterdir()] == ["answers.jsonl"]
