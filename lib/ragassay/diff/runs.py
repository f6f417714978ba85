"""Two runs to compare, read leniently: what is missing or changed is a gap, no exception; and which case of
one run is the same case in the other: the same question, with the same history and passages.

A case keeps its id from run to run where its question is the user's; generated questions may be other ones
under an id of before. So the texts decide: two cases are paired if what is asked is the same, letter for
letter but for spaces at the ends. Where a text stands several times, those of one id are paired, and the rest
is left out.
"""

import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ragassay import provenance, search_paths
from ragassay.errors import InputError

MARKS = ("manifest.json", "engagement.json", "tables")  # what a run leaves
UNREADABLE = (OSError, ValueError, KeyError, RecursionError, InputError)
QUESTIONS = "questions"  # the part of the table `cases` that is no part
REJECTED = "rejected_variants"  # the part that was never asked
ASKED = ["part", "text"]


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
            self.miss(f"{name} cannot be read ({type(problem).__name__})")
            return {}
        return found if isinstance(found, dict) else {}

    def parts(self, name: str) -> list[str]:
        """The parts of a table that are there; "" stands for the table itself and comes first."""
        paths = (self.folder / "tables").glob(f"{name}.*parquet")
        return sorted(path.stem.removeprefix(name).removeprefix(".") for path in paths)

    def read_rows(self, name: str, part: str = "", *, needs: tuple[str, ...] = ()) -> pd.DataFrame:
        """A table's rows; none, and a gap, where it is not there or lacks a column that is needed."""
        path = f"tables/{name}{'.' * bool(part)}{part}.parquet"
        try:
            found = pd.read_parquet(search_paths.file_below(self.folder, path))
            if not (lacking := [column for column in needs if column not in found]):
                return found
            self.miss(f"{path} has no column {', '.join(lacking)}")
        except UNREADABLE as problem:
            self.miss(f"{path} cannot be read ({type(problem).__name__})")
        return pd.DataFrame(columns=list(needs))

    def scores(self) -> pd.DataFrame:
        """Every score of the validated system, one row a case and metric."""
        needs = ("case_id", "system", "metric", "value", "state")
        tables = [self.read_rows("scores", part, needs=needs)[list(needs)] for part in self.parts("scores")]
        every = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=list(needs))
        own = every[every["system"].astype(str) == self.system]
        return own.drop_duplicates(["case_id", "metric"]).assign(reason="", detail="[]")

    def cases(self) -> pd.DataFrame:
        """Every case, with its `part` and its `text`: question, history, passages."""
        needs = ("case_id", "question")
        parts = [part for part in self.parts("cases") if part != REJECTED]
        tables = [self.read_rows("cases", part, needs=needs).assign(part=part or QUESTIONS) for part in parts]
        tables = [table for table in tables if len(table)] or [pd.DataFrame(columns=[*needs, "part"])]
        every = pd.concat(tables, ignore_index=True).drop_duplicates("case_id", ignore_index=True)
        rows = every.to_dict("records")
        return every.assign(
            text=[
                (str(r["question"]).strip(), _joined(r.get("history")), _joined(r.get("passages")))
                for r in rows
            ]
        )

    def miss(self, text: str) -> None:
        """Note a gap, once."""
        if (said := f"{self.letter}: {text}") not in self.gaps:
            self.gaps.append(said)


def _joined(value: object) -> str:
    return "\n".join(map(str, value)) if isinstance(value, list | tuple | np.ndarray) else ""


def open_side(run_dir: str | Path, letter: str) -> Side:
    """A run to compare; each table that is not the one of its manifest is a gap.

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
    listed = side.manifest.get("artefacts")
    for item in listed if isinstance(listed, list) else []:
        path = str(item["path"])
        if path.startswith("tables/") and provenance.sha256_below(folder, path) != item.get("sha256"):
            side.miss(f"changed since the run: {path}")
    return side


@dataclass(frozen=True)
class Pairs:
    """cases : part, case_a, case_b, question; "" on the side that did not ask it
    cases_a, cases_b : every case of either run, with `part` and `shared` (whether it is paired)
    """

    cases: pd.DataFrame
    cases_a: pd.DataFrame
    cases_b: pd.DataFrame

    def both(self) -> pd.DataFrame:
        """The questions that both runs asked."""
        asked = (self.cases["case_a"] != "") & (self.cases["case_b"] != "")
        return self.cases[asked & (self.cases["part"] == QUESTIONS)]

    def counts(self) -> pd.DataFrame:
        """part, both, only_a, only_b: how many cases."""
        only = {"only_a": self.cases["case_b"] == "", "only_b": self.cases["case_a"] == ""}
        of = self.cases.assign(both=~(only["only_a"] | only["only_b"]), **only)
        return of.groupby("part", sort=False)[["both", "only_a", "only_b"]].sum().astype(int).reset_index()


def pair_cases(a: Side, b: Side) -> Pairs:
    """Every case of two runs, paired where both asked the same; part by part of the table `cases`."""
    of_a, of_b = a.cases(), b.cases()
    same = of_a.merge(of_b[["case_id", *ASKED]], on=["case_id", *ASKED])["case_id"]
    left = [side[~side["case_id"].isin(same)].drop_duplicates(ASKED, keep=False) for side in (of_a, of_b)]
    other = left[0].merge(left[1], on=ASKED, suffixes=("_a", "_b"))
    pairs = dict(zip(same, same, strict=True)) | dict(
        zip(other["case_id_a"], other["case_id_b"], strict=True)
    )
    case_b = of_a["case_id"].map(pairs)
    of_a, of_b = of_a.assign(shared=case_b.notna()), of_b.assign(shared=of_b["case_id"].isin(pairs.values()))
    rows_a = of_a.assign(case_a=of_a["case_id"], case_b=case_b.fillna(""))
    rows_b = of_b[~of_b["shared"]].assign(case_a="", case_b=of_b["case_id"])
    cases = pd.concat([rows_a, rows_b], ignore_index=True)[["part", "case_a", "case_b", "question"]]
    return Pairs(cases, of_a, of_b)
