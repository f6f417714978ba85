"""The kit in use: the report is there, flawed inputs are named, failing assistants counted, logs replayed, notebooks run
alone; where nothing changed nothing is executed; the manifest holds; nothing over the network."""

import copy
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from nbclient import NotebookClient

from kit.conftest import ASSISTANT, PARAMETERS, engagement, files, run
from kit.in_this_process import run_here
from ragassay import tables
from ragassay.decision.gates import worst_rows
from ragassay.errors import KitError
from ragassay.report import assemble
from ragassay.run import execute_notebook, notebooks, question_counts, runner
from ragassay.run.verification import verify
from report.test_report_sizes import sizes

pytestmark = pytest.mark.slow

ONE_FORMAT = "run: {formats: [html]}\n"  # the bank's own run makes them all


def test_every_notebook_is_executed_and_the_report_is_there(killed):
    reports = killed / "reports" / "small"
    assert [p.stem for p in sorted((reports / "notebooks").glob("*.ipynb"))] == list(notebooks())
    html = (reports / "validation_report.html").read_text()
    assert "<script" not in html.lower() and "UNDESCRIBED" not in html
    assert not re.findall(r'(?:src|href)="https?:', html)
    pdf = (reports / "validation_report.pdf").read_bytes()
    assert pdf.startswith(b"%PDF")
    assert sizes(assemble(reports), pdf)["pages"] <= 12  # of a small engagement, before the annexes
    scores = pd.read_parquet(reports / "tables/scores.parquet")  # none is a silent zero
    assert (scores.value.notna() == (scores.state == "scored")).all()
    assert (scores.loc[scores.state != "scored", "reason"].str.len() > 0).all()


def test_each_outcome_is_told_from_one_row(killed):
    """Summary, table of criteria, rating and register, as the report that was written shows them."""
    reports = killed / "reports" / "small"
    page = BeautifulSoup((reports / "validation_report.html").read_text(), "html.parser")
    shown = [[[cell.get_text(" ", strip=True) for cell in row.find_all(["th", "td"])] for row in table.find_all("tr")]
             for table in page.find_all("table")]  # fmt: skip
    criteria = next(rows[1:] for rows in shown if rows[0][:2] == ["criterion", "required"])
    failed = [row for row in criteria if row[3] == "fail"]
    summary = next((rows[1:] for rows in shown if rows[0][0] == "failed"), [])
    for (name, measured, required), row in zip(summary, failed, strict=False):
        assert row[0].startswith(name) and row[2].startswith(measured) and row[1].endswith(required)
    assert len(summary) == min(len(failed), 5)
    worst = worst_rows(pd.read_parquet(reports / "tables/gates.parquet"))
    outcomes = Counter(row[3] for row in criteria)
    assert outcomes == Counter(worst["outcome"].where(worst["decides"], "does not decide"))
    reasons = Counter(what for what, _ in json.loads((reports / "decision.json").read_text())["reasons"])
    assert reasons["gate failed"] + reasons["critical gate failed"] == outcomes["fail"]
    assert reasons["gate incomplete"] == outcomes["incomplete"]
    findings = pd.read_parquet(reports / "tables/findings.parquet").query("status == 'open'")
    for severity in ("Critical", "High"):
        assert reasons[f"{severity} finding open"] == (findings["severity"] == severity).sum()
    held = {name for row in failed for name in re.findall(r"F\d+", row[4])}
    assert held and held <= set(findings["finding_id"])


@pytest.mark.parametrize(
    "flaw, complaint",
    [
        (lambda f: shutil.rmtree(f / "documents"), "input does not exist; at documents"),
        (lambda f: [p.unlink() for p in (f / "documents").iterdir()], "documents"),
        (lambda f: (f / "questions.jsonl").write_text(""), "there are no questions"),
    ],
)
def test_a_flawed_input_is_named_and_what_was_computed_stays(killed, tmp_path, flaw, complaint):
    folder = tmp_path / "flawed"
    shutil.copytree(killed, folder)
    flaw(folder)
    with pytest.raises(KitError, match=complaint):
        run_here(folder / "small.yml", killed / "cache")
    assert (folder / "reports/small/tables/documents.parquet").exists() or "documents" in complaint


FAILING = """
def ask(question):
    if len(question) % 3 == 0: raise RuntimeError("down")
    return "" if len(question) % 3 == 1 else "The fee is $28.00."
"""


def test_an_assistant_that_fails_is_counted_and_never_averaged(killed, tmp_path):
    folder = tmp_path / "failing"
    shutil.copytree(killed, folder)
    (folder / "mine.py").write_text(FAILING)
    named = PARAMETERS.replace(ASSISTANT, "mine.py:ask").replace("small-bank", "mine")
    (folder / "small.yml").write_text(ONE_FORMAT + named)
    assert run_here(folder / "small.yml", killed / "cache").exit_code in (2, 3)
    answers = pd.read_parquet(folder / "reports/small/tables/answers.parquet")
    assert set(answers.error.str.split(":").str[0]) == {"", "RuntimeError", "the assistant returned nothing"}
    scores = pd.read_parquet(folder / "reports/small/tables/scores.parquet")
    assert set(scores[scores.case_id.isin(answers[answers.error != ""].case_id)].state) == {"error"}


