"""Which version answered, from an endpoint's replies into the manifest, the terminal and the record: two notebooks that ask it."""

import json
from pathlib import Path

import pytest

from assistants.loopback import Loopback
from ragassay.run import answered_versions, run
from ragassay.run.integrity.manifest_checks import check as manifest_flaws
from run.conftest import PARAMETERS, notebook

SCOPE = """
from ragassay import provenance
record = {"system": "s", "assistant": "mine.yml", "documents": None, "answers_log": "", "answer_timeout_s": 5}
provenance.save(run_dir, "engagement.json", record)
"""
ASK = """
import pandas as pd
from ragassay import answers, provenance, tables
record = provenance.load(run_dir, "engagement.json")
cases = pd.DataFrame({{"case_id": ["{journal}-1", "{journal}-2"], "question": ["q1", "q2"]}})
given = answers.collect_answers(record, cases, run_dir=run_dir, journal="{journal}")
tables.write(run_dir, "answers", given, part="{part}")
provenance.save(run_dir, "{journal}.json", {{"limits": answers.limits(given)}})
"""
DECIDE = 'from ragassay import provenance\nprovenance.save(run_dir, "decision.json", {"rating": "r", "exit_code": 0})'


class Deployed:
    """An endpoint that names the versions given, one a reply, the last for all that follow; down while `down` is set."""

    def __init__(self, *versions):
        self.versions, self.answered, self.down = list(versions), [], ""

    def __call__(self, handler, asked):
        if asked["question"] == self.down:
            return handler.reply({"error": "down"}, code=400)
        version = self.versions.pop(0) if len(self.versions) > 1 else self.versions[0]
        self.answered.append(asked["question"])
        return handler.reply({"answer": f"{version[:9]} {asked['question']}", "build": {"version": version}})


@pytest.fixture
def asking(quick, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    notebook(quick / "notebooks/00_scope.ipynb", PARAMETERS, SCOPE)
    notebook(quick / "notebooks/02_functionality.ipynb", PARAMETERS, ASK.format(journal="answers", part=""))
    notebook(
        quick / "notebooks/03_risk_safety.ipynb", PARAMETERS, ASK.format(journal="probes", part="probes")
    )
    notebook(quick / "notebooks/07_conclusion.ipynb", PARAMETERS, DECIDE)
    (quick / "tiny.yml").write_text("00_scope: {}\n")
    return quick


def go(capsys, act, version: str = "{reply: build.version}") -> str:
    """All that the terminal says of a run, the endpoint always at the same address."""
    with Loopback(act) as server:
        (Path("mine.yml")).write_text(f"url: {server.url}\nretries: 0\nversion: {version}\n")
        run(Path("tiny.yml"), render=False)
    return " ".join(capsys.readouterr().err.split())


def manifest() -> dict:
    return json.loads(Path("reports/tiny/manifest.json").read_text())


def ends(first: str, last: str) -> dict:
    return {
        name: {"journal": case.partition("-")[0], "case_id": case}
        for name, case in (("first", first), ("last", last))
    }


REPLIED = "said by each reply, at build.version"


def test_one_version_from_the_first_to_the_last(asking, capsys):
    said = go(capsys, Deployed("7.1"))
    assert manifest()["versions"] == [
        {"version": "7.1", "by": REPLIED, "answers": 4} | ends("answers-1", "probes-2")
    ]
    assert manifest()["said_of_version"] == ["7.1"] and "versions of the assistant" not in said
    assert [flaw for flaw in manifest_flaws(Path("reports/tiny")) if "notebook" in str(flaw)] == []


def test_a_change_is_in_the_manifest_on_the_terminal_and_among_the_limits(asking, capsys):
    said = go(capsys, Deployed("7.1", "7.1", "7.1", "8"))
    assert [(row["version"], row["answers"]) for row in manifest()["versions"]] == [("7.1", 3), ("8", 1)]
    assert manifest()["versions"][1]["first"]["case_id"] == "probes-2"
    assert "'7.1' 3, '8' 1" in said and "--fresh" in said
    assert json.loads(Path("reports/tiny/answers.json").read_text())["limits"] == []
    (told,) = json.loads(Path("reports/tiny/probes.json").read_text())["limits"]
    assert "'7.1' 1, '8' 1" in told


def test_a_field_that_is_not_there_is_not_known(asking, capsys):
    said = go(capsys, Deployed("7.1"), "{reply: build.number}")
    assert manifest()["versions"] == [
        {"version": None, "by": "said by each reply, at build.number", "answers": 4}
        | ends("answers-1", "probes-2")
    ]
    assert manifest()["said_of_version"] == [answered_versions.UNTOLD]
    assert "In 4 of 4 answers" in said


@pytest.mark.parametrize(
    ("version", "rows"), [("'7.1'", [("7.1", "stated in the description of the assistant", 4)]), ("null", [])]
)
def test_a_version_that_is_stated_or_none(asking, capsys, version, rows):
    go(capsys, Deployed("8"), version)
    assert [(row["version"], row["by"], row["answers"]) for row in manifest()["versions"]] == rows
    assert manifest()["said_of_version"] == [answered_versions.SILENT], (
        "the user's word is not the assistant's"
    )


def test_what_was_replaced_since_is_asked_again_and_said(asking, capsys, monkeypatch):
    """The second question failed; when it is asked again another version answers, so the first is asked again too."""
    first, second = Deployed("7.1"), Deployed("8")
    first.down = "q2"
    with Loopback(lambda handler, asked: acting[0](handler, asked)) as server:
        acting = [first]
        Path("mine.yml").write_text(f"url: {server.url}\nretries: 0\nversion: {{reply: build.version}}\n")
        run(Path("tiny.yml"), render=False)
        capsys.readouterr()
        acting[0] = second
        run(Path("tiny.yml"), render=False)
    said = " ".join(capsys.readouterr().err.split())
    assert second.answered == ["q2", "q1", "q1", "q2"], "of the probes nothing of the old version is taken"
    assert said.count("1 answers of version '7.1' were asked again: by now its replies say another") == 2
    assert [(row["version"], row["answers"]) for row in manifest()["versions"]] == [("8", 4)]
    assert "are mixed" not in said


def test_a_hostile_version_stays_a_line(asking, capsys):
    said = go(capsys, Deployed("=cmd|'/c calc'!A1\x1b[2J\u202e" + "v" * 3_000_000, "8"))
    shown = manifest()["versions"][0]["version"]
    assert len(shown) <= 200 and shown.isprintable() and shown.startswith("=cmd|")
    assert "2 versions are mixed" in said and "\x1b" not in said and "\u202e" not in said


def test_records_of_before_tell_nothing():
    assert answered_versions.of_records([{"system": None}, {"versions": None}]) == []
    assert answered_versions.said_of_version([{"system": {"offers_identity": False}}]) == [
        answered_versions.SILENT
    ]
