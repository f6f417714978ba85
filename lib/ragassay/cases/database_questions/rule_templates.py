"""SQL templates made by rule from a schema alone, and their wordings: for who has no templates and names no
language model (GRAMMAR 3.1; appendix B.3 for what can be asked of one table and of two)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, permutations, product
from pathlib import Path
from typing import TYPE_CHECKING

from ragassay.cases.database_questions.database import (
    NAMING,
    NUMBER,
    TEXT,
    TRUTH,
    column_kind,
    foreign_keys,
    is_descriptive,
    snake,
    sorted_tables,
)
from ragassay.cases.database_questions.templates import Template, parse_template, placeholder

if TYPE_CHECKING:
    from sqlalchemy import Column, MetaData, Table

CALLED = ("name", "title", "label")
IRREGULAR = {"people": "person", "children": "child", "staff": "member of staff"}
STYLES: dict[str, list[str]] = json.loads(
    Path(__file__).with_name("wordings_by_style.json").read_text(encoding="utf-8")
)


def make_templates(schema: MetaData, dialect: str = "sqlite", quote: Callable = str) -> list[Template]:
    """Templates with wordings: one column by another of its row; of a row by what another is called that it
    refers to, or that refers to it; and through a table that links two others.

    Parameters
    ----------
    quote : puts quotation marks round a name of a table or column where the database needs them
    """
    found: list[str] = []
    for table in sorted_tables(schema):
        for key, target in permutations(_askable(table), 2):
            where = f"{quote(key.name)} = '{placeholder(key)}'"
            found.append(f"SELECT {quote(target.name)} FROM {quote(table.name)} WHERE {where}")
        found += _along(table, quote)
    return [word_template(parse_template(sql, schema, dialect)) for sql in dict.fromkeys(found)]


def _askable(table: Table) -> list[Column]:
    """What can be asked for in the words of STYLES: not what is only true or false."""
    return [column for column in table.columns if is_descriptive(column) and column_kind(column) != TRUTH]


def _names(table: Table) -> list[Column]:
    """What a row is called by in a join: its names and codes, else its first text, else its first number."""
    columns = _askable(table)
    texts = [column for column in columns if column_kind(column) == TEXT]
    numbers = [column for column in columns if column_kind(column) == NUMBER]
    return [column for column in texts if NAMING.search(snake(column.name))] or texts[:1] or numbers[:1]


def _along(table: Table, quote: Callable) -> Iterator[str]:
    """Along a foreign key, both ways; and through a table with two of them: the one by the other, and the
    table itself by both. A table that refers to itself is left out: both sides would carry the same
    placeholder."""
    links = [link for link in foreign_keys(table) if link.referred_table is not table]
    pairs = [pair for pair in combinations(links, 2) if pair[0].referred_table is not pair[1].referred_table]
    for joined in [*((link,) for link in links), *pairs]:
        tables, source = {"a": table}, f"FROM {quote(table.name)} a"
        for alias, link in zip("bc", joined, strict=False):
            tables[alias] = link.referred_table
            on = [f"a.{quote(one.parent.name)} = {alias}.{quote(one.column.name)}" for one in link.elements]
            source += f" JOIN {quote(link.referred_table.name)} {alias} ON {' AND '.join(on)}"
        ways = [("a", "b"), ("b", "a")] if len(joined) == 1 else [("b", "c"), ("c", "b"), ("a", "bc")]
        for asked, by in ways:
            for keys in product(*(_names(tables[alias]) for alias in by)):
                terms = [
                    f"{a}.{quote(key.name)} = '{placeholder(key)}'" for a, key in zip(by, keys, strict=True)
                ]
                for target in _askable(tables[asked]):
                    yield f"SELECT {asked}.{quote(target.name)} {source} WHERE {' AND '.join(terms)}"


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
        for word in re.split(r"[_\W]+", snake(name))
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
    noun, others = f"the {_noun(first.table.name)}", list(keys)
    if column_kind(first) == TEXT and split_name(first.name).split()[-1] in CALLED:
        noun, others = f"{noun} {placeholder(first)}", others[1:]
    conditions = [f"whose {split_name(key.name)} is {placeholder(key)}" for key in others]
    return f"{noun} {' and '.join(conditions)}".strip()
