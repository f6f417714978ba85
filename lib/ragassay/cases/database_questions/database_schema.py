"""A database as it describes itself: tables, columns, keys;
never a row of data (GRAMMAR section 3.1 and appendix A)."""

import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragassay.errors import InputError, ParameterError

if TYPE_CHECKING:
    from sqlalchemy import Engine

TEXT, NUMBER, DATE, TRUTH, OTHER = "text", "number", "date", "truth", "other"
SURROGATE = re.compile(r"(?:^|_)(?:id|uuid|guid|key|pk|fk|rowid|oid|hash)$", re.IGNORECASE)
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
NAMING = re.compile(r"(?:^|_)(?:name|title|label|code|number|no|email|iban|symbol|reference)$", re.IGNORECASE)


@dataclass(frozen=True)
class Column:
    """A column: `kind` is text, number, date, truth or other;
    `surrogate` marks keys that mean nothing to a person."""

    table: str
    name: str
    kind: str
    surrogate: bool

    @property
    def descriptive(self) -> bool:
        """Whether people would ask for it, or by it (GRAMMAR B.1)."""
        return not self.surrogate and self.kind != OTHER

    @property
    def names_its_row(self) -> bool:
        """Whether its values look like names or codes by which people know a row."""
        return self.kind == TEXT and NAMING.search(CAMEL.sub("_", self.name)) is not None


