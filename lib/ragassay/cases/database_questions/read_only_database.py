"""A database that is only read: every layer that can refuse to write does.

SQLite is opened with mode=ro and query_only, and an authorizer admits nothing but reading. PostgreSQL gets
read-only sessions, and every query runs in a READ ONLY transaction that is rolled back. Other databases get a
transaction that is rolled back; give them a user who may only read. The statements themselves are examined
before they come here (sql_template.py).
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragassay.errors import InputError, ParameterError

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
