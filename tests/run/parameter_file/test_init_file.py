"""`init`: the file that it writes runs as it is, or it is not written."""

import json

import pytest

from ragassay.errors import InputError, ParameterError
from ragassay.run import parameters
from ragassay.run.parameter_file import engagement, init_file

ROWS = [{"question": f"What is {n}?", "answer": f"It is {n}.", "contexts": [f"{n}."]} for n in range(3)]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "a.md").write_text("# Fees\n\nA stop payment costs $18.")
    (tmp_path / "mine.py").write_text("def ask(question):\n    return question\n")
    return tmp_path


def log(path, **more):
    path.write_text("\n".join(json.dumps(row | more) for row in ROWS))
    return path.name


def loaded(path):
    schemas = {name: parameters.declared(book) for name, book in parameters.notebooks().items()}
    return engagement.load(path, schemas).notebooks["00_scope"]


@pytest.mark.parametrize(
    "given",
    [
        {"documents": "policies", "assistant": "mine.py:ask"},
        {"log": "log.jsonl"},
        {"documents": "policies", "log": "log.jsonl"},
    ],
)
def test_the_file_can_be_run_and_holds_what_was_given(here, given):
    log(here / "log.jsonl")
    found = loaded(init_file.write("mine", **given))
    named = {"log": "answers_log"}
    assert {named.get(key, key): value for key, value in given.items()}.items() <= found.items()
    assert set(found) == {"date", *(named.get(key, key) for key in given)}


@pytest.mark.parametrize(
    "given, words",
    [
        ({"log": "none.jsonl"}, "none.jsonl"),
        ({"log": "policies/a.md"}, "a.md"),
        ({"documents": "none", "assistant": "mine.py:ask"}, "none"),
        ({"documents": "policies", "assistant": "mine.py"}, "mine.py"),
        ({"assistant": "mine.py:ask"}, "documents"),
    ],
)
def test_what_cannot_be_run_is_told_and_nothing_is_written(here, given, words):
    with pytest.raises((ParameterError, InputError), match=words):
        init_file.write("mine", **given)
    assert not (here / "params").exists()


def test_one_call_writes_the_file_of_a_log_and_the_next_takes_it(here):
    name = log(here / "my answers (1).jsonl", frage="?")
    path, told = init_file.write_for_log(name, mapping={"case_id": "frage"})
    assert str(path) == "params/my-answers-1.yml" and "case_id" in " ".join(told)
    assert loaded(path)["map"] == {"case_id": "frage"} and loaded(path)["answers_log"] == name
    assert init_file.write_for_log(f"./{name}") == (path, [])
    assert init_file.write_for_log(name, here / "other.yml", "policies")[0] == here / "other.yml"


@pytest.mark.parametrize(
    "given, words",
    [
        ({"log": "b.jsonl"}, "answers_log: 'a.jsonl'"),
        ({"log": "a.jsonl", "documents": "policies"}, "documents"),
        ({"log": "a.jsonl", "mapping": {"question": "answer"}}, "map"),
    ],
)
def test_a_file_that_says_otherwise_is_neither_used_nor_replaced(here, given, words):
    log(here / "a.jsonl"), log(here / "b.jsonl")
    path = init_file.write("mine", log="a.jsonl")
    before = path.read_bytes()
    with pytest.raises(ParameterError, match=words) as told:
        init_file.write_for_log(path=path, **given)
    assert "params/NAME.yml --log" in told.value.do and path.read_bytes() == before
