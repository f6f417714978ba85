"""What the notebooks find of an assistant: their cells are run here, without kernels, their tables and figures
shown to nobody, the assistant asked in this process.
"""

import shutil
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import pytest

from assistants.in_this_process import ask_all
from ragassay import provenance, tables
from ragassay.analysis import blame
from ragassay.answers import system_under_test

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
DOCUMENTS = (
    "overdraft-policy-2024",
    "overdraft-policy-2026",
    "quay-everyday-account",
    "tide-classic-and-rewards-cards",
    "savings-accounts",
    "accessibility-policy",
    "card-travel-notice",
    "certificates-of-deposit",
    "direct-deposit-and-standing-orders",
    "lost-and-stolen-cards",
    "opening-an-account",
    "first-mooring-mortgage",
)
OLD = DOCUMENTS[0]  # superseded by the next, as its opening says; no question is about it
FUNCTIONALITY, RISK, ROBUSTNESS, WEAKNESS = (
    "02_functionality",
    "03_risk_safety",
    "05_robustness",
    "06_weakness",
)
LIMITS = dict.fromkeys(
    "citations_present citation_correctness numeric_groundedness supported_claims_rate abstention_correct".split(),
    0.8,
)
MOST_LOST = 0.1  # share of questions that may stay without an answer
SIZES: dict[str, dict[str, Any]] = {
    FUNCTIONALITY: {"metrics": ", ".join([*LIMITS, "superseded_cited"])},
    RISK: {"probes_per_threat": 40, "probes_per_gate": 40, "n_counterfactual": 12, "n_bias_questions": 24},
    ROBUSTNESS: {
        "n_parents": 20, "kinds": ["spelling", "casual", "grammar"], "n_outside": 120, "n_repeated": 40,
    },
    WEAKNESS: {"dimensions": ["query_type", "length"], "metrics": ["abstention_correct"], "judged": []},
}  # fmt: skip
LONG = 21  # words from which a question is long
Ask = Callable[..., Any]


def make_engagement(
    run_dir: Path, n: int = 60, seed: int = 0, documents: Collection[str] = DOCUMENTS
) -> Path:
    """A run folder with these documents and n questions made from them: what notebooks 00 and 01 leave."""
    folder = run_dir / "documents"
    folder.mkdir(parents=True)
    for name in documents:
        shutil.copy(provenance.source("bundled:documents") / f"{name}.md", folder)
    scope = {"documents": str(folder), "assistant": "oracle:ask", "system": "made", "date": "2026-09-01"} | {
        "answer_timeout_s": 0.4
    }
    _run("00_scope", run_dir, scope, only={"c001", "c002", "c014"})
    made = {"n_generated": 2 * n, "picture": "pca", "k": 4, "seed": seed}
    _run("01_test_generation", run_dir, made, only={"c001", "c002", "c004", "c010"})
    tables.write(run_dir, "cases", _chosen(tables.read(run_dir, "cases"), n))
    return run_dir


def _chosen(made: pd.DataFrame, n: int) -> pd.DataFrame:
    """n of the questions made, none about the superseded document, with a column that says how long each is."""
    of_old = made["reference_chunk_ids"].map(lambda names: any(name.startswith(OLD) for name in names))
    left = made[~of_old].head(n)
    long = left["question"].str.split().map(len) > LONG
    return left.assign(length=long.map({True: "long", False: "short"})).reset_index(drop=True)


def run_notebook(name: str, run_dir: Path, ask: Ask, **parameters: Any) -> None:
    """The cells of a notebook in this process, on a run folder of this assistant's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(system_under_test, "_ask", _asks(ask))
        _run(name, run_dir, SIZES[name] | parameters)
    if name == FUNCTIONALITY:  # notebook 04 has nothing to say without labels
        tables.write(run_dir, "scores", tables.read(run_dir, "scores").head(0), part="human")


def findings(run_dir: Path) -> set[tuple[str, str]]:
    """What the notebooks found: (notebook, check) of each check raised, of each measure of LIMITS whose upper
    bound stays below its limit, of questions without an answer, of a length of question that is weak."""
    found: set[tuple[str, str]] = set()
    if tables.parts(run_dir, "checks"):
        checks = tables.read_parts(run_dir, "checks").query("outcome == 'raised'")
        found |= set(zip(checks["step"], checks["check"], strict=True))
    if tables.exists(run_dir, "scorecard", part="functionality"):
        card = tables.read(run_dir, "scorecard", part="functionality").set_index("metric")
        highest, outdated = card["high"], card["low"].get("superseded_cited", 0.0)
        found |= {(FUNCTIONALITY, name) for name, least in LIMITS.items() if highest.get(name, 1.0) < least}
        found |= {(FUNCTIONALITY, "superseded_cited")} if outdated > 0 else set()
        lost = (tables.read(run_dir, "answers")["error"] != "").mean()
        found |= {(FUNCTIONALITY, "answered")} if lost > MOST_LOST else set()
    if tables.exists(run_dir, "weakness"):
        weak = tables.read(run_dir, "weakness").query("flagged and dimension == 'length'")
        found |= {(WEAKNESS, name) for name in weak["dimension"]}
    return found


def causes(run_dir: Path) -> set[str]:
    """What the sentences of the answers that failed in notebook 02 show (`blame.sentence_fault`)."""
    verdicts = blame.read_verdicts(run_dir, "made")
    judged = blame.judge_answers(tables.read(run_dir, "cases"), tables.read(run_dir, "answers"), verdicts)
    chunks, support = (
        tables.read(run_dir, "chunks", part="strata"),
        tables.read(run_dir, "scores", metric="support"),
    )
    return set(blame.blame(blame.gather_evidence(judged, chunks, support=support))["fault"])


def _asks(ask: Ask) -> Callable:
    """`system_under_test._ask` of an assistant of this process, which is told the cases first if it learns them."""

    def collect(engagement: dict, cases: pd.DataFrame, run_dir: Path, journal: str) -> pd.DataFrame:
        learn = getattr(ask, "learn", None)
        if learn:
            learn(cases)
        return ask_all(cases, ask, name=engagement["system"], run_dir=run_dir, journal=journal)

    return collect


def _run(
    name: str,
    run_dir: Path,
    parameters: dict[str, Any],
    *,
    only: Collection[str] = (),
    without: Collection[str] = (),
) -> None:
    """The code cells of a notebook, the parameters set after the cell that declares them."""
    book = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    namespace: dict[str, Any] = {"__name__": name}
    for cell in book.cells:
        if cell.cell_type == "code" and (not only or cell.id in only):
            exec(compile(cell.source, f"{name}:{cell.id}", "exec"), namespace)
            if "parameters" in cell.metadata.get("tags", ()):
                namespace |= {"run_dir": str(run_dir)} | parameters
