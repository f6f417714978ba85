"""Values written into an engagement's YAML where they belong: comments and all else stay as they are."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from ragassay import output_files
from ragassay.errors import ParameterError
from ragassay.run.parameter_file import yaml_reader

NOTHING = "tag:yaml.org,2002:null"


def write(path: Path, section: str, values: Mapping[str, Any]) -> None:
    """Set parameters of a section in the file.

    Raises
    ------
    ParameterError
        If the file cannot be read, or holds its section in a form in which nothing can be set.
    """
    before, _ = yaml_reader.read(path)
    draft = path.read_text(encoding="utf-8-sig")
    for name, value in values.items():
        draft = with_value(draft, section, name, value)
    expected = before | {section: (before.get(section) or {}) | dict(values)}
    if yaml.safe_load(draft) != expected:  # never seen; a file is not spoilt all the same
        do = "set the value in the file by hand"
        raise ParameterError("the value cannot be set in the file", where=path, found=section, do=do)
    output_files.write_text(path, draft)


def with_value(text: str, section: str, name: str, value: Any) -> str:
    """The text with one parameter set: in place of its old value or of its commented default, or as the
    first of its section."""
    written = f"{name}: {yaml_reader.as_yaml(value)}"
    pairs = _pairs(yaml.compose(text, Loader=yaml.SafeLoader))
    if section not in pairs:
        return f"{text.rstrip()}\n{section}:\n  {written}\n".lstrip()
    key, node = pairs[section]
    own = _pairs(node)
    if name in own:
        first, last = own[name]
        return _replaced(text, first.start_mark.index, last, written)
    if node.id == "mapping" and node.flow_style:
        start = node.start_mark.index + 1  # after the brace
        return f"{text[:start]}{written}{', ' if own else ''}{text[start:]}"
    return _inserted(text, key.end_mark.index, own, name, written)


def _pairs(node: Any) -> dict[str, tuple[Any, Any]]:
    """Name -> its node and that of its value; none where it is no mapping."""
    return {key.value: (key, value) for key, value in node.value} if node and node.id == "mapping" else {}


def _replaced(text: str, start: int, last: Any, written: str) -> str:
    """The text with what reaches from `start` to the end of a node replaced; comments below it stay."""
    old = text[start : last.end_mark.index]
    lines = old.rstrip().split("\n")
    while len(lines) > 1 and lines[-1].lstrip().startswith("#"):
        lines.pop()
    end = start + len("\n".join(lines).rstrip())
    return text[:start] + written + text[end:]


def _inserted(text: str, header: int, own: dict[str, tuple[Any, Any]], name: str, written: str) -> str:
    """The text with a line more in a section whose header ends at `header`; a commented default gives way."""
    start = text.index("\n", header) + 1 if "\n" in text[header:] else len(text)
    following = re.search(r"^[^\s#]", text[start:], re.MULTILINE)
    end = start + following.start() if following else len(text)
    indent = " " * (min(key.start_mark.column for key, _ in own.values()) if own else 2)
    default = re.search(rf"^ *# {re.escape(name)}: .*?(  # [^\n]*)?$", text[start:end], re.MULTILINE)
    if default:
        about = default[1] or ""
        return f"{text[: start + default.start()]}{indent}{written}{about}{text[start + default.end() :]}"
    before = text[:start] if text[:start].endswith("\n") else f"{text[:start]}\n"
    return f"{before}{indent}{written}\n{text[start:]}"
