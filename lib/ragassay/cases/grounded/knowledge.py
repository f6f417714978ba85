"""A made-up company: a database of facts no model can have seen, and the documents that state them (GRAMMAR 4 and appendix F).

Names are built from syllables, figures and dates are drawn, every row of a table that describes something becomes a document, and every fact is
stated in it word for word as the database holds it. What a link table says stands in the documents of both rows it links.
"""

import random
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragassay.cases.grounded import made_up
from ragassay.cases.grounded.fill import shown
from ragassay.cases.grounded.schema import DATE, NUMBER, TEXT, TRUTH, Column, Link, Schema, Table
from ragassay.cases.grounded.texts import in_words, noun
from ragassay.errors import ParameterError

MOST_ROWS = 2_000
STATED = (
    "The {what} of {who} is {value}.",
    "{Who} has {article} {what} of {value}.",
    "As registered, the {what} of {who} is {value}.",
    "For {who}, the {what} is {value}.",
)
BELONGS = ("{Who} belongs to the {other} {name}.", "The {other} of {who} is {name}.")
TYPES = {TEXT: "TEXT", NUMBER: "NUMERIC", DATE: "DATE", TRUTH: "BOOLEAN"}


def _table(name: str, columns: Sequence[tuple[str, str]], key: str = "", links: Sequence[tuple[str, str]] = ()) -> Table:
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
    if not 1 <= rows <= MOST_ROWS or not any(column.descriptive for table in schema.tables for column in table.columns):
        raise ParameterError("rows must be 1 to 2,000, and the schema must have a column that means something", found=rows)
    path, documents = folder / "knowledge.db", folder / "documents"
    if path.exists() or documents.exists():
        raise ParameterError("there is a knowledge base already", where=folder, do="name another folder")
    documents.mkdir(parents=True)
    draw = random.Random(seed)
    company, data = made_up.word(draw, set()), _rows(schema, rows, draw)
    _store(path, schema, data)
    stated = [_document(documents, schema, data, table, number, company, draw) for table, number in _subjects(schema, data)]
    return Knowledge(company, path, documents, sum(stated))


Data = dict[str, list[dict[str, Any]]]


def _rows(schema: Schema, rows: int, draw: random.Random) -> Data:
    """Rows of every table; what names a row is never used twice, in no table."""
    used: set[str] = set()
    return {table.name: [_row(table, number, rows, draw, used) for number in range(1, rows + 1)] for table in schema.tables}


def _row(table: Table, number: int, rows: int, draw: random.Random, used: set[str]) -> dict[str, Any]:
    """One row: surrogate keys are numbered, foreign keys lead to rows there are, so that no pair of a link table repeats."""
    shift = [0, *(draw.randrange(rows) for _ in table.links[1:])] if len(table.links) < 2 else [0, 3, 7, 11, 13][: len(table.links)]
    keys = {column: (number - 1 + shift[i]) % rows + 1 for i, link in enumerate(table.links) for column in link.columns}
    return {column.name: keys.get(column.name, number) if column.surrogate else made_up.value(column, draw, used) for column in table.columns}


def _store(path: Path, schema: Schema, data: Data) -> None:
    connection = sqlite3.connect(path)
    with connection:
        for table in schema.tables:
            connection.execute(_created(table))
            columns = [column.name for column in table.columns]
            marks = ", ".join("?" * len(columns))
            connection.executemany(f"INSERT INTO {_quoted(table.name)} VALUES ({marks})", [[row[one] for one in columns] for row in data[table.name]])
    connection.close()


