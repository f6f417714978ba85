"""A database as it describes itself: tables, columns, keys;
never a row of data (GRAMMAR section 3.1 and appendix A)."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy import Engine

TEXT, NUMBER, DATE, TRUTH, OTHER = "text", "number", "date", "truth", "other"
SURROGATE = re.compile(r"(?:^|_)(?:id|uuid|guid|key|pk|fk|rowid|oid|hash)$", re.IGNORECASE)
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
NAMING = re.compile(r"(?:^|_)(?:name|title|label|code|number|no|email|iban|symbol|reference)$", re.IGNORECASE)


@dataclass(frozen=True)
class Column:
    """A column: `kind` is text, number, date, truth or other;
    `surrogate` marks keys that mean nothing to a person."""

    table: str
    name: str
    kind: str
    surrogate: bool

    @property
    def descriptive(self) -> bool:
        """Whether people would ask for it, or by it (GRAMMAR B.1)."""
        return not self.surrogate and self.kind != OTHER

    @property
    def names_its_row(self) -> bool:
        """Whether its values look like names or codes by which people know a row."""
        return self.kind == TEXT and NAMING.search(CAMEL.sub("_", self.name)) is not None


@dataclass(frozen=True)
class Link:
    """A foreign key: the columns of a table that refer to those of another."""

    table: str
    columns: tuple[str, ...]
    other: str
    others: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A table or view with its columns in their order, and the links that start from it."""

    name: str
    columns: tuple[Column, ...]
    links: tuple[Link, ...] = ()

    def column(self, name: str) -> Column | None:
        """The column of this name in any case."""
        return next((one for one in self.columns if one.name.lower() == name.lower()), None)


@dataclass(frozen=True)
class Schema:
    """The tables of a database, by name."""

    tables: tuple[Table, ...]

    def table(self, name: str) -> Table | None:
        """The table of this name in any case."""
        return next((one for one in self.tables if one.name.lower() == name.lower()), None)

    def column(self, table: str, name: str) -> Column | None:
        """The column `table.name` in any case, None if there is none."""
        found = self.table(table)
        return found.column(name) if found else None


def reflect(engine: "Engine") -> Schema:
    """The schema of the default namespace, tables in the order of their names."""
    from sqlalchemy import inspect

    inspector = inspect(engine)
    names = sorted({*inspector.get_table_names(), *inspector.get_view_names()})
    return Schema(tuple(_table(inspector, name) for name in names))


def _table(inspector, name: str) -> Table:
    links = tuple(
        Link(name, tuple(key["constrained_columns"]), key["referred_table"], tuple(key["referred_columns"]))
        for key in inspector.get_foreign_keys(name)
        if key["constrained_columns"] and key["referred_columns"]
    )
    referring = {column for link in links for column in link.columns}
    primary = set(inspector.get_pk_constraint(name).get("constrained_columns") or ())
    columns = [(column["name"], _kind(column["type"])) for column in inspector.get_columns(name)]
    found = tuple(
        Column(name, column, kind, _is_surrogate(column, kind, primary, referring))
        for column, kind in columns
    )
    return Table(name, found, tuple(sorted(links, key=lambda link: (link.other, link.columns))))


def _kind(of_type: object) -> str:
    from sqlalchemy import types

    kinds = (
        (types.Boolean, TRUTH),
        (types.Numeric, NUMBER),
        (types.Float, NUMBER),
        (types.Integer, NUMBER),
        (types.String, TEXT),
    )
    dates = (types.Date, types.DateTime, types.Time)
    return next(
        (kind for one, kind in kinds if isinstance(of_type, one)),
        DATE if isinstance(of_type, dates) else OTHER,
    )


def _is_surrogate(name: str, kind: str, primary: set[str], referring: set[str]) -> bool:
    numbered = primary == {name} and kind == NUMBER
    return numbered or name in referring or SURROGATE.search(CAMEL.sub("_", name)) is not None
