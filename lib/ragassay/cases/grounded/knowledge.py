"""A made-up company: a database of facts no model can have seen, and the documents that state them (GRAMMAR 4 and appendix F).

Names are built from syllables, figures and dates are drawn, every row of a table that describes something becomes a document, and every fact is
stated in it word for word as the database holds it. What a link table says stands in the documents of both rows it links.
"""

import random
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ragassay.cases.grounded.company import Company, made
from ragassay.cases.grounded.schema import DATE, NUMBER, TEXT, TRUTH, Column, Link, Schema, Table
from ragassay.cases.grounded.stated import documents as write_documents
from ragassay.errors import ParameterError

MOST_ROWS = 2_000
TYPES = {
    TEXT: "TEXT",
    NUMBER: "NUMERIC",
    DATE: "DATE",
    TRUTH: "TEXT",
}  # yes and no are stored as words, as the documents state them


def _table(
    name: str, columns: Sequence[tuple[str, str]], key: str = "", links: Sequence[tuple[str, str]] = ()
) -> Table:
    surrogate = {key, *(column for column, _ in links)}
    found = tuple(Column(name, column, kind, column in surrogate) for column, kind in columns)
    return Table(name, found, tuple(Link(name, (column,), other, (column,)) for column, other in links))


BANK = Schema((
    _table("branches", [("branch_id", NUMBER), ("name", TEXT), ("city", TEXT), ("opening_date", DATE), ("number_of_counters", NUMBER)], "branch_id"),
    _table(
        "products",
        [("product_id", NUMBER), ("name", TEXT), ("kind", TEXT), ("monthly_fee", NUMBER), ("annual_rate", NUMBER), ("notice_period_in_days", NUMBER)],
        "product_id",
    ),
    _table("advisers", [("adviser_id", NUMBER), ("name", TEXT), ("speciality", TEXT), ("joining_year", NUMBER)], "adviser_id"),
    _table(
        "postings",
        [("adviser_id", NUMBER), ("branch_id", NUMBER), ("starting_year", NUMBER)],
        links=[("adviser_id", "advisers"), ("branch_id", "branches")],
    ),
))  # fmt: skip


@dataclass(frozen=True)
class Knowledge:
    """Where the database and the documents are, the company's name, and how many facts the documents state."""

    company: str
    database: Path
    documents: Path
    facts: int


def build(folder: Path, schema: Schema = BANK, *, rows: int = 12, seed: int = 0) -> Knowledge:
    """Make a company up: `folder/knowledge.db` and `folder/documents/*.md`; the same seed and schema give the same bytes of every document.

    Parameters
    ----------
    folder : is created; must not hold a knowledge base yet
    schema : BANK, or that of a database of yours (`schema.reflect`): its tables and columns are used, never its rows
    rows : of every table, 1 to MOST_ROWS; a link table gets as many

    Raises
    ------
    ParameterError
        If there is a knowledge base already, `rows` is out of range, or no table has a column that means something.
    """
    if not 1 <= rows <= MOST_ROWS or not any(
        column.descriptive for table in schema.tables for column in table.columns
    ):
        raise ParameterError(
            "rows must be 1 to 2,000, and the schema must have a column that means something", found=rows
        )
    path, documents = folder / "knowledge.db", folder / "documents"
    if path.exists() or documents.exists():
        raise ParameterError("there is a knowledge base already", where=folder, do="name another folder")
    documents.mkdir(parents=True)
    draw = random.Random(seed)
    company = made(schema, rows, draw)
    _store(path, company)
    return Knowledge(company.name, path, documents, write_documents(documents, company, draw))


def _store(path: Path, company: Company) -> None:
    connection = sqlite3.connect(path)
    with connection:
        for table in company.schema.tables:
            connection.execute(_created(table))
            columns = [column.name for column in table.columns]
            marks = ", ".join("?" * len(columns))
            values = [[row[one] for one in columns] for row in company.data[table.name]]
            connection.executemany(f"INSERT INTO {_quoted(table.name)} VALUES ({marks})", values)
    connection.close()


def _created(table: Table) -> str:
    linking = {column for link in table.links for column in link.columns}
    columns = [
        f"{_quoted(one.name)} {'INTEGER' if one.surrogate and one.kind != TEXT else TYPES.get(one.kind, 'TEXT')}"
        for one in table.columns
    ]
    own = [one.name for one in table.columns if one.surrogate and one.name not in linking]
    columns += [f"PRIMARY KEY ({_names(own)})"] if own else []
    columns += [
        f"FOREIGN KEY ({_names(one.columns)}) REFERENCES {_quoted(one.other)} ({_names(one.others)})"
        for one in table.links
    ]
    return f"CREATE TABLE {_quoted(table.name)} ({', '.join(columns)})"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _names(columns: Sequence[str]) -> str:
    return ", ".join(map(_quoted, columns))
