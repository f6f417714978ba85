"""A small bank on real models: four documents, their questions, labels by a seeded coin.

It is executed once for all tests and both workers, killed twice on its way, and kept in the tests' cache under the hash of what it
was made from: the library, the notebooks, this file and the pinned packages. A test gets a copy of its own.
"""

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
from filelock import FileLock

import ragassay
from killing import kill_when, start
from ragassay import provenance

SMALL = ("overdraft-policy-2024", "overdraft-policy-2026", "quay-everyday-account", "guia-de-cuentas-es")
ASSISTANT = "ragassay.example.assistant:open_assistant"
PARAMETERS = f"""
00_scope: {{documents: documents, assistant: "{ASSISTANT}", system: small-bank, date: "2026-09-01"}}
01_test_generation: {{own_questions: questions.jsonl, n_generated: 6, picture: pca, database: facts.db, n_grounded: 4}}
02_functionality: {{labels: labels.csv}}
03_risk_safety: {{probes_per_threat: 4, probes_per_gate: 8, n_counterfactual: 1, n_bias_questions: 4}}
04_calibration: {{examine_instruments: false}}
05_robustness: {{n_parents: 6, kinds: [spelling, casual, synonyms], n_outside: 11, n_stressed: 3, n_repeated: 6}}
"""
# what is there when the run is killed: at the same moments on a fast machine and on a slow one
KILLED_AT = ("tables/answers.parquet", "tables/weakness.parquet")
ROOT = Path(__file__).parents[2]
NOTEBOOKS = ROOT / "notebooks"
COMMAND = [sys.executable, "-c", "from ragassay.cli import main; main()", "run", "small.yml"]


def engagement(folder: Path) -> Path:
    """Four documents, their questions, labels by a seeded coin: a small engagement in a folder of its own."""
    bundled = provenance.source("bundled:documents")
    (folder / "documents").mkdir(parents=True)
    for name in SMALL:
        shutil.copy(bundled / f"{name}.md", folder / "documents")
    paths = sorted(provenance.source("bundled:questions").glob("*.jsonl"))
    lines = [line for path in paths for line in path.read_text().splitlines()]
    kept = [line for line in lines if {e["doc_id"] for e in json.loads(line)["evidence"]} <= set(SMALL)][:30]
    (folder / "questions.jsonl").write_text("\n".join(kept) + "\n")
    labels(kept).to_csv(folder / "labels.csv", index=False)
    with contextlib.closing(sqlite3.connect(folder / "facts.db")) as facts:
        facts.executescript(provenance.source("bundled:bank.sql").read_text())
    (folder / "small.yml").write_text(PARAMETERS)
    return folder


def labels(lines: list[str]) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    ids = ["u-" + hashlib.sha256(json.loads(line)["question"].encode()).hexdigest()[:8] for line in lines]
    scales = (("grounded", (0, 2), "0-1"), ("relevant", (1, 6), "1-5"), ("complete", (1, 6), "1-5"))
    given = [(c, d, "m1", int(rng.integers(*span)), s) for c in ids for d, span, s in scales]
    return pd.DataFrame(given, columns=["case_id", "dimension", "rater", "label", "scale"])


def run(folder: Path, cache: Path) -> subprocess.CompletedProcess:
    env = os.environ | {"RAGASSAY_CACHE": str(cache)}
    return subprocess.run(COMMAND, cwd=folder, env=env, capture_output=True, text=True, check=False)


def start_run(folder: Path) -> subprocess.Popen:
    """The run of an engagement, begun, with a cache of its own; to be killed."""
    return start(COMMAND, cwd=folder, env=os.environ | {"RAGASSAY_CACHE": str(folder / "cache")})


def files(folder: Path) -> dict[str, bytes]:
    """Everything a run leaves but its diary (.state) and the journal of the assistant's answers, which hold times, and the list of hashes of it all."""
    found, apart = (p for p in sorted(folder.rglob("*")) if p.is_file()), {".state", "journal", "SHA256SUMS"}
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in found if not apart & set(p.parts)}


def origin() -> str:
    """SHA-256 of everything the small bank's run depends on."""
    library = Path(ragassay.__file__).parent
    made_from = [*library.rglob("*"), *NOTEBOOKS.glob("*.ipynb"), Path(__file__), ROOT / "constraints.txt"]
    found = hashlib.sha256(f"{sys.version} {library.resolve()}".encode())
    for path in sorted(path for path in made_from if path.is_file() and "__pycache__" not in path.parts):
        found.update(path.name.encode() + path.read_bytes())
    return found.hexdigest()


def kept_run() -> Path:
    """The folder of the small bank's finished run; made now if nothing was kept, older ones removed."""
    store = Path(os.environ["RAGASSAY_CACHE"]) / "small-bank"
    store.mkdir(parents=True, exist_ok=True)
    folder = store / origin()[:16]
    with FileLock(store / "lock"):
        if not (folder / "finished").exists():
            for old in store.glob("*/"):
                shutil.rmtree(old)
            engagement(folder)
            for landmark in KILLED_AT:
                path = folder / "reports/small" / landmark
                assert kill_when(start_run(folder), path.exists), f"the run ended before {landmark} was there"
            done = run(folder, folder / "cache")
            assert done.returncode in (0, 2, 3), done.stderr[-2000:]
            (folder / "finished").touch()
    return folder


@pytest.fixture(scope="session")
def killed(tmp_path_factory) -> Path:
    """The small bank with its run, killed twice and finished."""
    folder = tmp_path_factory.mktemp("killed") / "bank"
    shutil.copytree(kept_run(), folder)
    return folder
