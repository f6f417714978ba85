"""Logged answers, of any tool and in a file of any kind, as the two tables of a run: cases and answers."""

import difflib
import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ragassay import provenance, tables
from ragassay.answers.answer_batches import Answers, file_records, open_answers
from ragassay.answers.answer_journal import COLUMNS
from ragassay.answers.log_files import Flaw, Record
from ragassay.answers.log_formats.nested_values import is_empty
from ragassay.answers.log_formats.record_conversion import RAW
from ragassay.answers.log_formats.tool_schemas import ASKED_WITH, OURS
from ragassay.answers.log_formats.tool_scores import is_given
from ragassay.assistant.reply_validation import NOTHING, VERSION, clean, ids_beside, row_without_answer
from ragassay.errors import InputError

CASE_COLUMNS = tuple(tables.TABLES["cases"].columns)
UNLOGGED = "the log holds no answer to this case"
DEFAULTS = {"answer_type": "short_fact", "query_type": "open", "answerable": True}
REQUIRED = ("question", "answer")
KEY, COLUMNS_KEY = "log_rows", "log_columns"
FIRST = 20  # flaws kept in the record
NAMED = 3  # flaws named in a sentence
UNREAD_COLUMNS = ["row", "column", "found", "expected", "do"]


def load_log(
    path: str | Path, *, mapping: Mapping[str, str] | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The cases and the answers that a log holds, in a file of any kind, read as `open_answers` reads it.

    Columns that are none of the answers go to the cases. A missing case_id is made of the question ("l-" and
    the first 8 digits of its hash, then "-2" and so on); the system is the file's name where the log names
    none. A row of which something cannot be read is left out as `score` leaves it out: its answer is an error
    with the reason; without a question it is no case, and is only counted. `cases.attrs` says how the log was
    read: "schema", "columns" (ours -> theirs), "mapped" (also what was not read), "n_rows" and "n_bad" of
    them left out, "flaws", the first that were found.

    mapping : ours -> theirs, before the schema's

    Raises
    ------
    InputError
        If the file is missing, empty or broken, a column is absent, no row can be read, or one case_id stands
        for two questions.
    """
    file = provenance.reads_input(path)
    opened = open_log(file, mapping)
    found = [_row(*each, opened) for each in opened.rows()]
    opened.n = len(found)
    opened.check_rows()
    rows = [row for row in found if row is not None]
    case_ids = _case_ids(rows, opened)
    answers = [_answer(row, case_id, _stem(file)) for row, case_id in zip(rows, case_ids, strict=True)]
    _number_repeats(answers, rows)
    cases = _cases(rows, case_ids)
    cases.attrs |= {
        "schema": f"{opened.schema.tool} (schema {opened.schema.name})",
        "columns": _columns(opened),
        "mapped": opened.mapped(),
        "n_rows": opened.n,
        "n_bad": opened.n_bad,
        "flaws": opened.flaws,
    }
    columns = [name for name in COLUMNS if name != VERSION or any(row.get(VERSION) for row in answers)]
    table = pd.DataFrame(answers, columns=[*columns, *opened.scores_given.names])
    return tables.check("cases", cases, file.name), tables.check("answers", table, file.name)


def _columns(opened: Answers) -> dict[str, str]:
    """Which of the log's columns stands for which of ours: as the schema says, or of our own name."""
    taken = opened.present.values()
    return {name: name for name in opened.columns if name in OURS and name not in taken} | opened.present


def open_log(file: Path, mapping: Mapping[str, str] | None) -> Answers:
    """The log with its schema; InputError where it has no question or no answer."""
    opened = open_answers(file_records(file), mapping=mapping, needed=REQUIRED, where=file.name)
    known = _columns(opened)
    absent = next((column for column in REQUIRED if column not in known), "")
    if absent:
        near = difflib.get_close_matches(absent, opened.columns, n=1, cutoff=0.5)
        theirs = near[0] if near else "COLUMN"
        raise InputError(
            f"the log has no column for the {absent}",
            where=file.name,
            found=", ".join(opened.columns)[:300],
            expected=f"the column {absent}, or that of a tool; this was read as {opened.schema.tool}",
            do=f"say which: --map {absent}={theirs}, in parameters 00_scope: map: {{{absent}: {theirs}}}",
        )
    return opened


def _row(record: Record, values: dict[str, Any], flaws: list[Flaw], opened: Answers) -> Record | None:
    """The record in columns of ours; with the reason in `error` and in `broken` if it is left out, None if
    it cannot even be a case."""
    asked = isinstance(values.get("question"), str) and bool(values["question"].strip())
    if not (asked or record.broken or any(flaw.spoils for flaw in flaws)):
        column = opened.present.get("question", "question")
        flaws = [*flaws, Flaw(record.where, column, "no question", "a text", "add it, or leave the row out")]
    reason = opened.count(flaws)
    read = {RAW + path for paths in opened.schema.columns.values() for path in paths.split("|")}
    filled = {name: None if is_empty(value) or value == "" else value for name, value in values.items()}
    kept = {name: value for name, value in filled.items() if name not in read}
    kept |= {"answer": None, "contexts": None, "context_ids": None, "error": reason} if reason else {}
    return record._replace(values=kept, broken=bool(reason)) if asked else None


def _case_ids(rows: list[Record], opened: Answers) -> list[str]:
    """The case_id of each row: logged, or made of the question."""
    if opened.present.get("case_id", "case_id") != "case_id" and _are_ids_of_rows(rows):
        opened.present.pop("case_id")
        rows = [row._replace(values=row.values | {"case_id": None}) for row in rows]
    seen: Counter = Counter()
    return [row.values.get("case_id") or _made_of_question(row, seen) for row in rows]


def _are_ids_of_rows(rows: list[Record]) -> bool:
    """Whether a column such as `id` counts answers, not questions: several systems were asked the same, and
    none of them shares an id with another."""
    by_id, by_question = defaultdict(set), defaultdict(set)
    for row in rows:
        by_id[row.values.get("case_id")].add(row.values.get("system"))
        by_question[row.values["question"]].add(row.values.get("system"))
    return max(map(len, by_question.values())) > 1 and max(map(len, by_id.values())) == 1


def _made_of_question(row: Record, seen: Counter) -> str:
    """A name for the question; the second time that one system is asked it, another."""
    question, system = row.values["question"], row.values.get("system")
    name = "l-" + hashlib.sha256(question.encode("utf-8", "replace")).hexdigest()[:8]
    seen[name, system] += 1
    return name if seen[name, system] == 1 else f"{name}-{seen[name, system]}"


def _answer(row: Record, case_id: str, system: str) -> dict[str, Any]:
    known = {name: value for name, value in row.values.items() if value is not None}
    given = {name: value for name, value in known.items() if name in COLUMNS or is_given(name)}
    answer = given.get("answer", "")
    answer = answer if answer.strip() else ""
    error = given.get("error") or ("" if answer else NOTHING)
    key = {"case_id": case_id, "system": given.get("system", system), "repeat": given.get("repeat")}
    ids = ids_beside(given.get("contexts"), given.get("context_ids"))
    return {**row_without_answer(error), **given, **key, "context_ids": ids, "answer": answer, "error": error}


def _number_repeats(answers: list[dict], rows: list[Record]) -> None:
    """Give each answer its `repeat`: as logged, else counted per case and system; one case_id for two
    questions is refused."""
    questions: dict[str, str] = {}
    seen: Counter = Counter()
    for answer, row in zip(answers, rows, strict=True):
        key = (answer["case_id"], answer["system"])
        if questions.setdefault(answer["case_id"], answer["question"]) != answer["question"]:
            raise InputError(
                "one case_id stands for two questions",
                where=row.where,
                found=answer["question"],
                expected=questions[answer["case_id"]],
                do="give each question its own case_id, or leave the column out",
            )
        if answer["repeat"] is None:
            answer["repeat"] = seen[key]
        seen[key] += 1


def _cases(rows: list[Record], named: Iterable[str]) -> pd.DataFrame:
    """One case per case_id, from the first row that has it; from one that was left out only if no other
    has it."""
    first: dict[str, Record] = {}
    for case_id, row in zip(named, rows, strict=True):
        if first.setdefault(case_id, row).broken and not row.broken:
            first[case_id] = row
    found = pd.DataFrame([{"case_id": case_id, **_case(row)} for case_id, row in first.items()])
    others = sorted(name for name in map(str, found) if name not in CASE_COLUMNS)
    return found[[name for name in CASE_COLUMNS if name in found] + others]


def _case(row: Record) -> dict[str, Any]:
    """What the row says of its case; a column that no table declares is kept as text."""
    case: dict[str, Any] = dict(DEFAULTS)
    for name, value in row.values.items():
        if name != "question" and (name in COLUMNS or is_given(name)):
            continue
        if value is None:
            value = DEFAULTS.get(name)
        elif name not in OURS:
            value = clean(value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str))
        case[RAW + name if name in ASKED_WITH else name] = value
    return case


