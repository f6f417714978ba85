"""Templates on disk, to be read, mended by hand and loaded again: SQL beside its wordings by style (GRAMMAR
B.2).

[{"sql": "SELECT Rate FROM accounts WHERE Name = '[accounts.Name]'", "texts": {"short": ["Rate of the account
[accounts.Name]?"]}}, ...]

Read as well: {"SQL": ["text", ...]} (the style is what follows `text_` in the file's name), {"(tables)":
["SQL", ...]}, and a SQL template a line.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path
from typing import Any

from ragassay import output_files
from ragassay.cases.database_questions import sql_template
from ragassay.cases.database_questions.database_schema import (
    CAMEL,
    NUMBER,
    TEXT,
    TRUTH,
    Column,
    Link,
    Schema,
    Table,
)
from ragassay.cases.database_questions.sql_template import Placeholder, Template
from ragassay.errors import InputError, KitError

IRREGULAR = {
    "people": "person",
    "children": "child",
    "staff": "member of staff",
    "men": "man",
    "women": "woman",
    "employees": "employee",
}
CALLED = ("name", "title", "label")
STYLES: dict[str, list[str]] = json.loads(
    Path(__file__).with_name("wordings_by_style.json").read_text(encoding="utf-8")
)


def texts(template: Template, styles: Sequence[str] = tuple(STYLES)) -> dict[str, list[str]]:
    """Text templates by style, with the placeholders of the SQL; nothing for a template whose meaning rules
    cannot see (not `plain`).

    Raises
    ------
    ValueError
        If a style is unknown.
    """
    unknown = next((style for style in styles if style not in STYLES), None)
    if unknown:
        raise ValueError(f"style {unknown!r} is unknown; allowed: {', '.join(STYLES)}")
    target = template.selected[0]
    if not template.plain or isinstance(target, str):
        return {}
    bare, whose = in_words(target.name), _whose(target, template.placeholders)
    many = _singular(bare.split()[-1]) != bare.split()[-1]
    words = {
        "is": "are" if many else "is",
        "it": "they" if many else "it",
        "what": f"the {bare}",
        "What": bare[:1].upper() + bare[1:],
        "bare": bare,
        "whose": whose,
    }
    return {style: [pattern.format(**words) for pattern in STYLES[style]] for style in styles}


def in_words(name: str) -> str:
    """A name of a column as words: Sales_in_Billion, salesInBillion -> sales in billion."""
    return " ".join(
        word if word.isupper() and len(word) > 1 else word.lower()
        for word in re.split(r"[_\W]+", CAMEL.sub("_", name))
        if word
    )


def noun(table: str) -> str:
    """A table's name as the word for one of its rows: accounts -> account, people -> person."""
    *before, last = in_words(table).split() or ["row"]
    return " ".join([*before, IRREGULAR.get(last) or _singular(last)])


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if re.search(r"(?:ss|sh|ch|x|z)es$", word):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def _whose(target: Column, placeholders: Sequence[Placeholder]) -> str:
    """What the question is about: the row itself, or the row that belongs to the rows named."""
    tables = list(dict.fromkeys(one.column.table for one in placeholders))
    named = " and ".join(
        _entity(table, [one for one in placeholders if one.column.table == table]) for table in tables
    )
    return named if target.table in tables else f"the {noun(target.table)} that belongs to {named}"


def _entity(table: str, placeholders: Sequence[Placeholder]) -> str:
    """`the company [company.Name]`, `the company whose age is [company.Age]`."""
    first = placeholders[0]
    by_name = first.column.kind == TEXT and in_words(first.column.name).split()[-1] in CALLED
    rest = placeholders[1:] if by_name else placeholders
    conditions = " and ".join(f"whose {in_words(one.column.name)} is {one.written}" for one in rest)
    return " ".join(
        part for part in (f"the {noun(table)}", first.written if by_name else "", conditions) if part
    )


Quote = Callable[[str], str]
NUMBERED = re.compile(r"^\s*(?:\d+[.)\s-]+)?(?=SELECT\b)", re.IGNORECASE)
EXPECTED = 'a list of {"sql": ..., "texts": {style: [text, ...]}}'


