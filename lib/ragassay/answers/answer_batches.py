"""Answers from anywhere, batch by batch, as rows of the answers table: a file in any schema, a DataFrame,
records, or batches of them; what of the source was read as what; and rows as a file that a tool reads."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from ragassay import output_files, provenance, tables
from ragassay.answers import tool_scores
from ragassay.answers.log_schemas import (
    LOOKED_AT,
    MISSING,
    OURS,
    SCORABLE,
    Schema,
    Unfit,
    first_value,
    is_empty,
    present_path,
    put,
    read_value,
    resolve,
    schema_named,
)
from ragassay.assistant.reply_validation import clean
from ragassay.documents.record_files import Flaw, Record, shorten
from ragassay.errors import InputError, ParameterError
from ragassay.sanitized_text import guard_table

NOT_READ, NOT_THERE = "no counterpart", "(none)"
ABSENT = "not in the file: what needs it is not measured"
WANTED = {  # columns of ours that a file is said to lack
    "case_id": "not in the file: named by the question, in score by number",
    **dict.fromkeys(("question", "answer", "contexts", "context_ids", "reference_chunk_ids"), ABSENT),
    **dict.fromkeys(("reference_answer", "latency_s", "cost", "tokens", "answerable"), ABSENT),
    "system": "not in the file: all answers are of one",
}
MEND = "correct the value, or leave it empty"
KINDS = (".jsonl", ".json", ".csv", ".tsv")
BESIDE = ("latency_s", "cost", "tokens", "citations")  # without them the rest is judged


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
    """The records of a source of `open_answers`; InputError if it is one dict, or holds something else."""
    if isinstance(source, str | Path):
        there = str(source).startswith(provenance.BUNDLED) or Path(source).exists()
        yield from tool_scores.read_log(provenance.reads_input(source) if there else Path(source))
        return
    source = source.to_pandas() if hasattr(source, "to_pandas") else source
    tables_or_rows = [source] if isinstance(source, pd.DataFrame) else source
    rows = (
        values
        for item in tables_or_rows
        for values in (
            item.rename(columns=str).to_dict("records") if isinstance(item, pd.DataFrame) else [item]
        )
    )
    for number, values in enumerate(rows, start=1):
        if not isinstance(values, Mapping | Record):
            raise InputError(
                "an answer is neither a dict nor a DataFrame",
                where=f"row {number}",
                found=type(values).__name__,
                do="give a list of dicts",
            )
        yield values if isinstance(values, Record) else Record(dict(values), f"row {number}")


@dataclass
class Answers:
    """Rows of the answers table to come: iterate once for DataFrames of `batch` rows.

    schema : which columns stand for which of ours; `present` are those of them that the first batch shows
    columns : the columns of the first batch, as the source names them
    passage_ids : where the ids of passages stand, if not in a column of their own; "" where they have none
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
        while rows := [self._keyed(row) for _, row, _ in islice(found, self.batch)]:
            table = pd.DataFrame(rows, dtype=object)
            yield table.reindex(columns=list(dict.fromkeys([*table.columns, *self.scores_given]))).astype(
                {"case_id": object, "system": object, "repeat": "int64"}
            )

    def rows(self) -> Iterator[tuple[Record, dict[str, Any], bool]]:
        """One by one instead: each record, its row without a key, and whether it is spoilt: the row's `error`
        then says why."""
        for record in self.records:
            row, flaws = adapt(record, self.schema)
            self.n, self.share = self.n + 1, record.share
            for name in filter(tool_scores.is_given, row):
                self.scores_given.setdefault(name, tool_scores.column_of(name, self.schema))
            if reason := self.count(flaws):
                row["error"] = reason
            yield record, row, bool(reason)

    def description(self) -> str:
        """The schema: its name, its tool, and which columns were taken for which."""
        columns = ", ".join(f"{ours}={theirs}" for ours, theirs in self.present.items() if ours != theirs)
        return f"schema {self.schema.name}: {self.schema.tool}" + (f" ({columns})" if columns else "")

    def read_from(self) -> dict[str, str]:
        """Which of the source's columns stands for which of ours: ours -> theirs."""
        return {
            name: name for name in self.columns if name in OURS and name not in self.present.values()
        } | self.present

    def mapped(self) -> tuple[MappedColumn, ...]:
        """The columns that were read, the scores that came along so far, the columns that were not read, and
        those of ours that the file lacks."""
        read = self.read_from()
        read |= {"context_ids": self.passage_ids} if self.passage_ids and "context_ids" not in read else {}
        paths = {*read.values(), *self.scores_given.values()}
        used = paths | {path.partition(".")[0] for path in paths}
        unread = [name for name in self.columns if name not in used][:200]
        return (
            *(MappedColumn(path, ours) for ours, path in read.items()),
            *(
                MappedColumn(path or NOT_THERE, name, tool_scores.ORIGIN)
                for name, path in self.scores_given.items()
            ),
            *(MappedColumn(name, NOT_READ, "kept, and written back; no metric reads it") for name in unread),
            *(MappedColumn(NOT_THERE, ours, why) for ours, why in WANTED.items() if ours not in read),
        )

    def count(self, flaws: Sequence[Flaw]) -> str:
        """Note what could not be read of a row; the error that stands for its answer, "" if it is sound.

        One rule for `score` and for a run: a row is left out, named and counted if anything that is judged of
        it cannot be read.
        """
        self.n_flaws += len(flaws)
        self.flaws += flaws[: max(0, 1000 - len(self.flaws))]
        spoilt = "; ".join(str(flaw) for flaw in flaws if flaw.spoils)
        self.n_bad += bool(spoilt)
        return f"the row could not be read: {spoilt}" if spoilt else ""

    def check_rows(self) -> None:
        """InputError if no row of all those handed out can be judged."""
        if self.n and self.n_bad == self.n:
            raise _nothing_to_read(self.flaws, f"all {self.n:,} rows", "no row of the answers can be read")

    def _keyed(self, row: dict[str, Any]) -> dict[str, Any]:
        """The row with its key: its number where it has no case_id, "system" where it names none, and how
        often both came before."""
        is_numbered = is_empty(row.get("case_id"))
        row["case_id"] = str(self.n) if is_numbered else str(row["case_id"])
        row["system"] = "system" if is_empty(row.get("system")) else str(row["system"])
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
    batch: int = 256,
    needed: Sequence[str] = SCORABLE,
    where: str = "",
) -> Answers:
    """The answers of a source; its first batch is read at once, to see which schema it follows.

    source : a file, a DataFrame, an object with `to_pandas()`, or an iterable of dicts or of DataFrames
    schema : a name in log_schemas.SCHEMAS; empty detects it
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
    present = {
        ours: path for ours, theirs in chosen.columns.items() if (path := present_path(sample, theirs))
    }
    columns = list(dict.fromkeys(str(name) for values in sample for name in values))
    has_ids = any(adapt(record, chosen)[0].get("context_ids") for record in first[:LOOKED_AT])
    return Answers(
        chosen,
        present,
        columns,
        chain(first, found),
        batch,
        passage_ids=f"{present.get('contexts', 'contexts')}[]" if has_ids else "",
        scores_given={
            name: path for values in sample for name, (path, _) in tool_scores.read(values, chosen).items()
        },
    )


def read_case_facts(source: str | Path | pd.DataFrame | Iterable) -> pd.DataFrame:
    """What is known of the cases (question, answerable, reference_answer, ...), one row per case_id, from a
    source in any schema; InputError if it cannot be read, or has no case_id: nothing then says which answer a
    case belongs to."""
    table = pd.concat(list(open_answers(source, needed=("case_id",))), ignore_index=True)
    return table.drop_duplicates("case_id", ignore_index=True).drop(columns=["system", "repeat"])


def _nothing_to_read(
    flaws: Iterable[Flaw], where: str, what: str = "there is no answer to read"
) -> InputError:
    """Why there is no answer: what is wrong with the first record, or that there is none."""
    missing = Flaw(where, "", "no record", "one record or more", "give a file with answers")
    flaw = next((flaw for flaw in flaws if flaw.spoils), missing)
    return InputError(what, where=flaw.place, found=flaw.found, expected=flaw.expected, do=flaw.do)


def adapt(record: Record, schema: Schema) -> tuple[dict[str, Any], list[Flaw]]:
    """Our columns of a record, the scores of the tool (None where it gives none), its other columns as they
    are, and what could not be read.

    A value that does not fit becomes a flaw and is left empty; it spoils the row unless it only stands beside
    what is judged (BESIDE, a score). Columns that were read as a whole are not kept a second time.
    """
    values, row, flaws = record.values, dict[str, Any](), list(record.flaws)
    pairs = ((ours, first_value(values, theirs)) for ours, theirs in schema.columns.items())
    sources = {ours: pair for ours, pair in pairs if pair[1] is not MISSING}
    taken = {path for path, _ in sources.values()}
    sources |= {
        name: (name, values[name]) for name in values if name in OURS and name not in {*sources, *taken}
    }
    for ours, (path, value) in sources.items():
        try:
            row[ours], ids = read_value(ours, OURS[ours], value, schema.passage, schema.delimiter)
        except Unfit as why:
            row[ours], ids = None, []
            flaws.append(Flaw(record.where, path, shorten(value), str(why), MEND, ours not in BESIDE))
        if ours == "contexts" and is_empty(row.get("context_ids")) and (ids or row[ours] == []):
            row["context_ids"] = ids
    scores: dict[str, float | None] = {}
    whole = {path for path, _ in sources.values()} | set(OURS)
    for name, (path, value) in tool_scores.read(values, schema).items():
        try:
            scores[name] = tool_scores.as_score(name, value)
        except Unfit as why:
            scores[name] = None
            flaws.append(Flaw(record.where, path, shorten(value), str(why), MEND, False))
        if values.get(path) is value:
            whole.add(path)
    return row | {name: value for name, value in values.items() if name not in whole} | scores, flaws


def export(row: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """The record of a row in a tool's words: what `adapt` reads back as the same row; columns that the tool
    has no name for keep ours, scores that it does not keep as a column their full name."""
    given = {name: value for name, value in row.items() if not is_empty(value)}
    record = {name: v for name, v in given.items() if name not in OURS and not tool_scores.is_given(name)}
    texts, ids = given.get("contexts", ()), given.get("context_ids", ())
    with_ids = bool(schema.passage[0]) and len(ids) == len(texts) > 0
    for ours in (name for name in OURS if name in given and not (name == "context_ids" and with_ids)):
        value = list(given[ours]) if OURS[ours].kind == tables.LIST else given[ours]
        if ours == "contexts" and (with_ids or schema.objects):
            value = [{} for _ in texts]
            for key, parts in zip(schema.passage, (texts, ids), strict=True):
                for passage, part in zip(value, parts, strict=False):  # ids where there are
                    put(passage, key, part)
        theirs = schema.columns.get(ours, ours)
        path, there = first_value(record, theirs)
        if there is MISSING:  # a new one, no list of messages
            path = next((one for one in theirs.split("|") if "@" not in one), path)
        put(record, path, value, flat=schema.flat)
    read = tool_scores.read(record, schema)
    for name in (name for name in given if tool_scores.is_given(name) and name not in read):
        record[tool_scores.column_of(name, schema) or name] = given[name]
    return record


def write_answers(answers: pd.DataFrame | Iterable[pd.DataFrame], path: str | Path, schema: str) -> Path:
    """Write rows of the answers table, or batches of them, as `schema` names them; the path.

    JSON Lines, JSON, CSV or TSV by the suffix; in the last two, lists stand as JSON. Columns that the tool
    has no name for keep ours, so that nothing is lost. A file that stands there is replaced in one move.
    ParameterError if the schema or the suffix is unknown.
    """
    place, rules = check_output_path(path), schema_named(schema)
    written = partial(json.dumps, ensure_ascii=False, default=_plain)
    batches = [answers] if isinstance(answers, pd.DataFrame) else answers
    records = (export(row, rules) for batch in batches for row in batch.to_dict("records"))
    with (
        output_files.draft(place) as draft,
        output_files.refusals(place),
        draft.open("w", encoding="utf-8", errors="replace", newline="") as file,
    ):
        if place.suffix.lower() in (".csv", ".tsv"):
            rows = [
                {n: written(v) if isinstance(v, list | dict | bool) else v for n, v in record.items()}
                for record in records
            ]
            guard_table(pd.DataFrame(rows, dtype=object)).to_csv(
                file, sep="\t" if place.suffix.lower() == ".tsv" else ",", index=False, lineterminator="\r\n"
            )
        else:
            is_whole = place.suffix.lower() == ".json"
            before, behind = rules.wrapped if is_whole else ("", "")
            file.write(before + (",\n" if is_whole else "\n").join(map(written, records)) + behind + "\n")
    return place


def check_output_path(path: str | Path) -> Path:
    """The path, if answers can be written there; ParameterError if its ending is none of KINDS."""
    place = Path(path)
    if place.suffix.lower() not in KINDS:
        raise ParameterError("the file has no such ending", found=place.name, expected=", ".join(KINDS))
    return place


def _plain(value: Any) -> Any:
    """What JSON cannot hold: arrays as lists, numbers of NumPy as numbers, the rest as its text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)
