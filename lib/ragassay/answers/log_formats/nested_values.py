"""A value below others: `inputs.question`, `user_input.@human`."""

import ast
import io
import json
import re
import tokenize
import warnings
from itertools import pairwise
from typing import Any

from ragassay.tables import is_missing

LONGEST = 1_000_000  # characters of a Python literal that are still parsed
START = 200  # characters that tell a list from prose
UNREADABLE = (ValueError, SyntaxError, TypeError, RecursionError, MemoryError, tokenize.TokenError)
ABBREVIATED = re.compile(r"(?:\.\.\.|…)\s*$")
ABBREVIATED_LIST = re.compile(r",\s*(?:\.\.\.|…)\s*\]\s*$")
LIST_STARTS = tuple(  # how lists begin, and prose such as "[1] The fee", "[sic]", "[...] the fee" does not
    re.compile(pattern, re.DOTALL)
    for pattern in (
        r"""["']?[\[{][\s\[{(]*[bru]{0,2}\\?["']""",  # a bracket, then a quote
        r"""\(\s*[bru]{0,2}["'].*["']\s*,\s*["']""",  # a parenthesis, then quotes parted by a comma
        r"""\[\s*(?:None|null|nan|NaN|True|true|False|false|\.\.\.)\s*,""",  # a first item that is no text
        r"""\[\s*[A-Za-z_][\w.]*\((?:\w+=|[\["'{(])""",  # the print of objects: [Document(page_content=
        r"""\[?\s*<[\w.]+[^<>]{0,80} at 0x""",  # the print of an object that has none
        r"""(?:\w+\.)?(?:array|ndarray|Series|Index|tensor|deque|list|tuple|set|frozenset|dict_values|dict_keys"""
        r"""|Document|TextNode|NodeWithScore|\w*Message)\((?:\w+=|[\["'{(])""",
    )
)
MISSING: Any = object()  # nothing stands there
FLAT = ("attributes",)  # OpenTelemetry's, whose names hold dots
ROLES = {"@human": ("human", "user"), "@ai": ("ai", "assistant")}


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


def is_broken_list(text: str) -> bool:
    """Whether a text that `parse_literal` leaves as it is was meant as a list: it begins like the print of
    one, is cut by an ellipsis, or opens a bracket over no word at all.

    A list in which no item is quoted cannot be told from prose in brackets, and is taken as prose.
    """
    start = text.lstrip()[:START]
    if any(pattern.match(start) for pattern in LIST_STARTS):
        return True
    if start[:1] not in ("[", "{"):
        return False
    cut = text.count("[") > text.count("]") and ABBREVIATED.search(text[-START:])
    return bool(cut or ABBREVIATED_LIST.search(text[-START:])) or not any(map(str.isalpha, text))


def _python_literal(text: str) -> Any:
    if len(text) > LONGEST:
        raise ValueError("too long")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on odd escapes in texts that are not ours
        found = ast.literal_eval(text)
    if _joins_texts(text):
        raise ValueError("a comma is missing: Python would read two texts as one")
    return found


def _joins_texts(text: str) -> bool:
    """Whether two quoted texts stand side by side: ['a' 'b'] of NumPy, ['it''s'] of SQL."""
    found = [token.type for token in tokenize.generate_tokens(io.StringIO(text).readline)]
    kinds = [kind for kind in found if kind not in (tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT)]
    return (tokenize.STRING, tokenize.STRING) in pairwise(kinds)


class _Unread:
    def __repr__(self) -> str:
        return "(unreadable)"


UNREAD: Any = _Unread()  # something stands there, of another kind than it should be


def dig(values: Any, path: str) -> Any:
    """What stands at a path, MISSING if nothing does; a column whose own name holds the dots comes first,
    JSON in a text is looked into."""
    values = parse_literal(values)
    if isinstance(values, dict) and path in values:
        return values[path]
    if path in ROLES:
        message = _message(values, path)
        return MISSING if message is None else _message_text(message.get("content", message.get("parts")))
    return _below(values, path) if isinstance(values, dict) else MISSING


def _below(values: dict, path: str) -> Any:
    """What stands at a path below one of its beginnings, which may hold dots: the shortest that leads on."""
    dots = [place for place, letter in enumerate(path) if letter == "."]
    found = (dig(values[path[:dot]], path[dot + 1 :]) for dot in dots if path[:dot] in values)
    return next((value for value in found if value is not MISSING), MISSING)


def put(values: dict, path: str, value: Any) -> None:
    """Write a value at a path, making what is not there yet."""
    if path in values or "." not in path:
        values[path] = value
        return
    head, _, rest = path.partition(".")
    below = parse_literal(values.get(head))
    if rest in ROLES:
        values[head] = _with_message(below if isinstance(below, list) else [], rest, value)
        return
    values[head] = dict(below) if isinstance(below, dict) else {}
    if head in FLAT:
        values[head] |= _attribute(values[head], rest, value)
    else:
        put(values[head], rest, value)


def first_value(values: dict, paths: str) -> tuple[str, Any]:
    """The first of `a|b|c` that holds something, and what it holds; else the first that is there at all; else
    MISSING."""
    if paths in values:
        return paths, values[paths]
    if "|" not in paths and "." not in paths:
        return paths, MISSING
    found = [(path, value) for path in paths.split("|") if (value := dig(values, path)) is not MISSING]
    return next((pair for pair in found if not is_empty(pair[1])), found[0] if found else (paths, MISSING))


def is_empty(value: Any) -> bool:
    """Whether a value says nothing: missing, or a value that could not be read."""
    return value is UNREAD or is_missing(value)


def _message(messages: Any, role: str) -> dict | None:
    """The last message of a role; of people, the last before the last answer."""
    if not isinstance(messages, list) or not all(
        isinstance(one, dict) and ("content" in one or "parts" in one) for one in messages
    ):
        return None
    roles = [str(one.get("role", one.get("type", ""))).lower() for one in messages]
    answered = max((i for i, name in enumerate(roles) if name in ROLES["@ai"]), default=len(roles) - 1)
    spoken = [one for one, name in zip(messages[: answered + 1], roles, strict=False) if name in ROLES[role]]
    return spoken[-1] if spoken else None


def _message_text(content: Any) -> Any:
    """The text of a message, whose content may be a list of parts."""
    if not isinstance(content, list):
        return content
    parts = [part.get("text", part.get("content")) if isinstance(part, dict) else part for part in content]
    return "\n".join(part for part in parts if isinstance(part, str))


def _with_message(messages: list, role: str, content: Any) -> list:
    old = _message(messages, role)
    if old is None:
        return [*messages, {"type": ROLES[role][0], "content": content}]
    return [old | {"content": content} if one is old else one for one in messages]


def _attribute(attributes: dict, path: str, value: Any) -> dict:
    """One more attribute of OpenTelemetry; a message as its text in parts."""
    name, _, role = path.partition(".@")
    if not role:
        return {path: value}
    speaker, reason = ("assistant", {"finish_reason": "stop"}) if role == "ai" else ("user", {})
    message = {"role": speaker, "parts": [{"type": "text", "content": value}], **reason}
    found = parse_literal(attributes.get(name))
    others = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    return {name: [*(one for one in others if one.get("role") != speaker), message]}
