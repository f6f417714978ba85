"""A database that is only read, its schema (GRAMMAR 3.1 and appendix A), and the SQL templates put to it: one
SELECT with placeholders `[Table.Column]` each, and their text templates by style: examined, saved, edited by
hand, loaded again (GRAMMAR B.2; decision 12)."""

import json
import logging
import re
import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import sqlglot
from pydantic import BaseModel
from sqlalchemy import (
    Column,
    Connection,
    Engine,
    ForeignKeyConstraint,
    MetaData,
    Table,
    create_engine,
    make_url,
    types,
)
from sqlalchemy import text as as_clause
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import NullPool
from sqlglot import exp
from sqlglot.errors import SqlglotError

from ragassay import output_files
from ragassay.errors import InputError, KitError, ParameterError

TEXT, NUMBER, DATE, TRUTH, OTHER = "text", "number", "date", "truth", "other"
KINDS = {  # of a column's type
    types.String: TEXT,
    types.Integer: NUMBER,
    types.Numeric: NUMBER,
    types.Date: DATE,
    types.DateTime: DATE,
    types.Time: DATE,
    types.Boolean: TRUTH,
}
SURROGATE = re.compile(r"(?:^|_)(?:id|uuid|guid|key|pk|fk|rowid|oid|hash)$", re.IGNORECASE)
NAMING = re.compile(r"(?:^|_)(?:name|title|label|code|number|no|email|iban|symbol|reference)$", re.IGNORECASE)
SECONDS = 30  # a query may take
STEPS = 100_000  # of SQLite's machine between two looks at the clock
DO = "name a database as SQLAlchemy does: sqlite:///bank.db, postgresql+psycopg://user@host/name"
PLACEHOLDER = re.compile(r"'?\[([^\[\].']+)\.([^\[\].']+)\]'?")
STRING = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"")
NOT_ADMITTED = re.compile(r"--|/\*|\*/|[#;\\\0'\"]|:(?!p\d+\b)")  # outside strings
DIALECTS = {"postgresql": "postgres", "mssql": "tsql"}  # SQLAlchemy's name -> sqlglot's, where they differ
FUNCTIONS = frozenset(
    "COUNT SUM AVG MIN MAX LOWER UPPER TRIM ROUND ABS LENGTH COALESCE SUBSTRING CAST CONCAT".split()
)
LONGEST = 10_000  # characters of a template
EXPECTED = '[{"sql": ..., "texts": {style: [text]}}], or {"SQL": [text]}'


def open_database(url: str) -> tuple[Engine, MetaData]:
    """An engine that can only read, and the schema: tables and views of the default namespace with their
    columns and keys; a path to a file is taken for SQLite.

    Raises
    ------
    ParameterError
        If `url` names no database, or a driver that is not installed.
    InputError
        If the database is missing, locked, or no database.
    """
    try:
        parsed = make_url(url if "://" in url else f"sqlite:///{url}")
        options: dict[str, Any] = {"poolclass": NullPool}
        if parsed.get_backend_name() == "sqlite":
            path = Path(parsed.database or "")
            if not path.is_file():
                raise InputError("there is no such database", where=path, found="no file", do=DO)
            options["creator"] = lambda: _read_sqlite(path)
        elif parsed.get_backend_name() == "postgresql":
            limits = f"-c statement_timeout={SECONDS * 1000:.0f} -c lock_timeout={SECONDS * 1000:.0f}"
            written = f"-c default_transaction_read_only=on {limits}"
            options["connect_args"] = {"options": written, "connect_timeout": 10}
        engine = create_engine(parsed, **options)
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError) as problem:
        raise ParameterError("the database cannot be opened", found=problem, do=DO) from None
    schema = MetaData()
    try:
        schema.reflect(engine, views=True, resolve_fks=False)
    except SQLAlchemyError as problem:
        raise InputError(
            "the database cannot be read",
            where=parsed.render_as_string(hide_password=True),
            found=reason_of(problem),
            do="check that it runs, and lets you read",
        ) from None
    return engine, schema


def _read_sqlite(path: Path) -> sqlite3.Connection:
    """A connection that can only read, interrupted when one statement takes longer than it may."""
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=min(SECONDS, 5))
    began = {"at": time.monotonic()}
    connection.set_trace_callback(lambda _: began.update(at=time.monotonic()))
    connection.set_progress_handler(lambda: time.monotonic() - began["at"] > SECONDS, STEPS)
    return connection


def fetch_rows(connection: Connection, sql: str, values: Mapping[str, Any], most: int) -> list[tuple]:
    """The first `most` rows of one examined SELECT, its values bound, never written into the text; an
    SQLAlchemyError if the database refuses the query, is locked or gone, or takes longer than it may."""
    streamed = {"stream_results": True}  # rows come as they are asked for, not all at once
    within = connection.begin_nested() if connection.dialect.name == "postgresql" else nullcontext()
    with within, connection.execute(as_clause(sql), dict(values), execution_options=streamed) as found:
        return [tuple(row) for row in found.fetchmany(most)]


