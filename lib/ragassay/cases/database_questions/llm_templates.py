"""SQL templates and their wordings by a language model, through the judge's door (GRAMMAR 3.1, B.2): for
users who name one; never asked otherwise.

The model is shown names of tables and columns, never a row. What it writes is examined as a user's own
templates are: a SELECT that could do anything but read, or a wording without its placeholders, is not used,
and is listed with the reason.
"""

from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import Annotated

import pandas as pd
from pydantic import Field

from ragassay.cases.database_questions import sql_template, template_files
from ragassay.cases.database_questions.database_schema import Schema
from ragassay.cases.database_questions.template_files import Worded
from ragassay.errors import InputError
from ragassay.models.judge import Budget, DryRun, Judge, Reply, Request, fence
from ragassay.models.judge.messages import Form, Unanswered, Unparsed, parse_reply

Ask = Callable[[Sequence[Request]], list[Reply]]
MOST, AT_ONCE, EACH = 40, 5, 2  # templates asked for, templates worded in one request, wordings of a style
LONGEST = 500  # characters of a wording
LARGEST = 20_000  # characters of a schema that is shown
TOKENS_SQL, TOKENS_WORDING = 4_000, 60
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


def generate(
    schema: Schema,
    ask: Ask,
    styles: Sequence[str],
    *,
    dialect: str = "sqlite",
    most: int = MOST,
    given: Sequence[sql_template.Template] = (),
) -> tuple[list[Worded], pd.DataFrame]:
    """Templates with wordings, and what was refused.

    Parameters
    ----------
    ask : models.judge.Judge, or anything that gives replies to requests in their order
    styles : of texts.STYLES
    given : SQL templates that are only to be put into words; without them the model is asked for at most
        `most`

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
    used = list(given) or _templates(schema, ask, dialect, most, rejected)
    parts = [used[start : start + AT_ONCE] for start in range(0, len(used), AT_ONCE)]
    replies = ask([wordings_prompt(part, styles) for part in parts])
    worded = [
        one
        for part, reply in zip(parts, replies, strict=True)
        for one in _worded(part, reply, styles, rejected)
    ]
    return [one for one in worded if one.texts], pd.DataFrame(rejected, columns=REJECTED)


def budget(
    schema: Schema,
    judge: Judge,
    styles: Sequence[str],
    *,
    dialect: str = "sqlite",
    quote: Callable[[str], str] = str,
    most: int = MOST,
) -> Budget:
    """What `generate` would take; nothing is sent. The rules' own templates stand in for the model's;
    `quote` as in `rules.templates`."""
    from ragassay.cases.database_questions import template_files

    supposed = [
        sql_template.template(one, schema, dialect)
        for one in template_files.sql_templates(schema, quote)[:most]
    ]
    stand_in = DryRun(
        judge, lambda request: Templates(templates=[one.text for one in supposed]).model_dump_json()
    )
    stand_in([sql_prompt(schema, most)])
    stand_in(
        [
            wordings_prompt(supposed[start : start + AT_ONCE], styles)
            for start in range(0, len(supposed), AT_ONCE)
        ]
    )
    return stand_in.budget


def sql_prompt(schema: Schema, most: int) -> Request:
    """The request for SQL templates."""
    shown = "\n".join([*map(_shown, schema.tables), *_references(schema)])
    if len(shown) > LARGEST:
        raise InputError(
            "the schema is too large to be shown to a language model",
            found=f"{len(shown):,} characters",
            expected=f"{LARGEST:,} at most",
        )
    return Request(
        "grounded_sql",
        _prompt("sql").format(rule=_prompt("rule"), most=most),
        fence("SCHEMA", shown),
        TOKENS_SQL,
    )


def wordings_prompt(part: Sequence[sql_template.Template], styles: Sequence[str]) -> Request:
    """The request for the wordings of a few templates."""
    system = _prompt("texts").format(rule=_prompt("rule"), each=EACH, styles=", ".join(styles))
    listed = "\n".join(f"{number}. {' '.join(one.text.split())}" for number, one in enumerate(part, start=1))
    return Request(
        "grounded_texts",
        system,
        fence("TEMPLATES", listed),
        TOKENS_WORDING * EACH * len(styles) * len(part) + 200,
    )


def _templates(
    schema: Schema, ask: Ask, dialect: str, most: int, rejected: list
) -> list[sql_template.Template]:
    """The examined templates of the first reply, each once."""
    request = sql_prompt(schema, most)
    try:
        told = parse_reply(ask([request])[0], Templates, [request.user]).templates
    except (Unanswered, Unparsed) as problem:
        rejected.append(("", "", str(problem)))
        return []
    found: dict[str, sql_template.Template] = {}
    for text in told[:most]:
        try:
            _refuse_unprintable(text)
            one = sql_template.template(text, schema, dialect)
            found.setdefault(one.statement, one)
        except InputError as flaw:
            rejected.append((text, "", f"{flaw.what}: {flaw.found}"))
    return list(found.values())


def _worded(
    part: Sequence[sql_template.Template], reply: Reply, styles: Sequence[str], rejected: list
) -> list[Worded]:
    """The templates of one request with the wordings that hold their placeholders."""
    try:
        told = parse_reply(reply, Wordings, [one.text for one in part]).wordings
    except (Unanswered, Unparsed) as problem:
        rejected += [(one.text, "", str(problem)) for one in part]
        return []
    texts: list[dict[str, list[str]]] = [{} for _ in part]
    for one in told:
        reason = _flaw(one, part, styles)
        if reason:
            rejected.append((part[one.number - 1].text if one.number <= len(part) else "", one.text, reason))
            continue
        own = texts[one.number - 1].setdefault(one.style, [])
        if one.text not in own and len(own) < EACH:
            own.append(one.text)
    rejected += [
        (one.text, "", "got no wording that can be used")
        for one, found in zip(part, texts, strict=True)
        if not found
    ]
    return [Worded(one, found) for one, found in zip(part, texts, strict=True)]


def _refuse_unprintable(text: str) -> None:
    if not text.isprintable():
        raise InputError("an SQL template holds control characters", found=ascii(text)[:100])


def _flaw(one: Wording, part: Sequence[sql_template.Template], styles: Sequence[str]) -> str:
    if one.number > len(part):
        return "is of a template that was not shown"
    if not one.text.isprintable() or len(one.text) > LONGEST:
        return f"holds control characters, or more than {LONGEST} signs"
    if one.style not in styles:
        return f"is of a style that was not asked for: {one.style[:40]}"
    try:
        template_files.check_templates({one.style: [one.text]}, part[one.number - 1])
    except InputError as flaw:
        return f"{flaw.what}, {flaw.expected}"
    return ""


def _shown(table) -> str:
    return f"{table.name}({', '.join(f'{column.name}: {column.kind}' for column in table.columns)})"


def _references(schema: Schema) -> list[str]:
    return [
        f"{table.name}({', '.join(link.columns)}) -> {link.other}({', '.join(link.others)})"
        for table in schema.tables
        for link in table.links
    ]


@cache
def _prompt(name: str) -> str:
    return (
        files("ragassay.cases.database_questions")
        .joinpath("prompts", f"{name}.md")
        .read_text(encoding="utf-8")
        .strip()
    )
