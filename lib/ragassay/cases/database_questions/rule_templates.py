"""SQL templates made by rule from a schema alone, and their wordings: for who has no templates and names no
language model (GRAMMAR 3.1; appendix B.3 for what can be asked of one table and of two)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING

from ragassay.cases.database_questions.database import (
    CAMEL,
    NUMBER,
    TEXT,
    TRUTH,
    column_kind,
    foreign_keys,
    is_descriptive,
    names_its_row,
    sorted_tables,
)
from ragassay.cases.database_questions.templates import Template, parse_template, placeholder

if TYPE_CHECKING:
    from sqlalchemy import Column, ForeignKeyConstraint, MetaData, Table

Quote = Callable[[str], str]
CALLED = ("name", "title", "label")
IRREGULAR = {
    "people": "person",
    "children": "child",
    "staff": "member of staff",
    "men": "man",
    "women": "woman",
    "employees": "employee",
}
STYLES: dict[str, list[str]] = json.loads(
    Path(__file__).with_name("wordings_by_style.json").read_text(encoding="utf-8")
)


def make_templates(schema: MetaData, dialect: str = "sqlite", quote: Quote = str) -> list[Template]:
    """Templates with wordings, those first that ask by a name or a code.

    One column by another of its row; of a row by what another is called that it refers to, or that refers to
    it; and through a table that links two others.

    Parameters
    ----------
    quote : puts quotation marks round a name of a table or column where the database needs them
    """
    found: list[tuple[int, str]] = []
    for table in sorted_tables(schema):
        columns = _askable(table)
        for key in columns:
            sql = f"FROM {quote(table.name)} WHERE {quote(key.name)} = '{placeholder(key)}'"
            found += [
                (_rank(key), f"SELECT {quote(target.name)} {sql}") for target in columns if target is not key
            ]
        for link in foreign_keys(table):
            found += _along(table, link, quote)
        found += _through(table, quote)
    ranked = dict.fromkeys(sql for _, sql in sorted(found, key=lambda pair: pair[0]))
    return [word_template(parse_template(sql, schema, dialect)) for sql in ranked]


def _rank(key: Column) -> int:
    """Names and codes before other text, text before numbers and dates."""
    if names_its_row(key):
        return 0
    return 1 if column_kind(key) == TEXT else 2


def _askable(table: Table) -> list[Column]:
    """What can be asked for in the words of STYLES: not what is only true or false."""
    return [column for column in table.columns if is_descriptive(column) and column_kind(column) != TRUTH]


def _names(table: Table) -> list[Column]:
    """What a row is called by in a join: its names and codes, else its first text, else its first number."""
    columns = _askable(table)
    texts = [column for column in columns if column_kind(column) == TEXT]
    numbers = [column for column in columns if column_kind(column) == NUMBER]
    return [column for column in columns if names_its_row(column)] or texts[:1] or numbers[:1]


def _along(table: Table, link: ForeignKeyConstraint, quote: Quote) -> list[tuple[int, str]]:
    """Along a foreign key, both ways; a table that refers to itself is left out:
    both sides would carry the same placeholder."""
    other = link.referred_table
    if other is table:
        return []
    joined = f"FROM {quote(table.name)} a JOIN {quote(other.name)} b ON {_on('b', link, quote)}"
    return [
        (_rank(key), _select(there, target, joined, [(here, key)], quote))
        for one, two, here, there in ((table, other, "a", "b"), (other, table, "b", "a"))
        for key in _names(one)
        for target in _askable(two)
    ]


def _through(table: Table, quote: Quote) -> list[tuple[int, str]]:
    """Through a table that links two others: the one by the other, and the table itself by both."""
    found = []
    links = foreign_keys(table)
    for first, second in permutations(links, 2):
        one, two = first.referred_table, second.referred_table
        if len({one, two, table}) < 3:
            continue
        joined = (
            f"FROM {quote(table.name)} a JOIN {quote(one.name)} b ON {_on('b', first, quote)} "
            f"JOIN {quote(two.name)} c ON {_on('c', second, quote)}"
        )
        for key in _names(one):
            found += [
                (_rank(key), _select("c", target, joined, [("b", key)], quote)) for target in _askable(two)
            ]
            if links.index(first) < links.index(second):
                found += [
                    (_rank(key), _select("a", target, joined, [("b", key), ("c", other)], quote))
                    for other in _names(two)
                    for target in _askable(table)
                ]
    return found


def _on(alias: str, link: ForeignKeyConstraint, quote: Quote) -> str:
    pairs = [f"a.{quote(one.parent.name)} = {alias}.{quote(one.column.name)}" for one in link.elements]
    return " AND ".join(pairs)


def _select(alias: str, target: Column, joined: str, keys: Sequence[tuple[str, Column]], quote: Quote) -> str:
    where = " AND ".join(f"{one}.{quote(key.name)} = '{placeholder(key)}'" for one, key in keys)
    return f"SELECT {alias}.{quote(target.name)} {joined} WHERE {where}"


def word_template(template: Template) -> Template:
    """The template with text templates by style; none where rules cannot see its meaning (not `plain`)."""
    target = template.target
    if target is None or not template.plain:
        return template
    bare = split_name(target.name)
    many = _singular(bare.split()[-1]) != bare.split()[-1]
    words = {
        "is": "are" if many else "is",
        "it": "they" if many else "it",
        "what": f"the {bare}",
        "What": bare[:1].upper() + bare[1:],
        "bare": bare,
        "whose": _subject(target, list(template.placeholders)),
    }
    texts = {style: [pattern.format(**words) for pattern in patterns] for style, patterns in STYLES.items()}
    return replace(template, texts=texts)


def split_name(name: str) -> str:
    """A name of a column as words: Sales_in_Billion, salesInBillion -> sales in billion."""
    return " ".join(
        word if word.isupper() and len(word) > 1 else word.lower()
        for word in re.split(r"[_\W]+", CAMEL.sub("_", name))
        if word
    )


def _noun(table: str) -> str:
    """A table's name as the word for one of its rows: accounts -> account, people -> person."""
    *before, last = split_name(table).split() or ["row"]
    return " ".join([*before, IRREGULAR.get(last) or _singular(last)])


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if re.search(r"(?:ss|sh|ch|x|z)es$", word):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def _subject(target: Column, keys: Sequence[Column]) -> str:
    """What the question is about: the row itself, or the row that belongs to the rows named."""
    tables = list(dict.fromkeys(key.table for key in keys))
    named = " and ".join(_entity([key for key in keys if key.table is table]) for table in tables)
    if target.table in tables:
        return named
    return f"the {_noun(target.table.name)} that belongs to {named}"


def _entity(keys: Sequence[Column]) -> str:
    """`the company [company.Name]`, `the company whose age is [company.Age]`."""
    first = keys[0]
    by_name = column_kind(first) == TEXT and split_name(first.name).split()[-1] in CALLED
    parts = (
        [f"the {_noun(first.table.name)}", placeholder(first)]
        if by_name
        else [f"the {_noun(first.table.name)}"]
    )
    conditions = [
        f"whose {split_name(key.name)} is {placeholder(key)}" for key in (keys[1:] if by_name else keys)
    ]
    return " ".join([*parts, " and ".join(conditions)] if conditions else parts)
