"""A small sound project, made once: what every trial starts from, so that one thing in it is hostile and the rest is not."""

import contextlib
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pandas as pd

from hostile import payloads, rows
from hostile.files import delimited, jsonl, whole_json
from ragassay import provenance, tables
from run.conftest import COUNT, DECIDE, PARAMETERS, make_key, notebook

PAGE = """# {0} account

The {0} account costs $4.00 a month. The overdraft fee of the {0} account is $18.00 for each item paid.

## Closing

A customer closes the {0} account by writing to the branch. The branch answers within five working days.
"""
INPUT = 'from ragassay.run.parameters import File\n\n{}\ntext: File = "input.txt"  # an input'


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
    tiny_notebooks(folder)
    _command(folder, "run", "tiny.yml")
    return folder


def judged_run(folder: Path) -> None:
    """A run folder with hostile answers, and verdicts, for sheets and plans."""
    said = [*payloads.armed(folder / "markers", "answer").values(), "\x1b[2J\u202e"]
    answers = [
        row | {"system": "s", "repeat": 0, "answer": answer}
        for row, answer in zip(rows.log(len(said)), said, strict=True)
    ]
    tables.write(folder, "answers", pd.DataFrame(answers))
    verdicts = [
        {
            "case_id": f"c{i}",
            "system": "s",
            "metric": "m",
            "probability": i / 12,
            "prediction_set": [1],
            "decision": "accept",
        }
        for i in range(12)
    ]
    tables.write(folder, "verdicts", pd.DataFrame(verdicts))


def tiny_notebooks(folder: Path) -> None:
    """Two notebooks that read an input and decide, and the parameters of an engagement."""
    (folder / "input.txt").write_text("hello")
    notebook(folder / "notebooks" / "00_scope.ipynb", INPUT.format(PARAMETERS), COUNT)
    notebook(
        folder / "notebooks" / "07_conclusion.ipynb", PARAMETERS + "\nfactor: float = 1.0  # a factor", DECIDE
    )
    (folder / "tiny.yml").write_text("00_scope:\n  seed: 3\n")


def _command(folder: Path, *words: str) -> None:
    """Run the command line in the folder; what fails here is no finding, but the end."""
    call = [sys.executable, "-c", "from ragassay.cli import main; main()", *words]
    library = str(Path(provenance.__file__).parents[1])
    done = subprocess.run(
        call,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": library},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 2, 3), f"{words}: {done.stderr[-2000:]}"
