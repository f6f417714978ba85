"""Values of a foreign record as ours: below others (`inputs.question`, `messages.@ai`), and as text, list,
number or flag. What does not fit raises `Unfit`, which says what would."""

import ast
import io
import json
import re
import tokenize
import unicodedata
import warnings
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from ragassay import tables
from ragassay.assistant.reply_validation import CITATIONS, clean, is_placeholder
from ragassay.tables import is_blank, is_missing

MISSING: Any = object()  # nothing stands there
ROLES = {"@human": ("human", "user"), "@ai": ("ai", "assistant")}
LONGEST = 1_000_000  # characters of a Python literal that are still parsed
UNREADABLE = (ValueError, SyntaxError, TypeError, RecursionError, MemoryError, tokenize.TokenError)
LIST_LIKE = re.compile(  # how the print of a list begins, and prose such as "[1] The fee" or "[sic]" does not
    r"""\s*["']?(?:\[[\s\[]*(?:[bru]?["'{]|(?:None|nan|NaN|null)\s*,|[\w.]+\((?:\w+=|[\["'{(]))"""
    r"""|\{\s*["']|(?:\w+\.)?\w+\((?:\w+=|[\["'{])|\[?<[\w.]+ object)"""
)
TEXT_KEYS = (
    "text page_content content context chunk chunk_text passage node.text document snippet quote"
).split()
ID_KEYS = ("id doc_id chunk_id id_ doc_uri node.id_ source passage_id document_id source_id ref").split()
PASSAGE_KEYS = {key.partition(".")[0] for key in TEXT_KEYS}  # of a dict that is one passage, not {id: text}
KINDS: dict[str, tuple[TypeAdapter, str]] = {
    tables.FLAG: (TypeAdapter(bool), "true or false"),
    tables.NUMBER: (
        TypeAdapter(Annotated[float, Field(ge=0, allow_inf_nan=False)]),
        "a number of at least 0, with a point for decimals",
    ),
    tables.INTEGER: (TypeAdapter(Annotated[int, Field(ge=0, le=2**53)]), "a whole number of at least 0"),
}
LIST = "a list of texts, as JSON or Python"


class Unfit(ValueError):
    """A value is not of the kind it should be; the message says what is expected."""


def is_empty(value: Any) -> bool:
    """Whether nothing was given."""
    return value is MISSING or is_missing(value)


def parse_literal(value: Any) -> Any:
    """A text that is written as a JSON or Python list or dict as that; anything else as it is."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    for parse in (json.loads, _python_literal):
        try:
            return parse(value.strip())
        except UNREADABLE:
            continue
    return value


def _python_literal(text: str) -> Any:
    """ValueError also where two quoted texts stand side by side, as NumPy prints them: ['a' 'b']."""
    if len(text) > LONGEST:
        raise ValueError("too long")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on odd escapes in texts that are not ours
        found = ast.literal_eval(text)
    skipped = (tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT)
    kinds = [token.type for token in tokenize.generate_tokens(io.StringIO(text).readline)]
    if (tokenize.STRING, tokenize.STRING) in pairwise(kind for kind in kinds if kind not in skipped):
        raise ValueError("a comma is missing: Python would read two texts as one")
    return found


def dig(values: Any, path: str) -> Any:
    """What stands at a path, MISSING if nothing does; a name that itself holds the dots comes first, JSON in
    a text is looked into, `@human` and `@ai` are the last question and answer of a list of messages."""
    values = parse_literal(values)
    if path in ROLES:
        return _message_text(values, path)
    if not isinstance(values, Mapping):
        return MISSING
    if path in values:
        return values[path]
    for dot in (place for place, letter in enumerate(path) if letter == "."):
        if path[:dot] in values and (found := dig(values[path[:dot]], path[dot + 1 :])) is not MISSING:
            return found
    return MISSING


def first_value(values: Mapping, paths: str) -> tuple[str, Any]:
    """The first of `a|b|c` that holds something, and what it holds; else the first that is there at all; else
    MISSING."""
    there = [(path, found) for path in paths.split("|") if (found := dig(values, path)) is not MISSING]
    return next((pair for pair in there if not is_empty(pair[1])), there[0] if there else (paths, MISSING))


def put(values: dict, path: str, value: Any) -> None:
    """Write a value at a path, making what is not there yet."""
    head, dot, rest = path.partition(".")
    if path in values or not dot:
        values[path] = value
        return
    below = parse_literal(values.get(head))
    if rest in ROLES:
        messages = [one for one in below if isinstance(one, dict)] if isinstance(below, list) else []
        others = [one for one in messages if one.get("role", one.get("type")) not in ROLES[rest]]
        values[head] = [*others, {"type": ROLES[rest][0], "content": value}]
        return
    values[head] = dict(below) if isinstance(below, dict) else {}
    put(values[head], rest, value)


def _message_text(messages: Any, role: str) -> Any:
    """The text of the last message of a role; of people, the last before the last answer."""
    if not isinstance(messages, list) or not all(isinstance(one, dict) for one in messages):
        return MISSING
    roles = [str(one.get("role", one.get("type", ""))).lower() for one in messages]
    answered = max((i for i, name in enumerate(roles) if name in ROLES["@ai"]), default=len(roles) - 1)
    spoken = [one for one, name in zip(messages[: answered + 1], roles, strict=False) if name in ROLES[role]]
    content = spoken[-1].get("content", spoken[-1].get("parts", MISSING)) if spoken else MISSING
    if not isinstance(content, list):
        return content
    parts = [part.get("text", part.get("content")) if isinstance(part, dict) else part for part in content]
    return "\n".join(part for part in parts if isinstance(part, str))


def read_value(
    ours: str, rule: tables.Column, value: Any, passage: tuple[str, str], delimiter: str
) -> tuple[Any, list[str]]:
    """A value as the column `ours` holds it, None if it says nothing; and the ids of passages that carry
    them. Unfit if it cannot be what the column holds."""
    value = value.tolist() if type(value).__module__ == "numpy" else value
    if ours == "reference_answer" and isinstance(value, list | tuple) and value:
        value = value[0]  # any of several: the first
    if ours == "error" and isinstance(value, Mapping):
        value = str(value.get("message") or json.dumps(value, default=str))
    if isinstance(value, str) and is_placeholder(value):
        if ours == "answer":
            raise Unfit("an answer, where a placeholder stands")
        return None, []
    if is_empty(value) or (rule.kind == tables.LIST and is_blank(value)):  # an empty cell is no empty list
        return None, []
    if rule.kind == tables.LIST:
        is_ids = ours.endswith("_ids") or ours == CITATIONS
        return (as_ids(value), []) if is_ids else as_texts(value, passage, delimiter)
    found = as_text(value) if rule.kind == tables.TEXT else _as_kind(value, rule.kind)
    if found == "" and ours not in ("answer", "question"):  # there it was given, and is empty
        return None, []
    if rule.allowed and found not in rule.allowed:
        raise Unfit(f"one of {', '.join(rule.allowed)}")
    return found, []


def as_text(value: Any) -> str:
    """A text; a number or flag as it is written, the only text of a list or dict."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    entries = list(value.values()) if isinstance(value, dict) else value
    if isinstance(entries, list | tuple) and len(entries) == 1 and isinstance(entries[0], str):
        return clean(entries[0])
    raise Unfit("a text")


