"""A judge or a database of a run: what the seal would refuse is refused before anything runs, a password too."""

import json
from pathlib import Path

import pytest

from models.misbehaving_server import MisbehavingServer
from ragassay.errors import ParameterError
from ragassay.run import permitted_endpoints, run
from ragassay.run.execution import notebook_record
from run.conftest import PARAMETERS, notebook

JUDGED = {"judge": "https://judge.example/v1", "judge_model": "m"}
ASK = """
from ragassay import provenance
from ragassay.models.judge import Request, make_judge
referee = make_judge(judge, judge_model)
replies = referee([Request("n", "rules", text) for text in ("one", "two", "one")])
provenance.save(run_dir, "replies.json", {"replies": [reply.text or reply.failure for reply in replies]})
"""


def check(values: dict, allow: list[str]) -> None:
    permitted_endpoints.check(Path("mine.yml"), {"00_scope": {}, "02_functionality": values}, allow)


@pytest.mark.parametrize(
    "allow", [["judge.example:443"], ["JUDGE.example"], ["other:1", "judge.example:443"]]
)
def test_a_permitted_judge_passes(allow):
    check(JUDGED, allow)
    check({}, [])
    check({"judge": "", "judge_model": ""}, allow)


@pytest.mark.parametrize(
    "allow", [[], ["judge.example:80"], ["judge.example.net:443"], ["93.184.216.34:443"]]
)
def test_one_that_the_seal_would_refuse_is_refused_before(allow):
    with pytest.raises(ParameterError) as problem:
        check(JUDGED, allow)
    said = str(problem.value)
    assert (
        "mine.yml, 02_functionality.judge" in said
        and "run: allow: ['judge.example:443']" in said
        and "nothing was run" in said
    )


def check_database(url, *allow):
    permitted_endpoints.check(Path("bank.yml"), {"01_test_generation": {"database": url}}, allow)


@pytest.mark.parametrize(("url", "allow"), [
    ("", ()), ("bank.db", ()), ("sqlite:///bank.db", ()), ("postgresql+psycopg://ann@db.bank/facts", ("db.bank:5432",)),
    ("postgresql://ann@db.bank:6000/facts", ("db.bank",)),
])  # fmt: skip
def test_a_database_that_may_be_asked(url, allow):
    check_database(url, *allow)


@pytest.mark.parametrize(("url", "allow", "words"), [
    ("postgresql+psycopg://ann@db.bank/facts", (), "nothing is allowed"),
    ("postgresql+psycopg://ann@db.bank/facts", ("other:1",), "db.bank:5432"),
    ("postgresql+psycopg:///facts", ("other:1",), "localhost:5432"),
    ("postgresql://ann:secret@db.bank/facts", ("db.bank:5432",), "password"),
])  # fmt: skip
def test_a_database_refused_before_anything_runs(url, allow, words):
    with pytest.raises(ParameterError, match=words) as refusal:
        check_database(url, *allow)
    assert "secret" not in str(refusal.value)


@pytest.mark.slow
def test_a_sealed_run_asks_the_judge_that_it_permits_and_no_other(engagement, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path / "cache"))
    notebook(
        engagement / "notebooks" / "02_functionality.ipynb",
        f'{PARAMETERS}\njudge: str = ""  # where\njudge_model: str = ""  # which',
        ASK,
    )
    with MisbehavingServer(lambda system, user: f"said {user}") as server:
        address = server.url.replace("127.0.0.1", "localhost")
        host = address.split("/")[2]
        text = f"02_functionality:\n  judge: {address}\n  judge_model: rule\n"
        Path("tiny.yml").write_text(text)
        with pytest.raises(ParameterError, match="may not reach"):
            run(Path("tiny.yml"), render=False)
        assert not Path("reports").exists() and not server.asked
        Path("tiny.yml").write_text(f"{text}run:\n  allow: ['{host}']\n")
        run(Path("tiny.yml"), render=False)
    assert json.loads(Path("reports/tiny/replies.json").read_text())["replies"] == [
        "said one",
        "said two",
        "said one",
    ]
    record = notebook_record.load(Path("reports/tiny"), "02_functionality")
    assert record["attempts"] == [] and f"{host} (" in record["policy"] and "127.0.0.1" in record["policy"]
    assert {"name": "rule", "file": address, "sha256": "none: a remote model has no file"} in record["models"]
    assert (
        f"judge rule at {address}: 2 requests: 0 from the journal, 2 replies paid" in capsys.readouterr().err
    )
