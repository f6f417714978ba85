"""Questions whose answers a database knows, in semantic groups (GRAMMAR sections 3.1-3.2, appendices A-G).

database            a connection that can only read, its schema; SQL templates: examined, saved, loaded
template_writers    made by rule from the schema alone, or by a language model

Here: the questions; and a fictional bank, of which no model can have read (`made_up_company.sql`): a
database, and the documents that state its facts (GRAMMAR 4 and appendix F). Names are built from syllables,
figures and dates are drawn, so that another seed is another bank.
"""

import decimal
import hashlib
import random
import re
import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from ragassay.cases import case_table
from ragassay.cases.database_questions.database import (
    PLACEHOLDER,
    TRUTH,
    Template,
    column_key,
    column_kind,
    fetch_rows,
    load_templates,
    named_column,
    open_database,
    reason_of,
)
from ragassay.cases.database_questions.template_writers import make_templates, word_template
from ragassay.errors import InputError, ParameterError

CAP = 200  # combinations of values tried per template
MOST_VALUES = 2_000  # distinct values of a column that are read
LONGEST = 300  # characters of a value or an answer
EXTRA = ("style", "sql", "template")
ACCOUNT = ("template", "text_templates", "combinations", "tried", "kept", "dropped")
SYLLABLES = (
    "ba cor del fen gro hal ister jun kel lor mav nor ost pel quin rus sten tor ul vex wen yar zel".split()
)


@dataclass(frozen=True)
class Grounded:
    """What came of a database.

    cases : rows of the cases table, kind "grounded", with style, sql and template (its number) besides
    account : a row per template: text templates, combinations of values, how many were tried, kept and
        dropped and why (GRAMMAR C: M SQL templates x N text templates x Q combinations)
    templates : what was used, to be saved, edited and loaded
    """

    cases: pd.DataFrame
    account: pd.DataFrame
    templates: list[Template]


def generate(url: str, *, given: Path | Sequence[Template] | None = None, seed: int = 0) -> Grounded:
    """Questions and answers from a database that is only read (GRAMMAR algorithm 1; decision 12: what has
    other than exactly one answer is dropped).

    Parameters
    ----------
    url : as SQLAlchemy names databases, or the path of an SQLite file
    given : file of templates, or templates (of `template_writers.ask_for_templates`); without it the schema's
        own are made by rule
    seed : of the CAP combinations of values tried per template, where there are more

    Raises
    ------
    ParameterError
        If the database's driver is missing.
    InputError
        If database or templates cannot be read, or nothing in it has exactly one answer.
    """
    engine, schema = open_database(url)
    dialect = engine.dialect.name
    if given is None:
        used = make_templates(schema, dialect, engine.dialect.identifier_preparer.quote)
    else:
        used = load_templates(given, schema, dialect) if isinstance(given, Path) else list(given)
    used = [template if template.texts else word_template(template) for template in used]
    rows: dict[str, list[dict]] = {}  # by semantic group: a query of several templates is asked once
    account = []
    with engine.connect() as connection:
        for number, template in enumerate(used, start=1):
            groups, counts = _fill_template(connection, template, seed)
            account.append(counts)
            for group, asked in groups.items():
                rows.setdefault(group, [row | {"template": number} for row in asked])
    cases = case_table.cases_frame([row for asked in rows.values() for row in asked], extra=EXTRA)
    if cases.empty:
        reasons = sorted({str(counts["dropped"]) for counts in account})[:5]
        raise InputError(
            "no query has exactly one answer and a wording",
            where=url.rsplit("@", 1)[-1],
            found=f"{len(used)} templates; {'; '.join(reasons) or 'no wording for any of them'}",
            expected="columns that mean something to people",
        )
    return Grounded(cases, pd.DataFrame(account, columns=list(ACCOUNT)), used)


def whole_groups(cases: pd.DataFrame, n: int, seed: int = 0) -> pd.DataFrame:
    """About n of the cases: whole semantic groups, drawn by seed, as long as they fit;
    one at least, unless n is below 1."""
    sizes = cases["group_id"].value_counts(sort=False).sample(frac=1, random_state=seed)
    kept = sizes.index[: max(int(n > 0), int((sizes.cumsum() <= n).sum()))]
    return cases[cases["group_id"].isin(kept)].reset_index(drop=True)