def _stem(file: Path) -> str:
    """The file's name without its suffix, and without that of its compression."""
    return Path(file.stem).stem if file.suffix.lower() == ".gz" else file.stem


def count_rows(engagement: Mapping) -> dict[str, Any]:
    """How many rows the engagement's log has, how many were left out, and the first flaws, under `log_rows`
    for its record, and what was read as what under `log_columns`; nothing where there is no log."""
    if not engagement["answers_log"]:
        return {}
    read = load_log(engagement["answers_log"], mapping=engagement.get("map"))[0].attrs
    flaws = sorted(read["flaws"], key=lambda flaw: not flaw.spoils)
    first = [[flaw.where, flaw.column, flaw.found, flaw.expected, flaw.do] for flaw in flaws[:FIRST]]
    rows = {"n": read["n_rows"], "left_out": read["n_bad"], "flaws": len(flaws), "first": first}
    schema = ("log of answers", read["schema"], "")
    return {KEY: rows, COLUMNS_KEY: [list(row) for row in (schema, *read["mapped"])]}


def rows_left_out(record: Mapping) -> pd.DataFrame:
    """The first values and rows of the log that could not be read: row, column, found, expected, do."""
    return pd.DataFrame(record.get(KEY, {}).get("first", []), columns=UNREAD_COLUMNS)


def in_words(record: Mapping) -> str:
    """How many rows of the log were left out, the first of them named; "" where there is no log."""
    if KEY not in record:
        return ""
    rows = record[KEY]
    named = [
        f"{where}, column {column!r}: found {found}" if column else f"{where}: found {found}"
        for where, column, found, *_ in rows["first"][:NAMED]
    ]
    more = f"; and {rows['flaws'] - len(named):,} more" if rows["flaws"] > len(named) else ""
    said = f"rows of the log left out: {rows['left_out']:,} of {rows['n']:,}"
    return said + (f" ({'; '.join(named)}{more})" if named else "")


def share_read(record: Mapping) -> dict[str, float]:
    """The share of the log's rows that could be read, under the name that the rating gives it; nothing where
    there is no log."""
    rows = record.get(KEY)
    return {"share of the log's rows that could be read": 1 - rows["left_out"] / rows["n"]} if rows else {}
