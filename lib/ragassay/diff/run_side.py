"""One of two runs to compare, read leniently: what is missing or changed is a gap, no exception."""

import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from ragassay import provenance, search_paths
from ragassay.errors import InputError

MARKS = ("manifest.json", "engagement.json", "tables")  # what a run leaves
UNREADABLE = (OSError, ValueError, KeyError, RecursionError, InputError)


@dataclass
class Side:
    """A run folder under the letter by which the comparison names it, A or B.

    gaps : what of it cannot be read, or is not what the manifest lists
    """

    folder: Path
    letter: str
    gaps: list[str] = field(default_factory=list)

    @cached_property
    def engagement(self) -> dict[str, Any]:
        """The record of what is validated."""
        return self.record("engagement.json")

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """What the run was made of and what it made."""
        return self.record("manifest.json")

    @property
    def system(self) -> str:
        """The system that was validated, as its tables name it."""
        return str(self.engagement.get("system") or "assistant")

    def record(self, name: str) -> dict[str, Any]:
        """A JSON record; empty, and a gap, where it cannot be read."""
        try:
            found = json.loads(search_paths.file_below(self.folder, name).read_text(encoding="utf-8"))
        except UNREADABLE as problem:
            self._miss(f"{name} cannot be read ({type(problem).__name__})")
            return {}
        return found if isinstance(found, dict) else {}

    def parts(self, name: str) -> list[str]:
        """The parts of a table that are there; "" stands for the table itself and comes first."""
        found = (path.name.split(".")[1:-1] for path in (self.folder / "tables").glob(f"{name}.*parquet"))
        return sorted(".".join(part) for part in found)

    def read_rows(self, name: str, part: str = "", *, needs: tuple[str, ...] = ()) -> pd.DataFrame:
        """A table's rows; none, and a gap, where it is not there or lacks a column that is needed."""
        path = f"tables/{name}{'.' * bool(part)}{part}.parquet"
        try:
            found = pd.read_parquet(search_paths.file_below(self.folder, path))
        except UNREADABLE as problem:
            self._miss(f"{path} cannot be read ({type(problem).__name__})")
            return pd.DataFrame(columns=list(needs))
        if lacking := [column for column in needs if column not in found]:
            self._miss(f"{path} has no column {', '.join(lacking)}")
            return pd.DataFrame(columns=list(needs))
        return found

    def scores(self) -> pd.DataFrame:
        """Every score of the validated system, one row a case and metric."""
        needs = ("case_id", "system", "metric", "value", "state")
        tables = [self.read_rows("scores", part, needs=needs)[list(needs)] for part in self.parts("scores")]
        every = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=list(needs))
        own = every[every["system"].astype(str) == self.system]
        return own.drop_duplicates(["case_id", "metric"]).assign(reason="", detail="[]")

    def note_changed_tables(self) -> None:
        """A gap for each table that is not the one of the manifest."""
        listed = self.manifest.get("artefacts")
        for item in listed if isinstance(listed, list) else []:
            path = str(item["path"])
            changed = path.startswith("tables/") and (
                provenance.sha256_below(self.folder, path) != item.get("sha256")
            )
            if changed:
                self._miss(f"changed since the run: {path}")

    def _miss(self, text: str) -> None:
        if (said := f"{self.letter}: {text}") not in self.gaps:
            self.gaps.append(said)


def open_side(run_dir: str | Path, letter: str) -> Side:
    """A run to compare.

    Raises
    ------
    InputError
        If there is no such folder, or no run has left anything in it.
    """
    folder = provenance.source(run_dir)
    if not any((folder / mark).exists() for mark in MARKS):
        what, do = "this is no run folder", "name one, such as reports/bank"
        raise InputError(what, where=folder, found=f"none of {', '.join(MARKS)} in it", do=do)
    side = Side(folder, letter)
    side.note_changed_tables()
    return side
