"""SQL templates and their wordings: by rule from a schema alone (GRAMMAR 3.1; appendix B.3 for what can be
asked of one table and of two), or by a language model (B.2), for users who name one.

The model is shown names of tables and columns, never a row. What it writes is examined as a user's own
templates are: a SELECT that could do anything but read, or a wording without its placeholders, is not used,
and is listed with the reason.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, permutations, product
from pathlib import Path

import pandas as pd
from sqlalchemy import Column, MetaData, Table

from ragassay.cases.database_questions.database import (
    NAMING,
    NUMBER,
    TEXT,
    TRUTH,
    Template,
    add_texts,
    column_kind,
    foreign_keys,
    is_descriptive,
    parse_template,
    placeholder,
    snake,
)
from ragassay.errors import InputError
from ragassay.models.judge_messages import Ask, Form, Request, Said, Unparsed, fence, parse_reply

IRREGULAR = {"people": "person", "children": "child", "staff": "member of staff"}
STYLES: dict[str, list[str]] = json.loads(
    Path(__file__).with_name("wordings_by_style.json").read_text(encoding="utf-8")
)
MOST, EACH = 40, 2  # templates asked for, wordings of a style
LONGEST = 500  # characters of a wording
REJECTED = ["template", "wording", "reason"]


def make_templates(schema: MetaData, dialect: str = "sqlite", quote: Callable = str) -> list[Template]:
    """Templates with wordings: one column by another of its row; of a row by what another is called that it
    refers to, or that refers to it; and through a table that links two others.

    Parameters
    ----------
    quote : puts quotation marks round a name of a table or column where the database needs them
    """
    found: list[str] = []
    for _, table in sorted(schema.tables.items()):
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
    columns = sorted(_askable(table), key=lambda column: column_kind(column) != TEXT)
    named = [one for one in columns if column_kind(one) == TEXT and NAMING.search(snake(one.name))]
    return named or [one for one in columns if column_kind(one) in (TEXT, NUMBER)][:1]


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
    keys = list(template.placeholders)  # the question is about their row, or the row that belongs to it
    by_table = [[key for key in keys if key.table is one] for one in dict.fromkeys(key.table for key in keys)]
    whose, bare = " and ".join(map(_entity, by_table)), split_name(target.name)
    if not any(key.table is target.table for key in keys):
        whose = f"the {_noun(target.table.name)} that belongs to {whose}"
    many = _singular(bare.split()[-1]) != bare.split()[-1]
    words = {
        "is": "are" if many else "is",
        "it": "they" if many else "it",
        "what": f"the {bare}",
        "What": bare[:1].upper() + bare[1:],
        "bare": bare,
        "whose": whose,
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


def _entity(keys: Sequence[Column]) -> str:
    """`the company [company.Name]`, `the company whose age is [company.Age]`."""
    first = keys[0]
    noun, others = f"the {_noun(first.table.name)}", list(keys)
    if column_kind(first) == TEXT and split_name(first.name).split()[-1] in ("name", "title", "label"):
        noun, others = f"{noun} {placeholder(first)}", others[1:]
    conditions = [f"whose {split_name(key.name)} is {placeholder(key)}" for key in others]
    return f"{noun} {' and '.join(conditions)}".strip()


class Templates(Form):
    """The reply to the first request."""

    templates: list[Said]


class Texts(Form):
    """The reply to a request for the wordings of one template: style -> text templates."""

    texts: dict[str, list[Said]]


def ask_for_templates(
    schema: MetaData, ask: Ask, dialect: str = "sqlite"
) -> tuple[list[Template], pd.DataFrame]:
    """Templates with a wording at least, and what was refused (template, wording, reason); a reply that did
    not come or could not be parsed is a row without both.

    ask : models.judge.Judge, or anything that gives replies to requests in their order
    """
    rejected: list[tuple[str, str, str]] = []
    request = _ask_for_sql(schema)
    found: dict[str, Template] = {}
    try:
        written = parse_reply(ask([request])[0], Templates, [request.user]).templates[:MOST]
    except Unparsed as problem:
        written = []
        rejected.append(("", "", str(problem)))
    for text in written:
        try:
            template = parse_template(text, schema, dialect)
            found.setdefault(template.statement, template)
        except InputError as flaw:
            rejected.append((text, "", f"{flaw.what}: {flaw.found}"))
    templates = list(found.values())
    system = _prompt("texts", each=EACH, styles=", ".join(STYLES))
    requests = [
        Request(
            "grounded_texts",
            system,
            fence("TEMPLATE", " ".join(one.text.split())),
            60 * EACH * len(STYLES) + 200,
        )
        for one in templates
    ]
    worded: list[Template] = []
    for template, request, reply in zip(templates, requests, ask(requests), strict=True):
        try:
            texts = parse_reply(reply, Texts, [request.user]).texts
        except Unparsed as problem:
            rejected.append((template.text, "", str(problem)))
            continue
        kept: dict[str, list[str]] = {}
        for style, text in ((style, text) for style, said in texts.items() for text in said):
            try:
                if style not in STYLES or not text.isprintable() or len(text) > LONGEST:
                    raise InputError(f"is of no style asked for, or no line of at most {LONGEST} signs")
                add_texts(template, {style: [text]})
            except InputError as flaw:
                rejected.append((template.text, text, flaw.what))
                continue
            if len(kept.get(style, [])) < EACH and text not in kept.get(style, []):
                kept.setdefault(style, []).append(text)
        worded += [replace(template, texts=kept)] if kept else []
        rejected += [] if kept else [(template.text, "", "got no wording that can be used")]
    return worded, pd.DataFrame(rejected, columns=REJECTED)


def _ask_for_sql(schema: MetaData) -> Request:
    tables = [schema.tables[name] for name in sorted(schema.tables)]
    shown = [
        f"{table.name}({', '.join(f'{column.name}: {column_kind(column)}' for column in table.columns)})"
        for table in tables
    ]
    for key in (key for table in tables for key in foreign_keys(table)):
        others = ", ".join(element.column.name for element in key.elements)
        shown.append(f"{key.table.name}({', '.join(key.column_keys)}) -> {key.referred_table.name}({others})")
    return Request("grounded_sql", _prompt("sql", most=MOST), fence("SCHEMA", "\n".join(shown)), 4_000)


def _prompt(name: str, **parts: object) -> str:
    path = Path(__file__).with_name("prompts") / f"{name}.md"
    return path.read_text(encoding="utf-8").format(**parts).strip()
