"""SQL templates and their wordings by a language model, through the judge's door (GRAMMAR 3.1, B.2): for
users who name one; never asked otherwise.

The model is shown names of tables and columns, never a row. What it writes is examined as a user's own
templates are: a SELECT that could do anything but read, or a wording without its placeholders, is not used,
and is listed with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import pandas as pd
from pydantic import Field

from ragassay.cases.database_questions.database import column_kind, foreign_keys, sorted_tables
from ragassay.cases.database_questions.rule_templates import STYLES
from ragassay.cases.database_questions.templates import Template, add_texts, parse_template
from ragassay.errors import InputError
from ragassay.models.judge_messages import Form, Reply, Request, Unparsed, fence, parse_reply

if TYPE_CHECKING:
    from sqlalchemy import MetaData

Ask = Callable[[Sequence[Request]], list[Reply]]
MOST, EACH = 40, 2  # templates asked for, wordings of a style
LONGEST = 500  # characters of a wording
REJECTED = ["template", "wording", "reason"]
Said = Annotated[str, Field(strict=True, min_length=1, max_length=2_000)]


class Templates(Form):
    """The reply to the first request."""

    templates: list[Said]


class Texts(Form):
    """The reply to a request for the wordings of one template: style -> text templates."""

    texts: dict[str, list[Said]]


def generate(schema: MetaData, ask: Ask, dialect: str = "sqlite") -> tuple[list[Template], pd.DataFrame]:
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
    requests = [_ask_for_texts(template) for template in templates]
    worded = []
    for template, request, reply in zip(templates, requests, ask(requests), strict=True):
        try:
            texts = parse_reply(reply, Texts, [request.user]).texts
        except Unparsed as problem:
            rejected.append((template.text, "", str(problem)))
            continue
        kept: dict[str, list[str]] = {}
        for style, text in ((style, text) for style, said in texts.items() for text in said):
            reason = _flaw(template, style, text)
            if reason:
                rejected.append((template.text, text, reason))
            elif len(kept.get(style, [])) < EACH and text not in kept.get(style, []):
                kept.setdefault(style, []).append(text)
        if kept:
            worded.append(replace(template, texts=kept))
        else:
            rejected.append((template.text, "", "got no wording that can be used"))
    return worded, pd.DataFrame(rejected, columns=REJECTED)


def _ask_for_sql(schema: MetaData) -> Request:
    tables = sorted_tables(schema)
    shown = [
        f"{table.name}({', '.join(f'{column.name}: {column_kind(column)}' for column in table.columns)})"
        for table in tables
    ]
    for table in tables:
        for key in foreign_keys(table):
            others = ", ".join(element.column.name for element in key.elements)
            shown.append(f"{table.name}({', '.join(key.column_keys)}) -> {key.referred_table.name}({others})")
    return Request("grounded_sql", _prompt("sql", most=MOST), fence("SCHEMA", "\n".join(shown)), 4_000)


def _ask_for_texts(template: Template) -> Request:
    system = _prompt("texts", each=EACH, styles=", ".join(STYLES))
    shown = fence("TEMPLATE", " ".join(template.text.split()))
    return Request("grounded_texts", system, shown, 60 * EACH * len(STYLES) + 200)


def _prompt(name: str, **parts: object) -> str:
    path = Path(__file__).with_name("prompts") / f"{name}.md"
    return path.read_text(encoding="utf-8").format(**parts).strip()


def _flaw(template: Template, style: str, text: str) -> str:
    """Why a wording cannot be used; "" where it can."""
    if style not in STYLES:
        return f"is of a style that was not asked for: {style[:40]}"
    if not text.isprintable() or len(text) > LONGEST:
        return f"holds control characters, or more than {LONGEST} signs"
    try:
        add_texts(template, {style: [text]})
    except InputError as flaw:
        return f"{flaw.what}, {flaw.expected}"
    return ""
