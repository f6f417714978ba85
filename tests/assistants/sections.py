"""What the notebooks find of an assistant: their cells are run here, without kernels, their tables and figures
shown to nobody, the assistant asked in this process.
"""

import shutil
from collections.abc import Callable, Collection
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import pandas as pd
import pytest

from ragassay import answers, evidence, figures, show, tables
from ragassay.answers import collecting
from ragassay.answers.asking import ask_all
from ragassay.assistant.hooks import hooks_of

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
OLD = DOCUMENTS[0]  # superseded by the next; no question is about it
LONG = 18  # words from which a question is long
Ask = Callable[..., Any]
SHOWN = SimpleNamespace(alt="")


def make_engagement(run_dir: Path, n: int = 60, seed: int = 0) -> Path:
    """A run folder with four documents and n questions made from them: what notebooks 00 and 01 leave."""
    folder = run_dir / "documents"
    folder.mkdir(parents=True)
    for name in DOCUMENTS:
        shutil.copy(evidence.source("bundled:documents") / f"{name}.md", folder)
    (folder / "documents.csv").write_text(f"path,status\n{OLD}.md,superseded\n")
    with pytest.MonkeyPatch.context() as patch:
        _show_nothing(patch)
        scope = {"documents": str(folder), "assistant": "oracle:ask", "system": "made", "date": "2026-09-01"}
        _run("00_scope", run_dir, scope, only={"c001", "c002", "c014"})
        made = {"n_generated": 2 * n, "picture": "pca", "k": 4, "seed": seed}
        _run("01_test_generation", run_dir, made, only={"c001", "c002", "c004", "cm5", "cm10", "c011"})
    tables.write(run_dir, "cases", _chosen(tables.read(run_dir, "cases"), n))
    return run_dir


def _chosen(made: pd.DataFrame, n: int) -> pd.DataFrame:
    """n of the questions made, none about the superseded document, with a column that says how long each is."""
    of_old = made["reference_chunk_ids"].map(lambda names: any(name.startswith(OLD) for name in names))
    left = made[~of_old].head(n)
    long = left["question"].str.split().map(len) > LONG
    return left.assign(length=long.map({True: "long", False: "short"})).reset_index(drop=True)


def run_notebook(
    name: str,
    run_dir: Path,
    ask: Ask,
    *,
    parameters: dict[str, Any] | None = None,
    without: Collection[str] = (),
) -> None:
    """The cells of a notebook but those named, in this process, on a run folder of this assistant's own."""
    with pytest.MonkeyPatch.context() as patch:
        _show_nothing(patch)
        patch.setattr(collecting, "_ask", _asks(ask))
        patch.setattr(answers, "hooks", lambda record: hooks_of(ask))
        _run(name, run_dir, parameters or {}, without=without)


def raised(run_dir: Path) -> pd.DataFrame:
    """The checks that were raised: step, check, aspect, statement, n."""
    found = tables.read_parts(run_dir, "checks") if tables.parts(run_dir, "checks") else pd.DataFrame()
    return found[found["outcome"] == "raised"] if len(found) else found


def _asks(ask: Ask) -> Callable:
    """`collecting._ask` of an assistant of this process, which is told the cases first if it learns them."""

    def collect(
        engagement: dict, cases: pd.DataFrame, run_dir: Path, timeout_s: float, journal: str
    ) -> pd.DataFrame:
        learn = getattr(ask, "learn", None)
        if learn:
            learn(cases)
        return ask_all(
            cases, ask, name=engagement["system"], run_dir=run_dir, timeout_s=timeout_s, journal=journal
        )

    return collect


def _show_nothing(patch: pytest.MonkeyPatch) -> None:
    for name in ("table", "figure", "say"):
        patch.setattr(show, name, lambda *given, **named: None)
    patch.setattr(figures, "draw_if_possible", lambda *given, **named: SHOWN)


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
        if cell.cell_type == "code" and cell.id not in without and (not only or cell.id in only):
            exec(compile(cell.source, f"{name}:{cell.id}", "exec"), namespace)
            if "parameters" in cell.metadata.get("tags", ()):
                namespace |= {"run_dir": str(run_dir)} | parameters
