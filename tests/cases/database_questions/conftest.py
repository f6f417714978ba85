"""A small bank in SQLite and in a PostgreSQL of its own, started from Debian's package where it is installed."""

import os
import shutil
import sqlite3
import subprocess
import tempfile
from pathlib import Path

import pytest

SCHEMA = (
    "CREATE TABLE branches (branch_id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT)",
    """CREATE TABLE accounts (account_id INTEGER PRIMARY KEY, product_name TEXT NOT NULL, monthly_fee NUMERIC(6, 2), opened DATE,
       branch_id INTEGER REFERENCES branches (branch_id))""",
    "CREATE TABLE clerks (clerk_id INTEGER PRIMARY KEY, name TEXT, desk TEXT)",
    """CREATE TABLE postings (clerk_id INTEGER REFERENCES clerks (clerk_id), branch_id INTEGER REFERENCES branches (branch_id),
       since INTEGER, PRIMARY KEY (clerk_id, branch_id))""",
)
ROWS = (
    "INSERT INTO branches VALUES (1, 'Harbour', 'Ostend'), (2, 'Old Mill', 'Ghent'), (3, 'Station', 'Ghent')",
    """INSERT INTO accounts VALUES (1, 'Quay', 3.50, '2024-02-01', 1), (2, 'Lagoon', 0, '2023-05-09', 2), (3, 'Delta', NULL, '2022-12-30', 2),
       (4, 'Delta', 9.00, '2021-01-04', 3)""",
    "INSERT INTO clerks VALUES (1, 'Ines Roth', 'loans'), (2, 'Odd O''Hara', '[branches.name]')",
    "INSERT INTO postings VALUES (1, 1, 2019), (2, 2, 2021), (1, 3, 2023)",
)


def make_sqlite(path: Path, *statements: str) -> Path:
    connection = sqlite3.connect(path)
    with connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()
    return path


@pytest.fixture
def bank(tmp_path) -> Path:
    return make_sqlite(tmp_path / "bank.db", *SCHEMA, *ROWS)


@pytest.fixture
def known(bank):
    """The bank's schema."""
    from ragassay.cases.database_questions.database import open_database

    return open_database(str(bank))[1]


@pytest.fixture(scope="session")
def postgres() -> str:
    """The URL of a server that listens on a socket in a folder of its own; it is gone after the tests."""
    import psycopg

    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    found = shutil.which("initdb") or (installed[-1] if installed else None)
    if found is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    programs = Path(found).resolve().parent
    folder = Path(tempfile.mkdtemp(prefix="ragassay-pg-", dir="/tmp"))
    who = {}
    if os.getuid() == 0:
        who = {"user": "postgres"}
        shutil.chown(folder, "postgres")

    def call(*command) -> None:
        subprocess.run(
            list(map(str, command)), cwd=folder, capture_output=True, check=True, timeout=120, **who
        )

    try:
        call(programs / "initdb", "-D", "data", *"-U postgres -A trust --no-sync -E UTF8".split())
        options = f"-c listen_addresses='' -c fsync=off -k {folder}"
        call(programs / "pg_ctl", *"-D data -w -l log -o".split(), options, "start")
        with psycopg.connect(host=str(folder), user="postgres", dbname="postgres", autocommit=True) as server:
            for statement in (*SCHEMA, *ROWS, "CREATE SEQUENCE counter"):
                server.execute(statement)
        yield f"postgresql+psycopg://postgres@/postgres?host={folder}"
    finally:
        call(programs / "pg_ctl", "-D", folder / "data", "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)
