"""Answers from anywhere, batch by batch, as rows of the answers table: a file in any schema, a DataFrame, records, or batches of them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pandas as pd

from ragassay import evidence
from ragassay.answers import reading
from ragassay.answers.adapters import Flaw, Record, Schema, adapt, resolve
from ragassay.answers.adapters.detect import JUDGED, shown
from ragassay.answers.adapters.paths import empty
from ragassay.errors import InputError

MOST_FLAWS = 1000  # kept; further ones are counted
SYSTEM = "system"
BROKEN = "the row could not be read: "


@dataclass
class Answers:
    """Rows of the answers table to come: iterate once for DataFrames of `batch` rows.

    Parameters
    ----------
    schema : which columns stand for which of ours; `present` are those of them that the first batch shows
    notes : what was assumed, in sentences
    flaws : what could not be read, the first 1,000; `n_flaws` counts all
    n : rows handed out so far; `share` of the input read so far, 0 to 1
    """

    schema: Schema
    present: dict[str, str]
    records: Iterator[Record]
    batch: int
    notes: list[str] = field(default_factory=list)
    flaws: list[Flaw] = field(default_factory=list)
    n_flaws: int = 0
    n_repeated: int = 0
    n: int = 0
    share: float = 0.0
    _seen: Counter = field(default_factory=Counter)

    def __iter__(self) -> Iterator[pd.DataFrame]:
        while rows := [self._row(record) for record in islice(self.records, self.batch)]:
            table = pd.DataFrame(rows, dtype=object)
            yield table.astype({"case_id": object, "system": object, "repeat": "int64"})
        if self.n_repeated:
            self.notes.append(
                f"{self.n_repeated} row(s) repeat the case_id of an earlier one: all are kept, `repeat` tells them apart."
            )

    def _row(self, record: Record) -> dict[str, Any]:
        self.n, self.share = self.n + 1, record.share
        row, flaws = adapt(record, self.schema)
        if record.broken:
            row["error"] = BROKEN + "; ".join(map(str, flaws))
        self.n_flaws += len(flaws)
        self.flaws += flaws[: max(0, MOST_FLAWS - len(self.flaws))]
        return row | self._identity(row)

    def _identity(self, row: dict[str, Any]) -> dict[str, Any]:
        """The row's key: its number where it has no case_id, "system" where it names none, and how often both were seen before."""
        case_id, system = _named(row, "case_id", str(self.n)), _named(row, "system", SYSTEM)
        key = hash((case_id, system))
        counted, self._seen[key] = self._seen[key], self._seen[key] + 1
        self.n_repeated += bool(counted)
        return {
            "case_id": case_id,
            "system": system,
            "repeat": counted if empty(row.get("repeat")) else row["repeat"],
        }


def open_answers(
    source: str | Path | pd.DataFrame | Iterable,
    *,
    schema: str = "",
    mapping: Mapping[str, str] | None = None,
    delimiter: str = "",
    batch: int = 256,
    needed: Sequence[str] = JUDGED,
) -> Answers:
    """The answers of a source; its first batch is read at once, to see which schema it follows.

    Parameters
    ----------
    source : a file, a DataFrame, an object with `to_pandas()`, or an iterable of records (dicts) or of DataFrames
    schema : a name in adapters.SCHEMAS; empty detects it
    mapping : ours -> theirs, before the schema's
    delimiter : what parts the entries of a list that is written as a text; empty takes the schema's
    needed : columns of ours of which one must be there

    Raises
    ------
    InputError
        If there is no record, or nothing tells which column is which.
    """
    where = str(source) if isinstance(source, str | Path) else "the answers given"
    found = _records(source)
    first = list(islice(found, max(batch, 1)))
    readable = [record.values for record in first if not record.broken]
    if not readable:
        flaws = [flaw for record in first for flaw in record.flaws]
        raise InputError(
            "there is no answer to score",
            where=flaws[0].where if flaws else where,
            found=flaws[0].found if flaws else "no record",
            expected=flaws[0].expected if flaws else "one record or more",
            do=flaws[0].do if flaws else "give a file with answers",
        )
    chosen = resolve(readable, where, schema, mapping, needed)
    chosen = replace(chosen, delimiter=delimiter or chosen.delimiter)
    present = {ours: path for ours, theirs in chosen.columns.items() if (path := shown(readable, theirs))}
    return Answers(chosen, present, chain(first, found), batch, _assumed(readable, present))


def read_cases(
    source: str | Path | pd.DataFrame | Iterable,
    *,
    schema: str = "",
    mapping: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """What is known of the cases (question, answerable, reference_answer, ...), one row per case_id, from a source in any schema.

    Raises
    ------
    InputError
        If it cannot be read, or has no case_id: nothing then says which answer a case belongs to.
    """
    opened = open_answers(source, schema=schema, mapping=mapping, needed=("case_id",))
    table = pd.concat(list(opened), ignore_index=True)
    return table.drop_duplicates("case_id", ignore_index=True).drop(columns=["system", "repeat"])


def _named(row: dict[str, Any], column: str, default: str) -> str:
    value = row.get(column)
    return default if empty(value) else str(value)


def _records(source: Any) -> Iterator[Record]:
    if isinstance(source, str | Path):
        there = str(source).startswith(evidence.BUNDLED) or Path(source).exists()
        return reading.records(evidence.reads_input(source) if there else Path(source))
    source = source.to_pandas() if hasattr(source, "to_pandas") else source
    if isinstance(source, pd.DataFrame):
        return _of_frame(source, len(source))
    if isinstance(source, Mapping):
        raise InputError(
            "the answers are one dict", expected="a list of dicts, one per answer", do="put it into a list"
        )
    return _of_items(source)


def _of_frame(frame: pd.DataFrame, total: int = 0, above: int = 0) -> Iterator[Record]:
    names = [str(name) for name in frame.columns]
    for number, values in enumerate(frame.itertuples(index=False, name=None), start=1 + above):
        yield Record(
            dict(zip(names, values, strict=True)), f"row {number}", (), number / total if total else 0.0
        )


def _of_items(items: Iterable) -> Iterator[Record]:
    above = 0
    for item in items:
        if isinstance(item, pd.DataFrame):
            yield from _of_frame(item, above=above)
            above += len(item)
        elif isinstance(item, Mapping):
            above += 1
            yield Record(dict(item), f"row {above}")
        else:
            raise InputError(
                "an answer is neither a dict nor a DataFrame",
                where=f"row {above + 1}",
                found=type(item).__name__,
                do="give dicts with `question` and `answer`",
            )


def _assumed(records: list[dict], present: Mapping[str, str]) -> list[str]:
    """What the input does not say, and what is done about it."""
    there = set(present) | {str(name) for record in records for name in record}
    assumed = {
        "case_id": "No column case_id: the rows are numbered from 1.",
        "system": f"No column system: all answers are taken as those of one, {SYSTEM!r}.",
        "question": "No question: what needs one is not measured.",
        "answer": "No answer: what needs one is not measured.",
        "contexts": "No contexts: what compares an answer with them is not measured.",
    }
    return [note for column, note in assumed.items() if column not in there]
