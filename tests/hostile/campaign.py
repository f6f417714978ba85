"""`make hostile`: the long form, at least 1,000 inputs; the seed is printed, and a table of verbs and outcomes at the end.

PYTHONPATH=tests python -m hostile [--inputs N] [--seed S] [--only VERB] [--keep]
"""

import os
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import click

from hostile import oracle, pantry, replies, run_files, verbs, whole_runs
from hostile.sandbox import Sandbox
from hostile.trial import Trial, attempt

OF_ALL = {
    "parameter files": 0.2,
    "run folders": 0.16,
    "documents": 0.04,
    "environment": 0.08,
    "tiny runs": 0.02,
}  # the rest: options

ROUNDS = 3  # of every kind of reply
FOLDERS = ("verify", "verify", "verify", "report", "explore")  # who is given the changed run folders


def planned(n: int, only: str = "") -> list[str]:
    """What the n inputs are, in turn: a kind of OF_ALL, or the place of an option."""
    options = [i for i, (verb, _) in enumerate(verbs.options()) if verb[0].startswith(only)]
    kinds = [kind for kind, share in OF_ALL.items() for _ in range(round(n * share))] if not only else []
    rest = [str(options[i % len(options)]) for i in range(max(n - len(kinds), 0))]
    return [*kinds, *rest]


def draw(kind: str, random: Random, sandbox: Sandbox, folders: Sequence[str] = FOLDERS) -> Trial:
    """The trial of a kind, its sandbox made ready."""
    if kind == "parameter files":
        return run_files.parameter_file(random, sandbox)
    if kind == "run folders":
        return run_files.run_folder(random.choice(folders), random, sandbox)
    if kind in ("tiny runs", "whole runs"):
        return (whole_runs.tiny if kind == "tiny runs" else whole_runs.of_a_log)(random, sandbox)
    if kind == "documents":
        return run_files.documents(random, sandbox)
    if kind == "environment":
        verb = random.choice([verb for verb in verbs.SOUND if verb != ("run",)])
        return verbs.everywhere(verbs.sound_trial(verb), random, sandbox)
    verb, parameter = verbs.options()[int(kind)]
    return verbs.trial(verb, parameter, random, sandbox)


def tried(
    kinds: list[str], seed: int, store: Path, keep: bool = False, folders: Sequence[str] = FOLDERS
) -> Iterator[tuple[Trial, int, float, list[str]]]:
    """Each input tried in a sandbox of its own: the trial, its exit code, seconds, what is wrong."""
    project = pantry.make(store / "pantry")
    for place, kind in enumerate(kinds):
        random = Random(f"{seed} {place} {kind}")
        sandbox = Sandbox(store / f"{place:05d}").make(project)
        trial = draw(kind, random, sandbox, folders)
        outcome = attempt(trial, sandbox)
        found = oracle.flaws(trial, outcome, sandbox)
        if not (keep and found):
            sandbox.remove()
        yield trial, outcome.code, outcome.seconds, found


@click.command()
@click.option("--inputs", default=1200, show_default=True, help="how many")
@click.option("--seed", default=0, show_default=True, help="the same seed gives the same inputs")
@click.option("--only", default="", help="verbs that begin so")
@click.option("--whole", default=4, show_default=True, help="whole runs over hostile logs, a minute each")
@click.option("--keep", is_flag=True, help="keep the folders of what failed")
def main(inputs: int, seed: int, only: str, whole: int, keep: bool) -> None:
    """Try hostile inputs on every verb and option; exit 1 if one of them is not met as it should be."""
    os.environ["HOSTILE_MODELS"] = "1"
    kinds = planned(inputs, only) + ["whole runs"] * whole
    Random(seed).shuffle(kinds)
    counts: dict[str, Counter] = defaultdict(Counter)
    bad, started = 0, time.monotonic()
    store = Path(tempfile.mkdtemp(prefix="hostile-"))
    print(f"{len(kinds)} inputs, seed {seed}, in {store}", flush=True)
    for n, (trial, code, seconds, found) in enumerate(tried(kinds, seed, store, keep), 1):
        verb = " ".join(trial.verb)
        counts[verb]["flawed" if found else f"exit {code}"] += 1
        bad += bool(found)
        if os.environ.get("HOSTILE_TIMES"):
            print(f"{seconds:.1f} s", verb, trial.about[:50])
        for flaw in found:
            print(
                f"[{n - 1:05d}] {verb}: {trial.about!r}\n    {flaw}\n    {trial.arguments!r:.300}", flush=True
            )
        if n % 50 == 0:
            left = (time.monotonic() - started) / n * (len(kinds) - n)
            print(f"{n} of {len(kinds)}, {bad} flawed, about {left:.0f} s left", flush=True)
    for flaw in _replies(seed, store, counts):
        bad += 1
        print(f"assistant: {flaw}", flush=True)
    print(table(counts))
    print(
        f"seed {seed}: {len(kinds)} inputs, {bad} not met as they should be, {time.monotonic() - started:.0f} s"
    )
    sys.exit(bool(bad))


def _replies(seed: int, store: Path, counts: dict[str, Counter]) -> list[str]:
    """Every kind of reply of an assistant, three times in another order; what is wrong."""
    found = []
    for n in range(ROUNDS):
        sandbox = Sandbox(store / f"replies-{n}").make(store / "pantry")
        wrong = replies.flaws(replies.every(), seed + n, sandbox)
        counts["assistant"]["flawed"] += len(wrong)
        counts["assistant"]["a reason"] += len(replies.every()) - len(wrong)
        found += wrong
        sandbox.remove()
    return found


def table(counts: dict[str, Counter]) -> str:
    """Verbs and outcomes, a line a verb."""
    outcomes = sorted({outcome for counter in counts.values() for outcome in counter})
    lines = [f"{'':<14}" + "".join(f"{outcome:>10}" for outcome in outcomes)]
    lines += [
        f"{verb:<14}" + "".join(f"{counts[verb][outcome]:>10}" for outcome in outcomes)
        for verb in sorted(counts)
    ]
    return "\n".join(lines)
