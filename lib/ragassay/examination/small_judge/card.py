"""The card of a small judge: what it learned from, how it agrees, what it passes;
as JSON and as a page to read.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ragassay.examination.unit_test_suite import TYPES
from ragassay.stats import interval_text

JSON, PAGE = "card.json", "CARD.md"
LEARNED = """# Small judge

Learned from {n} answers, evaluated on {held_out} of other questions. Settings: {settings}."""
AGREEMENT = """## Agreement with the marks it was trained on

On questions held out (GroUSE table 4). Intervals at 95 %, questions resampled."""
TESTS = (
    "## Unit tests\n\n"
    "Agreement with a language model does not tell whether clear cases are distinguished: GroUSE section 5.2"
    " finds judges equal in the first and far apart in the second. Share of checks passed on `{suite}`, {n}"
    " tests; beside it what two rules for form pass (does it decline, does every sentence cite)."
)


@dataclass(frozen=True)
class Card:
    """What a reader must know before believing a small judge.

    balance : mark, given, n, part (learned, held out); alignment : see `alignment.alignment`
    instruments : `examine.with_baseline`: pass rates on the suite, and those of rules alone
    notes : what could not be learned, in words
    """

    settings: dict[str, Any]
    n_learned: int
    n_held_out: int
    balance: pd.DataFrame
    alignment: pd.DataFrame
    instruments: dict[str, Any]
    suite: str
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON can hold it; what is undefined is null."""
        plain = {
            "settings": self.settings,
            "n_learned": self.n_learned,
            "n_held_out": self.n_held_out,
            "suite": self.suite,
        }
        tables = {"balance": _records(self.balance), "alignment": _records(self.alignment)}
        return plain | tables | {"instruments": self.instruments, "notes": list(self.notes)}

    def save(self, folder: str | Path) -> Path:
        """Write card.json and CARD.md into the folder; the folder."""
        Path(folder).mkdir(parents=True, exist_ok=True)
        text = json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
        (Path(folder) / JSON).write_text(text + "\n", encoding="utf-8")
        (Path(folder) / PAGE).write_text(str(self), encoding="utf-8")
        return Path(folder)

    def __str__(self) -> str:
        settings = ", ".join(f"{name} {value}" for name, value in self.settings.items())
        learned = LEARNED.format(n=self.n_learned, held_out=self.n_held_out, settings=settings)
        tests = TESTS.format(suite=self.suite, n=self.instruments["tests"])
        parts = [learned, AGREEMENT, _aligned(self.alignment), tests, _passed(self.instruments)]
        parts += ["## Balance of the marks learned from (appendix H)", _balanced(self.balance)]
        if self.notes:
            parts += ["## What could not be learned", "\n".join(f"- {note}" for note in self.notes)]
        return "\n\n".join(parts) + "\n"


def _aligned(table: pd.DataFrame) -> str:
    rows = [
        (row.mark, row.measure, _shown(row.value, row.low, row.high), row.n, row.left_out, row.reason)
        for row in table.itertuples()
    ]
    return _table(("mark", "measure", "value", "n", "left out", "why"), rows)


def _passed(found: dict[str, Any]) -> str:
    rows = [("all six marks", found["total"], found["baseline"]["total"])]
    rows += [(mark, each, found["baseline"]["by_metric"][mark]) for mark, each in found["by_metric"].items()]
    rows += [
        (f"type {number} {TYPES[int(number)]}, all six right", each, found["baseline"]["by_type"][number])
        for number, each in found["by_type"].items()
    ]
    shown = [(name, _shown(**_bounds(one)), _shown(**_bounds(other)), one["n"]) for name, one, other in rows]
    return _table(("checks", "small judge", "rules alone", "n"), shown)


def _balanced(table: pd.DataFrame) -> str:
    return _table(
        ("mark", "given", "n", "part"),
        list(table[["mark", "given", "n", "part"]].itertuples(index=False, name=None)),
    )


def _table(heads: tuple[str, ...], rows: list[tuple]) -> str:
    return "\n".join(
        ["| " + " | ".join(str(each) for each in row) + " |" for row in (heads, ("---",) * len(heads), *rows)]
    )


def _bounds(found: dict[str, Any]) -> dict[str, float]:
    return {name: np.nan if found[name] is None else found[name] for name in ("value", "low", "high")}


def _shown(value: float, low: float, high: float) -> str:
    return interval_text(value, low, high, 2, missing="not available")


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    return [
        {str(name): value.item() if isinstance(value, np.generic) else value for name, value in row.items()}
        for row in rows
    ]