@dataclass(frozen=True)
class Link:
    """A foreign key: the columns of a table that refer to those of another."""

    table: str
    columns: tuple[str, ...]
    other: str
    others: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A table or view with its columns in their order, and the links that start from it."""

    name: str
    columns: tuple[Column, ...]
    links: tuple[Link, ...] = ()

    def column(self, name: str) -> Column | None:
        """The column of this name in any case."""
        return next((one for one in self.columns if one.name.lower() == name.lower()), None)


@dataclass(frozen=True)
class Schema:
    """The tables of a database, by name."""

    tables: tuple[Table, ...]

    def table(self, name: str) -> Table | None:
        """The table of this name in any case."""
        return next((one for one in self.tables if one.name.lower() == name.lower()), None)

    def column(self, table: str, name: str) -> Column | None:
        """The column `table.name` in any case, None if there is none."""
        found = self.table(table)
        return found.column(name) if found else None


def reflect(engine: "Engine") -> Schema:
    """The schema of the default namespace, tables in the order of their names."""
    from sqlalchemy import inspect

    inspector = inspect(engine)
    names = sorted({*inspector.get_table_names(), *inspector.get_view_names()})
    return Schema(tuple(_table(inspector, name) for name in names))


def _table(inspector, name: str) -> Table:
    links = tuple(
        Link(name, tuple(key["constrained_columns"]), key["referred_table"], tuple(key["referred_columns"]))
        for key in inspector.get_foreign_keys(name)
        if key["constrained_columns"] and key["referred_columns"]
    )
    referring = {column for link in links for column in link.columns}
    primary = set(inspector.get_pk_constraint(name).get("constrained_columns") or ())
    columns = [(column["name"], _kind(column["type"])) for column in inspector.get_columns(name)]
    found = tuple(
        Column(name, column, kind, _is_surrogate(column, kind, primary, referring))
        for column, kind in columns
    )
    return Table(name, found, tuple(sorted(links, key=lambda link: (link.other, link.columns))))


def _kind(of_type: object) -> str:
    from sqlalchemy import types

    kinds = (
        (types.Boolean, TRUTH),
        (types.Numeric, NUMBER),
        (types.Float, NUMBER),
        (types.Integer, NUMBER),
        (types.String, TEXT),
    )
    dates = (types.Date, types.DateTime, types.Time)
    return next(
        (kind for one, kind in kinds if isinstance(of_type, one)),
        DATE if isinstance(of_type, dates) else OTHER,
    )


def _is_surrogate(name: str, kind: str, primary: set[str], referring: set[str]) -> bool:
    numbered = primary == {name} and kind == NUMBER
    return numbered or name in referring or SURROGATE.search(CAMEL.sub("_", name)) is not None


if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

SECONDS = 30  # a query may take
STREAMED = {
    "stream_results": True
    # rows come as they are asked for, not all at once; PostgreSQL then declares a cursor
    # have
}
STEPS = 100_000  # of SQLite's machine between two looks at the clock
TOLD = (
    "table_info",
    "table_xinfo",
    "foreign_key_list",
    "index_list",
    "index_info",
    "table_list",
)  # SQLite's pragmas that only tell
DO = "name a database as SQLAlchemy does: sqlite:///bank.db, postgresql+psycopg://user@host/name"


class Unanswered(Exception):
    """The database did not answer this query; the message says why."""


def open_database(url: str, seconds: float = SECONDS) -> "Engine":
    """An engine whose every connection can only read; a path to a file is taken for SQLite.

    Raises
    ------
    ParameterError
        If `url` names no database, or a driver that is not installed.
    InputError
        If the database is missing, locked, or no database.
    """
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError, NoSuchModuleError

    try:
        parsed = make_url(url if "://" in url else f"sqlite:///{url}")
        engine = (
            _sqlite(Path(parsed.database or ""), seconds)
            if parsed.get_backend_name() == "sqlite"
            else _server(parsed, seconds)
        )
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError) as problem:
        raise ParameterError("the database cannot be opened", found=problem, do=DO) from None
    _try(engine, parsed.render_as_string(hide_password=True))
    return engine


@contextmanager
def reading(engine: "Engine") -> Iterator["Connection"]:
    """A connection whose transaction is rolled back, whatever happens."""
    from sqlalchemy.exc import DBAPIError

    try:
        with engine.connect() as connection:
            if engine.dialect.name == "postgresql":
                connection.exec_driver_sql("SET TRANSACTION READ ONLY")
            try:
                yield connection
            finally:
                connection.rollback()
    except DBAPIError as problem:
        raise Unanswered(_in_words(problem)) from None


def rows(connection: "Connection", sql: str, values: Mapping[str, Any], most: int) -> list[tuple]:
    """The first `most` rows of one examined SELECT, its values bound, never written into the text.

    Raises
    ------
    Unanswered
        If the database refuses the query, is locked or gone, or takes longer than it may.
    """
    from sqlalchemy import text
    from sqlalchemy.exc import SQLAlchemyError

    try:
        within = connection.begin_nested() if connection.dialect.name == "postgresql" else nullcontext()
        with within, connection.execute(text(sql), dict(values), execution_options=STREAMED) as found:
            return [tuple(row) for row in found.fetchmany(most)]
    except SQLAlchemyError as problem:
        raise Unanswered(_in_words(problem)) from None


def _sqlite(path: Path, seconds: float) -> "Engine":
    import sqlite3

    from sqlalchemy import create_engine
    from sqlalchemy.pool import NullPool

    if not path.is_file():
        raise InputError("there is no such database", where=path, found="no file", do=DO)

    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=min(seconds, 5))
        connection.execute("PRAGMA query_only = ON")
        connection.set_authorizer(_authorized)
        return _within(connection, seconds)

    return create_engine("sqlite://", creator=connect, poolclass=NullPool)


def _authorized(action: int, first: str | None, second: str | None, *_: object) -> int:
    """SQLite's authorizer: reading, functions but those that load code,
    and the pragmas by which a schema is read."""
    import sqlite3

    admitted = {
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_RECURSIVE,
        sqlite3.SQLITE_TRANSACTION,
    }
    if action == sqlite3.SQLITE_FUNCTION:
        return (
            sqlite3.SQLITE_DENY
            if second in ("load_extension", "writefile", "edit", "fts3_tokenizer")
            else sqlite3.SQLITE_OK
        )
    if action == sqlite3.SQLITE_PRAGMA:
        asked = first == "read_uncommitted" and second is None  # SQLAlchemy asks for it when it connects
        return sqlite3.SQLITE_OK if asked or (first or "").lower() in TOLD else sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK if action in admitted else sqlite3.SQLITE_DENY


def _within(connection: Any, seconds: float) -> Any:
    """The connection, interrupted when one statement takes longer than it may."""
    began = {"at": time.monotonic()}
    connection.set_trace_callback(lambda _: began.update(at=time.monotonic()))
    connection.set_progress_handler(lambda: time.monotonic() - began["at"] > seconds, STEPS)
    return connection


def _server(url: Any, seconds: float) -> "Engine":
    from sqlalchemy import create_engine
    from sqlalchemy.pool import NullPool

    settings = {}
    if url.get_backend_name() == "postgresql":
        limits = (
            f"-c default_transaction_read_only=on -c statement_timeout={int(seconds * 1000)} -c "
            f"lock_timeout={int(seconds * 1000)}"
        )
        settings = {"connect_args": {"options": limits, "connect_timeout": 10}}
    return create_engine(url, poolclass=NullPool, **settings)


def _try(engine: "Engine", name: str) -> None:
    from sqlalchemy import inspect
    from sqlalchemy.exc import SQLAlchemyError

    try:
        with reading(engine) as connection:
            inspect(connection).get_table_names()
    except (Unanswered, SQLAlchemyError) as problem:
        do = "check that it runs, is not locked, and lets you read"
        raise InputError("the database cannot be read", where=name, found=problem, do=do) from None


def _in_words(problem: Exception) -> str:
    """The driver's own first line, without the statement."""
    return str(getattr(problem, "orig", problem)).strip().split("\n")[0][:300]
