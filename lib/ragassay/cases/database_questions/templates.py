"""SQL templates, one SELECT with placeholders `[Table.Column]` each, and their text templates by style:
examined, saved, edited by hand, loaded again (GRAMMAR 3.1 and B.2; decision 12)."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from ragassay import output_files
from ragassay.cases.database_questions.database import find_column, find_table
from ragassay.errors import InputError, KitError

if TYPE_CHECKING:
    from sqlalchemy import Column, MetaData, Table

PLACEHOLDER = re.compile(r"'?\[([^\[\].']+)\.([^\[\].']+)\]'?")
STRING = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"")
NOT_ADMITTED = re.compile(r"--|/\*|\*/|[#;\\\0'\"]|:(?!p\d+\b)")  # outside strings
DIALECTS = {"postgresql": "postgres", "mssql": "tsql"}  # SQLAlchemy's name -> sqlglot's, where they differ
FUNCTIONS = frozenset(
    "COUNT SUM AVG MIN MAX LOWER UPPER TRIM ROUND ABS LENGTH COALESCE SUBSTRING CAST CONCAT".split()
)
LONGEST = 10_000  # characters of a template
DO = "write as in SELECT Rate FROM accounts WHERE Name = '[accounts.Name]'"
EXPECTED = '[{"sql": ..., "texts": {style: [text]}}], or {"SQL": [text]}'


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
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    written = text.strip().rstrip(";").strip()
    if not written or len(text) > LONGEST:
        raise _flaw("an SQL template is empty or too long", text, f"{len(text):,} characters")
    statement, placeholders = _bind_placeholders(written, schema)
    mark = NOT_ADMITTED.search(STRING.sub("", statement))
    if mark:
        what = "an SQL template holds more than one plain statement"
        raise _flaw(what, text, mark[0])
    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    try:
        parsed = sqlglot.parse_one(statement, read=DIALECTS.get(dialect, dialect))
    except (SqlglotError, RecursionError, ValueError) as problem:
        reason = str(problem).split("\n")[0][:200]
        raise _flaw("an SQL template cannot be parsed", statement, reason) from None
    if type(parsed) is not exp.Select:
        raise _flaw("an SQL template must be one SELECT", statement, parsed.key.upper())
    tables = _read_tables(parsed, schema, text)
    selected = _check_columns(parsed, tables, text)
    given = [column for column in placeholders if any(column is other for other in selected)]
    if given:
        raise _flaw("an SQL template asks for what its placeholder gives away", text, placeholder(given[0]))
    target = selected[0] if len(selected) == 1 else None
    names = tuple(dict.fromkeys(table.name for table in tables.values()))
    plain = target is not None and _is_plain(parsed)
    return Template(text.strip(), statement, placeholders, target, names, plain)


def _bind_placeholders(written: str, schema: MetaData) -> tuple[str, dict[Column, str]]:
    """The text with every placeholder as a parameter; equal placeholders share one."""
    found: dict[Column, str] = {}

    def bind(match: re.Match[str]) -> str:
        name, of_column = named_column(match)
        table = find_table(schema, name)
        column = None if table is None else find_column(table, of_column)
        if column is None:
            raise _flaw("a placeholder names a column that does not exist", written, match[0])
        return f":{found.setdefault(column, f'p{len(found)}')}"

    return PLACEHOLDER.sub(bind, written), found


def _read_tables(parsed: Any, schema: MetaData, text: str) -> dict[str, Table]:
    """Alias or name, in lower case -> table, of every table that is read; nothing may stand in the tree that
    writes, locks, calls code or hides a statement."""
    from sqlglot import exp

    refused = (exp.DML, exp.DDL, exp.Into, exp.Lock, exp.Command, exp.With, exp.Hint, exp.Subquery, exp.Star)
    found = {}
    for node in parsed.walk():
        if node is not parsed and isinstance(node, (*refused, exp.Query)):
            raise _flaw("an SQL template may only select named columns of tables", text, node.sql()[:100])
        if isinstance(node, exp.Func) and not isinstance(node, (exp.Connector, exp.Case, exp.If)):
            name = (node.name if node.key == "anonymous" else node.sql_name()).upper()
            if name not in FUNCTIONS:
                raise _flaw("an SQL template calls a function that is not admitted", text, name)
        if isinstance(node, exp.Table):
            table = find_table(schema, node.name)
            if table is None or node.args.get("db"):
                raise _flaw("an SQL template reads a table that does not exist", text, node.sql())
            found[node.alias_or_name.lower()] = table
    if not found:
        raise _flaw("an SQL template reads no table", text, "no FROM")
    return found


def _check_columns(parsed: Any, tables: dict[str, Table], text: str) -> list[Column | None]:
    """The columns that are selected, None for an expression; every column that is named must exist."""
    from sqlglot import exp

    found: dict[int, Column] = {}
    for node in parsed.find_all(exp.Column):
        among = [tables.get(node.table.lower())] if node.table else list(dict.fromkeys(tables.values()))
        columns = [find_column(table, node.name) for table in among if table is not None]
        known = [column for column in columns if column is not None]
        if len(known) != 1:
            raise _flaw("an SQL template names a column not in exactly one table", text, node.sql())
        found[id(node)] = known[0]
    return [found.get(id(node.unalias())) for node in parsed.expressions]


def _is_plain(parsed: Any) -> bool:
    """Whether the WHERE only equates columns with placeholders, and no clause narrows or orders the rows."""
    from sqlglot import exp

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
    return InputError(what, where=text[:300], found=found, do=DO)


def add_texts(template: Template, texts: dict[str, list[str]]) -> Template:
    """The template with these texts; InputError if one does not hold the placeholders of the SQL, each of
    them and no others."""
    wanted = {(column.table.name.lower(), column.name.lower()) for column in template.placeholders}
    for text in (text for values in texts.values() for text in values):
        if {named_column(match) for match in PLACEHOLDER.finditer(text)} != wanted:
            what = "a wording does not hold the placeholders of its SQL template"
            expected = ", ".join(map(placeholder, template.placeholders)) or "no placeholder"
            raise InputError(what, where=template.text, found=text, expected=expected)
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
        what = "the templates cannot be read"
        raise InputError(what, where=path, found=problem, expected=EXPECTED) from None
    if not entries:
        raise InputError("there are no templates", where=path, found="0", expected=EXPECTED)
    templates = []
    for number, entry in enumerate(entries, start=1):
        try:
            templates.append(add_texts(parse_template(entry.sql, schema, dialect), entry.texts))
        except KitError as flaw:
            raise InputError(str(flaw), where=f"{path}, template {number}") from None
    return templates
