"""The bundled example: Alder Quay Bank, a fictional retail bank, with everything needed to validate an assistant end to end.

    documents/     the bank's documents, written for this project: terms, fees, procedures, policies in two versions, two in Spanish and Portuguese
    bank.sql       the facts that the documents state: branches, employees, products, fees
    questions/     questions of customers and staff, with the quotations that answer them; some the documents do not answer
    assistant.py   the system under test: a real extractive assistant over the documents
    labels.csv     the maintainers' judgements of its answers

Nobody and nothing in it is real.
"""

import shutil
import sqlite3
from pathlib import Path

from ragassay.errors import InputError

HERE = Path(__file__).parent
PARTS = ("documents", "questions", "labels.csv")


def database(path: str | Path = ":memory:") -> sqlite3.Connection:
    """The bank's facts as a SQLite database, in memory or in a new file."""
    connection = sqlite3.connect(path)
    connection.executescript((HERE / "bank.sql").read_text(encoding="utf-8"))
    return connection


def copy_to(folder: str | Path) -> Path:
    """Write the example into a new or empty folder, to look at or to start from: documents, questions, labels and bank.sqlite.

    Raises
    ------
    InputError
        If the folder holds something already.
    """
    target = Path(folder)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise InputError(
            "the folder for the example is not empty",
            where=target,
            do="name a folder that does not exist yet",
        )
    target.mkdir(parents=True, exist_ok=True)
    for part in (HERE / name for name in PARTS):
        if part.is_dir():
            shutil.copytree(part, target / part.name)
        elif part.exists():
            shutil.copy(part, target / part.name)
    database(target / "bank.sqlite").close()
    return target
