"""The whole kit on real models and a small bank: eight notebooks, equal bytes, killed and resumed, nothing over the network, nothing lost."""

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ragassay import evidence
from ragassay.run import manifest, notebooks

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("kit")]

SMALL = ("overdraft-policy-2024", "overdraft-policy-2026", "quay-everyday-account", "wire-transfers", "lost-and-stolen-cards", "guia-de-cuentas-es")
PARAMETERS = """
00_scope: {documents: documents, system: small-bank, date: "2026-09-01"}
01_test_generation: {own_questions: questions.jsonl, n_generated: 20, picture: pca}
04_calibration: {labels: labels.csv}
05_robustness: {n_parents: 10, n_out_of_scope: 6}
"""
COMMAND = [sys.executable, "-c", "from ragassay.cli import main; main()", "run", "small.yml"]
KILLED_AFTER = (4, 7, 10, 8, 9)  # seconds


def engagement(folder: Path) -> Path:
    """Six documents, their questions, labels by a seeded coin: a small engagement in a folder of its own."""
    bundled = evidence.source("bundled:documents")
    (folder / "documents").mkdir(parents=True)
    for name in SMALL:
        shutil.copy(bundled / f"{name}.md", folder / "documents")
    lines = [line for path in sorted(evidence.source("bundled:questions").glob("*.jsonl")) for line in path.read_text().splitlines()]
    kept = [line for line in lines if {e["doc_id"] for e in json.loads(line)["evidence"]} <= set(SMALL)][:48]
    (folder / "questions.jsonl").write_text("\n".join(kept) + "\n")
    labels(kept).to_csv(folder / "labels.csv", index=False)
    (folder / "small.yml").write_text(PARAMETERS)
    return folder


def labels(lines: list[str]) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    ids = ["u-" + hashlib.sha256(json.loads(line)["question"].encode()).hexdigest()[:8] for line in lines]
    given = [
        (c, d, "m1", int(rng.integers(*span)), s)
        for c in ids
        for d, span, s in (("grounded", (0, 2), "0-1"), ("relevant", (1, 6), "1-5"), ("complete", (1, 6), "1-5"))
    ]
    return pd.DataFrame(given, columns=["case_id", "dimension", "rater", "label", "scale"])


def run(folder: Path, cache: Path) -> subprocess.CompletedProcess:
    return subprocess.run(COMMAND, cwd=folder, env=os.environ | {"RAGASSAY_CACHE": str(cache)}, capture_output=True, text=True, check=False)


def files(folder: Path) -> dict[str, bytes]:
    """Everything a run leaves but its diary (.state) and the journal of the assistant's answers, which hold times."""
    found = [p for p in sorted(folder.rglob("*")) if p.is_file() and not {".state", "journal"} & set(p.parts)]
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in found}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory) -> Path:
    folder = engagement(tmp_path_factory.mktemp("undisturbed"))
    done = run(folder, folder / "cache")
    assert done.returncode in (0, 2, 3), done.stderr[-2000:]
    return folder


def test_every_notebook_is_executed_and_the_report_is_there(undisturbed):
    reports = undisturbed / "reports" / "small"
    assert [p.stem for p in sorted((reports / "notebooks").glob("*.ipynb"))] == list(notebooks())
    html = (reports / "validation_report.html").read_text()
    assert "<script" not in html.lower() and "UNDESCRIBED" not in html
    assert not re.findall(r'(?:src|href)="https?:', html)
    assert (reports / "validation_report.pdf").read_bytes().startswith(b"%PDF")


def test_nothing_was_tried_over_the_network(undisturbed):
    content = json.loads((undisturbed / "reports/small/manifest.json").read_text())
    assert content["network"]["attempts"] == [] and content["network"]["policy"].startswith("sealed")


def test_the_manifest_holds(undisturbed, monkeypatch):
    monkeypatch.chdir(undisturbed)
    assert manifest.verify(undisturbed / "reports" / "small") == []


def test_no_score_is_a_silent_zero(undisturbed):
    scores = pd.read_parquet(undisturbed / "reports/small/tables/scores.parquet")
    assert (scores.value.notna() == (scores.state == "scored")).all()
    assert (scores.loc[scores.state != "scored", "reason"].str.len() > 0).all()


def test_two_runs_in_two_folders_leave_equal_bytes(undisturbed, tmp_path):
    other = engagement(tmp_path / "other")
    run(other, other / "cache")
    ours, theirs = files(undisturbed / "reports/small"), files(other / "reports/small")
    assert ours.keys() == theirs.keys()
    assert [name for name in ours if ours[name] != theirs[name]] == []