def _fill_template(
    connection: Connection, template: Template, seed: int
) -> tuple[dict[str, list[dict]], dict]:
    """The questions of each query that the database answers with exactly one value, by semantic group; and
    the account of the template."""
    dropped: Counter[str] = Counter()
    groups: dict[str, list[dict]] = {}
    total, tried, rng = 0, 0, random.Random(f"{seed}/{template.text}")
    try:
        quote, values = connection.dialect.identifier_preparer.quote, []
        for column in template.placeholders:  # its values, each once, sorted, no NULL, no empty text
            name, table = quote(column.name), quote(column.table.name)
            asked = f"SELECT DISTINCT {name} FROM {table} WHERE {name} IS NOT NULL"
            found = [row[0] for row in fetch_rows(connection, asked, {}, MOST_VALUES)]
            usable = [value for value in found if 0 < len(format_value(value).strip()) <= LONGEST]
            values.append(sorted(usable, key=lambda value: (type(value).__name__, format_value(value))))
        shape = tuple(map(len, values))
        total = prod(shape)
        for place in range(total) if total <= CAP else sorted(rng.sample(range(total), CAP)):
            chosen = [column[at] for column, at in zip(values, np.unravel_index(place, shape), strict=True)]
            tried += 1
            bound = dict(zip(template.placeholders.values(), chosen, strict=True))
            rows = fetch_rows(connection, template.statement, bound, 2)
            flaw = _flaw(rows)
            if flaw:
                dropped[flaw] += 1
                continue
            named = sorted((name, format_value(value)) for name, value in bound.items())
            query = hashlib.sha256(f"{template.statement}|{named}".encode()).hexdigest()[:10]
            groups[f"s-{query}"] = _questions(f"s-{query}", template, chosen, rows[0][0])  # GRAMMAR D
    except SQLAlchemyError as problem:
        dropped[f"not answered by the database: {reason_of(problem)}"] += 1
    reasons = "; ".join(f"{reason}: {count:,}" for reason, count in sorted(dropped.items()))
    counts = (template.text, sum(map(len, template.texts.values())), total, tried, len(groups), reasons)
    return groups, dict(zip(ACCOUNT, counts, strict=True))


def _flaw(rows: Sequence[tuple]) -> str:
    """Why a query has not exactly one answer; "" where it has."""
    if len(rows) != 1 or len(rows[0]) > 1:
        return "several values" if rows else "no row"
    answer = format_value(rows[0][0]).strip()
    return "an empty value" if not answer else "too long a value" if len(answer) > LONGEST else ""


def _questions(group: str, template: Template, chosen: Sequence[Any], answer: Any) -> list[dict]:
    """The cases of one query: every text template with the values in it, all at once, so that a value which
    looks like a placeholder stays a value."""
    if template.target is not None and column_kind(template.target) == TRUTH and answer in (0, 1):
        answer = bool(answer)  # SQLite keeps true and false as 1 and 0
    values = {
        column_key(column): format_value(value)
        for column, value in zip(template.placeholders, chosen, strict=True)
    }

    def fill(match: re.Match[str]) -> str:
        value = values[named_column(match)]
        return f"'{value}'" if match[0].startswith("'") else value

    asked = [(style, text) for style, texts in template.texts.items() for text in texts]
    return [
        {
            "case_id": f"{group}-{place:02d}",
            "question": PLACEHOLDER.sub(fill, text),
            "answer_type": "short_fact",
            "query_type": "multi_hop" if len(template.tables) > 1 else "factual",
            "reference_answer": format_value(answer),
            "group_id": group,
            "kind": "grounded",
            "segment": " and ".join(template.tables),
            "style": style,
            "sql": template.text,
        }
        for place, (style, text) in enumerate(asked, start=1)
    ]


def format_value(value: Any) -> str:
    """A value as a person would write it: 433.5, 3 for 3.0, 2026-09-01; "" for NULL and binary values."""
    if value is None or isinstance(value, bytes | memoryview):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    return f"{value:f}" if isinstance(value, decimal.Decimal) else str(value)


def make_company(folder: Path, *, seed: int = 0) -> tuple[str, int]:
    """Write `folder/knowledge.db` and `folder/documents/*.md`, as `made_up_company.sql` says: the company's
    name, and how many facts the documents state. The same seed gives the same bytes of every document.

    folder : is created; must not hold a knowledge base yet

    Raises
    ------
    ParameterError
        If there is a knowledge base already.
    """
    path, documents = folder / "knowledge.db", folder / "documents"
    if path.exists() or documents.exists():
        raise ParameterError("there is a knowledge base already", where=folder, do="name another folder")
    documents.mkdir(parents=True)
    rng = random.Random(seed)
    drawn = ("".join(rng.choices(SYLLABLES, k=3)).capitalize() for _ in range(1_000))
    names = iter(dict.fromkeys(drawn))  # each once
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.create_function("draw", 2, rng.randint)
        connection.create_function("draw_name", 0, lambda: next(names))
        connection.executescript(Path(__file__).with_name("made_up_company.sql").read_text(encoding="utf-8"))
        facts = pd.read_sql_query("SELECT kind, name, sentence FROM facts", connection)
        bank = connection.execute("SELECT bank FROM company").fetchone()[0]
    for (kind, name), own in facts.groupby(["kind", "name"]):
        text = "\n\n".join([f"# The {kind} {name}", *own["sentence"]])
        (documents / f"{kind}-{name}.md").write_text(f"{text}\n", encoding="utf-8")
    return bank, len(facts)
