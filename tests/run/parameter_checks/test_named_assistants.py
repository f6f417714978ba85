"""An assistant that is described, in a file or in the engagement's own: checked before anything runs, taken as its text."""

import json

import pytest

from ragassay.errors import ParameterError
from ragassay.run import parameters
from ragassay.run.parameter_file import engagement
from ragassay.run.runner import assistant_in_words, reached

URL = "https://assistant.bank.example/ask"


@pytest.fixture
def load(tmp_path, monkeypatch):
    """The engagement with this assistant."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "documents").mkdir()
    schemas = {name: parameters.declared(book) for name, book in parameters.notebooks().items()}

    def read(assistant: str):
        (tmp_path / "mine.yml").write_text(f"00_scope:\n  documents: documents\n  assistant: {assistant}\n")
        found = engagement.load(tmp_path / "mine.yml", schemas)
        return engagement.effective(schemas["00_scope"], found.notebooks["00_scope"])["assistant"]

    return read


def test_written_out_it_becomes_its_text(load):
    taken = load(f"{{kind: http, url: '{URL}'}}")
    assert (
        json.loads(taken) == {"kind": "http", "url": URL}
        and assistant_in_words(taken) == f"assistant: http {URL}"
    )


def test_in_a_file_of_its_own(load, tmp_path):
    (tmp_path / "bot.yml").write_text("command: [python, bot.py]")
    assert (
        load("bot.yml") == "bot.yml" and assistant_in_words("bot.yml") == "assistant: command python bot.py"
    )


@pytest.mark.parametrize(
    ("assistant", "told"),
    [
        ("{url: mine}", "line 3: 00_scope.assistant: 1 flaw.s. in the description"),
        (f"{{url: '{URL}', headers: {{X: '${{NO_SUCH_KEY}}'}}}}", "line 3: .*NO_SUCH_KEY is not set"),
        ("bot.yml", "line 3: .*description does not exist"),
        ("[a]", r"must be Assistant, found \['a'\]"),
        ("bot", "must be module:name, path/to/file.py:name or a description, found 'bot'"),
        ("bot.py:ask", "the assistant's file does not exist"),
    ],
)
def test_what_cannot_be_asked_is_told_before_anything_runs(load, assistant, told):
    with pytest.raises(ParameterError, match=told):
        load(assistant)


def test_whom_its_process_reaches(load, tmp_path):
    (tmp_path / "bot.yml").write_text("command: [python, bot.py]")
    described = {"00_scope": {"assistant": load(f"{{url: '{URL}'}}")}, "02_functionality": {}}
    assert reached(described) == ["assistant.bank.example:443"]
    assert (
        reached({"00_scope": {"assistant": "bot.yml"}})
        == reached({"00_scope": {"assistant": "bot.py:ask"}})
        == []
    )
    assert reached({"00_scope": described["00_scope"] | {"answers_log": "log.jsonl"}}) == []
