"""The tables: their columns, types, ranges and keys (`tables.csv`); checked where they enter and leave a
stage."""

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from ragassay import output_files, provenance
from ragassay.errors import TableError

TEXT, INTEGER, NUMBER, FLAG, LIST = "text", "integer", "number", "true/false", "list"
KINDS: dict[str, type | tuple[type, ...]] = {
    TEXT: str,
    FLAG: (bool, np.bool_),
    INTEGER: (int, np.integer),
    NUMBER: (int, float, np.number),
    LIST: (list, tuple, np.ndarray),
}
STATES = ("scored", "not_applicable", "not_measured", "error")
ANSWER_TYPES = ("short_fact", "instruction", "multi_step", "definition", "no_answer")
WHY_NO_ANSWER = ("outside the documents", "own account", "prohibited use")
QUERY_TYPES = ("factual", "multi_hop", "inference", "yes_no", "multiple_choice", "open")
COMPARED = ("better", "worse", "no significant difference", "same on every question", "not compared")
SEVERITIES = ("Critical", "High", "Medium", "Low")
BLAMED = (
    *("documents lack it", "retriever", "declining", "generator", "retriever and answer"),
    *("faulty question", "undetermined"),
)
ABSENT = {"system": "", "state": "scored", "metric": "", "dimension": "", "slice": "all"}  # of `filled`
ASSUMED = "answerable_assumed"  # of cases, beside their columns: nobody said whether there is an answer
GOLD_RETRIEVED = ("all", "part", "none", "not known")
CATEGORIES = (
    *("good", "partial", "misleading", "needless refusal", "should have declined", "unsafe"),
    "not judged",
)
HARMS = (  # the gravest first
    *("danger", "personal data", "toxic", "misleading", "false answer", "superseded", "staff only"),
    *("partial", "needless refusal"),
)
CHECKED = ("raised", "clear", "undecided", "not applicable")
BOUNDS = ("low", "high", "value", "both")
ALLOWED = {
    name: words for name, words in globals().items() if isinstance(words, tuple)
}  # tables.csv names them


@dataclass(frozen=True)
class Column:
    """One column: its type, whether it may be absent, the values allowed, the range, its meaning."""

    kind: str
    required: bool = True
    allowed: tuple = ()
    low: float | None = None
    high: float | None = None
    meaning: str = ""


@dataclass(frozen=True)
class Table:
    """A table's key and columns; further columns are kept as they are."""

    key: tuple[str, ...]
    columns: dict[str, Column]


def _read_declarations() -> dict[str, Table]:
    """The tables of `tables.csv`: a row per column; `allowed` names a list of this file, or has its words."""
    found: dict[str, Table] = {}
    with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            low, high = (float(row[end]) if row[end] else None for end in ("low", "high"))
            allowed = ALLOWED.get(row["allowed"], tuple(filter(None, row["allowed"].split("|"))))
            rule = Column(row["kind"], row["required"] == "required", allowed, low, high, row["meaning"])
            table = found.setdefault(row["table"], Table((), {}))
            found[row["table"]] = Table(
                (*table.key, row["column"]) if row["key"] else table.key,
                table.columns | {row["column"]: rule},
            )
    return found


TABLES = _read_declarations()


def check(name: str, table: pd.DataFrame, where: object = None) -> pd.DataFrame:
    """The table itself if it fits its declaration; a flaw raises TableError naming row, column, value and
    what is allowed."""
    declared = TABLES[name]
    where = where or f"table {name}"
    for column, rule in declared.columns.items():
        if column in table:
            _check_column(where, column, rule, table[column])
        elif rule.required:
            raise TableError(
                f"column {column!r} is missing",
                where=where,
                found=list(table.columns),
                expected=rule.meaning,
                do=f"add the column {column!r}, or map one of yours to it",
            )
    empty = table[list(declared.key)].isna().any(axis=1)
    if empty.any():
        raise TableError(
            f"the key {declared.key} is empty", where=f"{where}, row {table.index[empty][0]}", do="fill it"
        )
    repeated = table.duplicated(list(declared.key))
    if repeated.any():
        row = table.index[repeated][0]
        raise TableError(
            f"the key {declared.key} is repeated",
            where=f"{where}, row {row}",
            found=table.loc[row, list(declared.key)].to_dict(),
            do="keep one row per key",
        )
    return table