@dataclass(frozen=True)
class Worded:
    """A SQL template and its text templates by style."""

    sql: sql_template.Template
    texts: dict[str, list[str]] = field(default_factory=dict)


def templates_by_rule(schema: Schema, styles: Sequence[str], dialect: str, quote: Quote) -> list[Worded]:
    """What rules make of a schema: SQL templates and their wordings (`sql_templates`,
    py)."""
    found = [sql_template.template(one, schema, dialect) for one in sql_templates(schema, quote)]
    return [Worded(one, texts(one, styles)) for one in found]


def save(path: Path, templates: Sequence[Worded]) -> None:
    """Write templates as `load` reads them."""
    rows = [{"sql": one.sql.text, "texts": one.texts} for one in templates]
    output_files.write_text(path, json.dumps(rows, indent=1, ensure_ascii=False) + "\n")


def load(path: Path, schema: Schema, dialect: str, styles: Sequence[str]) -> list[Worded]:
    """The templates of a file, examined; those without wordings get those that rules make.

    Raises
    ------
    InputError
        If the file cannot be read, holds no template, or one is flawed: names the file and which.
    """
    found = []
    for number, (written, worded) in enumerate(_rows(path), start=1):
        try:
            one = sql_template.template(written, schema, dialect)
            found.append(Worded(one, check_templates(worded, one) or texts(one, styles)))
        except KitError as flaw:
            where = f"{path}, template {number}: {flaw.where}"
            raise InputError(
                flaw.what, where=where, found=flaw.found, expected=flaw.expected, do=flaw.do
            ) from None
    if not found:
        raise InputError("there are no templates", where=path, found="0", expected=EXPECTED)
    return found


def _rows(path: Path) -> list[tuple[str, dict[str, list[str]]]]:
    try:
        read = path.read_text(encoding="utf-8")
        content: Any = (
            json.loads(read)
            if read.lstrip()[:1] in ("[", "{")
            else [NUMBERED.sub("", line) for line in read.splitlines() if line.strip()]
        )
    except (OSError, ValueError) as problem:
        raise InputError(
            "the templates cannot be read", where=path, found=problem, expected=EXPECTED
        ) from None
    style = path.stem.removeprefix("text_") if path.stem.startswith("text_") else "given"
    rows = [
        row for one in (content if isinstance(content, list) else content.items()) for row in _row(one, style)
    ]
    flawed = next((row for row in rows if not _is_row(row)), None)
    if flawed is not None:
        raise InputError("a template is of an unknown form", where=path, found=flawed, expected=EXPECTED)
    return rows


def _row(one: Any, style: str) -> list[tuple[Any, Any]]:
    """One entry of a file as (SQL, texts by style)."""
    if isinstance(one, dict):
        return [(one.get("sql"), one.get("texts", {}))]
    if isinstance(one, str):
        return [(one, {})]
    key, values = one if isinstance(one, tuple) else (None, None)
    if isinstance(key, str) and key.startswith("(") and isinstance(values, list):
        return [(value, {}) for value in values]
    return [(key, {style: values})]


def _is_row(row: tuple[Any, Any]) -> bool:
    written, worded = row
    lists = isinstance(worded, dict) and all(
        isinstance(style, str) and isinstance(value, list) for style, value in worded.items()
    )
    return (
        isinstance(written, str)
        and lists
        and all(isinstance(text, str) for value in worded.values() for text in value)
    )


def check_templates(worded: dict[str, list[str]], template: sql_template.Template) -> dict[str, list[str]]:
    """The wordings, each known to hold the placeholders of the SQL and no others."""
    wanted = Counter(one.written.lower() for one in template.placeholders)
    for text in (text for values in worded.values() for text in values):
        found = Counter(
            f"[{match[1] or match[3]}.{match[2] or match[4]}]".lower()
            for match in sql_template.PLACEHOLDER.finditer(text)
        )
        if set(found) != set(wanted):
            what = "a wording does not hold the placeholders of its SQL template"
            raise InputError(
                what, where=template.text, found=text, expected=", ".join(sorted(wanted)) or "no placeholder"
            )
    return {style: list(values) for style, values in worded.items() if values}