def reason_of(problem: Exception) -> str:
    """The driver's own first line, without the statement."""
    return str(getattr(problem, "orig", problem)).strip().split("\n")[0][:300]


def foreign_keys(table: Table) -> list[ForeignKeyConstraint]:
    """The keys that refer to tables of the schema, by table and columns."""
    known = [
        key
        for key in table.foreign_key_constraints
        if key.elements[0].target_fullname.rpartition(".")[0] in table.metadata.tables
    ]
    return sorted(known, key=lambda key: (key.referred_table.name, key.column_keys))


def column_kind(column: Column) -> str:
    """What a column holds: text, number, date, truth or other."""
    return next((kind for one, kind in KINDS.items() if isinstance(column.type, one)), OTHER)


def is_descriptive(column: Column) -> bool:
    """Whether people would ask for it, or by it: no key that means nothing to a person (GRAMMAR B.1)."""
    kind = column_kind(column)
    numbered = column.primary_key and len(column.table.primary_key) == 1 and kind == NUMBER
    return kind != OTHER and not (numbered or column.foreign_keys or SURROGATE.search(snake(column.name)))


def snake(name: str) -> str:
    """salesInBillion -> sales_In_Billion."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)


@dataclass(frozen=True)
class Template:
    """An examined SQL template and its text templates.

    text : as it was written;   statement : with its placeholders as bound parameters (:p0, :p1)
    placeholders : column -> the name under which its value is bound, in the order of the text
    target : the one column that is selected; None where it is an expression, or there are several
    tables : the tables it reads, in order
    plain : whether it selects one column by columns that equal placeholders: rules can put it into words
    texts : style -> text templates
    """

    text: str
    statement: str
    placeholders: dict[Column, str]
    target: Column | None
    tables: tuple[str, ...]
    plain: bool
    texts: dict[str, list[str]] = field(default_factory=dict)


def placeholder(column: Column) -> str:
    """Where a value of the column goes in a template."""
    return f"[{column.table.name}.{column.name}]"


def column_key(column: Column) -> tuple[str, str]:
    """Table and name of a column, in lower case."""
    return column.table.name.lower(), column.name.lower()


def named_column(match: re.Match[str]) -> tuple[str, str]:
    """Table and column that a match of PLACEHOLDER names, in lower case."""
    return match[1].strip().lower(), match[2].strip().lower()


def parse_template(text: str, schema: MetaData, dialect: str = "sqlite") -> Template:
    """Examine a SQL template.

    Raises
    ------
    InputError
        If it is not one SELECT of nothing but reading, holds a comment or a function not in FUNCTIONS, or
        names a table or column that does not exist; the message says which.
    """
    written = text.strip().rstrip(";").strip()
    if not written or len(text) > LONGEST:
        raise _flaw("an SQL template is empty or too long", text, f"{len(text):,} characters")
    known = {column_key(column): column for table in schema.tables.values() for column in table.columns}
    placeholders: dict[Column, str] = {}  # equal ones share a parameter

    def bind(match: re.Match[str]) -> str:
        column = known.get(named_column(match))
        if column is None:
            raise _flaw("a placeholder names a column that does not exist", written, match[0])
        return f":{placeholders.setdefault(column, f'p{len(placeholders)}')}"

    statement = PLACEHOLDER.sub(bind, written)
    mark = NOT_ADMITTED.search(STRING.sub("", statement))
    if mark:
        raise _flaw("an SQL template holds more than one plain statement", text, mark[0])
    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    try:
        parsed = sqlglot.parse_one(statement, read=DIALECTS.get(dialect, dialect))
    except (SqlglotError, RecursionError, ValueError) as problem:
        raise _flaw(
            "an SQL template cannot be parsed", statement, str(problem).split("\n")[0][:200]
        ) from None
    if type(parsed) is not exp.Select:
        raise _flaw("an SQL template must be one SELECT", statement, parsed.key.upper())
    tables, selected = _read_names(parsed, known, text)
    given = [column for column in placeholders if any(column is other for other in selected)]
    if given:
        raise _flaw("an SQL template asks for what its placeholder gives away", text, placeholder(given[0]))
    target = selected[0] if len(selected) == 1 else None
    names = tuple(dict.fromkeys(table.name for table in tables))
    plain = target is not None and _is_plain(parsed)
    return Template(text.strip(), statement, placeholders, target, names, plain)


def _read_names(
    parsed: Any, known: Mapping[tuple[str, str], Column], text: str
) -> tuple[list[Table], list[Column | None]]:
    """The tables that are read, and the columns that are selected, None for an expression. Nothing may stand
    in the tree that writes, locks, calls code or hides a statement, and what is named must exist."""
    refused = (exp.DML, exp.DDL, exp.Into, exp.Lock, exp.Command, exp.With, exp.Hint, exp.Subquery, exp.Star)
    named = {name: column.table for (name, _), column in known.items()}
    tables: dict[str, Table] = {}  # by alias or name, in lower case
    for node in parsed.walk():
        if node is not parsed and isinstance(node, (*refused, exp.Query)):
            raise _flaw("an SQL template may only select named columns of tables", text, node.sql()[:100])
        if isinstance(node, exp.Func) and not isinstance(node, (exp.Connector, exp.Case, exp.If)):
            name = (node.name if node.key == "anonymous" else node.sql_name()).upper()
            if name not in FUNCTIONS:
                raise _flaw("an SQL template calls a function that is not admitted", text, name)
        if isinstance(node, exp.Table):
            if node.name.lower() not in named or node.args.get("db"):
                raise _flaw("an SQL template reads a table that does not exist", text, node.sql())
            tables[node.alias_or_name.lower()] = named[node.name.lower()]
    if not tables:
        raise _flaw("an SQL template reads no table", text, "no FROM")
    columns: dict[int, Column] = {}
    for node in parsed.find_all(exp.Column):
        among = {table.name.lower() for alias, table in tables.items() if node.table.lower() in ("", alias)}
        found = [known[name, node.name.lower()] for name in among if (name, node.name.lower()) in known]
        if len(found) != 1:
            raise _flaw("an SQL template names a column not in exactly one table", text, node.sql())
        columns[id(node)] = found[0]
    return list(tables.values()), [columns.get(id(node.unalias())) for node in parsed.expressions]


def _is_plain(parsed: Any) -> bool:
    """Whether the WHERE only equates columns with placeholders, and no clause narrows or orders the rows."""
    where = parsed.args.get("where")
    clauses = ("group", "having", "order", "limit", "offset", "distinct")
    if where is None or any(parsed.args.get(name) for name in clauses):
        return False
    terms = where.this.flatten() if isinstance(where.this, exp.And) else [where.this]
    return all(
        isinstance(term, exp.EQ)
        and isinstance(term.left, exp.Column)
        and isinstance(term.right, exp.Placeholder)
        for term in terms
    )


def _flaw(what: str, text: str, found: object) -> InputError:
    return InputError(
        what,
        where=text[:300],
        found=found,
        do="write as in SELECT Rate FROM accounts WHERE Name = '[accounts.Name]'",
    )


def add_texts(template: Template, texts: dict[str, list[str]]) -> Template:
    """The template with these texts; InputError if one does not hold the placeholders of the SQL, each of
    them and no others."""
    wanted = set(map(column_key, template.placeholders))
    for text in (text for values in texts.values() for text in values):
        if {named_column(match) for match in PLACEHOLDER.finditer(text)} != wanted:
            raise InputError(
                "a wording does not hold the placeholders of its SQL template",
                where=template.text,
                found=text,
                expected=", ".join(map(placeholder, template.placeholders)) or "no placeholder",
            )
    return replace(template, texts={style: values for style, values in texts.items() if values})


class Entry(BaseModel):
    """A template as a file holds it."""

    sql: str
    texts: dict[str, list[str]] = {}


def save_templates(path: Path, templates: Sequence[Template]) -> None:
    """Write templates as `load_templates` reads them."""
    rows = [{"sql": one.text, "texts": one.texts} for one in templates]
    output_files.write_text(path, json.dumps(rows, indent=1, ensure_ascii=False) + "\n")


def load_templates(path: Path, schema: MetaData, dialect: str) -> list[Template]:
    """The templates of a file, examined: a list of {"sql": ..., "texts": {style: [text, ...]}}, or {"SQL":
    [text, ...]} as the GRAMMAR authors publish them (the style is what follows `text_` in the file's name).

    Raises
    ------
    InputError
        If the file cannot be read, holds no template, or one is flawed: names the file and which.
    """
    style = path.stem.removeprefix("text_") if path.stem.startswith("text_") else "given"
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(content, dict):
            content = [{"sql": sql, "texts": {style: texts}} for sql, texts in content.items()]
        entries = [Entry.model_validate(entry) for entry in content]
    except (OSError, ValueError) as problem:
        raise InputError(
            "the templates cannot be read", where=path, found=problem, expected=EXPECTED
        ) from None
    if not entries:
        raise InputError("there are no templates", where=path, found="0", expected=EXPECTED)
    templates = []
    for number, entry in enumerate(entries, start=1):
        try:
            templates.append(add_texts(parse_template(entry.sql, schema, dialect), entry.texts))
        except KitError as flaw:
            raise InputError(str(flaw), where=f"{path}, template {number}") from None
    return templates
