"""A fictional bank: a database of facts no model can have seen, and the documents that state them (GRAMMAR 4
and appendix F).

Names are built from syllables, figures and dates are drawn, so that another seed is another bank. A posting
stands in the documents of its adviser and of its office.
"""

import random
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from ragassay.cases.database_questions import format_value
from ragassay.errors import ParameterError

TABLES = {  # table -> its columns: type, and the sentence that states a value
    "offices": {
        "name": ("TEXT", "{name} is an office of {bank}."),
        "city": ("TEXT", "The city of the office {name} is {city}."),
        "opening_date": ("DATE", "The opening date of the office {name} is {opening_date}."),
        "number_of_counters": ("INTEGER", "The office {name} has {number_of_counters} counters."),
    },
    "products": {
        "name": ("TEXT", "{name} is a product of {bank}."),
        "kind": ("TEXT", "The product {name} is of the kind {kind}."),
        "monthly_fee": ("NUMERIC", "The product {name} has a monthly fee of {monthly_fee}."),
        "annual_rate": ("NUMERIC", "The annual rate of the product {name} is {annual_rate}."),
        "notice_in_days": ("INTEGER", "The notice of the product {name} is {notice_in_days} days."),
    },
    "advisers": {
        "name": ("TEXT", "{name} is an adviser of {bank}."),
        "speciality": ("TEXT", "The speciality of the adviser {name} is {speciality}."),
        "joining_year": ("YEAR INTEGER", "For the adviser {name}, the joining year is {joining_year}."),
    },
}
LINKED = """CREATE TABLE postings (adviser_id INTEGER REFERENCES advisers (adviser_id),
office_id INTEGER REFERENCES offices (office_id), starting_year INTEGER)"""
POSTING = "Adviser {adviser} is posted to office {office} since year {starting_year}."
POSTINGS = """
SELECT a.name AS adviser, o.name AS office, p.starting_year FROM postings p
JOIN advisers a ON a.adviser_id = p.adviser_id JOIN offices o ON o.office_id = p.office_id
"""
SYLLABLES = (
    "ba cor del fen gro hal ister jun kel lor mav nor ost pel quin rus sten tor ul vex wen yar zel".split()
)


@dataclass(frozen=True)
class FictionalCompany:
    """Its name, where database and documents are, and how many facts the documents state."""

    name: str
    database: Path
    documents: Path
    facts: int


def make_company(folder: Path, *, rows: int = 12, seed: int = 0) -> FictionalCompany:
    """Write `folder/knowledge.db` and `folder/documents/*.md`; the same seed gives the same bytes of every
    document.

    Parameters
    ----------
    folder : is created; must not hold a knowledge base yet
    rows : of every table, 1 or more

    Raises
    ------
    ParameterError
        If there is a knowledge base already.
    """
    path, documents = folder / "knowledge.db", folder / "documents"
    if path.exists() or documents.exists():
        raise ParameterError("there is a knowledge base already", where=folder, do="name another folder")
    documents.mkdir(parents=True)
    rng = random.Random(seed)
    names = _made_up_names(rng)
    bank, connection = next(names), sqlite3.connect(path)
    with connection:
        for table, columns in TABLES.items():
            declared = ", ".join(f"{name} {kind}" for name, (kind, _) in columns.items())
            connection.execute(f"CREATE TABLE {table} ({table[:-1]}_id INTEGER PRIMARY KEY, {declared})")
            for number in range(1, rows + 1):
                values = [number, *(_draw(kind, names, rng) for kind, _ in columns.values())]
                marks = ", ".join("?" * len(values))
                connection.execute(f"INSERT INTO {table} VALUES ({marks})", values)
        connection.execute(LINKED)
        posted = [(i, 1 + (i + 2) % rows, _draw("YEAR INTEGER", names, rng)) for i in range(1, rows + 1)]
        connection.executemany("INSERT INTO postings VALUES (?, ?, ?)", posted)
    postings = pd.read_sql_query(POSTINGS, connection).to_dict("records")
    facts = 0
    for table, columns in TABLES.items():
        found = pd.read_sql_query(f"SELECT * FROM {table} ORDER BY 1", connection).to_dict("records")
        for number, row in enumerate(found, start=1):
            stated = {name: format_value(value) for name, value in row.items()} | {"bank": bank}
            text = [f"# The {table[:-1]} {row['name']}"]
            text += [sentence.format(**stated) for _, sentence in columns.values()]
            text += [POSTING.format(**posting) for posting in postings if row["name"] in posting.values()]
            (documents / f"{table}-{number:04d}.md").write_text("\n\n".join(text) + "\n", encoding="utf-8")
            facts += len(text) - 2
    connection.close()
    return FictionalCompany(bank, path, documents, facts)


def _made_up_names(rng: random.Random) -> Iterator[str]:
    """Names nobody bears, each once."""
    used: set[str] = set()
    while True:
        name = "".join(rng.choices(SYLLABLES, k=3)).capitalize()
        if name not in used:
            yield name
        used.add(name)


def _draw(kind: str, names: Iterator[str], rng: random.Random) -> str | float:
    if kind == "TEXT":
        return next(names)
    if kind == "DATE":
        return f"{rng.randint(1961, 2024)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
    if kind == "NUMERIC":
        return rng.randint(100, 9_999) / 100
    return rng.randint(1961, 2024) if kind == "YEAR INTEGER" else rng.randint(2, 90)