def test_a_run_killed_at_five_moments_ends_with_the_same_bytes(undisturbed, tmp_path):
    other = engagement(tmp_path / "killed")
    for seconds in KILLED_AFTER:
        started = subprocess.Popen(
            COMMAND,
            cwd=other,
            env=os.environ | {"RAGASSAY_CACHE": str(other / "cache")},
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        time.sleep(seconds)
        os.killpg(started.pid, signal.SIGKILL)
        started.wait(30)
    done = run(other, other / "cache")
    assert done.returncode in (0, 2, 3), done.stderr[-2000:]
    ours, theirs = files(undisturbed / "reports/small"), files(other / "reports/small")
    assert [name for name in ours if ours[name] != theirs.get(name)] == []


def test_an_unchanged_run_executes_nothing(undisturbed):
    before = files(undisturbed / "reports/small")
    done = run(undisturbed, undisturbed / "cache")
    assert done.stderr.count("unchanged (skipped)") == len(notebooks())
    assert files(undisturbed / "reports/small") == before


@pytest.mark.parametrize(
    "flaw, complaint",
    [
        (lambda f: shutil.rmtree(f / "documents"), "folder 'documents' does not exist"),
        (lambda f: [p.unlink() for p in (f / "documents").iterdir()], "documents"),
        (lambda f: (f / "questions.jsonl").write_text(""), "there are no questions"),
        (lambda f: (f / "labels.csv").write_text("case_id,dimension,rater,label,scale\nu-00000000,relevant,m1,4,1-5\n"), "unknown case"),
        (lambda f: (f / "labels.csv").write_text((f / "labels.csv").read_text() + "u-x,relevant,m1,9,1-5\n"), "outside its scale"),
        (lambda f: (f / "small.yml").write_text(PARAMETERS.replace("n_generated", "n_generate")), "did you mean 'n_generated'"),
    ],
)
def test_a_flawed_input_is_named_and_what_was_computed_stays(undisturbed, tmp_path, flaw, complaint):
    folder = tmp_path / "flawed"
    shutil.copytree(undisturbed, folder)
    flaw(folder)
    done = run(folder, undisturbed / "cache")
    assert done.returncode == 1 and complaint in done.stderr, done.stderr[-1500:]
    assert "Traceback" not in done.stderr
    assert (folder / "reports/small/tables/documents.parquet").exists() or "documents" in complaint


def test_an_assistant_that_fails_is_counted_and_never_averaged(undisturbed, tmp_path):
    folder = tmp_path / "failing"
    shutil.copytree(undisturbed, folder)
    (folder / "mine.py").write_text(
        "def ask(question):\n    if len(question) % 3 == 0: raise RuntimeError('down')\n    if len(question) % 3 == 1: return ''\n    return 'The fee is $28.00.'\n"
    )
    (folder / "small.yml").write_text(PARAMETERS.replace("system: small-bank", "system: mine, assistant: 'mine.py:ask'"))
    done = run(folder, undisturbed / "cache")
    assert done.returncode in (2, 3), done.stderr[-1500:]
    answers = pd.read_parquet(folder / "reports/small/tables/answers.parquet")
    assert set(answers.error.str.split(":").str[0]) == {"", "RuntimeError", "the assistant returned nothing"}
    scores = pd.read_parquet(folder / "reports/small/tables/scores.parquet")
    assert set(scores[scores.case_id.isin(answers[answers.error != ""].case_id)].state) == {"error"}


def test_logged_answers_are_validated_without_an_assistant(undisturbed, tmp_path):
    folder = engagement(tmp_path / "logged")
    answers = pd.read_parquet(undisturbed / "reports/small/tables/answers.parquet")
    answers[["question", "answer", "contexts"]].to_json(folder / "log.jsonl", orient="records", lines=True)
    (folder / "small.yml").write_text(
        '00_scope: {documents: documents, answers_log: log.jsonl, date: "2026-09-01"}\n01_test_generation: {picture: pca}\n'
    )
    done = run(folder, undisturbed / "cache")
    assert done.returncode in (2, 3), done.stderr[-1500:]
    assert len(pd.read_parquet(folder / "reports/small/tables/answers.parquet")) == len(answers)
    variants = pd.read_parquet(folder / "reports/small/tables/answers.variants.parquet")
    assert variants.error.str.startswith("not asked").all()


def test_executed_notebooks_run_again_from_their_own_folder_as_in_jupyterlab(undisturbed, tmp_path):
    """Opened where they lie, top to bottom, without the runner: the working folder is the notebook's own."""
    folder = tmp_path / "lab"
    shutil.copytree(undisturbed, folder)
    books = sorted((folder / "reports/small/notebooks").glob("*.ipynb"))
    command = [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--inplace", *map(str, books)]
    done = subprocess.run(
        command, cwd=folder, env=os.environ | {"RAGASSAY_CACHE": str(undisturbed / "cache")}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-1500:]
    ours, theirs = files(undisturbed / "reports/small/tables"), files(folder / "reports/small/tables")
    assert [name for name in ours if ours[name] != theirs[name]] == []


def test_a_notebook_runs_with_plain_papermill(undisturbed, tmp_path):
    folder = tmp_path / "plain"
    shutil.copytree(undisturbed, folder)
    command = [
        sys.executable,
        "-m",
        "papermill",
        str(notebooks()["04_calibration"]),
        "out.ipynb",
        "-p",
        "run_dir",
        "reports/small",
        "-p",
        "labels",
        "labels.csv",
        "-p",
        "alpha",
        "0.3",
    ]
    done = subprocess.run(
        command, cwd=folder, env=os.environ | {"RAGASSAY_CACHE": str(undisturbed / "cache")}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-1500:]
    assert "70% promised" in (folder / "out.ipynb").read_text()