def sql_templates(schema: Schema, quote: Quote = str) -> list[str]:
    """SQL templates, those first that ask by a name or a code; every table's in the order of its columns.

    Parameters
    ----------
    quote : puts quotation marks round a name of a table or column where the database needs them
    """
    found: list[tuple[int, str]] = []
    for table in schema.tables:
        found += [
            (_rank(key), _lookup(target, key, quote))
            for key in _keys(table)
            for target in _targets(table)
            if target != key
        ]
        for link in table.links:
            found += [(_rank(key), sql) for key, sql in _along(schema, table, link, quote)]
        found += [(_rank(key), sql) for key, sql in _linked(schema, table, quote)]
    return list(dict.fromkeys(sql for _, sql in sorted(found, key=lambda one: one[0])))


def _rank(key: Column) -> int:
    """Names and codes before other text, text before numbers and dates."""
    return 0 if key.names_its_row else 1 if key.kind == TEXT else 2


def _targets(table: Table) -> list[Column]:
    """What can be asked for in the words of py: not what is only true or false."""
    return [column for column in table.columns if column.descriptive and column.kind != TRUTH]


def _keys(table: Table) -> list[Column]:
    return [column for column in table.columns if column.descriptive and column.kind != TRUTH]


def _names(table: Table) -> list[Column]:
    """What a row is called by in a join: its names and codes, else its first text, else its first number."""
    keys = _keys(table)
    texts, numbers = [key for key in keys if key.kind == TEXT], [key for key in keys if key.kind == NUMBER]
    return [key for key in keys if key.names_its_row] or texts[:1] or numbers[:1]


def _lookup(target: Column, key: Column, quote: Quote) -> str:
    return (
        f"SELECT {quote(target.name)} FROM {quote(target.table)} WHERE {quote(key.name)} = "
        f"'[{key.table}.{key.name}]'"
    )


def _along(schema: Schema, table: Table, link: Link, quote: Quote) -> Iterator[tuple[Column, str]]:
    """Along a foreign key, both ways; a table that refers to itself is left out:
    both sides would carry the same placeholder."""
    other = schema.table(link.other)
    if other is None or other.name == table.name:
        return
    joined = f"FROM {quote(table.name)} a JOIN {quote(other.name)} b ON {_on('a', 'b', link, quote)}"
    for here, there, one, two in ((table, other, "a", "b"), (other, table, "b", "a")):
        for key in _names(here):
            yield from ((key, _by([(one, key)], two, target, joined, quote)) for target in _targets(there))


def _linked(schema: Schema, table: Table, quote: Quote) -> Iterator[tuple[Column, str]]:
    """Through a table that links two others."""
    for first, second in permutations(table.links, 2):
        one, two = schema.table(first.other), schema.table(second.other)
        if one is None or two is None or len({one.name, two.name, table.name}) < 3:
            continue
        joins = (
            f"JOIN {quote(one.name)} b ON {_on('a', 'b', first, quote)} JOIN {quote(two.name)} c ON "
            f"{_on('a', 'c', second, quote)}"
        )
        joined = f"FROM {quote(table.name)} a {joins}"
        for key in _names(one):
            yield from ((key, _by([("b", key)], "c", target, joined, quote)) for target in _targets(two))
            if table.links.index(first) < table.links.index(second):
                pairs = [[("b", key), ("c", other)] for other in _names(two)]
                yield from (
                    (key, _by(keys, "a", target, joined, quote))
                    for keys in pairs
                    for target in _targets(table)
                )


def _on(here: str, there: str, link: Link, quote: Quote) -> str:
    pairs = zip(link.columns, link.others, strict=True)
    return " AND ".join(f"{here}.{quote(column)} = {there}.{quote(other)}" for column, other in pairs)


def _by(keys: list[tuple[str, Column]], alias: str, target: Column, joined: str, quote: Quote) -> str:
    where = " AND ".join(f"{one}.{quote(key.name)} = '[{key.table}.{key.name}]'" for one, key in keys)
    return f"SELECT {alias}.{quote(target.name)} {joined} WHERE {where}"
