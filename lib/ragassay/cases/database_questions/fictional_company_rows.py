"""The rows of a company that does not exist:
every foreign key leads to a row there is (GRAMMAR appendix F)."""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ragassay.cases.database_questions.database_schema import (
    DATE,
    NUMBER,
    TEXT,
    TRUTH,
    Column,
    Link,
    Schema,
    Table,
)
from ragassay.cases.database_questions.template_files import noun


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
    "ba",
    "cor",
    "del",
    "fen",
    "gro",
    "hal",
    "ister",
    "jun",
    "kel",
    "lor",
    "mav",
    "nor",
    "ost",
    "pel",
    "quin",
    "rus",
    "sten",
    "tor",
    "ul",
    "vex",
    "wen",
    "yar",
    "zel",
)
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
