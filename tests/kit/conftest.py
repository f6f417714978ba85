"""A small bank on real models, executed once per worker: six documents, their questions, labels by a seeded coin."""

import contextlib
import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ragassay import evidence

SMALL = (
    "overdraft-policy-2024",
    "overdraft-policy-2026",
    "quay-everyday-account",
    "wire-transfers",
    "lost-and-stolen-cards",
    "guia-de-cuentas-es",
)
PARAMETERS = """
00_scope: {documents: documents, system: small-bank, date: "2026-09-01"}
01_test_generation: {own_questions: questions.jsonl, n_generated: 20, picture: pca, database: facts.db, n_grounded: 12}
04_calibration: {labels: labels.csv, examine_instruments: false}
05_robustness: {n_parents: 10, n_out_of_scope: 6}
"""
COMMAND = [sys.executable, "-c", "from ragassay.cli import main; main()", "run", "small.yml"]


def engagement(folder: Path) -> Path:
    """Six documents, their questions, labels by a seeded coin: a small engagement in a folder of its own."""
    bundled = evidence.source("bundled:documents")
    (folder / "documents").mkdir(parents=True)
    for name in SMALL:
        shutil.copy(bundled / f"{name}.md", folder / "documents")
    lines = [
        line
        for path in sorted(evidence.source("bundled:questions").glob("*.jsonl"))
        for line in path.read_text().splitlines()
    ]
    kept = [line for line in lines if {e["doc_id"] for e in json.loads(line)["evidence"]} <= set(SMALL)][:48]
    (folder / "questions.jsonl").write_text("\n".join(kept) + "\n")
    labels(kept).to_csv(folder / "labels.csv", index=False)
    with contextlib.closing(sqlite3.connect(folder / "facts.db")) as facts:
        facts.executescript(evidence.source("bundled:bank.sql").read_text())
    (folder / "small.yml").write_text(PARAMETERS)
    return folder


def labels(lines: list[str]) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    ids = ["u-" + hashlib.sha256(json.loads(line)["question"].encode()).hexdigest()[:8] for line in lines]
    given = [
        (c, d, "m1", int(rng.integers(*span)), s)
        for c in ids
        for d, span, s in (
            ("grounded", (0, 2), "0-1"),
            ("relevant", (1, 6), "1-5"),
            ("complete", (1, 6), "1-5"),
        )
    ]
    return pd.DataFrame(given, columns=["case_id", "dimension", "rater", "label", "scale"])


def run(folder: Path, cache: Path) -> subprocess.CompletedProcess:
    return subprocess.run(
        COMMAND,
        cwd=folder,
        env=os.environ | {"RAGASSAY_CACHE": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )


def files(folder: Path) -> dict[str, bytes]:
    """Everything a run leaves but its diary (.state) and the journal of the assistant's answers, which hold times."""
    found = [p for p in sorted(folder.rglob("*")) if p.is_file() and not {".state", "journal"} & set(p.parts)]
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in found}


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory) -> Path:
    folder = engagement(tmp_path_factory.mktemp("undisturbed"))
    done = run(folder, folder / "cache")
    assert done.returncode in (0, 2, 3), done.stderr[-2000:]
    return folder
