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
from ragassay.cases.database_questions.rule_templates import STYLES, make_templates
from ragassay.cases.database_questions.templates import Template, add_texts, parse_template
from ragassay.errors import InputError
from ragassay.models.judge import Budget, DryRun, Judge, Reply, Request, fence
from ragassay.models.judge.messages import Form, Unanswered, Unparsed, parse_reply

if TYPE_CHECKING:
    from sqlalchemy import MetaData

Ask = Callable[[Sequence[Request]], list[Reply]]
MOST, AT_ONCE, EACH = 40, 5, 2  # templates asked for, templates worded in one request, wordings of a style
LONGEST = 500  # characters of a wording
LARGEST = 20_000  # characters of a schema that is shown
REJECTED = ["template", "wording", "reason"]
Said = Annotated[str, Field(strict=True, min_length=1, max_length=2_000)]


class Templates(Form):
    """The reply to the first request."""

    templates: list[Said]


class Wording(Form):
    """A text template of a numbered SQL template."""

    number: Annotated[int, Field(strict=True, ge=1)]
    style: Said
    text: Said


class Wordings(Form):
    """The reply to the second request."""

    wordings: list[Wording]


def generate(schema: MetaData, ask: Ask, dialect: str = "sqlite") -> tuple[list[Template], pd.DataFrame]:
    """Templates with wordings, and what was refused.

    Parameters
    ----------
    ask : models.judge.Judge, or anything that gives replies to requests in their order

    Returns
    -------
    templates : those with a wording at least, in the order in which they came
    rejected : template, wording, reason; a reply that did not come or could not be parsed is a row without
        both

    Raises
    ------
    InputError
        If the schema is too large to be shown.
    """
    rejected: list[tuple[str, str, str]] = []
    request = _ask_for_sql(schema)
    found: dict[str, Template] = {}
    try:
        written = parse_reply(ask([request])[0], Templates, [request.user]).templates[:MOST]
    except (Unanswered, Unparsed) as problem:
        written = []
        rejected.append(("", "", str(problem)))
    for text in written:
        try:
            template = parse_template(text, schema, dialect)
            found.setdefault(template.statement, template)
        except InputError as flaw:
            rejected.append((text, "", f"{flaw.what}: {flaw.found}"))
    templates = list(found.values())
    parts = [templates[start : start + AT_ONCE] for start in range(0, len(templates), AT_ONCE)]
    replies = ask([_ask_for_wordings(part) for part in parts])
    worded = []
    for part, reply in zip(parts, replies, strict=True):
        worded += _read_wordings(part, reply, rejected)
    return worded, pd.DataFrame(rejected, columns=REJECTED)


def estimate_budget(
    schema: MetaData, judge: Judge, dialect: str = "sqlite", quote: Callable[[str], str] = str
) -> Budget:
    """What `generate` would take; nothing is sent. The rules' own templates stand in for the model's."""
    supposed = [template.text for template in make_templates(schema, dialect, quote)[:MOST]]
    replies = {
        "grounded_sql": Templates(templates=supposed).model_dump_json(),
        "grounded_texts": Wordings(wordings=[]).model_dump_json(),
    }
    stand_in = DryRun(judge, lambda request: replies[request.name])
    generate(schema, stand_in, dialect)
    return stand_in.budget


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
    text = "\n".join(shown)
    if len(text) > LARGEST:
        raise InputError(
            "the schema is too large to be shown to a language model",
            found=f"{len(text):,} characters",
            expected=f"{LARGEST:,} at most",
        )
    return Request("grounded_sql", _prompt("sql", most=MOST), fence("SCHEMA", text), 4_000)


def _ask_for_wordings(part: Sequence[Template]) -> Request:
    listed = "\n".join(f"{number}. {' '.join(one.text.split())}" for number, one in enumerate(part, start=1))
    system = _prompt("texts", each=EACH, styles=", ".join(STYLES))
    tokens = 60 * EACH * len(STYLES) * len(part) + 200
    return Request("grounded_texts", system, fence("TEMPLATES", listed), tokens)


def _prompt(name: str, **parts: object) -> str:
    folder = Path(__file__).with_name("prompts")
    rule, text = ((folder / f"{each}.md").read_text(encoding="utf-8").strip() for each in ("rule", name))
    return text.format(rule=rule, **parts)


def _read_wordings(part: Sequence[Template], reply: Reply, rejected: list) -> list[Template]:
    """The templates of one request with the wordings that can be used, if any."""
    try:
        wordings = parse_reply(reply, Wordings, [template.text for template in part]).wordings
    except (Unanswered, Unparsed) as problem:
        rejected += [(template.text, "", str(problem)) for template in part]
        return []
    texts: list[dict[str, list[str]]] = [{} for _ in part]
    for wording in wordings:
        if wording.number > len(part):
            rejected.append(("", wording.text, "is of a template that was not shown"))
            continue
        template = part[wording.number - 1]
        reason = _flaw(wording, template)
        if reason:
            rejected.append((template.text, wording.text, reason))
            continue
        own = texts[wording.number - 1].setdefault(wording.style, [])
        if wording.text not in own and len(own) < EACH:
            own.append(wording.text)
    bare = [template for template, found in zip(part, texts, strict=True) if not found]
    rejected += [(template.text, "", "got no wording that can be used") for template in bare]
    return [replace(one, texts=found) for one, found in zip(part, texts, strict=True) if found]


def _flaw(wording: Wording, template: Template) -> str:
    """Why a wording cannot be used; "" where it can."""
    if not wording.text.isprintable() or len(wording.text) > LONGEST:
        return f"holds control characters, or more than {LONGEST} signs"
    if wording.style not in STYLES:
        return f"is of a style that was not asked for: {wording.style[:40]}"
    try:
        add_texts(template, {wording.style: [wording.text]})
    except InputError as flaw:
        return f"{flaw.what}, {flaw.expected}"
    return ""