def as_texts(value: Any, passage: tuple[str, str], delimiter: str) -> tuple[list[str], list[str]]:
    """A list of texts, and their ids if every one carries an id: from a list of texts or objects, its print,
    a delimited text, or one text."""
    found = [_passage(item, passage) for item in _items(value, delimiter)]
    ids = [one for _, one in found if one]
    return [words for words, _ in found], ids if len(ids) == len(found) else []


def as_ids(value: Any) -> list[str]:
    """Ids in NFC: a list of them, or of objects that have one, or a text in which comma, semicolon, bar or
    line parts them."""
    if isinstance(value, str) and not value.lstrip().startswith("["):
        value = [part.strip() for part in re.split(r"[,;|\n]", value) if part.strip()]
    texts, ids = as_texts(value, ("", ""), "")
    return [unicodedata.normalize("NFC", one) for one in ids or texts]


def _as_kind(value: Any, kind: str) -> Any:
    """A number, whole number or flag, however written; "" where a text is blank."""
    adapter, expected = KINDS[kind]
    plain = value.strip().removesuffix(".0") if isinstance(value, str) else value
    if plain == "":
        return ""
    try:
        if isinstance(value, bool) and kind != tables.FLAG:
            raise Unfit(expected)
        return adapter.validate_python(plain)
    except ValidationError:
        raise Unfit(expected) from None


def _items(value: Any, delimiter: str) -> Sequence:
    if isinstance(value, str):
        inside = parse_literal(value)
        if inside is not value:
            return _items(inside, "")
        if LIST_LIKE.match(value[:200]) or (
            value.strip()[:1] in ("[", "{") and not any(map(str.isalpha, value))
        ):
            raise Unfit(f"{LIST}; cut short, or the print of Python objects")
        parts = map(str.strip, value.split(delimiter)) if delimiter else [value]
        return [part for part in parts if part.strip()]
    if isinstance(value, dict):
        is_by_id = not set(value) & PASSAGE_KEYS and all(isinstance(one, str) for one in value.values())
        return [{"id": str(name), "text": words} for name, words in value.items()] if is_by_id else [value]
    if isinstance(value, list | tuple):
        return value
    raise Unfit(LIST)


def _passage(item: Any, keys: tuple[str, str]) -> tuple[str, str]:
    """The text of one passage, and its id or ""; a list within the list is one passage of its texts."""
    item = item.tolist() if type(item).__module__ == "numpy" else item
    if is_empty(item) or (isinstance(item, str) and is_placeholder(item)):
        return "", ""
    if isinstance(item, dict):
        words, name = first_filled(item, keys[0], TEXT_KEYS)[1], first_filled(item, keys[1], ID_KEYS)[1]
        if words is None:
            raise Unfit(f"{LIST}; an object needs one of {', '.join(TEXT_KEYS)}")
        return as_text(words), "" if name is None else unicodedata.normalize("NFC", as_text(name))
    if isinstance(item, list | tuple) and all(isinstance(one, str) for one in item):
        return clean("\n".join(item)), ""
    if isinstance(item, str | int | float):
        return as_text(item), ""
    raise Unfit(LIST)


def first_filled(item: dict, key: str, usual: Sequence[str]) -> tuple[str, Any]:
    """The first path that holds something, and what it holds; "" and None if none does."""
    for path in filter(None, (key, *usual)):
        value = dig(item, path)
        if isinstance(value, str | int | float) and not is_empty(value):
            return path, value
    return "", None
