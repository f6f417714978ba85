"""A made-up company: a database of facts no model can have seen, and the documents that state them (GRAMMAR 4
and appendix F).

Names are built from syllables, figures and dates are drawn, every row of a table that describes something
becomes a document, and every fact is stated in it word for word as the database holds it. What a link table
says stands in the documents of both rows it links.
"""

import random
import re
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
from ragassay.cases.database_questions.template_files import in_words, noun
from ragassay.cases.database_questions.template_filling import format_value
from ragassay.errors import ParameterError


def _table(
    name: str, columns: Sequence[tuple[str, str]], key: str = "", links: Sequence[tuple[str, str]] = ()
) -> Table:
    surrogate = {key, *(column for column, _ in links)}
    found = tuple(Column(name, column, kind, column in surrogate) for column, kind in columns)
    return Table(name, found, tuple(Link(name, (column,), other, (column,)) for column, other in links))


BANK = Schema(
    (
        _table(
            "branches",
            [
                ("branch_id", NUMBER),
                ("name", TEXT),
                ("city", TEXT),
                ("opening_date", DATE),
                ("number_of_counters", NUMBER),
            ],
            "branch_id",
        ),
        _table(
            "products",
            [
                ("product_id", NUMBER),
                ("name", TEXT),
                ("kind", TEXT),
                ("monthly_fee", NUMBER),
                ("annual_rate", NUMBER),
                ("notice_period_in_days", NUMBER),
            ],
            "product_id",
        ),
        _table(
            "advisers",
            [("adviser_id", NUMBER), ("name", TEXT), ("speciality", TEXT), ("joining_year", NUMBER)],
            "adviser_id",
        ),
        _table(
            "postings",
            [("adviser_id", NUMBER), ("branch_id", NUMBER), ("starting_year", NUMBER)],
            links=[("adviser_id", "advisers"), ("branch_id", "branches")],
        ),
    )
)

Row = dict[str, Any]


@dataclass(frozen=True)
class Company:
    """A name, a schema, and as many rows of every table."""

    name: str
    schema: Schema
    rows: int
    data: dict[str, list[Row]]

    def known_as(self, table: Table, number: int) -> str:
        """What people call a row: its name where its table has a column of names, else its number."""
        naming = naming_column(table)
        return str(self.data[table.name][number][naming.name]) if naming else f"number {number + 1}"

    def met(self, table: Table, link: Link, number: int) -> str:
        """The row that a link of this row leads to, as `branch Harbour`; "" where it leads nowhere."""
        other = self.schema.table(link.other)
        return (
            ""
            if other is None or _alone(table, link, self.rows)
            else f"{noun(other.name)} {self.known_as(other, linked_row(table, link, number, self.rows))}"
        )

    def leading_to(self, link: Link, table: Table, number: int) -> int:
        """The row of `table` whose `link` leads to row `number`:
        the inverse of `led`, so that there is exactly one."""
        return (number - _shift(table, link, self.rows)) % self.rows


def naming_column(table: Table) -> Column | None:
    """The column by which people know the rows, if there is one."""
    return next((column for column in table.columns if column.names_its_row), None)


def linked_row(table: Table, link: Link, number: int, rows: int) -> int:
    """The row of the other table that row `number` leads to."""
    return (number + _shift(table, link, rows)) % rows


def _shift(table: Table, link: Link, rows: int) -> int:
    """Each link of a table leads to other rows than the one before it, and none to the row it starts from."""
    shift = max(0, 4 * table.links.index(link) - 1)
    return shift + 1 if link.other == table.name and shift % rows == 0 else shift


def _alone(table: Table, link: Link, rows: int) -> bool:
    """Whether the row could only lead to itself."""
    return rows == 1 and link.other == table.name


def draw_company(schema: Schema, rows: int, draw: random.Random) -> Company:
    """Rows drawn; what names a row is never used twice, in no table, nor is the company's own name."""
    used: set[str] = set()
    name = made_up_name(draw, used)
    data = {
        table.name: [_row(table, number, draw, used) for number in range(rows)] for table in schema.tables
    }
    for _ in schema.tables:  # a key may itself be led elsewhere: as many rounds as a chain can be long
        changed = [
            _led_on(data, table, link, rows)
            for table in schema.tables
            for link in table.links
            if link.other in data
        ]
        if not any(changed):
            break
    return Company(name, schema, rows, data)


def _row(table: Table, number: int, draw: random.Random, used: set[str]) -> Row:
    return {
        column.name: number + 1 if column.surrogate else made_up_value(column, draw, used)
        for column in table.columns
    }


def _led_on(data: dict[str, list[Row]], table: Table, link: Link, rows: int) -> bool:
    """Give the link's columns the values they refer to; whether any was another before."""
    before = [[row[here] for here in link.columns] for row in data[table.name]]
    targets = [data[link.other][linked_row(table, link, number, rows)] for number in range(rows)]
    after = [
        [None if _alone(table, link, rows) else target[there] for there in link.others] for target in targets
    ]
    for row, values in zip(data[table.name], after, strict=True):
        row.update(zip(link.columns, values, strict=True))
    return before != after


def between(schema: Schema, table: Table) -> Iterator[tuple[Table, Link]]:
    """The tables that link this one with others, each with the link by which they do."""
    for one in schema.tables:
        if len(one.links) > 1:
            yield from ((one, link) for link in one.links if link.other == table.name)


SYLLABLES = (
    "ba", "cor", "del", "fen", "gro", "hal", "ister", "jun", "kel", "lor", "mav", "nor",
    "ost", "pel", "quin", "rus", "sten", "tor", "ul", "vex", "wen", "yar", "zel",
)  # fmt: skip
ENDINGS = ("a", "en", "ick", "mar", "o", "ton", "und", "worth")
KINDS = ("corporate", "private", "seasonal", "regional", "standard", "preferred", "limited", "general")


def made_up_value(column: Column, draw: random.Random, used: set[str]) -> Any:
    """A value of the column's kind, fit for its name where that is plain; names go into `used`."""
    name = column.name.lower()
    if column.kind == DATE:
        return f"{draw.randint(1961, 2024)}-{draw.randint(1, 12):02d}-{draw.randint(1, 28):02d}"
    if column.kind == TRUTH:
        return draw.choice(("yes", "no"))
    if column.kind == NUMBER:
        return _figure(name, draw)
    if column.names_its_row or re.search(r"city|town|street|country|headquarters", name):
        return made_up_name(draw, used)
    return f"{draw.choice(KINDS)} {draw.choice(SYLLABLES)}{draw.choice(SYLLABLES)}{draw.choice(ENDINGS)}"


def _figure(name: str, draw: random.Random) -> int | float:
    if "year" in name:
        return draw.randint(1961, 2024)
    if re.search(r"(?:^|_)age$|number|count|days|months|floors", name):
        return draw.randint(2, 90)
    return (
        draw.randint(5, 1_995) / 100
        if re.search(r"rate|percent|share", name)
        else draw.randint(100, 99_999) / 100
    )


def made_up_name(draw: random.Random, used: set[str]) -> str:
    """A name nobody bears, not used before."""
    while True:
        made = (draw.choice(SYLLABLES) + draw.choice(SYLLABLES) + draw.choice(ENDINGS)).capitalize()
        name = (
            made
            if made not in used
            else f"{made} {draw.choice(SYLLABLES).capitalize()}{draw.choice(ENDINGS)}"
        )
        if name not in used:
            used.add(name)
            return name


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