def _created(table: Table) -> str:
    linking = {column for link in table.links for column in link.columns}
    columns = [f"{_quoted(one.name)} {'INTEGER' if one.surrogate else TYPES.get(one.kind, 'TEXT')}" for one in table.columns]
    own = [one.name for one in table.columns if one.surrogate and one.name not in linking]
    columns += [f"PRIMARY KEY ({', '.join(map(_quoted, own or sorted(linking)))})"] if own or linking else []
    columns += [f"FOREIGN KEY ({_names(one.columns)}) REFERENCES {_quoted(one.other)} ({_names(one.others)})" for one in table.links]
    return f"CREATE TABLE {_quoted(table.name)} ({', '.join(columns)})"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _names(columns: Sequence[str]) -> str:
    return ", ".join(map(_quoted, columns))


def _subjects(schema: Schema, data: Data) -> Iterator[tuple[Table, int]]:
    """The rows that get a document: those of tables with a name."""
    for table in schema.tables:
        if _naming(table):
            yield from ((table, number) for number in range(len(data[table.name])))


def _naming(table: Table) -> Column | None:
    return next((column for column in table.columns if column.names_its_row), None)


def _document(folder: Path, schema: Schema, data: Data, table: Table, number: int, company: str, draw: random.Random) -> int:
    """Write the document of a row; how many facts it states."""
    row, naming = data[table.name][number], _naming(table)
    assert naming is not None
    name, kind = row[naming.name], noun(table.name)
    facts = [*_own(table, row, naming, kind, draw), *_linked(schema, data, table, row, kind, naming, draw)]
    title = f"# The {kind} {name}\n\n{name} is {_article(kind)} {kind} of {company}.\n\n"
    (folder / f"{in_words(table.name).replace(' ', '-')}-{number + 1:04d}.md").write_text(title + "\n\n".join(facts) + "\n", encoding="utf-8")
    return len(facts)


def _own(table: Table, row: dict[str, Any], naming: Column, kind: str, draw: random.Random) -> Iterator[str]:
    who = f"the {kind} {row[naming.name]}"
    for column in table.columns:
        if column.descriptive and column is not naming:
            what = in_words(column.name)
            words = {"what": what, "article": _article(what), "who": who, "Who": who[:1].upper() + who[1:], "value": shown(row[column.name])}
            yield draw.choice(STATED).format(**words)


def _linked(schema: Schema, data: Data, table: Table, row: dict[str, Any], kind: str, naming: Column, draw: random.Random) -> Iterator[str]:
    """What this row's own links say, and what link tables say of it."""
    who = f"the {kind} {row[naming.name]}"
    for link in table.links:
        other = _met(schema, data, link, row)
        if other:
            yield draw.choice(BELONGS).format(who=who, Who=who[:1].upper() + who[1:], other=noun(link.other), name=other)
    for between in schema.tables:
        mine = next((link for link in between.links if link.other == table.name), None)
        if mine is not None and len(between.links) > 1:
            yield from _between(schema, data, between, mine, row, who)


def _between(schema: Schema, data: Data, between: Table, mine: Link, row: dict[str, Any], who: str) -> Iterator[str]:
    for one in data[between.name]:
        if all(one[here] == row[there] for here, there in zip(mine.columns, mine.others, strict=True)):
            others = [f"the {noun(link.other)} {met}" for link in between.links if link is not mine and (met := _met(schema, data, link, one))]
            told = [f"the {in_words(column.name)} is {shown(one[column.name])}" for column in between.columns if column.descriptive]
            yield f"{_article(noun(between.name)).capitalize()} {noun(between.name)} links {who} with {' and '.join(others)}" + (
                f"; its record says that {' and '.join(told)}." if told else "."
            )


def _article(word: str) -> str:
    return "an" if word[:1].lower() in "aeiou" else "a"


def _met(schema: Schema, data: Data, link: Link, row: dict[str, Any]) -> str:
    """The name of the row that a link leads to."""
    other = schema.table(link.other)
    naming = _naming(other) if other else None
    pairs = list(zip(link.columns, link.others, strict=True))
    found = next((one for one in data.get(link.other, ()) if all(one[there] == row[here] for here, there in pairs)), None)
    return str(found[naming.name]) if found and naming else ""
