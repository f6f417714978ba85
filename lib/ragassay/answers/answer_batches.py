"""Answers from anywhere, batch by batch, as rows of the answers table: a file in any schema, a DataFrame,
records, or batches of them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pandas as pd

from ragassay import provenance
from ragassay.answers import judged_logs
from ragassay.answers.log_files import Flaw, Record, read_records
from ragassay.answers.log_formats import Schema, adapt, column_mapping, resolve
from ragassay.answers.log_formats.column_mapping import Inner
from ragassay.answers.log_formats.nested_values import is_empty
from ragassay.answers.log_formats.schema_detection import SCORABLE, present_path
from ragassay.answers.tool_score_rows import GivenNames
from ragassay.assistant.reply_validation import clean
from ragassay.errors import InputError

ROWS_AT_ONCE = 256  # of the answers table, handed over together
MOST_FLAWS = 1000  # kept; further ones are counted
SYSTEM = "system"
BROKEN = "the row could not be read: "


def file_records(file: Path) -> Iterator[Record]:
    """The records of a log in a file of any kind, also of one that people have judged."""
    return iter(judged_logs.read_records(file)) if judged_logs.fits(file) else read_records(file)


def records_of(source: Any) -> Iterator[Record]:
    """The records of a file, a DataFrame, what has `to_pandas()`, or an iterable of records or DataFrames;
    InputError if it is one dict, or holds something else."""
    if isinstance(source, str | Path):
        there = str(source).startswith(provenance.BUNDLED) or Path(source).exists()
        return file_records(provenance.reads_input(source) if there else Path(source))
    source = source.to_pandas() if hasattr(source, "to_pandas") else source
    if isinstance(source, pd.DataFrame):
        return _of_items([source], len(source))
    if isinstance(source, Mapping):
        what, expected = "the answers are one dict", "a list of dicts, one per answer"
        raise InputError(what, expected=expected, do="put it into a list")
    return _of_items(source)


def _of_items(items: Iterable, total: int = 0) -> Iterator[Record]:
    """total : of the rows, where it is known"""
    number = 0
    for item in items:
        if isinstance(item, Record):
            yield item
            continue
        if not isinstance(item, pd.DataFrame | Mapping):
            raise InputError(
                "an answer is neither a dict nor a DataFrame",
                where=f"row {number + 1}",
                found=type(item).__name__,
                do="give dicts with `question` and `answer`",
            )
        for values in _rows_of(item) if isinstance(item, pd.DataFrame) else [dict(item)]:
            number += 1
            yield Record(values, f"row {number}", (), number / total if total else 0.0)


def _rows_of(frame: pd.DataFrame) -> Iterator[dict[str, Any]]:
    names = [str(name) for name in frame.columns]
    for cells in frame.itertuples(index=False, name=None):
        yield dict(zip(names, cells, strict=True))


@dataclass
class Answers:
    """Rows of the answers table to come: iterate once for DataFrames of `batch` rows.

    Parameters
    ----------
    schema : which columns stand for which of ours; `present` are those of them that the first batch shows
    columns : the columns of the first batch, as the source names them
    notes : what was assumed, in sentences
    flaws : what could not be read, the first 1,000; `n_flaws` counts all, `n_bad` the rows left out for one
    n : rows handed out so far; `share` of the input read so far, 0 to 1
    scores_given : the names of the tool's own scores, columns of the rows, those found so far
    inner : what stands below the columns of the first batch
    """

    schema: Schema
    present: dict[str, str]
    columns: list[str]
    records: Iterator[Record]
    batch: int
    notes: list[str] = field(default_factory=list)
    flaws: list[Flaw] = field(default_factory=list)
    n_flaws: int = 0
    n_bad: int = 0
    n_repeated: int = 0
    n: int = 0
    share: float = 0.0
    scores_given: GivenNames = field(default_factory=GivenNames)
    inner: Inner = field(default_factory=Inner)
    _seen: Counter = field(default_factory=Counter)

    def __iter__(self) -> Iterator[pd.DataFrame]:
        found = self.rows()
        while rows := [self._row(*each) for each in islice(found, self.batch)]:
            table = pd.DataFrame(rows, dtype=object)
            table = table.reindex(columns=list(dict.fromkeys([*table.columns, *self.scores_given.names])))
            yield table.astype({"case_id": object, "system": object, "repeat": "int64"})
        if self.n_repeated:
            self.notes.append(f"{self.n_repeated} row(s) repeat the case_id of an earlier one: see `repeat`.")

    def rows(self) -> Iterator[tuple[Record, dict[str, Any], list[Flaw]]]:
        """One by one instead: each record, its row without a key, and what could not be read of it."""
        for record in self.records:
            row, flaws = adapt(record, self.schema)
            yield record, self.scores_given.keep(row), flaws

    def description(self) -> str:
        """The schema: its name, its tool, and which columns were taken for which."""
        columns = ", ".join(f"{ours}={theirs}" for ours, theirs in self.present.items() if ours != theirs)
        return f"schema {self.schema.name}: {self.schema.tool}" + (f" ({columns})" if columns else "")

    def holds(self, ours: str) -> bool:
        """Whether a column of the source stands for this one of ours."""
        return ours in self.present or ours in self.columns

    def mapped(self) -> tuple[column_mapping.Mapped, ...]:
        """What was read as what, and what was not; scores are those found so far."""
        return column_mapping.rows(
            self.schema, self.present, self.columns, self.scores_given.names, self.inner
        )

    def _row(self, record: Record, row: dict[str, Any], flaws: list[Flaw]) -> dict[str, Any]:
        self.n, self.share = self.n + 1, record.share
        if reason := self.count(flaws):
            row["error"] = reason
        return {_column(name): value for name, value in (row | self._key(row)).items()}

    def count(self, flaws: Sequence[Flaw]) -> str:
        """Note what could not be read of a row; the error that stands for its answer, "" if it is sound.

        One rule for `score` and for a run: a row is left out, named and counted if anything that is judged of
        it cannot be read.
        """
        self.n_flaws += len(flaws)
        self.flaws += flaws[: max(0, MOST_FLAWS - len(self.flaws))]
        spoilt = "; ".join(str(flaw) for flaw in flaws if flaw.spoils)
        self.n_bad += bool(spoilt)
        return BROKEN + spoilt if spoilt else ""

    def check_rows(self) -> None:
        """InputError if no row of all those handed out can be judged."""
        if self.n and self.n_bad == self.n:
            raise _nothing_to_read(self.flaws, f"all {self.n:,} rows", "no row of the answers can be read")

    def _key(self, row: dict[str, Any]) -> dict[str, Any]:
        """Its number where the row has no case_id, "system" where it names none, and how often both came
        before."""
        case_id, system = _text(row, "case_id", str(self.n)), _text(row, "system", SYSTEM)
        counted = self._times_before(row, case_id, system)
        self.n_repeated += bool(counted)
        repeat = counted if is_empty(row.get("repeat")) else row["repeat"]
        return {"case_id": case_id, "system": system, "repeat": repeat}

    def _times_before(self, row: dict[str, Any], case_id: str, system: str) -> int:
        """How often a row had this case_id and system before; a row that is numbered is the first with its
        number, so that memory does not grow with them."""
        if is_empty(row.get("case_id")) and not {"case_id"} & {*self.present, *self.columns}:
            return 0
        key = hash((case_id, system))
        counted, self._seen[key] = self._seen[key], self._seen[key] + 1
        return counted


def open_answers(
    source: str | Path | pd.DataFrame | Iterable,
    *,
    schema: str = "",
    mapping: Mapping[str, str] | None = None,
    batch: int = ROWS_AT_ONCE,
    needed: Sequence[str] = SCORABLE,
    where: str = "",
) -> Answers:
    """The answers of a source; its first batch is read at once, to see which schema it follows.

    Parameters
    ----------
    source : a file, a DataFrame, an object with `to_pandas()`, or an iterable of records (dicts, or those of
        `file_records`) or of DataFrames
    schema : a name in log_formats.SCHEMAS; empty detects it
    mapping : ours -> theirs, before the schema's
    needed : columns of ours of which one must be there
    where : what messages call the source; empty takes its path

    Raises
    ------
    InputError
        If there is no record, or nothing tells which column is which.
    """
    where = where or (str(source) if isinstance(source, str | Path) else "the answers given")
    found = records_of(source)
    first = list(islice(found, max(batch, 1)))
    sample = [record.values for record in first if not record.broken]
    if not sample:
        raise _nothing_to_read((flaw for record in first for flaw in record.flaws), where)
    places = [record.where for record in first if not record.broken]
    chosen = resolve(sample, where, schema, mapping, needed, places)
    present = {
        ours: path for ours, theirs in chosen.columns.items() if (path := present_path(sample, theirs))
    }
    columns = list(dict.fromkeys(str(name) for values in sample for name in values))
    notes, inner = _assumptions(columns, present), column_mapping.look(sample, present, chosen)
    return Answers(chosen, present, columns, chain(first, found), batch, notes, inner=inner)


def read_case_facts(
    source: str | Path | pd.DataFrame | Iterable,
    *,
    schema: str = "",
    mapping: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """What is known of the cases (question, answerable, reference_answer, ...), one row per case_id, from a
    source in any schema; InputError if it cannot be read, or has no case_id: nothing then says which answer a
    case belongs to."""
    opened = open_answers(source, schema=schema, mapping=mapping, needed=("case_id",))
    table = pd.concat(list(opened), ignore_index=True)
    return table.drop_duplicates("case_id", ignore_index=True).drop(columns=["system", "repeat"])


def _column(name: Any) -> str:
    """A name that a table can have: half a letter in it becomes a question mark."""
    return str(name) if str(name).isascii() else clean(str(name))


def _text(row: dict[str, Any], column: str, default: str) -> str:
    value = row.get(column)
    return default if is_empty(value) else str(value)


def _nothing_to_read(
    flaws: Iterable[Flaw], where: str, what: str = "there is no answer to read"
) -> InputError:
    """Why there is no answer: what is wrong with the first record, or that there is none."""
    missing = Flaw(where, "", "no record", "one record or more", "give a file with answers")
    flaw = next((flaw for flaw in flaws if flaw.spoils), missing)
    return InputError(what, where=flaw.place, found=flaw.found, expected=flaw.expected, do=flaw.do)


def _assumptions(columns: Sequence[str], present: Mapping[str, str]) -> list[str]:
    """What the input does not say, and what is done about it."""
    assumed = {
        "case_id": "No column case_id: the rows are numbered from 1.",
        "system": f"No column system: all answers are of one, {SYSTEM!r}.",
        "question": "No question: what needs one is not measured.",
        "answer": "No answer: what needs one is not measured.",
        "contexts": "No contexts: what compares an answer with them is not measured.",
    }
    return [note for column, note in assumed.items() if column not in present and column not in columns]
