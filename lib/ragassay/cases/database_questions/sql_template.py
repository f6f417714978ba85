"""A SQL template: one SELECT with placeholders `[Table.Column]`, examined (GRAMMAR 3.1; decision 12)."""

import logging
import re
from dataclasses import dataclass
from typing import Any

from ragassay.cases.database_questions.database_schema import Column, Schema
from ragassay.errors import InputError

PLACEHOLDER = re.compile(r"'\s*\[([^\[\].']+)\.([^\[\].']+)\]\s*'|\[([^\[\].']+)\.([^\[\].']+)\]")
DIALECTS = {
    "sqlite": "sqlite",
    "postgresql": "postgres",
    "mysql": "mysql",
    "mssql": "tsql",
    "oracle": "oracle",
}
LONGEST = 10_000  # characters of a template
FUNCTIONS = {
    "COUNT",
    "SUM",
    "AVG",
    "MIN",
    "MAX",
    "LOWER",
    "UPPER",
    "TRIM",
    "ROUND",
    "ABS",
    "LENGTH",
    "COALESCE",
    "SUBSTRING",
    "CAST",
    "CONCAT",
}
DO = "write as in SELECT Rate FROM accounts WHERE Name = '[accounts.Name]'"


@dataclass(frozen=True)
class Placeholder:
    """Where a value of a column goes: its text in templates, and the name under which the value is bound."""

    column: Column
    bound: str

    @property
    def written(self) -> str:
        """As it stands in text templates."""
        return f"[{self.column.table}.{self.column.name}]"


@dataclass(frozen=True)
class Template:
    """An examined SQL template.

    text : as it was written;   statement : with its placeholders as bound parameters (:p0, :p1)
    placeholders : in the order of the text, each column once;   selected : what the SELECT projects
    tables : the tables it reads, in order
    plain : whether it only selects one column by columns that equal placeholders: rules can put it into words
    """

    text: str
    statement: str
    placeholders: tuple[Placeholder, ...]
    selected: tuple[Column | str, ...]
    tables: tuple[str, ...]
    plain: bool


def template(text: str, schema: Schema, dialect: str = "sqlite") -> Template:
    """Examine a template.

    Raises
    ------
    InputError
        If it is not one SELECT of nothing but reading, holds a comment or a function not in FUNCTIONS, or
        names a table or column that does not exist; the message says which.
    """
    written = text.strip().rstrip(";").strip()
    if not written or len(text) > LONGEST:
        raise _flaw("an SQL template is empty or too long", text, f"{len(text):,} characters")
    _refuse_comments(written)
    bound, placeholders = _bound(written, schema)
    parsed = _parsed(bound, DIALECTS.get(dialect))
    _refuse_all_but_reading(parsed, text)
    aliases = _aliases(parsed, schema, text)
    _refuse_unknown_columns(parsed, aliases, schema, text)
    selected = tuple(_selected(one, aliases, schema) for one in parsed.expressions)
    _refuse_projected_predicate(selected, placeholders, text)
    plain = _is_plain(parsed) and len(selected) == 1 and isinstance(selected[0], Column)
    return Template(
        text.strip(), bound, placeholders, selected, tuple(dict.fromkeys(aliases.values())), plain
    )


def _bound(written: str, schema: Schema) -> tuple[str, tuple[Placeholder, ...]]:
    """The text with every placeholder as a parameter; equal placeholders share one."""
    found: dict[str, Placeholder] = {}

    def replaced(match: re.Match[str]) -> str:
        table, name = (part.strip() for part in (match[1] or match[3], match[2] or match[4]))
        column = schema.column(table, name)
        if column is None:
            raise _flaw("a placeholder names a column that does not exist", written, f"[{table}.{name}]")
        key = f"{column.table}.{column.name}"
        return f":{found.setdefault(key, Placeholder(column, f'p{len(found)}')).bound}"

    bound = PLACEHOLDER.sub(replaced, written)
    if ":" in re.sub(r":p\d+\b", "", _outside_strings(bound)):
        raise _flaw(
            "an SQL template holds a colon of its own; parameters are written as placeholders", written, ":"
        )
    return bound, tuple(found.values())


def _outside_strings(written: str) -> str:
    return re.sub(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"", "''", written)


def _refuse_comments(written: str) -> None:
    bare = _outside_strings(written)
    mark = next((mark for mark in ("--", "/*", "*/", "#", "\\", ";", "\0") if mark in bare), None)
    if mark or bare.count("'") % 2 or bare.count('"') % 2:
        what = "an SQL template holds a comment, second statement or open quotation mark"
        raise _flaw(what, written, mark or "an odd number of quotation marks")


