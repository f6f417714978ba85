"""A database that is only read, and its schema: tables, columns, keys (GRAMMAR 3.1 and appendix A)."""

from __future__ import annotations

import datetime
import decimal
import re
import time
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragassay.errors import InputError, ParameterError

if TYPE_CHECKING:
    import sqlite3

    from sqlalchemy import Column, Connection, Engine, ForeignKeyConstraint, MetaData, Table

TEXT, NUMBER, DATE, TRUTH, OTHER = "text", "number", "date", "truth", "other"
KINDS = {
    str: TEXT,
    int: NUMBER,
    float: NUMBER,
    decimal.Decimal: NUMBER,
    datetime.date: DATE,
    datetime.datetime: DATE,
    datetime.time: DATE,
    bool: TRUTH,
}
SURROGATE = re.compile(r"(?:^|_)(?:id|uuid|guid|key|pk|fk|rowid|oid|hash)$", re.IGNORECASE)
NAMING = re.compile(r"(?:^|_)(?:name|title|label|code|number|no|email|iban|symbol|reference)$", re.IGNORECASE)
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
SECONDS = 30  # a query may take
STEPS = 100_000  # of SQLite's machine between two looks at the clock
DO = "name a database as SQLAlchemy does: sqlite:///bank.db, postgresql+psycopg://user@host/name"


class Unanswered(Exception):
    """The database did not answer this query; the message says why."""


def open_database(url: str) -> tuple[Engine, MetaData]:
    """An engine that can only read, and the schema: tables and views of the default namespace with their
    columns and keys; a path to a file is taken for SQLite.

    Raises
    ------
    ParameterError
        If `url` names no database, or a driver that is not installed.
    InputError
        If the database is missing, locked, or no database.
    """
    from sqlalchemy import MetaData, create_engine, make_url
    from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError
    from sqlalchemy.pool import NullPool

    try:
        parsed = make_url(url if "://" in url else f"sqlite:///{url}")
        options: dict[str, Any] = {"poolclass": NullPool}
        if parsed.get_backend_name() == "sqlite":
            path = Path(parsed.database or "")
            if not path.is_file():
                raise InputError("there is no such database", where=path, found="no file", do=DO)
            options["creator"] = lambda: _read_sqlite(path)
        elif parsed.get_backend_name() == "postgresql":
            limits = f"-c statement_timeout={SECONDS * 1000:.0f} -c lock_timeout={SECONDS * 1000:.0f}"
            written = f"-c default_transaction_read_only=on {limits}"
            options["connect_args"] = {"options": written, "connect_timeout": 10}
        engine = create_engine(parsed, **options)
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError) as problem:
        raise ParameterError("the database cannot be opened", found=problem, do=DO) from None
    schema = MetaData()
    try:
        schema.reflect(engine, views=True, resolve_fks=False)
    except SQLAlchemyError as problem:
        where, do = parsed.render_as_string(hide_password=True), "check that it runs, and lets you read"
        raise InputError("the database cannot be read", where=where, found=_reason(problem), do=do) from None
    return engine, schema


def _read_sqlite(path: Path) -> sqlite3.Connection:
    """A connection that can only read, interrupted when one statement takes longer than it may."""
    import sqlite3

    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=min(SECONDS, 5))
    began = {"at": time.monotonic()}
    connection.set_trace_callback(lambda _: began.update(at=time.monotonic()))
    connection.set_progress_handler(lambda: time.monotonic() - began["at"] > SECONDS, STEPS)
    return connection


def fetch_rows(connection: Connection, sql: str, values: Mapping[str, Any], most: int) -> list[tuple]:
    """The first `most` rows of one examined SELECT, its values bound, never written into the text; Unanswered
    if the database refuses the query, is locked or gone, or takes longer than it may."""
    from sqlalchemy import text
    from sqlalchemy.exc import SQLAlchemyError

    streamed = {"stream_results": True}  # rows come as they are asked for, not all at once
    try:
        within = connection.begin_nested() if connection.dialect.name == "postgresql" else nullcontext()
        with within, connection.execute(text(sql), dict(values), execution_options=streamed) as found:
            return [tuple(row) for row in found.fetchmany(most)]
    except SQLAlchemyError as problem:
        raise Unanswered(_reason(problem)) from None


def _reason(problem: Exception) -> str:
    """The driver's own first line, without the statement."""
    return str(getattr(problem, "orig", problem)).strip().split("\n")[0][:300]


def sorted_tables(schema: MetaData) -> list[Table]:
    """The tables in the order of their names."""
    return [schema.tables[name] for name in sorted(schema.tables)]


def find_table(schema: MetaData, name: str) -> Table | None:
    """The table of this name in any case, None if there is none."""
    return next((table for key, table in schema.tables.items() if key.lower() == name.lower()), None)


def find_column(table: Table, name: str) -> Column | None:
    """The column of this name in any case, None if there is none."""
    return next((column for column in table.columns if column.name.lower() == name.lower()), None)


def foreign_keys(table: Table) -> list[ForeignKeyConstraint]:
    """The keys that refer to tables of the schema, by table and columns."""
    known = [
        key
        for key in table.foreign_key_constraints
        if key.elements[0].target_fullname.rpartition(".")[0] in table.metadata.tables
    ]
    return sorted(known, key=lambda key: (key.referred_table.name, key.column_keys))


def column_kind(column: Column) -> str:
    """What a column holds: text, number, date, truth or other."""
    try:
        return KINDS.get(column.type.python_type, OTHER)
    except NotImplementedError:
        return OTHER


def is_descriptive(column: Column) -> bool:
    """Whether people would ask for it, or by it: no key that means nothing to a person (GRAMMAR B.1)."""
    kind = column_kind(column)
    numbered = column.primary_key and len(column.table.primary_key) == 1 and kind == NUMBER
    surrogate = numbered or column.foreign_keys or SURROGATE.search(snake(column.name))
    return kind != OTHER and not surrogate


def snake(name: str) -> str:
    """salesInBillion -> sales_In_Billion."""
    return CAMEL.sub("_", name)
