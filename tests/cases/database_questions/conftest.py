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


@pytest.fixture
def bank(tmp_path) -> Path:
    path = tmp_path / "bank.db"
    with sqlite3.connect(path) as connection:
        for statement in (*SCHEMA, *ROWS):
            connection.execute(statement)
    connection.close()
    return path


def programs() -> Path | None:
    """The folder of PostgreSQL's programs."""
    found = shutil.which("initdb")
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return Path(found).resolve().parent if found else installed[-1].parent if installed else None


@pytest.fixture(scope="session")
def postgres() -> str:
    """The URL of a server that listens on a socket in a folder of its own; it is gone after the tests."""
    place = programs()
    if place is None or (os.name == "posix" and os.getuid() == 0 and not has_user("postgres")):
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    folder = Path(tempfile.mkdtemp(prefix="ragassay-pg-", dir="/tmp"))
    who = {"user": "postgres"} if os.getuid() == 0 else {}
    if who:
        shutil.chown(folder, "postgres")
    try:
        call(
            [
                place / "initdb",
                "-D",
                folder / "data",
                "-U",
                "postgres",
                "-A",
                "trust",
                "--no-sync",
                "-E",
                "UTF8",
            ],
            folder,
            who,
        )
        options = f"-c listen_addresses='' -c fsync=off -k {folder}"
        call(
            [place / "pg_ctl", "-D", folder / "data", "-w", "-l", folder / "log", "-o", options, "start"],
            folder,
            who,
        )
        fill(str(folder))
        yield f"postgresql+psycopg://postgres@/postgres?host={folder}"
    finally:
        subprocess.run(
            [place / "pg_ctl", "-D", folder / "data", "-m", "immediate", "stop"],
            cwd=folder,
            capture_output=True,
            check=False,
            **who,
        )
        shutil.rmtree(folder, ignore_errors=True)


def has_user(name: str) -> bool:
    import pwd

    return any(entry.pw_name == name for entry in pwd.getpwall())


def call(command: list, folder: Path, who: dict) -> None:
    subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
        timeout=120,
        **who,
    )


def fill(folder: str) -> None:
    import psycopg

    with psycopg.connect(host=folder, user="postgres", dbname="postgres", autocommit=True) as connection:
        for statement in (*SCHEMA, *ROWS, "CREATE SEQUENCE counter"):
            connection.execute(statement)