def _parsed(written: str, dialect: str | None) -> Any:
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    try:
        statements = [one for one in sqlglot.parse(written, read=dialect) if one is not None]
    except (SqlglotError, RecursionError) as problem:
        raise _flaw("an SQL template cannot be parsed", written, str(problem).split("\n")[0][:200]) from None
    if len(statements) != 1 or type(statements[0]) is not exp.Select:
        kinds = ", ".join(one.key.upper() for one in statements)
        raise _flaw("an SQL template must be one SELECT", written, kinds or "nothing")
    return statements[0]


def _refuse_all_but_reading(parsed: Any, text: str) -> None:
    """Nothing may stand in the tree that writes, locks, calls code or hides a statement."""
    from sqlglot import exp

    writing, plain = (
        (exp.DML, exp.DDL, exp.Into, exp.Lock, exp.Command, exp.With, exp.Hint),
        (exp.Connector, exp.Case, exp.If),
    )
    for node in parsed.walk():
        if isinstance(node, writing) and not isinstance(node, exp.Query):
            raise _flaw("an SQL template may only read", text, node.key.upper())
        if isinstance(node, (exp.Query, exp.Subquery)) and node is not parsed:
            raise _flaw("an SQL template may not hold a query within a query", text, node.sql()[:100])
        if isinstance(node, exp.Func) and not isinstance(node, plain) and _called(node) not in FUNCTIONS:
            raise _flaw("an SQL template calls a function that is not admitted", text, _called(node))
        if node.comments:
            raise _flaw("an SQL template holds a comment", text, node.comments[0])


def _called(node: Any) -> str:
    return (node.name or node.sql_name()).upper() if node.key == "anonymous" else node.sql_name().upper()


def _aliases(parsed: Any, schema: Schema, text: str) -> dict[str, str]:
    """Alias or name, in lower case -> table, of every table that is read."""
    from sqlglot import exp

    found = {}
    for node in parsed.find_all(exp.Table):
        table = schema.table(node.name)
        if table is None or node.args.get("db"):
            raise _flaw("an SQL template reads a table that does not exist", text, node.sql())
        found[node.alias_or_name.lower()] = table.name
    if not found:
        raise _flaw("an SQL template reads no table", text, "no FROM")
    return found


def _refuse_unknown_columns(parsed: Any, aliases: dict[str, str], schema: Schema, text: str) -> None:
    from sqlglot import exp

    if parsed.find(exp.Star):
        raise _flaw("an SQL template selects all columns; name the one that answers", text, "*")
    for node in parsed.find_all(exp.Column):
        if _column(node, aliases, schema) is None:
            raise _flaw(
                "an SQL template names a column that does not exist, or exists in two of its tables",
                text,
                node.sql(),
            )


def _column(node: Any, aliases: dict[str, str], schema: Schema) -> Column | None:
    if node.table:
        return schema.column(aliases.get(node.table.lower(), ""), node.name)
    found = [
        column
        for table in dict.fromkeys(aliases.values())
        if (column := schema.column(table, node.name)) is not None
    ]
    return found[0] if len(found) == 1 else None


def _selected(node: Any, aliases: dict[str, str], schema: Schema) -> Column | str:
    from sqlglot import exp

    bare = node.unalias()
    found = _column(bare, aliases, schema) if isinstance(bare, exp.Column) else None
    return found or node.sql()


def _refuse_projected_predicate(
    selected: tuple[Column | str, ...], placeholders: tuple[Placeholder, ...], text: str
) -> None:
    for one in placeholders:
        if one.column in selected:
            raise _flaw("an SQL template asks for what its placeholder gives away", text, one.written)


def _is_plain(parsed: Any) -> bool:
    """Whether the WHERE only equates columns with placeholders, and no clause narrows or orders the rows."""
    from sqlglot import exp

    where = _part(parsed, "where")
    if where is None or any(
        _part(parsed, name) for name in ("group", "having", "order", "limit", "offset", "distinct")
    ):
        return False
    terms = where.this.flatten() if isinstance(where.this, exp.And) else [where.this]
    return all(
        isinstance(one, exp.EQ)
        and isinstance(one.left, exp.Column)
        and isinstance(one.right, exp.Placeholder)
        for one in terms
    )


def _part(parsed: Any, name: str) -> Any:
    return parsed.args.get(name) or parsed.args.get(f"{name}_")


def _flaw(what: str, text: str, found: object) -> InputError:
    return InputError(what, where=text[:300], found=found, do=DO)
