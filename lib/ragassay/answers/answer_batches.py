"""Answers from anywhere, batch by batch, as rows of the answers table: a file in any schema, a DataFrame,
records, or batches of them; and what of the source was read as what."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from ragassay import provenance
from ragassay.answers.log_files import Flaw, Record
from ragassay.answers.log_formats import Schema, adapt, resolve, tool_scores
from ragassay.answers.log_formats.schemas import OURS, SCORABLE, present_path
from ragassay.answers.log_formats.values import dig, id_key, is_empty, parse_literal
from ragassay.answers.mtrag_logs import read_records
from ragassay.assistant.reply_validation import clean
from ragassay.errors import InputError

ROWS_AT_ONCE = 256  # of the answers table, handed over together
MOST_FLAWS = 1000  # kept; further ones are counted
MOST_COLUMNS = 200  # of a file, named
SYSTEM = "system"
BROKEN = "the row could not be read: "
NOT_READ, NOT_THERE = "no counterpart", "(none)"
KEPT = "kept, and written back; no metric reads it"
ABSENT = "not in the file: what needs it is not measured"
WANTED = {  # columns of ours that a file is said to lack
    "case_id": "not in the file: the rows are numbered from 1",
    **dict.fromkeys(("question", "answer", "contexts", "context_ids", "reference_chunk_ids"), ABSENT),
    **dict.fromkeys(("reference_answer", "latency_s", "cost", "tokens", "answerable"), ABSENT),
    "system": "not in the file: all answers are of one",
}


class MappedColumn(NamedTuple):
    """A column of the file, what it is read as, and a remark."""

    read_from: str
    column: str
    remark: str = ""


def mapping_lines(mapped: Sequence[MappedColumn]) -> list[str]:
    """The columns for a terminal."""
    wide = min(max((len(row.read_from) for row in mapped), default=0), 40)
    return [
        f"  {row.read_from:<{wide}}  {row.column}{': ' if row.remark else ''}{row.remark}" for row in mapped
    ]


def _records_of(source: Any) -> Iterator[Record]:
    """The records of a file, a DataFrame, what has `to_pandas()`, or an iterable of records or DataFrames;
    InputError if it is one dict, or holds something else."""
    if isinstance(source, str | Path):
        there = str(source).startswith(provenance.BUNDLED) or Path(source).exists()
        yield from read_records(provenance.reads_input(source) if there else Path(source))
        return
    source = source.to_pandas() if hasattr(source, "to_pandas") else source
    if isinstance(source, Mapping):
        what, expected = "the answers are one dict", "a list of dicts, one per answer"
        raise InputError(what, expected=expected, do="put it into a list")
    number = 0
    for item in [source] if isinstance(source, pd.DataFrame) else source:
        if isinstance(item, Record):
            yield item
            continue
        is_table = isinstance(item, pd.DataFrame)
        for values in item.rename(columns=str).to_dict("records") if is_table else [item]:
            number += 1
            if not isinstance(values, Mapping):
                what, do = "an answer is neither a dict nor a DataFrame", "give dicts, one an answer"
                raise InputError(what, where=f"row {number}", found=type(values).__name__, do=do)
            yield Record(dict(values), f"row {number}")


@dataclass
class Answers:
    """Rows of the answers table to come: iterate once for DataFrames of `batch` rows.

    schema : which columns stand for which of ours; `present` are those of them that the first batch shows
    columns : the columns of the first batch, as the source names them
    passage_ids : where the ids of passages that are objects stand; "" where not every one has its own
    flaws : what could not be read, the first 1,000; `n_flaws` counts all, `n_bad` the rows left out for one
    n : rows handed out so far; `share` of the input read so far, 0 to 1, 0 if that is not known
    scores_given : the tool's own scores found so far: name -> where they stand
    """

    schema: Schema
    present: dict[str, str]
    columns: list[str]
    records: Iterator[Record]
    batch: int
    passage_ids: str = ""
    flaws: list[Flaw] = field(default_factory=list)
    n_flaws: int = 0
    n_bad: int = 0
    n: int = 0
    share: float = 0.0
    scores_given: dict[str, str] = field(default_factory=dict)
    _seen: Counter = field(default_factory=Counter)

    def __iter__(self) -> Iterator[pd.DataFrame]:
        found = self.rows()
        while rows := [self._row(*each) for each in islice(found, self.batch)]:
            table = pd.DataFrame(rows, dtype=object)
            table = table.reindex(columns=list(dict.fromkeys([*table.columns, *self.scores_given])))
            yield table.astype({"case_id": object, "system": object, "repeat": "int64"})

    def rows(self) -> Iterator[tuple[Record, dict[str, Any], list[Flaw]]]:
        """One by one instead: each record, its row without a key, and what could not be read of it."""
        for record in self.records:
            row, flaws = adapt(record, self.schema)
            for name in filter(tool_scores.is_given, row):
                self.scores_given.setdefault(name, tool_scores.column_of(name, self.schema))
            yield record, row, flaws

    def description(self) -> str:
        """The schema: its name, its tool, and which columns were taken for which."""
        columns = ", ".join(f"{ours}={theirs}" for ours, theirs in self.present.items() if ours != theirs)
        return f"schema {self.schema.name}: {self.schema.tool}" + (f" ({columns})" if columns else "")

    def read_from(self) -> dict[str, str]:
        """Which of the source's columns stands for which of ours: ours -> theirs."""
        taken = self.present.values()
        return {name: name for name in self.columns if name in OURS and name not in taken} | self.present

    def mapped(self) -> tuple[MappedColumn, ...]:
        """The columns that were read, the scores that came along so far, the columns that were not read, and
        those of ours that the file lacks."""
        read = self.read_from()
        read |= {"context_ids": self.passage_ids} if self.passage_ids and "context_ids" not in read else {}
        paths = {*read.values(), *self.scores_given.values()}
        used = paths | {path.partition(".")[0] for path in paths}
        unread = [name for name in self.columns if name not in used][:MOST_COLUMNS]
        return (
            *(MappedColumn(path, ours) for ours, path in read.items()),
            *(
                MappedColumn(path or NOT_THERE, name, tool_scores.ORIGIN)
                for name, path in self.scores_given.items()
            ),
            *(MappedColumn(name, NOT_READ, KEPT) for name in unread),
            *(MappedColumn(NOT_THERE, ours, why) for ours, why in WANTED.items() if ours not in read),
        )

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

    def _row(self, record: Record, row: dict[str, Any], flaws: list[Flaw]) -> dict[str, Any]:
        """The row with its key: its number where it has no case_id, "system" where it names none, and how
        often both came before."""
        self.n, self.share = self.n + 1, record.share
        if reason := self.count(flaws):
            row["error"] = reason
        is_numbered = is_empty(row.get("case_id"))
        row["case_id"] = str(self.n) if is_numbered else str(row["case_id"])
        row["system"] = SYSTEM if is_empty(row.get("system")) else str(row["system"])
        if is_empty(row.get("repeat")):
            key = hash((row["case_id"], row["system"]))
            row["repeat"] = self._seen[key]
            self._seen[key] += not is_numbered
        return {clean(str(name)): value for name, value in row.items()}


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

    source : a file, a DataFrame, an object with `to_pandas()`, or an iterable of dicts or of DataFrames
    schema : a name in log_formats.SCHEMAS; empty detects it
    mapping : ours -> theirs, before the schema's
    needed : columns of ours of which one must be there
    where : what messages call the source; empty takes its path

    InputError if there is no record, or nothing tells which column is which.
    """
    where = where or (str(source) if isinstance(source, str | Path) else "the answers given")
    found = _records_of(source)
    first = list(islice(found, max(batch, 1)))
    sample = [record.values for record in first if not record.broken]
    if not sample:
        raise _nothing_to_read((flaw for record in first for flaw in record.flaws), where)
    chosen = resolve(sample, where, schema, mapping, needed)
    paths = {ours: present_path(sample, theirs) for ours, theirs in chosen.columns.items()}
    present = {ours: path for ours, path in paths.items() if path}
    columns = list(dict.fromkeys(str(name) for values in sample for name in values))
    ids = _passage_ids(sample, present.get("contexts", "contexts"), chosen)
    scores_given = {one.name: one.path for values in sample for one in tool_scores.read(values, chosen)}
    records = chain(first, found)
    return Answers(chosen, present, columns, records, batch, ids, scores_given=scores_given)


def read_case_facts(source: str | Path | pd.DataFrame | Iterable) -> pd.DataFrame:
    """What is known of the cases (question, answerable, reference_answer, ...), one row per case_id, from a
    source in any schema; InputError if it cannot be read, or has no case_id: nothing then says which answer a
    case belongs to."""
    table = pd.concat(list(open_answers(source, needed=("case_id",))), ignore_index=True)
    return table.drop_duplicates("case_id", ignore_index=True).drop(columns=["system", "repeat"])


def _passage_ids(sample: Sequence[Mapping], path: str, schema: Schema) -> str:
    """Where the ids of passages that are objects stand; "" where not every one has its own."""
    lists = [parse_literal(dig(values, path)) for values in sample]
    passages = [one for each in lists if isinstance(each, list) for one in each if isinstance(one, dict)]
    keys = [id_key(one, schema.passage[1]) for one in passages]
    return f"{path}[].{keys[0]}" if keys and all(keys) else ""


def _nothing_to_read(
    flaws: Iterable[Flaw], where: str, what: str = "there is no answer to read"
) -> InputError:
    """Why there is no answer: what is wrong with the first record, or that there is none."""
    missing = Flaw(where, "", "no record", "one record or more", "give a file with answers")
    flaw = next((flaw for flaw in flaws if flaw.spoils), missing)
    return InputError(what, where=flaw.place, found=flaw.found, expected=flaw.expected, do=flaw.do)
