"""Every verb has a generator, the generators are seeded, and hostile inputs of every sort are met well: a few, or as
many as HOSTILE says (`make hostile`: 1,200)."""

import os
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from hostile import oracle, pantry, run_files, verbs
from hostile.sandbox import Sandbox
from hostile.trial import HANGING, Outcome, Trial, attempt

INPUTS = int(os.environ.get("HOSTILE", "0"))
HEAVY = {("questions",), ("grounded",), ("report",), ("instruments",)}  # left to the long form
HEAVY_OPTIONS = {"rerun"}  # executes notebooks: tests/run/test_verification.py
KINDS = {"parameter files": 0.2, "run folders": 0.2, "documents": 0.05}  # shares; the rest: options
FOLDERS = ("verify", "verify", "verify", "report", "explore")  # who is given the changed run folders


def planned(n: int) -> list[str]:
    """What the n inputs are, in turn: a kind of KINDS, or the place of an option."""
    kinds = [kind for kind, share in KINDS.items() for _ in range(round(n * share))]
    return [*kinds, *(str(i % len(verbs.options())) for i in range(n - len(kinds)))]


def draw(kind: str, random: Random, sandbox: Sandbox, folders: tuple[str, ...]) -> Trial:
    """The trial of a kind, its sandbox made ready."""
    if kind == "parameter files":
        return run_files.parameter_file(random, sandbox)
    if kind == "run folders":
        return run_files.run_folder(random.choice(folders), random, sandbox)
    if kind == "documents":
        return run_files.documents(random, sandbox)
    verb, parameter = verbs.options()[int(kind)]
    return verbs.trial(verb, parameter, random, sandbox)


def tried(
    kinds: list[str], seed: int, store: Path, folders: tuple[str, ...]
) -> Iterator[tuple[Trial, list[str]]]:
    """Each input tried: the trial, and what is wrong."""
    project = pantry.make(store / "pantry")
    for place, kind in enumerate(kinds):
        sandbox = Sandbox(store / f"{place:05d}").make(project)
        trial = draw(kind, Random(f"{seed} {place} {kind}"), sandbox, folders)
        found = oracle.flaws(trial, attempt(trial, sandbox), sandbox)
        if not found:
            sandbox.remove()
        yield trial, found


def test_every_verb_has_a_generator():
    assert {verb for verb, _ in verbs.commands()} == set(verbs.SOUND)


@pytest.mark.slow
def test_a_campaign(tmp_path):
    """One process forks them all; in the short form no model is loaded."""
    if INPUTS:
        kinds = planned(INPUTS)
    else:
        options = enumerate(verbs.options())
        light = [str(i) for i, (verb, one) in options if verb not in HEAVY and one.name not in HEAVY_OPTIONS]
        kinds = Random(11).sample(light, 40) + ["parameter files"] * 10 + ["run folders"] * 10
    found = tried(kinds, 11, tmp_path / "store", FOLDERS if INPUTS else ("verify",))
    assert [(trial.verb, trial.about, flaws) for trial, flaws in found if flaws] == []


def outcome(code=0, out="", err="", before=None, after=None) -> Outcome:
    return Outcome(code, out, err, before or {}, after or {})


@pytest.mark.parametrize(
    "found, words",
    [
        (outcome(HANGING), "hangs"),
        (outcome(-11), "exit code -11"),
        (outcome(1, err="Traceback (most recent call last)\nX"), "traceback"),
        (outcome(1, err="ragassay: no"), "without its parts"),
        (outcome(0, out="\x1b[31m"), "control character"),
        (outcome(0, err="a\u202eb"), "control character"),
        (outcome(0, before={"a": "1"}, after={"a": "2"}), "changed though it was there"),
        (outcome(0, before={"a": "1"}, after={}), "changed though it was there"),
        (outcome(0, after={"above/work/x": "1"}), "written beside"),
        (outcome(0, after={"above/work/new.csv.draft": "1"}), "left behind"),
        (outcome(0, after={"above/work/EXECUTED": "1"}), "executed"),
        (outcome(0, out="Scores of 5 answers"), "6 rows in, 5 out"),
    ],
)
def test_the_oracle_sees(found, words, tmp_path):
    sandbox = Sandbox(tmp_path)
    sandbox.markers.mkdir()
    trial = Trial(("score",), "x", [], outputs=["new.csv"], rows=6)
    assert any(words in flaw for flaw in oracle.flaws(trial, found, sandbox))


def test_the_oracle_sees_a_formula_and_a_marker_and_no_flaw_in_a_refusal(tmp_path):
    sandbox = Sandbox(tmp_path)
    sandbox.markers.mkdir()
    sandbox.work.mkdir(parents=True)
    refused = outcome(1, err="\nragassay: no such file\n  where: x\n  do: name another")
    assert oracle.flaws(Trial(("score",), "x", []), refused, sandbox) == []
    (sandbox.markers / "shell").touch()
    (sandbox.work / "new.csv").write_text("a,b\n1,=cmd|x\n")
    found = oracle.flaws(Trial(("score",), "x", [], outputs=["new.csv"]), outcome(), sandbox)
    assert any("a formula" in flaw for flaw in found) and any("executed: shell" in flaw for flaw in found)
