"""Templates filled from the database: values, the query, its answer (GRAMMAR 3.2, algorithm 1;
B.1 and decision 12 for what is dropped)."""

import datetime
import decimal
import hashlib
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from ragassay.cases.database_questions import database_schema
from ragassay.cases.database_questions.database_schema import TRUTH, Column
from ragassay.cases.database_questions.sql_template import PLACEHOLDER, Template
from ragassay.cases.database_questions.template_files import Worded

if TYPE_CHECKING:
    from sqlalchemy import Connection

MOST_VALUES = 2_000  # distinct values of a column that are read
LONGEST = 300  # characters of a value or an answer
NO_ROW, SEVERAL, NOTHING, LONG, REFUSED = (
    "no row",
    "several values",
    "an empty value",
    "too long a value",
    "not answered by the database",
)


@dataclass(frozen=True)
class Instance:
    """A SQL query with its one answer and the questions that ask for it, by style:
    a semantic group (GRAMMAR D)."""

    template: Template
    values: dict[str, Any]
    answer: str
    questions: dict[str, list[str]]

    @property
    def group(self) -> str:
        """An id that depends on the query alone."""
        said = (
            f"{self.template.statement}"
            f"|{sorted((name, format_value(value)) for name, value in self.values.items())}"
        )
        return "s-" + hashlib.sha256(said.encode()).hexdigest()[:10]


@dataclass
class Account:
    """What became of one template: combinations there are, tried and kept,
    and why the others were dropped."""

    template: Template
    wordings: int
    combinations: int = 0
    tried: int = 0
    kept: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)


def instances(
    connection: "Connection", worded: Worded, cap: int, draw: random.Random
) -> tuple[list[Instance], Account]:
    """Every combination of distinct values, or `cap` of them drawn without replacement, that the database
    answers with exactly one value.

    Parameters
    ----------
    cap : combinations tried at most, 1 or more

    Returns
    -------
    the instances in the order of their values, and the account. A database that goes away ends the template;
    the account says so
    """
    account = Account(worded.sql, sum(map(len, worded.texts.values())))
    try:
        values = [_distinct(connection, one.column, account) for one in worded.sql.placeholders]
        account.combinations = prod(map(len, values))
        found = [
            one
            for chosen in _combinations(values, cap, draw, account)
            if (one := _asked(connection, worded, chosen, account))
        ]
    except database_schema.Unanswered as why:
        account.notes.append(f"{REFUSED}: {why}")
        return [], account
    account.kept = len(found)
    return found, account


def _distinct(connection: "Connection", column: Column, account: Account) -> list[Any]:
    """The column's distinct values in a fixed order, without NULL and empty texts."""
    quote = connection.dialect.identifier_preparer.quote
    asked = (
        f"SELECT DISTINCT {quote(column.name)} FROM {quote(column.table)} WHERE {quote(column.name)} IS "
        f"NOT NULL"
    )
    found = [row[0] for row in database_schema.rows(connection, asked, {}, MOST_VALUES + 1)]
    if len(found) > MOST_VALUES:
        account.notes.append(f"{column.table}.{column.name}: first {MOST_VALUES:,} distinct values")
    usable = [value for value in found[:MOST_VALUES] if 0 < len(format_value(value).strip()) <= LONGEST]
    return sorted(
        usable,
        key=lambda value: (
            type(value).__name__,
            value if isinstance(value, int | float) else 0,
            format_value(value),
        ),
    )


def _combinations(
    values: Sequence[list[Any]], cap: int, draw: random.Random, account: Account
) -> Iterator[tuple[Any, ...]]:
    total = prod(map(len, values))
    if total <= cap:
        yield from product(*values)
        return
    account.notes.append(f"{cap:,} of {total:,} combinations, drawn by seed")
    for place in sorted(draw.sample(range(total), cap)):
        yield _nth(values, place)


def _nth(values: Sequence[list[Any]], place: int) -> tuple[Any, ...]:
    """The combination at this place of the product, the last list turning fastest."""
    found = []
    for one in reversed(values):
        place, at = divmod(place, len(one))
        found.append(one[at])
    return tuple(reversed(found))


def _asked(
    connection: "Connection", worded: Worded, chosen: tuple[Any, ...], account: Account
) -> Instance | None:
    """The instance, or None with the reason counted."""
    account.tried += 1
    values = {one.bound: value for one, value in zip(worded.sql.placeholders, chosen, strict=True)}
    try:
        rows = database_schema.rows(connection, worded.sql.statement, values, 2)
    except database_schema.Unanswered as why:
        if connection.invalidated or not connection.in_transaction():
            raise
        account.dropped[f"{REFUSED}: {why}"] += 1
        return None
    flaw = _flaw(rows)
    if flaw:
        account.dropped[flaw] += 1
        return None
    names = {one.written.lower(): format_value(values[one.bound]) for one in worded.sql.placeholders}
    questions = {style: [_filled(text, names) for text in texts] for style, texts in worded.texts.items()}
    return Instance(worded.sql, values, _answer(worded.sql, rows[0][0]), questions)


def _answer(template: Template, value: Any) -> str:
    """The value as an answer; SQLite keeps true and false as 1 and 0."""
    selected = template.selected[0]
    return (
        format_value(bool(value))
        if isinstance(selected, Column) and selected.kind == TRUTH and value in (0, 1)
        else format_value(value)
    )


def _flaw(rows: Sequence[tuple]) -> str:
    if not rows:
        return NO_ROW
    if len(rows) > 1 or len(rows[0]) > 1:
        return SEVERAL
    answer = format_value(rows[0][0]).strip()
    return NOTHING if not answer else LONG if len(answer) > LONGEST else ""


def format_value(value: Any) -> str:
    """A value as a person would write it: 433.5, 3 for 3.0, 2026-09-01; "" for NULL and binary values."""
    if value is None or isinstance(value, bytes | memoryview):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, decimal.Decimal):
        return f"{value:f}"
    return value.isoformat() if isinstance(value, datetime.date | datetime.time) else str(value)


def _filled(text: str, names: dict[str, str]) -> str:
    """The text template with its values: each placeholder once,
    so that a value which looks like a placeholder stays a value."""
    return PLACEHOLDER.sub(
        lambda match: _quoted(match[0], names[f"[{match[1] or match[3]}.{match[2] or match[4]}]".lower()]),
        text,
    )


def _quoted(written: str, value: str) -> str:
    return f"'{value}'" if written.startswith("'") else value
