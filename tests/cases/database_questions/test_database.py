"""Nothing is ever written, and what cannot be read says why; a schema says what means something to people."""

import hashlib
import sqlite3

import pytest
from sqlalchemy.exc import SQLAlchemyError

from ragassay.cases.database_questions import database
from ragassay.cases.database_questions.database import fetch_rows, foreign_keys, is_descriptive, open_database
from ragassay.errors import InputError, ParameterError

WRITES = (
    "INSERT INTO branches VALUES (9, 'x', 'y')",
    "UPDATE branches SET name = 'x'",
    "DELETE FROM branches",
    "CREATE TABLE other (a INTEGER)",
    "DROP TABLE branches",
)
POSTGRES_WRITES = (
    *WRITES,
    "SELECT name INTO other FROM branches",
    "WITH gone AS (DELETE FROM branches RETURNING name) SELECT name FROM gone",
    "SELECT name FROM branches FOR UPDATE",
    "SELECT nextval('counter')",
    "COPY branches FROM PROGRAM 'echo 9'",
)


def ask(engine, sql, values=(), most=100):
    with engine.connect() as connection:
        return fetch_rows(connection, sql, dict(values), most)


@pytest.mark.parametrize("statement", WRITES)
def test_sqlite_refuses_to_write(bank, statement):
    before = hashlib.sha256(bank.read_bytes()).hexdigest()
    with pytest.raises(SQLAlchemyError, match="readonly"):
        ask(open_database(str(bank))[0], statement)
    assert hashlib.sha256(bank.read_bytes()).hexdigest() == before


@pytest.mark.parametrize("statement", POSTGRES_WRITES)
def test_postgresql_refuses_to_write(postgres, statement):
    engine, schema = open_database(postgres)
    before = ask(engine, "SELECT * FROM branches ORDER BY 1")
    with pytest.raises(SQLAlchemyError):
        ask(engine, statement)
    assert ask(engine, "SELECT * FROM branches ORDER BY 1") == before
    assert len(schema.tables) == 4


@pytest.mark.parametrize("source", ["bank", "postgres"])
def test_a_schema_says_what_means_something(source, request):
    found = open_database(str(request.getfixturevalue(source)))[1]
    described = {
        str(column) for table in found.tables.values() for column in table.columns if is_descriptive(column)
    }
    assert described == {
        "accounts.product_name", "accounts.monthly_fee", "accounts.opened", "branches.name", "branches.city", "clerks.name", "clerks.desk", "postings.since",
    }  # fmt: skip
    keys = foreign_keys(found.tables["postings"])
    assert [key.referred_table.name for key in keys] == ["branches", "clerks"]


def test_a_locked_database_is_an_error(bank, monkeypatch):
    monkeypatch.setattr(database, "SECONDS", 0.2)
    holder = sqlite3.connect(bank)
    holder.execute("PRAGMA locking_mode = EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(InputError, match="locked"):
        open_database(str(bank))
    holder.close()


def test_a_query_that_takes_too_long_is_stopped(bank, postgres, monkeypatch):
    monkeypatch.setattr(database, "SECONDS", 0.1)
    endless = "SELECT count(*) FROM " + ", ".join(f"accounts {letter}" for letter in "abcdefghijklmno")
    with pytest.raises(SQLAlchemyError, match="interrupted"):
        ask(open_database(str(bank))[0], endless)
    with pytest.raises(SQLAlchemyError, match="statement timeout"):
        ask(open_database(postgres)[0], "SELECT pg_sleep(3)")


@pytest.mark.parametrize(("url", "error", "words"), [
    ("nowhere.db", InputError, "no such database"),
    ("oracle+none://x", ParameterError, "cannot be opened"),
    ("://", ParameterError, "cannot be opened"),
    ("postgresql+psycopg://u:secret@127.0.0.1:9/x", InputError, "cannot be read"),
])  # fmt: skip
def test_what_cannot_be_opened(url, error, words):
    with pytest.raises(error, match=words) as caught:
        open_database(url)
    assert "secret" not in str(caught.value)
