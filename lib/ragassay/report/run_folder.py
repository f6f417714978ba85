"""What a run folder holds, read leniently: a missing or broken piece becomes a stated gap, never an
exception; and the files that travel with the report: the run's tables and records, and what tables in print
have cut."""

import itertools
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from textwrap import shorten
from typing import Any

import pandas as pd

from ragassay.answers import asking
from ragassay.errors import InputError
from ragassay.provenance import sha256_below
from ragassay.report.blocks import NOTEBOOKS, Attached, Figure, Table, find_parts, gap
from ragassay.report.decision_words import read_rows
from ragassay.report.notebook_chapter import Walked, walk
from ragassay.sanitized_text import to_csv
from ragassay.scores import mask_answers, metric_registry, own_metrics
from ragassay.search_paths import file_below
from ragassay.show import clean, value_text
from ragassay.tables import ASSUMED, is_missing

DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
TIMES = ["asked_at", "answered_at", "timestamp", "created_at", "time", "date"]  # of a log, when it was asked
STATED = "not stated"
FEWEST = 100  # questions of an engagement whose report holds every detail
FOLDER = "attachments"
MOST = 40  # files in it; what would be more is left in the run folder
DEPARTURES = "departures.json"  # what notebooks of the engagement's own change of the kit's
OF_DEPARTURE = {"notebook": str, "added": int, "removed": int, "diff": str}
KEPT_HOME = ["contexts", "passages", "secret"]  # columns that stay in the run folder


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
        printed alone, but where it may be the same day in another time zone."""
        record, labels = self.record("engagement.json", "00_scope"), self.rows("labels")
        labelled = labels.get("labelled_at", pd.Series(dtype=object)).dropna().astype(str).str[:10]
        date = str(record.get("date") or "")
        last = max(filter(DAY.fullmatch, [*labelled, *self.asked]), default=date)
        if "" < date < str(pd.to_datetime(last, errors="coerce") - pd.Timedelta(days=1))[:10]:
            record["date"] = f"{last} (stated as {date}, before the last label or answer)"
        return record

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
        found = sha256_below(self.folder, "manifest.json")
        return "not available" if found == "missing" else found

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
        import nbformat

        reason = f"not available: {name} has not been executed"
        try:
            if path:
                book = nbformat.read(file_below(self.folder, f"notebooks/{path.name}"), as_version=4)
                walked = walk(book, name)
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
        return list(find_parts([block for _, _, block in parts], Table | Figure))

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


def collect_attachments(run: Run) -> list[Attached]:
    """The files in the order in which they are listed: records and tables, as `attachments.csv` names them,
    then what the run was made of, and of tables that print has cut the whole."""
    made = []
    for row in read_rows("attachments"):
        source = row["source"]
        content = run.content(source) if source.endswith(".json") else _table(run, source)
        if content is not None:
            made.append(Attached(row["name"], content, row["about"]))
    rows = [{"file": item["path"], **item, "at_assembly": state} for item, state in run.states]
    files = pd.DataFrame(rows, columns=["file", "sha256", "notebook", "cell", "at_assembly"], dtype=object)
    index = _encoded(to_csv(files.map(lambda each: "" if is_missing(each) else clean(each, 0))))
    made.append(Attached("evidence_index.csv", index, "every file of the run: its hash, who made it"))
    for each in departures(run):
        name = re.sub(r"[^A-Za-z0-9_]", "_", each["notebook"])[:80]
        about = f"what departs from the kit's {clean(each['notebook'], 80)}"
        made.append(Attached(f"departure_{name}.diff", _encoded(f"{clean(each['diff'], 0)}\n"), about))
    cards = _encoded(to_csv(metric_registry.card_table()))
    made.append(Attached("metrics.csv", cards, "every metric: meaning, formula, source, limits"))
    cells = [
        f"# %% {name} {called}\n{source}\n"
        for name, walked in run.notebooks.items()
        for called, source in walked.code
    ]
    made.append(Attached("notebooks.py", _encoded("\n".join(cells)), "the notebooks' code"))
    names = {item.name for item in made}
    for item in run.shown:
        if isinstance(item, Table) and item.whole is not None and len(made) < MOST:
            words = shorten(re.sub(r"[^a-z0-9]+", " ", item.caption.lower()), 42, placeholder="")
            stem = words.replace(" ", "_") or "table"
            free = (f"{stem}{f'_{count}' * (count > 1)}.csv" for count in itertools.count(1))
            name = next(each for each in free if each not in names)
            names.add(name)
            item.note = f"{item.note}; all is in the attached {name}."
            made.append(Attached(name, _encoded(to_csv(_shareable(run, item.whole, ""))), item.caption))
    return made


def write_attachments(folder: Path, attached: Iterable[Attached]) -> None:
    """Write the files into the folder; what an earlier report left there and no one writes now is removed."""
    folder.mkdir(exist_ok=True)
    names = {item.name for item in attached}
    for path in folder.iterdir():
        if path.is_file() and path.name not in names:
            path.unlink()
    for item in attached:
        (folder / item.name).write_bytes(item.data)


def departures(run: Run) -> list[dict[str, Any]]:
    """What the run noted of notebooks of the engagement's own; none where it has none, or the note cannot be
    read."""
    try:
        found = json.loads(run.content(DEPARTURES) or b"[]")
        return [{name: kind(each[name]) for name, kind in OF_DEPARTURE.items()} for each in found]
    except (ValueError, TypeError, KeyError, RecursionError):
        run.miss(f"not available: {DEPARTURES} cannot be read")
        return []


def _table(run: Run, table: str) -> bytes | None:
    """All parts of a table one below the other, as CSV in which nothing runs."""
    parts = []
    for path in sorted((run.folder / "tables").glob(f"{table}*.parquet")):
        base, _, part = path.stem.partition(".")
        if base == table:
            rows = _shareable(run, run.rows(path.stem), path.stem)
            parts.append(rows.assign(part=part) if part else rows)
    if not parts:
        return None
    whole = pd.concat(parts, ignore_index=True)
    for name in whole.select_dtypes(object):
        plain = [each.tolist() if hasattr(each, "tolist") else each for each in whole[name]]
        whole[name] = [
            json.dumps(each, ensure_ascii=False, default=str) if isinstance(each, list | dict) else each
            for each in plain
        ]
    return _encoded(to_csv(whole))


def _shareable(run: Run, table: Any, name: str) -> Any:
    """The table of this name as it may travel: personal data in questions, answers and raters' remarks hidden
    as on the pages, without the planted secrets, marks that nobody gave a question, and the passages' texts,
    which their ids name."""
    if "case_id" in table and {"answer", "remark"} & set(table):
        asked = name.replace("answers", "cases", 1) if name.startswith("answers") else "cases"
        table = mask_answers(table, run.rows(asked))
    if ASSUMED in table:
        table = table.assign(answerable=table["answerable"].mask(table[ASSUMED].eq(True)))
    return table.drop(columns=KEPT_HOME, errors="ignore")


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")
