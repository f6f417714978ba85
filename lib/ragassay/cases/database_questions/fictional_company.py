"""A made-up company: a database of facts no model can have seen, and the documents that state them (GRAMMAR 4
and appendix F).

Names are built from syllables, figures and dates are drawn, every row of a table that describes something
becomes a document, and every fact is stated in it word for word as the database holds it. What a link table
says stands in the documents of both rows it links.
"""

import random
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ragassay.cases.database_questions.database_schema import (
    DATE,
    NUMBER,
    SURROGATE,
    TEXT,
    TRUTH,
    Column,
    Link,
    Schema,
    Table,
)
from ragassay.cases.database_questions.fictional_company_rows import (
    BANK,
    Company,
    between,
    draw_company,
    naming_column,
)
from ragassay.cases.database_questions.template_files import in_words, noun
from ragassay.cases.database_questions.template_filling import format_value
from ragassay.errors import ParameterError

MOST_ROWS = 2_000
TYPES = {
    TEXT: "TEXT",
    NUMBER: "NUMERIC",
    DATE: "DATE",
    TRUTH: "TEXT",
}  # yes and no are stored as words, as the documents state them


@dataclass(frozen=True)
class MadeUp:
    """Where the database and the documents are, the company's name,
    and how many facts the documents state."""

    company: str
    database: Path
    documents: Path
    facts: int


def make_up_company(folder: Path, schema: Schema = BANK, *, rows: int = 12, seed: int = 0) -> MadeUp:
    """Make a company up: `folder/knowledge.db` and `folder/documents/*.md`; the same seed and schema give the
    same bytes of every document.

    Parameters
    ----------
    folder : is created; must not hold a knowledge base yet
    schema : BANK, or that of a database of yours (`database_schema.reflect`): its tables and columns are
        used, never its rows
    rows : of every table, 1 to MOST_ROWS; a link table gets as many

    Raises
    ------
    ParameterError
        If there is a knowledge base already, `rows` is out of range, or no table has a column that means
        something.
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
    company = draw_company(schema, rows, draw)
    _store(path, company)
    return MadeUp(company.name, path, documents, write_documents(documents, company, draw))


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
    columns = [f"{_quoted(one.name)} {_sql_type(one)}" for one in table.columns]
    own = [one.name for one in table.columns if one.surrogate and one.name not in linking]
    columns += [f"PRIMARY KEY ({_names(own)})"] if own else []
    columns += [
        f"FOREIGN KEY ({_names(one.columns)}) REFERENCES {_quoted(one.other)} ({_names(one.others)})"
        for one in table.links
    ]
    return f"CREATE TABLE {_quoted(table.name)} ({', '.join(columns)})"


def _sql_type(column: Column) -> str:
    number = column.surrogate and column.kind != TEXT
    return "INTEGER" if number else TYPES.get(column.kind, "TEXT")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _names(columns: Sequence[str]) -> str:
    return ", ".join(map(_quoted, columns))


STATED = (
    "The {what} of {who} is {value}.",
    "{Who} has {article} {what} of {value}.",
    "As registered, the {what} of {who} is {value}.",
    "For {who}, the {what} is {value}.",
)
WHETHER = (
    "Under '{what}', the record of {who} says {value}.",
    "The record of {who} says {value} under '{what}'.",
)
BELONGS = ("{Who} belongs to the {other}.", "The {role} of {who} is the {other}.")
LONGEST_NAME = 60  # characters of a table's name in that of a file


def write_documents(folder: Path, company: Company, draw: random.Random) -> int:
    """Write a document for every row; how many facts they state.

    A table that only links others has none: what it says stands in the documents of the rows it links.
    """
    stated, taken = 0, set()
    for place, table in enumerate(company.schema.tables):
        if naming_column(table) is None and (
            len(table.links) > 1 or not any(column.descriptive for column in table.columns)
        ):
            continue
        stem = in_words(table.name).replace(" ", "-").lower()[:LONGEST_NAME] or "table"
        stem = f"{stem}-t{place}" if stem in taken else stem
        taken.add(stem)
        for number in range(company.rows):
            facts = _facts(company, table, number, draw)
            (folder / f"{stem}-{number + 1:04d}.md").write_text(
                _title(company, table, number) + "\n\n".join(facts) + "\n", encoding="utf-8"
            )
            stated += len(facts)
    return stated


def _title(company: Company, table: Table, number: int) -> str:
    kind, name = noun(table.name), company.known_as(table, number)
    subject = name if naming_column(table) else f"The {kind} {name}"
    return f"# The {kind} {name}\n\n{subject} is {_article(kind)} {kind} of {company.name}.\n\n"


def _facts(company: Company, table: Table, number: int, draw: random.Random) -> list[str]:
    who = f"the {noun(table.name)} {company.known_as(table, number)}"
    naming, row = naming_column(table), company.data[table.name][number]
    own = [
        _own(column, who, format_value(row[column.name]), draw)
        for column in table.columns
        if column.descriptive and column is not naming
    ]
    led = [
        _led(link, who, other, draw) for link in table.links if (other := company.met(table, link, number))
    ]
    told = [_between(company, other, mine, number, who) for other, mine in between(company.schema, table)]
    return own + led + told


def _own(column: Column, who: str, value: str, draw: random.Random) -> str:
    what = in_words(column.name)
    words = {
        "what": what,
        "article": _article(what),
        "who": who,
        "Who": who[:1].upper() + who[1:],
        "value": value,
    }
    return draw.choice(WHETHER if column.kind == TRUTH else STATED).format(**words)


def _led(link: Link, who: str, other: str, draw: random.Random) -> str:
    """`The manager of the clerk A is the clerk B.`: the role is the column's name without its id."""
    role = in_words(SURROGATE.sub("", link.columns[0])) if len(link.columns) == 1 else ""
    plain = not role or role == noun(link.other)
    said = draw.choice(BELONGS) if plain else BELONGS[1]
    return said.format(who=who, Who=who[:1].upper() + who[1:], other=other, role=role or noun(link.other))


def _between(company: Company, table: Table, mine: Link, number: int, who: str) -> str:
    """What the row of a linking table says of the row `number` that its link `mine` leads to."""
    at, kind = company.leading_to(mine, table, number), noun(table.name)
    row = company.data[table.name][at]
    others = [
        f"the {met}" for link in table.links if link is not mine and (met := company.met(table, link, at))
    ]
    named = f" {company.known_as(table, at)}" if naming_column(table) else ""
    told = [f"the {in_words(column.name)} is {format_value(row[column.name])}" for column in _told(table)]
    links = (
        f"{_article(kind).capitalize()} {kind}{named} links {who} with "
        f"{' and '.join(others) or 'nothing else'}"
    )
    return links + (f"; its record says that {' and '.join(told)}." if told else ".")


def _told(table: Table) -> list[Column]:
    return [column for column in table.columns if column.descriptive and column is not naming_column(table)]


def _article(word: str) -> str:
    return "an" if word[:1].lower() in "aeiou" else "a"
