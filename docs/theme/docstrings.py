"""Docstrings of this house for mkdocstrings: `name : meaning` is a name and its meaning, where numpy's own
form has a type behind the colon, and a source is a sentence, no section."""

import re
from typing import Any

import griffe

NAMED = re.compile(r"^(?P<name>\*{0,2}\w[\w, /*]*?) : (?P<meaning>.+)$")
SECTION = re.compile(r"^(Parameters|Returns|Raises|Source)\n-{3,}\n", re.MULTILINE)


class HouseStyle(griffe.Extension):
    """Rewrites docstrings before they are read."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        if obj.docstring:
            obj.docstring.value = in_numpy_style(obj.docstring.value)


def in_numpy_style(text: str) -> str:
    """A docstring of the house in numpy's style; what stands before the first section stays a text, in which
    a line `name : meaning` begins an item of a list."""
    opening, *sections = SECTION.split(text)
    parts = [_as_list(opening)]
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        parts.append(
            f"**Source.** {body}" if title == "Source" else f"{title}\n{'-' * len(title)}\n{_items(body)}"
        )
    return "\n".join(parts)


def _items(body: str) -> str:
    return "\n".join(NAMED.sub(r"\g<name>\n    \g<meaning>", line) for line in body.split("\n"))


def _as_list(text: str) -> str:
    lines, in_list = [], False
    for line in text.split("\n"):
        found = NAMED.match(line)
        if found:
            lines += [] if in_list else [""]
            line = f"- `{found['name']}`: {found['meaning']}"
        in_list = bool(found) or (in_list and line.startswith(" "))
        lines.append(line)
    return "\n".join(lines)