def filled(table: pd.DataFrame, *names: str) -> pd.DataFrame:
    """The table with those of these columns that it lacks: a user's own of one system need not name it.

    >>> filled(pd.DataFrame({"value": [0.5]}), "system", "state").to_dict("records")
    [{'value': 0.5, 'system': '', 'state': 'scored'}]
    """
    return table.assign(**{name: ABSENT[name] for name in names if name not in table})


def write(run_dir: str | Path, name: str, table: pd.DataFrame, part: str = "") -> None:
    """Check the table and write it to `tables/name[.part].parquet` in one move; its rows alone, without what
    its `attrs` say of how it came about."""
    path = path_of(run_dir, name, part)
    checked = check(name, table, path).reset_index(drop=True)
    checked.attrs = {}
    with output_files.draft(path) as draft, output_files.refusals(path):
        checked.to_parquet(draft, index=False)
    provenance.writes(run_dir, path)


def read(run_dir: str | Path, name: str, part: str = "", **equal: object) -> pd.DataFrame:
    """The table, or the rows of it where each named column equals the value given.

    Raises
    ------
    TableError
        If no notebook has written it yet, or it no longer fits its declaration.
    """
    path = path_of(run_dir, name, part)
    if not path.exists():
        raise TableError(
            f"table {name!r} does not exist yet",
            where=path,
            do="execute the notebook that writes it first: see docs/architecture.md",
        )
    provenance.reads(run_dir, path)
    table = check(name, pd.read_parquet(path), path)
    for column, value in equal.items():
        table = table[table[column] == value]
    return table.reset_index(drop=True)


def exists(run_dir: str | Path, name: str, part: str = "") -> bool:
    """Whether the table has been written."""
    return path_of(run_dir, name, part).exists()


def read_parts(run_dir: str | Path, name: str) -> pd.DataFrame:
    """All parts of a table that have been written, one below the other; no row where there is none."""
    found = [read(run_dir, name, part=part) for part in parts(run_dir, name)]
    return pd.concat(found or [pd.DataFrame(columns=list(TABLES[name].columns))], ignore_index=True)


def parts(run_dir: str | Path, name: str) -> list[str]:
    """The parts of a table that have been written, in the order of their names; [] if there is none."""
    return sorted(
        path.name.removeprefix(f"{name}.").removesuffix(".parquet")
        for path in (provenance.find(run_dir) / "tables").glob(f"{name}.*.parquet")
    )


def path_of(run_dir: str | Path, name: str, part: str = "") -> Path:
    """Where a table, or one part of it, is kept."""
    return provenance.find(run_dir) / "tables" / (f"{name}.{part}.parquet" if part else f"{name}.parquet")


def _check_column(where: object, column: str, rule: Column, values: pd.Series) -> None:
    for row, value in zip(values.index, values.tolist(), strict=True):
        is_known = isinstance(value, KINDS[rule.kind]) and (not rule.allowed or value in rule.allowed)
        if is_missing(value) or (
            is_known and (rule.low is None or value >= rule.low) and (rule.high is None or value <= rule.high)
        ):
            continue
        limits = [f"one of {', '.join(map(str, rule.allowed))}" if rule.allowed else rule.kind]
        limits += [f"at least {rule.low}"] if rule.low is not None else []
        limits += [f"at most {rule.high}"] if rule.high is not None else []
        raise TableError(
            f"column {column!r} holds a value it may not hold",
            where=f"{where}, row {row}",
            found=repr(value.item() if isinstance(value, np.generic) else value),
            expected=", ".join(limits),
            do="correct the value in its source, or leave it empty",
        )


def is_missing(value: object) -> bool:
    """Whether nobody gave this value: None, NaN, NA or NaT."""
    is_nan = isinstance(value, float | np.floating) and bool(value != value)
    return value is None or value is pd.NA or value is pd.NaT or is_nan


def is_blank(value: object) -> bool:
    """Whether it is missing, or a text without letters."""
    return is_missing(value) or (isinstance(value, str) and not value.strip())


class Whole(pd.DataFrame):
    """A table of which a terminal prints every column and row."""

    def __repr__(self) -> str:
        with pd.option_context("display.max_columns", None, "display.max_rows", None):
            return super().__repr__()
