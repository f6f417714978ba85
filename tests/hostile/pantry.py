"""A small sound project, made once: what every trial starts from, so that one thing in it is hostile and the rest is not."""

import contextlib
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from hostile import payloads, rows
from hostile.files import delimited, jsonl, whole_json
from ragassay import provenance, tables
from run.conftest import finish, make_key

PAGE = """# {0} account

The {0} account costs $4.00 a month. The overdraft fee of the {0} account is $18.00 for each item paid.

## Closing

A customer closes the {0} account by writing to the branch. The branch answers within five working days.
"""


def make(folder: Path) -> Path:
    """The project; with a finished run of its two tiny notebooks in reports/tiny."""
    folder.mkdir(parents=True)
    jsonl(rows.log(), folder / "log.jsonl", folder)
    for name in ("cases", "scores", "labels"):
        delimited(",")(rows.ROLES[name](), folder / f"{name}.csv", folder)
    jsonl(rows.results(), folder / "results.jsonl", folder)
    whole_json(rows.templates(), folder / "templates.json", folder)
    jsonl(rows.suite(), folder / "suite.jsonl", folder)
    (folder / "documents").mkdir()
    for name in ("Tide", "Quay", "Alder"):
        (folder / "documents" / f"{name}.md").write_text(PAGE.format(name))
    (folder / "guide.md").write_text("Judge what the passages say.")
    with contextlib.closing(sqlite3.connect(folder / "facts.db")) as facts:
        facts.executescript(provenance.source("bundled:bank.sql").read_text())
    make_key(folder / "ann")
    judged_run(folder / "run")
    _command(folder, "label", "export", "--run", "run", "--out", "sheet.csv", "--n", "5", "--rater", "ann")
    return finish(folder)


def judged_run(folder: Path) -> None:
    """A run folder with hostile answers, and verdicts, for sheets and plans."""
    said = [*payloads.armed(folder / "markers", "answer").values(), "\x1b[2J\u202e"]
    answers = pd.DataFrame(rows.log(len(said))).assign(system="s", repeat=0, answer=said)
    tables.write(folder, "answers", answers)
    verdicts = pd.DataFrame({"case_id": [f"c{i}" for i in range(12)], "probability": np.arange(12) / 12})
    verdicts = verdicts.assign(system="s", metric="m", prediction_set=[[1]] * 12, decision="accept")
    tables.write(folder, "verdicts", verdicts)


def _command(folder: Path, *words: str) -> None:
    """Run the command line in the folder; what fails here is no finding, but the end."""
    call = [sys.executable, "-c", "from ragassay.cli import main; main()", *words]
    env = os.environ | {"PYTHONPATH": str(Path(provenance.__file__).parents[1])}
    done = subprocess.run(call, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 2, 3), f"{words}: {done.stderr[-2000:]}"
