"""Every verb with an output: what is there is kept unless --replace is said, an input always, and both before any work."""

import pandas as pd
import pytest
from click.testing import CliRunner

import ragassay
from ragassay.cli import cli
from ragassay.errors import KitError, ParameterError

WRITERS = {  # verb: its words, with the file that is there already; IN: the input that must stay
    "score": ("score", "IN.jsonl", "--out", "there.csv"),
    "calibrate": ("calibrate", "--scores", "IN.csv", "--labels", "IN.csv", "--metric", "m", "--dimension", "d", "--out", "."),
    "questions": ("questions", "--documents", "IN.txt", "--out", "there.jsonl"),
    "grounded": ("grounded", "--db", "IN.db", "--out", "there.jsonl"),
    "its templates": ("grounded", "--db", "IN.db", "--out", "new.jsonl", "--save-templates", "there.json"),
    "label export": ("label", "export", "--run", ".", "--out", "there.csv"),
    "its guide": ("label", "export", "--run", ".", "--out", "new.csv"),
    "label import": ("label", "import", "IN.csv", "--run", ".", "--out", "there.csv"),
    "init": ("init", "there"),
}  # fmt: skip
OVER_INPUT = {
    "score": ("score", "IN.jsonl", "--out", "./IN.jsonl"),
    "cases of score": ("score", "other.jsonl", "--cases", "IN.jsonl", "--out", "IN.jsonl"),
    "calibrate": ("calibrate", "--scores", "kinds.csv", "--labels", "IN.csv", "--metric", "m", "--dimension", "d", "--out", "."),
    "questions": ("questions", "--documents", ".", "--out", "IN.jsonl"),
    "grounded": ("grounded", "--db", "sqlite:///IN.jsonl", "--out", "IN.jsonl"),
    "its templates": ("grounded", "--db", "IN.db", "--templates", "IN.json", "--out", "n.jsonl", "--save-templates", "IN.json"),
    "label import": ("label", "import", "IN.csv", "--run", ".", "--out", "IN.csv"),
    "label export": ("label", "export", "--run", ".", "--guide", "IN.guide.txt", "--out", "IN.csv"),
}  # fmt: skip
THERE = "there.csv there.jsonl there.json model.json new.guide.txt params/there.yml".split()
INPUTS = "IN.jsonl IN.csv IN.txt IN.db IN.json IN.guide.txt kinds.csv other.jsonl".split()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "params").mkdir()
    for name in (*THERE, *INPUTS):
        (tmp_path / name).write_text("as it was")
    return tmp_path


def state_of(folder):
    return {path.relative_to(folder): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("verb", WRITERS)
def test_what_is_there_stays(folder, verb):
    before = state_of(folder)
    done = CliRunner().invoke(cli, WRITERS[verb])
    assert isinstance(done.exception, ParameterError) and "there already" in str(done.exception)
    assert "--replace" in str(done.exception) and state_of(folder) == before


@pytest.mark.parametrize("verb", OVER_INPUT)
def test_an_input_stays_even_if_replacing_is_asked_for(folder, verb):
    before = state_of(folder)
    done = CliRunner().invoke(cli, [*OVER_INPUT[verb], "--replace"])
    assert isinstance(done.exception, KitError) and "over an input" in str(done.exception)
    assert state_of(folder) == before


def test_the_library_refuses_as_the_command_line_does(tmp_path):
    log, out = tmp_path / "log.csv", tmp_path / "s.csv"
    pd.DataFrame({"question": ["Why?"], "answer": ["So."], "contexts": [["So."]]}).to_csv(log, index=False)
    out.write_text("as it was")
    for place, replace, words in ((out, False, "there already"), (log, True, "over an input")):
        with pytest.raises(ParameterError, match=words):
            ragassay.score(log, metrics="privacy_leaks", out=place, replace=replace)
    assert len(ragassay.score(log, metrics="privacy_leaks", out=out, replace=True).to_pandas()) == 1
