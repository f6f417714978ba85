"""Templates on disk, to be read, mended by hand and loaded again: SQL beside its wordings by style (GRAMMAR B.2).

[{"sql": "SELECT Rate FROM accounts WHERE Name = '[accounts.Name]'", "texts": {"short": ["Rate of the account [accounts.Name]?"]}}, ...]

Read as well: {"SQL": ["text", ...]} (the style is what follows `text_` in the file's name), {"(tables)": ["SQL", ...]}, and a SQL template a line.
"""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragassay.cases.grounded import rules, sql, texts
from ragassay.cases.grounded.schema import Schema
from ragassay.errors import InputError, KitError

NUMBERED = re.compile(r"^\s*(?:\d+[.)\s-]+)?(?=SELECT\b)", re.IGNORECASE)
EXPECTED = 'a list of {"sql": ..., "texts": {style: [text, ...]}}'


@dataclass(frozen=True)
class Worded:
    """A SQL template and its text templates by style."""

    sql: sql.Template
    texts: dict[str, list[str]] = field(default_factory=dict)


def generated(schema: Schema, styles: Sequence[str], dialect: str, quote: rules.Quote) -> list[Worded]:
    """What rules make of a schema: SQL templates and their wordings (rules.py, texts.py)."""
    found = [sql.template(one, schema, dialect) for one in rules.templates(schema, quote)]
    return [Worded(one, texts.texts(one, styles)) for one in found]


def save(path: Path, templates: Sequence[Worded]) -> None:
    """Write templates as `load` reads them."""
    rows = [{"sql": one.sql.text, "texts": one.texts} for one in templates]
    path.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


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
            one = sql.template(written, schema, dialect)
            found.append(Worded(one, checked(worded, one) or texts.texts(one, styles)))
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


def checked(worded: dict[str, list[str]], template: sql.Template) -> dict[str, list[str]]:
    """The wordings, each known to hold the placeholders of the SQL and no others."""
    wanted = Counter(one.written.lower() for one in template.placeholders)
    for text in (text for values in worded.values() for text in values):
        found = Counter(
            f"[{match[1] or match[3]}.{match[2] or match[4]}]".lower()
            for match in sql.PLACEHOLDER.finditer(text)
        )
        if set(found) != set(wanted):
            what = "a wording does not hold the placeholders of its SQL template"
            raise InputError(
                what, where=template.text, found=text, expected=", ".join(sorted(wanted)) or "no placeholder"
            )
    return {style: list(values) for style, values in worded.items() if values}
