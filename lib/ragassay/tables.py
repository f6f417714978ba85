"""The tables: their columns, types, ranges and keys; checked where they enter and leave a stage."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from ragassay import evidence
from ragassay.errors import TableError

TEXT, INTEGER, NUMBER, FLAG, LIST = "text", "integer", "number", "true/false", "list"
STATES = ("scored", "not_applicable", "not_measured", "error")
ANSWER_TYPES = ("short_fact", "instruction", "multi_step", "definition", "no_answer")
QUERY_TYPES = ("factual", "multi_hop", "inference", "yes_no", "multiple_choice", "open")
DECISIONS = ("accept", "reject", "review")
COMPARED = ("better", "worse", "not told apart", "same on every question", "not compared")
SEVERITIES = ("Critical", "High", "Medium", "Low")


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


def _text(meaning: str, required: bool = True, allowed: tuple = ()) -> Column:
    return Column(TEXT, required, allowed, meaning=meaning)


def _number(
    meaning: str, low: float | None = None, high: float | None = None, required: bool = True
) -> Column:
    return Column(NUMBER, required, low=low, high=high, meaning=meaning)


CASE, SYSTEM, METRIC = (
    _text("which case"),
    _text("which system under test"),
    _text("a name in ragassay.scores.METRICS"),
)

# fmt: off
TABLES: dict[str, Table] = {
    "documents": Table(("doc_id",), {
        "doc_id": _text("file name without extension"), "title": _text("first heading or file name"), "path": _text("path below the folder"),
        "sha256": _text("hash of the file"), "language": _text("ISO 639-1 code", required=False),
    }),
    "chunks": Table(("chunk_id",), {
        "chunk_id": _text("document and passage, doc#p3"), "doc_id": _text("the document"), "text": _text("the passage"),
        "n_sentences": Column(INTEGER, low=0, meaning="sentences in the passage"),
        "topic": _text("its stratum", required=False), "x": _number("map coordinate", required=False), "y": _number("map coordinate", required=False),
    }),
    "cases": Table(("case_id",), {
        "case_id": CASE, "question": _text("what is asked"), "answer_type": _text("kind of answer wanted", allowed=ANSWER_TYPES),
        "query_type": _text("kind of question", allowed=QUERY_TYPES), "topic": _text("its stratum", required=False),
        "answerable": Column(FLAG, meaning="whether the documents hold the answer"),
        "reference_answer": _text("the answer expected", required=False),
        "reference_chunk_ids": Column(LIST, required=False, meaning="the passages that hold it"),
        "language": _text("ISO 639-1 code", required=False), "segment": _text("who asks", required=False),
        "group_id": _text("paraphrase group", required=False), "parent_id": _text("the case this one varies", required=False),
        "kind": _text("what variation it is", required=False), "intensity": _number("how strong the variation is", low=0, required=False),
        "conversation_id": _text("conversation it belongs to", required=False),
    }),
    "answers": Table(("case_id", "system", "repeat"), {
        "case_id": CASE, "system": SYSTEM, "repeat": Column(INTEGER, low=0, meaning="which repetition"), "question": _text("as asked"),
        "answer": _text("as given"), "contexts": Column(LIST, meaning="retrieved passages"),
        "context_ids": Column(LIST, required=False, meaning="their chunk ids"),
        "latency_s": _number("seconds, as the system itself reported", low=0, required=False), "cost": _number("US dollars", low=0, required=False),
        "tokens": _number("tokens used", low=0, required=False), "error": _text("why there is no answer", required=False),
    }),
    "scores": Table(("case_id", "system", "metric"), {
        "case_id": CASE, "system": SYSTEM, "metric": METRIC, "value": _number("the score; missing unless scored"),
        "state": _text("whether there is a score", allowed=STATES), "reason": _text("why there is none", required=False),
        "detail": _text("sentence-level evidence, JSON", required=False),
    }),
    "labels": Table(("case_id", "system", "dimension", "rater"), {
        "case_id": CASE, "system": SYSTEM, "dimension": _text("what was judged"), "rater": _text("who judged"),
        "label": _number("the judgement"), "scale": _text("its scale, low-high"), "labelled_at": _text("date", required=False),
    }),
    "verdicts": Table(("case_id", "system", "metric"), {
        "case_id": CASE, "system": SYSTEM, "metric": METRIC,
        "probability": _number("that a human gives the top level", 0, 1), "prediction_set": Column(LIST, meaning="labels not ruled out"),
        "decision": _text("who decides", allowed=DECISIONS),
    }),
    "findings": Table(("finding_id",), {
        "finding_id": _text("F1, F2, ..."), "title": _text("one line"), "condition": _text("what is"), "criterion": _text("what should be"),
        "cause": _text("why"), "effect": _text("so what"), "severity": _text("how grave", allowed=SEVERITIES), "likelihood": _text("how likely"),
        "impact": _text("how large"), "strata": Column(LIST, meaning="strata touched"), "case_ids": Column(LIST, meaning="rows that show it"),
        "evidence": _text("file, sha256 and cell"), "n": Column(INTEGER, low=0, meaning="cases behind it"), "value": _number("measured"),
        "low": _number("interval"), "high": _number("interval"), "recommendation": _text("what to do"), "owner": _text("who"),
        "due": _text("by when"), "status": _text("open or closed"),
    }),
    "scorecard": Table(("metric", "slice"), {
        "metric": _text("what was measured"), "slice": _text("all, or a stratum"), "value": _number("mean or rate"),
        "low": _number("lower bound, 95 %"), "high": _number("upper bound, 95 %"), "n": Column(INTEGER, low=0, meaning="cases in it"),
        "left_out": Column(INTEGER, low=0, meaning="cases without a score"), "reason": _text("why they were left out", required=False),
        "method": _text("how the interval was made", required=False),
    }),
    "weakness": Table(("metric", "dimension", "level"), {
        "metric": METRIC, "dimension": _text("column of cases, or two of them"), "level": _text("stratum"),
        "n": Column(INTEGER, low=0, meaning="cases scored"), "mean": _number("mean of the stratum"), "low": _number("lower bound, 95 %"),
        "high": _number("upper bound, 95 %"), "difference": _number("stratum minus the rest"), "q": _number("p adjusted for the tests made", 0, 1),
        "flagged": Column(FLAG, meaning="worse beyond chance"),
    }),
    "robustness": Table(("metric", "variation"), {
        "metric": METRIC, "variation": _text("kind of variation and its strength"), "kind": _text("kind of variation"),
        "intensity": _number("how strong", required=False), "n": Column(INTEGER, low=0, meaning="pairs scored"),
        "difference": _number("variant minus original"), "low": _number("lower bound, 95 %"), "high": _number("upper bound, 95 %"),
        "q": _number("p adjusted for the tests made", 0, 1), "worse": Column(FLAG, meaning="worse beyond chance"),
    }),
    "challengers": Table(("metric", "challenger"), {
        "metric": METRIC, "challenger": _text("the system compared with"), "n": Column(INTEGER, low=0, meaning="questions scored on both sides"),
        "difference": _number("validated system minus challenger"), "low": _number("lower bound, 95 %"), "high": _number("upper bound, 95 %"),
        "q": _number("p adjusted for the comparisons made", 0, 1),
        "outcome": _text("of the validated system", allowed=COMPARED),
    }),
    "gates": Table(("gate",), {
        "gate": _text("name"), "metric": _text("what it acts on"), "bound": _text("which bound it uses", allowed=("low", "high")),
        "threshold": _number("limit"), "value": _number("measured"), "low": _number("interval"), "high": _number("interval"),
        "n": Column(INTEGER, low=0, meaning="cases"), "outcome": _text("result", allowed=("pass", "fail", "incomplete")),
    }),
}
# fmt: on


def check(name: str, table: pd.DataFrame, where: object = None) -> pd.DataFrame:
    """The table itself if it fits its declaration; a flaw raises TableError naming row, column, value and what is allowed."""
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
    return _check_key(where, declared.key, table)


def write(run_dir: str | Path, name: str, table: pd.DataFrame, part: str = "") -> None:
    """Check the table and write it to `tables/name[.part].parquet` in one move."""
    path = path_of(run_dir, name, part)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".draft")
    check(name, table, path).reset_index(drop=True).to_parquet(draft, index=False)
    draft.replace(path)
    evidence.writes(run_dir, path)


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
            do="execute the notebook that writes it first: see the map in README.md",
        )
    evidence.reads(run_dir, path)
    table = check(name, pd.read_parquet(path), path)
    for column, value in equal.items():
        table = table[table[column] == value]
    return table.reset_index(drop=True)


def exists(run_dir: str | Path, name: str, part: str = "") -> bool:
    """Whether the table has been written."""
    return path_of(run_dir, name, part).exists()


def path_of(run_dir: str | Path, name: str, part: str = "") -> Path:
    """Where a table, or one part of it, is kept."""
    return evidence.find(run_dir) / "tables" / (f"{name}.{part}.parquet" if part else f"{name}.parquet")


def _check_column(where: object, column: str, rule: Column, values: pd.Series) -> None:
    present = values[~values.map(is_missing).astype(bool)]
    wrong = ~present.map(lambda value: _fits(rule, value)).astype(bool)
    if wrong.any():
        row = present.index[wrong][0]
        raise TableError(
            f"column {column!r} holds a value it may not hold",
            where=f"{where}, row {row}",
            found=repr(_plain(present[row])),
            expected=_expectation(rule),
            do="correct the value in its source, or leave it empty",
        )


def _fits(rule: Column, value: object) -> bool:
    kinds = {
        TEXT: str,
        FLAG: (bool, np.bool_),
        INTEGER: (int, np.integer),
        NUMBER: (int, float, np.number),
        LIST: (list, tuple, np.ndarray),
    }
    if not isinstance(value, kinds[rule.kind]):  # type: ignore[arg-type]
        return False
    if rule.allowed and value not in rule.allowed:
        return False
    return (rule.low is None or value >= rule.low) and (rule.high is None or value <= rule.high)  # type: ignore[operator]


def is_missing(value: object) -> bool:
    """Whether nobody gave this value: None, NaN, NA or NaT."""
    is_nan = isinstance(value, float | np.floating) and bool(value != value)
    return value is None or value is pd.NA or value is pd.NaT or is_nan


def is_blank(value: object) -> bool:
    """Whether it is missing, or a text without letters."""
    return is_missing(value) or (isinstance(value, str) and not value.strip())


def _plain(value: object) -> object:
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value


def _expectation(rule: Column) -> str:
    limits = [f"one of {', '.join(map(str, rule.allowed))}" if rule.allowed else rule.kind]
    limits += [f"at least {rule.low}"] if rule.low is not None else []
    limits += [f"at most {rule.high}"] if rule.high is not None else []
    return ", ".join(limits)


def _check_key(where: object, key: tuple[str, ...], table: pd.DataFrame) -> pd.DataFrame:
    empty = table[list(key)].isna().any(axis=1)
    if empty.any():
        raise TableError(
            f"the key {key} is empty",
            where=f"{where}, row {table.index[empty][0]}",
            do="give every row its key",
        )
    repeated = table.duplicated(list(key))
    if repeated.any():
        row = table.index[repeated][0]
        raise TableError(
            f"the key {key} is repeated",
            where=f"{where}, row {row}",
            found=table.loc[row, list(key)].to_dict(),
            do="keep one row per key",
        )
    return table