def test_a_log_of_ragas_is_validated_without_an_assistant(killed, tmp_path):
    folder = engagement(tmp_path / "logged")
    answers = pd.read_parquet(killed / "reports/small/tables/answers.parquet")
    ragas = {"question": "user_input", "answer": "response", "contexts": "retrieved_contexts"}
    answers = answers.head(24)
    log = answers[list(ragas)].rename(columns=ragas).assign(channel="app")
    log.to_json(folder / "log.jsonl", orient="records", lines=True)
    (folder / "small.yml").write_text(
        f'{ONE_FORMAT}00_scope: {{documents: documents, answers_log: log.jsonl, map: {{segment: channel}}, date: "2026-09-01"}}\n'
        "01_test_generation: {picture: pca}\n04_calibration: {examine_instruments: false}\n"
    )
    assert run_here(folder / "small.yml", killed / "cache").exit_code in (2, 3)
    logged = pd.read_parquet(folder / "reports/small/tables/answers.parquet")
    assert sorted(logged.answer) == sorted(answers.answer)
    assert sorted(logged.contexts.map(len)) == sorted(answers.contexts.map(len))
    cases = pd.read_parquet(folder / "reports/small/tables/cases.parquet")
    assert set(cases[cases.parent_id.isna()].segment) == {"app"}
    variants = pd.read_parquet(folder / "reports/small/tables/answers.variants.parquet")
    assert variants.error.str.startswith("not asked").all()


def test_killed_twice_it_is_what_runs_undisturbed_from_top_to_bottom_as_in_jupyterlab(
    killed, tmp_path, monkeypatch
):
    """The notebooks of the run that was killed twice, with nothing in its cache, opened where they lie in another folder, top to bottom,
    without the runner, its answers asked anew, with all vectors in the cache:
    each cell shows the same;
    tables have the same bytes (that the report made of equal ones is equal, tests/report/test_build.py shows)."""
    folder = tmp_path / "lab"
    shutil.copytree(killed, folder)
    for part in ("tables", "journal"):
        shutil.rmtree(folder / "reports/small" / part)
    monkeypatch.setenv("RAGASSAY_CACHE", str(killed / "cache"))
    monkeypatch.chdir(folder)
    where = folder / "reports/small/notebooks"
    book = one_after_another(where)
    before = shown(book)
    NotebookClient(book, resources={"metadata": {"path": str(where)}}).execute()
    assert differing(before, shown(book)) == []
    assert differing(files(killed / "reports/small"), files(folder / "reports/small")) == []


def differing(ours: dict, theirs: dict) -> list[str]:
    return [name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name)]


def shown(book: nbformat.NotebookNode) -> dict[str, str]:
    """What each cell shows, less the addresses of objects; a lab draws other pictures, and bars of its loops."""
    normalised = nbformat.v4.new_notebook(cells=copy.deepcopy(book.cells))
    for cell in normalised.cells:
        for output in cell.get("outputs", []):
            output.pop("execution_count", None)
            execute_notebook.normalise_output(output)
            data = output.get("data", {})
            if any(name.startswith("image/") for name in data):
                output["data"] = {"picture": True}
        cell["outputs"] = [each for each in cell.get("outputs", []) if each.get("name") != "stderr"]
    return {cell["id"]: json.dumps(cell["outputs"], sort_keys=True) for cell in normalised.cells}


def one_after_another(folder: Path) -> nbformat.NotebookNode:
    """All notebooks of the folder in one, each beginning with no name defined: one kernel for all."""
    cells = []
    for path in sorted(folder.glob("*.ipynb")):
        cells += [nbformat.v4.new_code_cell("%reset -f"), *nbformat.read(path, as_version=4).cells]
    for number, cell in enumerate(cells):
        cell["id"] = f"c{number:03d}"
    return nbformat.v4.new_notebook(cells=cells)


def test_a_notebook_runs_with_plain_papermill(killed, tmp_path):
    folder = tmp_path / "plain"
    shutil.copytree(killed, folder)
    given = "-p run_dir reports/small -p alpha 0.3 -p examine_instruments False"
    book, env = notebooks()["04_calibration"], os.environ | {"RAGASSAY_CACHE": str(killed / "cache")}
    command = [sys.executable, "-m", "papermill", str(book), "out.ipynb", *given.split()]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-1500:]
    assert "probability of **70 %**" in (folder / "out.ipynb").read_text()


def test_no_more_is_asked_than_was_told(killed, monkeypatch):
    """Rows that no assistant was asked, as it takes no history, count too."""
    monkeypatch.chdir(killed)
    plan = runner.prepare(Path("small.yml"), Path("reports"))
    told = sum(question_counts.most_questions(plan.values).values())
    asked = len(tables.read(plan.run_dir, "answers")) + len(tables.read_parts(plan.run_dir, "answers"))
    assert 0 < asked <= told


def test_an_unchanged_run_executes_nothing(killed):
    before = files(killed / "reports/small")
    done = run(killed, killed / "cache")
    assert done.stderr.count("unchanged (skipped)") == len(notebooks())
    assert files(killed / "reports/small") == before


def test_the_manifest_holds_and_nothing_was_tried_over_the_network(killed, monkeypatch):
    monkeypatch.chdir("/")
    verdict = verify(killed / "reports" / "small")
    assert (verdict.flaws, verdict.notes) == ([], []) and len(verdict.unchecked) == 2
    content = json.loads((killed / "reports/small/manifest.json").read_text())
    assert content["network"]["attempts"] == [] and content["network"]["policy"].startswith("sealed")
