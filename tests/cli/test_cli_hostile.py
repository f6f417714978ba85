"""Hostile words for the options of every verb, a seeded sample: refused in the five parts or harmless, never unforeseen."""

import json
import os
import random
from pathlib import Path

import click
import pandas as pd
import pytest
from click.testing import CliRunner

from ragassay.cli import cli
from ragassay.errors import KitError

NUMBERS = ("-1", "nan", "inf", "1e999", "9" * 40, "0x10", "", "-0", "\u0661\u0662", "1_0", "half")
TEXTS = (
    "",
    "\x1b[2J",
    "a" * 5000,
    "nul\x00",
    "-",
    "*",
    "..",
    "=cmd|' /C calc'!A0",
    "\udcff",
    "'; DROP TABLE x; --",
    "{0}",
    "%s",
)
PATHS = (
    "",
    ".",
    "/",
    "absent",
    "absent/deep/x",
    "there.txt/below",
    "/dev/null",
    "/proc/self/mem",
    "loop",
    "a" * 300,
    "nul\x00",
    "\udcff",
    "bin.parquet",
    "bin.jsonl",
    "bin.csv",
    "bin.json",
    "bin.xlsx",
    "bin.db",
)
OUTPUTS = (
    "",
    ".",
    "/",
    "absent/deep/x.csv",
    "there.txt/below.csv",
    "/dev/null",
    "/dev/full",
    "loop",
    "a" * 300 + ".csv",
    "nul\x00.csv",
    "x.unknown",
    "/proc/x.csv",
    "/proc/x.jsonl",
    "a" * 300 + ".jsonl",
)

BASE = {
    "score": ["score", "log.jsonl", "--metrics", "privacy_leaks"],
    "calibrate": ["calibrate", "--scores", "s.csv", "--labels", "l.csv", "--metric", "m", "--dimension", "d", "--out", "cal"],
    "convert": ["convert", "log.jsonl", "--to", "ragas", "--out", "o.csv"],
    "diagnose": ["diagnose", "--results", "results.csv"],
    "questions": ["questions", "--documents", "empty", "--out", "o.jsonl"],
    "grounded": ["grounded", "--db", "bin.db", "--out", "o.jsonl"],
    "made up": ["grounded", "--made-up", "firm", "--out", "o.jsonl"],
    "instruments": ["instruments", "bin.jsonl", "--out", "ins"],
    "export": ["label", "export", "--run", "run", "--out", "o.csv", "--n", "1"],
    "import": ["label", "import", "l.csv", "--run", "run", "--out", "o.csv"],
    "plan": ["label", "plan", "--n", "50", "--answers", "10"],
    "init": ["init", "mine"],
    "run": ["run", "bin.yml"],
    "report": ["report", "absent"],
    "verify": ["verify", "absent"],
    "diff": ["diff", "absent", "absent", "--out", "o"],
    "sign": ["sign", "absent", "--key", "there.txt", "--name", "Ann"],
    "gate": ["gate", "absent"],
}  # fmt: skip
ARGUMENTS = {
    "score": 1,
    "convert": 1,
    "instruments": 1,
    "import": 2,
    "init": 1,
    "run": 1,
    "report": 1,
    "verify": 1,
    "sign": 1,
    "diff": 2,
    "gate": 1,
}


def command_of(words):
    command = cli
    for word in words:
        if not isinstance(command, click.Group):
            break
        command = command.commands[word]
    return command


def words_for(option):
    """Hostile words by what the option is for."""
    name = option.name or ""
    if isinstance(option.type, click.Path):
        return OUTPUTS if name in ("out", "saved", "made_up", "reports") else PATHS
    return NUMBERS if option.type.name in ("int", "float", "integer", "float") else TEXTS


def attempts():
    for verb, base in BASE.items():
        for option in command_of(base).params:
            if isinstance(option, click.Option) and not option.is_flag:
                for word in words_for(option):
                    yield pytest.param(
                        [*base, option.opts[0], word], id=f"{verb} {option.opts[0]} {word[:20]!r}"
                    )
        if verb in ARGUMENTS:
            for word in TEXTS if verb == "init" else PATHS:
                place = ARGUMENTS[verb]
                yield pytest.param([*base[:place], word, *base[place + 1 :]], id=f"{verb} {word[:20]!r}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files of every kind that hold nothing of theirs, and a few that are sound."""
    place = tmp_path_factory.mktemp("hostile")
    (place / "there.txt").write_text("text")
    (place / "empty").mkdir()
    (place / "loop").symlink_to("loop")
    for kind in ("parquet", "jsonl", "csv", "json", "xlsx", "db", "yml"):
        (place / f"bin.{kind}").write_bytes(bytes(range(256)) * 3)
    (place / "log.jsonl").write_text(json.dumps({"question": "q", "answer": "a", "contexts": ["c"]}) + "\n")
    pd.DataFrame({"case_id": ["c"], "metric": ["m"], "value": [0.5]}).to_csv(place / "s.csv", index=False)
    (place / "results.csv").write_text("query,group,correct\na,g,1\nb,g,0\n")
    (place / "l.csv").write_text("case_id,dimension,rater,label,scale\nc,d,r,1,0-1\n")
    return place


TOO_LONG = ("questions --documents '/'", "report '/'")  # would walk the whole disk
SAMPLE = random.Random(11).sample([each for each in attempts() if each.id not in TOO_LONG], 150)


@pytest.mark.parametrize("words", SAMPLE)
def test_a_hostile_word_is_refused_or_harmless(folder, monkeypatch, words):
    monkeypatch.chdir(folder)
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir() if path.is_file()}
    done = CliRunner().invoke(cli, words)
    problem = done.exception
    known = isinstance(problem, KitError | click.ClickException | SystemExit | OSError) or problem is None
    assert known, repr(problem)
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert not list(folder.glob("**/*.draft")) and Path(os.devnull).is_char_device()
    for path in set(folder.iterdir()) - set(before):
        if path.is_file():
            path.unlink()
