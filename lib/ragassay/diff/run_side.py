"""One of the two runs that are compared, read leniently: a table of an earlier release, a missing or a
changed one becomes a stated gap, never an exception."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from ragassay import provenance, search_paths
from ragassay.errors import InputError
from ragassay.report.run_folder import Run

MARKS = ("manifest.json", "engagement.json", "tables")  # what a run leaves
UNREADABLE = (OSError, ValueError, KeyError, InputError)


@dataclass
class Side(Run):
    """A run folder under the letter by which the comparison names it, A or B."""

    letter: str = ""

    @cached_property
    def system(self) -> str:
        """The system that was validated, as its tables name it."""
        return str(self.engagement.get("system") or "assistant")

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
            self.miss(f"{self.letter}: {path} cannot be read ({type(problem).__name__})")
            return pd.DataFrame(columns=list(needs))
        lacking = [column for column in needs if column not in found]
        if lacking:
            self.miss(f"{self.letter}: {path} has no column {', '.join(lacking)}")
            return pd.DataFrame(columns=list(needs))
        return found

    def scores(self) -> pd.DataFrame:
        """Every score of the validated system, one row a case and metric."""
        needs = ("case_id", "system", "metric", "value", "state")
        tables = [self.read_rows("scores", part, needs=needs)[list(needs)] for part in self.parts("scores")]
        every = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=list(needs))
        own = every[every["system"].astype(str) == self.system]
        return own.drop_duplicates(["case_id", "metric"]).assign(reason="", detail="[]")

    def changed_files(self) -> list[str]:
        """The tables that are not those of the manifest."""
        listed = {str(item["path"]): item.get("sha256") for item in self.artefacts}
        return [
            path
            for path, sha256 in listed.items()
            if path.startswith("tables/") and provenance.sha256_below(self.folder, path) != sha256
        ]


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
    side = Side(folder, letter=letter)
    changed = side.changed_files()
    if changed:
        more = f" and {len(changed) - 5} more" if len(changed) > 5 else ""
        side.gaps.append(f"{letter}: changed since the run: {', '.join(changed[:5])}{more}")
    return side
