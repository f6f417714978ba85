"""Lists and objects written as a text, in JSON or Python: read, or told from prose where they are cut short
or broken."""

import ast
import io
import json
import re
import tokenize
import warnings
from itertools import pairwise
from typing import Any

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
