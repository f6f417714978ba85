"""Answers from wherever they come: an assistant asked, or its log; what a log does not hold is a row that says so."""

import json
from pathlib import Path

import pandas as pd
import pytest

from assistants.in_this_process import InThisProcess, ask_all
from ragassay import provenance, tables
from ragassay.answers import challengers, collect_answers, logged_cases
from ragassay.answers.asking import ONLY_LOGS
from ragassay.answers.log_import import UNLOGGED
from ragassay.answers.system_under_test import Part, versions_of
from ragassay.errors import InputError

CASES = pd.DataFrame({"case_id": ["a", "a-s030"], "question": ["What is the fee?", "Waht is the fee?"]})
ECHO = "def ask(question):\n    return {'answer': 'You asked: ' + question, 'contexts': ['c']}\n"


def record(case_id="a", system="v2", answer="Six dollars."):
    return {
        "case_id": case_id,
        "system": system,
        "question": "What is the fee?",
        "answer": answer,
        "contexts": ["The fee is $6."],
        "answerable": True,
    }


@pytest.fixture
def engagement(tmp_path):
    """An engagement over a log of the records given; over an assistant that echoes if there are none."""
    (tmp_path / "documents").mkdir()
    (tmp_path / "echo.py").write_text(ECHO)

    def make(*records, system="bank") -> dict:
        log = tmp_path / "log.jsonl"
        log.write_text("".join(json.dumps(each) + "\n" for each in records))
        spoken = {
            "assistant": f"{tmp_path / 'echo.py'}:ask",
            "documents": str(tmp_path / "documents"),
            "system": system,
        }
        return spoken | {"answers_log": str(log) if records else ""}

    return make


def test_an_assistant_is_asked(engagement, tmp_path):
    found = tables.check("answers", collect_answers(engagement(), CASES, run_dir=tmp_path / "run"))
    assert (
        found["answer"].tolist() == [f"You asked: {question}" for question in CASES["question"]]
        and found["system"].eq("bank").all()
    )
    assert (tmp_path / "run" / "journal" / "answers.jsonl").exists() and logged_cases(engagement()) is None


def process_of(engagement, folder, journal):
    """Which process answered, as it says itself."""
    cases = pd.DataFrame({"case_id": ["a"], "question": ["Who are you?"]})
    return collect_answers(engagement, cases, run_dir=folder, journal=journal)["answer"][0]


def test_a_notebook_loads_its_assistant_once(engagement, tmp_path, monkeypatch):
    which = "import os\ndef ask(question):\n    return str(os.getpid())\n"
    (tmp_path / "echo.py").write_text(which)
    monkeypatch.setenv(provenance.TRACE, str(tmp_path / "trace"))
    first = process_of(engagement(), tmp_path / "run", "answers")
    assert process_of(engagement(), tmp_path / "run", "probes") == first
    monkeypatch.setenv(provenance.TRACE, str(tmp_path / "of another notebook"))
    second = process_of(engagement(), tmp_path / "run", "variants")
    assert second != first and not Path(f"/proc/{first}").exists()
    (tmp_path / "echo.py").write_text(which + "# mended\n")
    assert process_of(engagement(), tmp_path / "other run", "answers") not in (first, second)


def test_a_log_is_replayed_and_nothing_is_asked(engagement, tmp_path):
    found = collect_answers(engagement(record()), CASES[:1], run_dir=tmp_path / "run")
    assert found[["case_id", "system", "answer", "error"]].to_numpy().tolist() == [
        ["a", "bank", "Six dollars.", ""]
    ]
    assert not (tmp_path / "run").exists()


def test_what_the_log_does_not_hold_is_a_row_that_says_so(engagement, tmp_path):
    found = tables.check("answers", collect_answers(engagement(record()), CASES, run_dir=tmp_path))
    assert found["case_id"].tolist() == ["a", "a-s030"] and found["error"].tolist() == ["", ONLY_LOGS]
    assert found.iloc[1]["answer"] == "" and found.iloc[1]["system"] == "bank"


def test_the_other_systems_are_challengers(engagement):
    log = engagement(
        record("a", "v1", "Five."),
        record("a", "v2"),
        record("a", "v3", "Eight."),
        record("b", "v1", "Seven."),
        system="v2",
    )
    found = tables.check("answers", challengers(log, CASES))
    assert found[["system", "case_id", "answer"]].to_numpy().tolist() == [
        ["v1", "a", "Five."], ["v1", "a-s030", ""], ["v3", "a", "Eight."], ["v3", "a-s030", ""],
    ]  # fmt: skip
    assert found.error.tolist() == ["", UNLOGGED, "", UNLOGGED]
    assert set(challengers(log, CASES, ["v3"]).system) == {"v3"}


def test_a_challenger_that_is_not_there(engagement):
    both = engagement(record("a", "v1"), record("a", "v2"), system="v2")
    for name in ("v9", "v2"):
        with pytest.raises(InputError, match=r"(?s)no such challenger.*found: " + name + ".*expected: v1"):
            challengers(both, CASES, [name])
    with pytest.raises(InputError, match="no such challenger"):
        challengers(engagement(), CASES, ["v1"])


FIVE = pd.DataFrame({"case_id": list("abcde"), "question": list("abcde")})


def answers(*versions) -> pd.DataFrame:
    rows = [(f"c{at}", version, "") for at, version in enumerate(versions)]
    return pd.DataFrame(rows, columns=["case_id", "system_version", "error"])


def test_what_each_reply_said_stands_beside_it(tmp_path):
    said = iter(["A", "A", None, "B", "A"])
    system = InThisProcess(lambda question: {"answer": question, "system_version": next(said)}, "v1")
    table = ask_all(FIVE, system, name="s", run_dir=tmp_path)
    tables.write(tmp_path, "answers", table)
    found = tables.read(tmp_path, "answers")
    assert versions_of(found) == [Part("A", 3, "a", "e"), Part(None, 1, "c", "c"), Part("B", 1, "d", "d")]
    again = ask_all(FIVE, system, name="s", run_dir=tmp_path)  # which would ask for a sixth
    assert versions_of(again) == versions_of(found)


def test_a_version_that_is_stated_is_that_of_all():
    assert versions_of(answers("A", None), "7") == [Part("7", 2, "c0", "c1")]
