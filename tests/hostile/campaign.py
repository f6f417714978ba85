"""Hostile inputs for every verb and option, each tried in a sandbox of its own."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

from hostile import oracle, pantry, run_files, verbs
from hostile.sandbox import Sandbox
from hostile.trial import Trial, attempt

KINDS = {"parameter files": 0.2, "run folders": 0.2, "documents": 0.05}  # shares; the rest: options
FOLDERS = ("verify", "verify", "verify", "report", "explore")  # who is given the changed run folders


def planned(n: int) -> list[str]:
    """What the n inputs are, in turn: a kind of KINDS, or the place of an option."""
    kinds = [kind for kind, share in KINDS.items() for _ in range(round(n * share))]
    return [*kinds, *(str(i % len(verbs.options())) for i in range(n - len(kinds)))]


def draw(kind: str, random: Random, sandbox: Sandbox) -> Trial:
    """The trial of a kind, its sandbox made ready."""
    if kind == "parameter files":
        return run_files.parameter_file(random, sandbox)
    if kind == "run folders":
        return run_files.run_folder(random.choice(FOLDERS), random, sandbox)
    if kind == "documents":
        return run_files.documents(random, sandbox)
    verb, parameter = verbs.options()[int(kind)]
    return verbs.trial(verb, parameter, random, sandbox)


def tried(kinds: list[str], seed: int, store: Path) -> Iterator[tuple[Trial, list[str]]]:
    """Each input tried: the trial, and what is wrong."""
    project = pantry.make(store / "pantry")
    for place, kind in enumerate(kinds):
        sandbox = Sandbox(store / f"{place:05d}").make(project)
        trial = draw(kind, Random(f"{seed} {place} {kind}"), sandbox)
        found = oracle.flaws(trial, attempt(trial, sandbox), sandbox)
        if not found:
            sandbox.remove()
        yield trial, found
