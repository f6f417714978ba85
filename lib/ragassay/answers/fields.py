"""Single values of a logged row: text, list, number, flag; each refuses what it is not, with the line."""

import ast
import json
import math
import re
from typing import NoReturn

from ragassay import tables
from ragassay.answers.logs import Row
from ragassay.answers.reply import clean
from ragassay.errors import InputError

FLAGS = {"true": True, "false": False, "yes": True, "no": False, "1": True, "0": False}
NUMPY = re.compile(r"^\[\s*(?:'[^']*'|\"[^\"]*\")\s+['\"]")


def text(row: Row, name: str, required: bool = False) -> str:
    """The text; empty where there is none, unless it is required."""
    value = row.values.get(name)
    if value is not None and not isinstance(value, str):
        value = (
            str(value)
            if name in ("case_id", "system") and isinstance(value, int)
            else _refuse(row, name, "a text")
        )
    if required and not (value and value.strip()):
        _refuse(row, name, "a text")
    return clean(value or "")


def texts(row: Row, name: str) -> list[str]:
    """A list of texts: a list, or a text that holds a JSON or Python list; any other text is one passage."""
    value = row.values.get(name)
    value = _parsed(row, name, value) if isinstance(value, str) else value
    if value is None:
        return []
    if not isinstance(value, (list, tuple)) or not all(
        isinstance(item, str) or type(item) is int for item in value
    ):
        _refuse(row, name, "a list of texts")
    return [clean(str(item)) for item in value]


def number(row: Row, name: str) -> float:
    """A number of at least 0; NaN where there is none."""
    value = row.values.get(name)
    if value is None or value == "":
        return math.nan
    try:
        found = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    return found if 0 <= found < math.inf else _refuse(row, name, "a number of at least 0")


def whole(row: Row, name: str) -> int:
    """A whole number of at least 0."""
    found = number(row, name)
    return int(found) if found == int(found) else _refuse(row, name, "a whole number")


def of_case(row: Row, name: str) -> object:
    """A value of the cases table, of the type declared there; an undeclared column is kept as text, None where empty."""
    rule, value = tables.TABLES["cases"].columns.get(name), row.values.get(name)
    if value is None or value == "":
        return None
    if rule is None:
        return clean(value if isinstance(value, str) else json.dumps(value, sort_keys=True))
    if rule.kind == tables.FLAG:
        return (
            FLAGS.get(str(value).strip().lower())
            if str(value).strip().lower() in FLAGS
            else _refuse(row, name, "true or false")
        )
    found = {tables.LIST: texts, tables.NUMBER: number, tables.TEXT: text}[rule.kind](row, name)
    return (
        found
        if not rule.allowed or found in rule.allowed
        else _refuse(row, name, f"one of {', '.join(rule.allowed)}")
    )


def _parsed(row: Row, name: str, value: str) -> object:
    if not value.strip():
        return None
    if not value.lstrip().startswith("["):
        return [value]
    if NUMPY.match(value.strip()):
        _refuse(row, name, "a JSON list; this is the print of a NumPy array, which cannot be read back")
    for parse in (json.loads, ast.literal_eval):
        try:
            return parse(value.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return [value]


def _refuse(row: Row, name: str, expected: str) -> NoReturn:
    raise InputError(
        f"the column {name!r} holds a value it may not hold",
        where=row.where,
        found=repr(row.values.get(name)),
        expected=expected,
        do="correct the value, or leave it empty",
    )
