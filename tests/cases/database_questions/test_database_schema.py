"""Nothing is ever written, by no kind of statement, through any layer; what cannot be read says why."""

import hashlib
import sqlite3

import pytest

from ragassay.cases.database_questions import database_schema
from ragassay.errors import InputError, ParameterError

WRITES = (
    "INSERT INTO branches VALUES (9, 'x', 'y')",
    "UPDATE branches SET name = 'x'",
    "DELETE FROM branches",
    "CREATE TABLE other (a INTEGER)",
    "CREATE TEMPORARY TABLE other (a INTEGER)",
    "CREATE TRIGGER one AFTER INSERT ON branches BEGIN DELETE FROM branches; END",
    "ALTER TABLE branches RENAME TO other",
    "DROP TABLE branches",
    "WITH old AS (SELECT 1) DELETE FROM branches",
    "ATTACH DATABASE 'other.db' AS other",
    "VACUUM INTO 'copy.db'",
    "PRAGMA query_only = OFF",
    "PRAGMA writable_schema = ON",
    "SELECT load_extension('x')",
)
POSTGRES_WRITES = (
    "INSERT INTO branches VALUES (9, 'x', 'y')",
    "UPDATE branches SET name = 'x'",
    "DELETE FROM branches",
    "CREATE TABLE other (a INTEGER)",
    "SELECT name INTO other FROM branches",
    "CREATE INDEX one ON branches (name)",
    "ALTER TABLE branches RENAME TO other",
    "DROP TABLE branches",
    "WITH gone AS (DELETE FROM branches RETURNING name) SELECT name FROM gone",
    "SELECT name FROM branches FOR UPDATE",
    "SELECT nextval('counter')",
    "SELECT lo_create(0)",
    "COPY branches FROM PROGRAM 'echo 9'",
    "VACUUM",
    "COMMIT; BEGIN READ WRITE; DELETE FROM branches; COMMIT",
    "SET TRANSACTION READ WRITE",
)


def digest(path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("statement", WRITES)
def test_sqlite_refuses_to_write(bank, statement, monkeypatch):
    monkeypatch.chdir(bank.parent)
    before = digest(bank)
    with (
        pytest.raises(database_schema.Unanswered),
        database_schema.reading(database_schema.open_database(str(bank))) as connection,
    ):
        database_schema.rows(connection, statement, {}, 1)
    assert digest(bank) == before and [path.name for path in bank.parent.iterdir()] == ["bank.db"]


@pytest.mark.parametrize("statement", POSTGRES_WRITES)
def test_postgresql_refuses_to_write(postgres, statement):
    engine = database_schema.open_database(postgres)
    before = content(engine)
    try:
        with database_schema.reading(engine) as connection:
            database_schema.rows(connection, statement, {}, 1)
            database_schema.rows(connection, "DELETE FROM branches RETURNING name", {}, 1)
    except database_schema.Unanswered:
        pass
    else:
        pytest.fail("it was not refused")
    assert content(engine) == before


@pytest.mark.parametrize(
    "statement", [one for one in POSTGRES_WRITES if "READ WRITE" not in one and "lo_create" not in one]
)
def test_a_postgresql_session_refuses_to_write_whatever_is_sent(postgres, statement):
    engine = database_schema.open_database(postgres)
    before = content(engine)
    with (
        pytest.raises(
            database_schema.Unanswered, match=r"read-only transaction|cannot run inside|must not be"
        ),
        database_schema.reading(engine) as connection,
    ):
        connection.exec_driver_sql(statement)
    assert content(engine) == before


def test_what_postgresql_lets_a_reader_do_is_rolled_back(postgres):
    engine = database_schema.open_database(postgres)
    before = content(engine)
    with database_schema.reading(
        engine
    ) as connection:  # PostgreSQL 15 and older admit it in a read-only transaction
        connection.exec_driver_sql("SELECT lo_create(0)")
    assert content(engine) == before


def content(engine) -> list:
    with database_schema.reading(engine) as connection:
        tables = database_schema.rows(
            connection,
            "SELECT relname, relkind::text FROM pg_class WHERE relnamespace = 'public'::regnamespace",
            {},
            100,
        )
        objects = database_schema.rows(connection, "SELECT oid FROM pg_largeobject_metadata", {}, 9)
        return [
            sorted(tables),
            objects,
            database_schema.rows(
                connection, "SELECT branch_id, name, city FROM branches ORDER BY 1", {}, 100
            ),
        ]


def test_a_value_is_bound_and_never_written_into_the_text(bank):
    with database_schema.reading(database_schema.open_database(str(bank))) as connection:
        assert (
            database_schema.rows(
                connection, "SELECT city FROM branches WHERE name = :p0", {"p0": "x' OR '1'='1"}, 5
            )
            == []
        )


def test_a_schema_says_what_means_something(bank):
    found = database_schema.reflect(database_schema.open_database(str(bank)))
    described = {
        f"{table.name}.{column.name}"
        for table in found.tables
        for column in table.columns
        if column.descriptive
    }
    assert described == {
        "accounts.product_name", "accounts.monthly_fee", "accounts.opened", "branches.name", "branches.city", "clerks.name", "clerks.desk", "postings.since",
    }  # fmt: skip
    assert [link.other for link in found.table("postings").links] == ["branches", "clerks"]


def test_both_databases_describe_themselves_alike(bank, postgres):
    assert database_schema.reflect(database_schema.open_database(str(bank))) == database_schema.reflect(
        database_schema.open_database(postgres)
    )


def test_a_locked_database_is_an_error_and_stays_as_it_is(bank):
    holder = sqlite3.connect(bank)
    holder.execute("PRAGMA locking_mode = EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(InputError, match="locked"):
        database_schema.open_database(str(bank), seconds=0.2)
    holder.close()


def test_a_query_that_takes_too_long_is_stopped(bank):
    endless = "SELECT count(*) FROM " + ", ".join(f"accounts {letter}" for letter in "abcdefghijklmno")
    with (
        pytest.raises(database_schema.Unanswered, match="interrupted"),
        database_schema.reading(database_schema.open_database(str(bank), seconds=0.1)) as connection,
    ):
        database_schema.rows(connection, endless, {}, 1)


def test_a_query_that_takes_too_long_is_stopped_by_the_server(postgres):
    with (
        pytest.raises(database_schema.Unanswered, match="statement timeout"),
        database_schema.reading(database_schema.open_database(postgres, seconds=0.1)) as connection,
    ):
        database_schema.rows(connection, "SELECT pg_sleep(3)", {}, 1)


@pytest.mark.parametrize(("url", "error", "words"), [
    ("nowhere.db", InputError, "no such database"),
    ("oracle+none://x", ParameterError, "cannot be opened"),
    ("://", ParameterError, "cannot be opened"),
    ("postgresql+psycopg://u:secret@127.0.0.1:9/x", InputError, "cannot be read"),
])  # fmt: skip
def test_what_cannot_be_opened(url, error, words):
    with pytest.raises(error, match=words) as caught:
        database_schema.open_database(url)
    assert "secret" not in str(caught.value)
