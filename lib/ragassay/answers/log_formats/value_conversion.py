"""Single values of a foreign record as ours: text, list, number, flag. What does not fit raises `Unfit`,
which says what would."""

import json
import math
import re
from collections.abc import Sequence
from typing import Any

from ragassay import tables
from ragassay.answers.log_formats.nested_values import MISSING, dig, is_broken_list, is_empty, parse_literal
from ragassay.answers.log_formats.tool_schemas import OURS, Schema
from ragassay.assistant.reply_validation import clean
from ragassay.tables import is_blank

KEPT_EMPTY = ("answer", "question")  # an empty text here was given, and is empty; elsewhere it says nothing
TEXT_KEYS = (
    "text page_content content context chunk chunk_text passage node.text document snippet quote"
).split()
ID_KEYS = ("id doc_id chunk_id id_ doc_uri node.id_ source passage_id document_id source_id ref").split()
PASSAGE_KEYS = {key.partition(".")[0] for key in TEXT_KEYS}  # of a dict that is one passage, not {id: text}
FLAGS = {"true": True, "false": False, "yes": True, "no": False, "1": True, "0": False}
LIST = "a list of texts, as JSON or Python"
BROKEN_LIST = f"{LIST}; cut short, or the print of Python objects"


class Unfit(ValueError):
    """A value is not of the kind it should be; the message says what is expected."""


def read_value(ours: str, value: Any, schema: Schema) -> tuple[Any, list[str]]:
    """A value as the column `ours` holds it, None if it says nothing; and the ids of passages that carry
    them. Unfit if it cannot be what the column holds."""
    rule = OURS[ours]
    value = value.tolist() if type(value).__module__ == "numpy" else value
    if ours == "reference_answer" and isinstance(value, list | tuple) and value:
        value = value[0]  # any of several: the first
    if is_empty(value) or (rule.kind == tables.LIST and is_blank(value)):  # an empty cell is no empty list
        return None, []
    if rule.kind == tables.LIST:
        return as_texts(_split_ids(value) if ours.endswith("_ids") else value, schema)
    found = CONVERTERS[rule.kind](value)
    if found == "" and ours not in KEPT_EMPTY:
        return None, []
    if rule.allowed and found not in rule.allowed:
        raise Unfit(f"one of {', '.join(rule.allowed)}")
    return found, []


def as_text(value: Any) -> str:
    """A text; a number or flag as it is written, the only text of a list or dict."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, bool | int | float):
        return _spell(value)
    entries = list(value.values()) if isinstance(value, dict) else value
    if isinstance(entries, list | tuple) and len(entries) == 1 and isinstance(entries[0], str):
        return clean(entries[0])
    raise Unfit("a text")


def as_texts(value: Any, schema: Schema) -> tuple[list[str], list[str]]:
    """A list of texts, and their ids if every one carries an id: from a list of texts or objects, its print,
    a delimited text, or one text."""
    items = _items(value, schema.delimiter)
    found = [_passage(item, schema.passage) for item in items]
    ids = [one for _, one in found if one is not None]
    return [words for words, _ in found], ids if len(ids) == len(found) else []


def keys_of_passage(passage: dict, schema: Schema) -> tuple[str, str]:
    """Where in a passage that is an object its text and its id stand; "" where they do not."""
    text, name = schema.passage
    return _first(passage, text, TEXT_KEYS)[0], _first(passage, name, ID_KEYS)[0]


def as_number(value: Any) -> float | None:
    """A number of at least 0; None where the text is blank."""
    if isinstance(value, str) and not value.strip():
        return None
    try:
        found = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if not 0 <= found < math.inf:
        raise Unfit("a number of at least 0, with a point for decimals")
    return found


def as_whole_number(value: Any) -> int | None:
    """A whole number of at least 0; None where the text is blank."""
    found = as_number(value)
    if found is not None and (found != int(found) or found > 2**53):
        raise Unfit("a whole number of at least 0")
    return None if found is None else int(found)


def as_flag(value: Any) -> bool | None:
    """True or false, also written yes, no, 1, 0; None where the text is blank."""
    word = str(value).strip().lower().removesuffix(".0")
    if word and word not in FLAGS:
        raise Unfit("true or false")
    return FLAGS[word] if word else None


def _split_ids(value: Any) -> Any:
    """Ids in a text: a list, or parted by comma, semicolon, bar or line. Unfit if a list of them cannot be
    read: no prose stands here."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        if parse_literal(value) is value:
            raise Unfit(BROKEN_LIST)
        return value
    return [part.strip() for part in re.split(r"[,;|\n]", value) if part.strip()]


def _items(value: Any, delimiter: str) -> Sequence:
    if isinstance(value, str):
        inside = parse_literal(value)
        if isinstance(inside, list | tuple | dict):
            return _items(inside, "")
        if inside is not value or is_broken_list(value):
            raise Unfit(BROKEN_LIST)
        parts = map(str.strip, value.split(delimiter)) if delimiter else [value]
        return [part for part in parts if part.strip()]
    if isinstance(value, dict):
        by_id = not set(value) & PASSAGE_KEYS and all(isinstance(one, str) for one in value.values())
        return [{"id": str(name), "text": words} for name, words in value.items()] if by_id else [value]
    if isinstance(value, list | tuple):
        return value
    raise Unfit(LIST)


def _passage(item: Any, keys: tuple[str, str]) -> tuple[str, str | None]:
    """The text and the id of one passage; a list within the list is one passage of its texts."""
    item = item.tolist() if type(item).__module__ == "numpy" else item
    if isinstance(item, dict):
        words, name = _first(item, keys[0], TEXT_KEYS)[1], _first(item, keys[1], ID_KEYS)[1]
        if words is None:
            raise Unfit(f"{LIST}; an object needs one of {', '.join(TEXT_KEYS)}")
        return as_text(words), None if name is None else as_text(name)
    if isinstance(item, list | tuple) and all(isinstance(one, str) for one in item):
        return clean("\n".join(item)), None
    if isinstance(item, str | int | float) and not is_empty(item):
        return as_text(item), None
    if is_empty(item):
        return "", None
    raise Unfit(LIST)


def _first(item: dict, key: str, usual: Sequence[str]) -> tuple[str, Any]:
    """The first path that holds something, and what it holds; "" and None if none does."""
    for path in filter(None, (key, *usual)):
        value = dig(item, path)
        if value is not MISSING and isinstance(value, str | int | float) and not is_empty(value):
            return path, value
    return "", None


def _spell(value: bool | int | float) -> str:
    if isinstance(value, float) and abs(value) < 2**53 and value == int(value):
        return str(int(value))
    return json.dumps(value) if isinstance(value, bool) else str(value)


CONVERTERS = {
    tables.TEXT: as_text,
    tables.FLAG: as_flag,
    tables.NUMBER: as_number,
    tables.INTEGER: as_whole_number,
}
