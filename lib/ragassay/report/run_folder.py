"""What a run folder holds, read leniently: a missing or broken piece becomes a stated gap, never an
exception."""

import hashlib
import json
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from ragassay.answers import asking
from ragassay.errors import InputError
from ragassay.provenance import sha256_below
from ragassay.report import notebook_chapter
from ragassay.report.blocks import NOTEBOOKS, Figure, Table, figures_and_tables, gap
from ragassay.report.notebook_chapter import Walked
from ragassay.scores import own_metrics
from ragassay.search_paths import file_below
from ragassay.show import value_text

DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
TIMES = ["asked_at", "answered_at", "timestamp", "created_at", "time", "date"]  # of a log, when it was asked
STATED = "not stated"
FEWEST = 100  # questions of an engagement whose report holds every detail


@dataclass
class Run:
    """One run folder: its records, tables and notebooks, and the gaps found while reading them."""

    folder: Path
    gaps: list[str] = field(default_factory=list)
    _rows: dict[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        own_metrics.of_run(self.folder)

    @cached_property
    def engagement(self) -> dict[str, Any]:
        """Who validates what for whom (written by 00_scope); a date before the last label or answer is not
        printed alone."""
        record, labels = self.record("engagement.json", "00_scope"), self.rows("labels")
        days = labels.get("labelled_at", pd.Series(dtype=object)).dropna().astype(str).str[:10]
        label = max(filter(DAY.fullmatch, days), default="")
        last, what = max((label, "label"), ((self.asked or [""])[-1], "answer"))
        date = str(record.get("date") or "")
        is_late = "" < date < last
        return record | {"date": f"{last} (stated as {date}, before the last {what})"} if is_late else record

    @cached_property
    def asked(self) -> list[str]:
        """The days on which the answers were asked, in order, a day an answer; of a log, those it states."""
        names = [path.stem for path in (self.folder / "journal").glob("*.jsonl")]
        kept = (name for name in names if name == "answers" or len(self.rows(f"answers.{name}")))
        contents = (self.content(f"journal/{name}.jsonl") or b"" for name in kept)
        days = [day for content in contents for day in asking.asked_on(content)]
        if not days:  # of a log: the first of its columns of times that a row has
            times = self.rows("cases").reindex(columns=TIMES).bfill(axis=1)[TIMES[0]]
            days = times.dropna().astype(str).str[:10].tolist()
        return sorted(filter(DAY.fullmatch, days))

    @property
    def is_small(self) -> bool:
        """Whether so few questions were asked that the report leaves out what they cannot support."""
        return 0 < len(self.rows("cases")) < FEWEST

    @cached_property
    def decision(self) -> dict[str, Any]:
        """The rating with its reasons (written by 07_conclusion)."""
        return self.record("decision.json", "07_conclusion")

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """What the run was made of and what it made."""
        return self.record("manifest.json", "the runner")

    @cached_property
    def states(self) -> list[tuple[dict[str, Any], str]]:
        """The manifest's entries of files in order of their paths, each same, changed or missing since the
        run; what names no file is left out."""
        listed = self.manifest.get("artefacts")
        named = [item for item in listed or [] if isinstance(item, dict) and item.get("path")]
        found = []
        for item in sorted(named, key=lambda item: str(item["path"])):
            now = sha256_below(self.folder, item["path"])
            is_same = now == item.get("sha256")
            found.append((item, "same" if is_same else "missing" if now == "missing" else "changed"))
        return found

    @property
    def manifest_hash(self) -> str:
        """SHA-256 of manifest.json: whoever holds it can verify every file of the run."""
        content = self.content("manifest.json")
        return hashlib.sha256(content).hexdigest() if content else "not available"

    @cached_property
    def notebooks(self) -> dict[str, Walked]:
        """Every notebook of the kit, executed or not, and any the user has added, in order of their names."""
        found = {path.stem: path for path in (self.folder / "notebooks").glob("*.ipynb")}
        ran = {*(self.manifest.get("parameters") or found), *NOTEBOOKS}  # a copy somebody explores is none
        changed = [str(item["path"]) for item, state in self.states if state == "changed"]
        if changed:  # the report may then speak of other evidence than was made
            named = ", ".join(changed[:5]) + " and more" * (len(changed) > 5)
            self.miss(f"run again before signing; changed since the run: {named}")
        return {name: self._notebook(name, found.get(name)) for name in sorted(ran & {*NOTEBOOKS, *found})}

    def _notebook(self, name: str, path: Path | None) -> Walked:
        reason = f"not available: {name} has not been executed"
        try:
            if path:
                walked = notebook_chapter.read(file_below(self.folder, f"notebooks/{path.name}"))
                if walked.state != "executed":
                    self.miss(f"incomplete: {name}; {walked.reason}")
                return walked
        except (ValueError, AttributeError, KeyError, TypeError, OSError, InputError) as problem:
            why = f"{type(problem).__name__}: {problem}"
            reason = f"not available: notebooks/{name}.ipynb cannot be read ({why})"
        self.miss(reason)
        title = NOTEBOOKS.get(name, name.partition("_")[2].capitalize())
        return Walked(name, [(title, "")], [("", 0, gap(f"{reason}."))], [], "missing", reason)

    @cached_property
    def shown(self) -> list[Table | Figure]:
        """Every table and figure that its notebooks show, printed or not."""
        parts = [part for walked in self.notebooks.values() for part in walked.parts]
        return list(figures_and_tables(block for _, _, block in parts))

    def content(self, name: str) -> bytes | None:
        """The bytes of a file of the run; None if none stands there that can be read to its end."""
        try:
            return file_below(self.folder, name).read_bytes()
        except (OSError, InputError):
            return None

    def record(self, name: str, maker: str) -> dict[str, Any]:
        """A JSON record; a missing or unreadable one is a gap and an empty record."""
        content = self.content(name)
        if content is None:
            return self.miss(f"not available: {name}; {self.why(maker)}")
        try:
            record = json.loads(content)
        except (ValueError, RecursionError) as problem:
            return self.miss(f"not available: {name} cannot be read ({problem})")
        return record if isinstance(record, dict) else self.miss(f"not available: {name} holds no record")

    def rows(self, name: str) -> Any:
        """The rows of `tables/<name>.parquet` as they are; none, and no gap, where it is not there or cannot
        be read."""
        if name not in self._rows:
            try:
                self._rows[name] = pd.read_parquet(file_below(self.folder, f"tables/{name}.parquet"))
            except (ValueError, OSError, InputError):
                self._rows[name] = pd.DataFrame()
        return self._rows[name]

    def miss(self, text: str) -> dict[str, Any]:
        """Note a gap, once; the empty record that stands for what is missing."""
        if text not in self.gaps:
            self.gaps.append(text)
        return {}

    def why(self, maker: str) -> str:
        """Why what a notebook makes is missing."""
        if maker not in NOTEBOOKS:
            return f"{maker} has not written it"
        said = {"failed": f"{maker} failed", "executed": f"{maker} did not write it"}
        return said.get(self.notebooks[maker].state, f"{maker} has not been executed")

    def stated(self, key: str) -> str:
        """A field of the engagement as text; what nobody stated says so. The engagement's id is as stated, as
        the manifest has it, or the folder's name."""
        value = self.engagement.get(key)
        if key == "engagement":
            value = value or self.manifest.get(key) or self.folder.resolve().name
        if isinstance(value, list) and any(" " in str(item) for item in value):
            return "\n".join(map(value_text, value))
        return STATED if value in (None, "", []) else value_text(value)
