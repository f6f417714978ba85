"""An engagement's YAML as plain data with the line of every entry: no aliases, each name once."""

import json
import re
from pathlib import Path
from typing import Any

import yaml

from ragassay.errors import ParameterError

MOST_BYTES, DEEPEST = 200_000, 20
# section, name, key or place in a list -> line of the file, or where else it was given
Lines = dict[tuple, str]
Sections = dict[str, Any]  # section -> parameter -> value
# what YAML does not take as it stands, or reads as the end of a line
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # plain values only


def read(path: Path) -> tuple[Sections, Lines]:
    """The sections of the file, and the line of everything in it.

    Raises ParameterError if there is no such file, it is larger than 200 kB or no YAML, or has an alias or
    one name twice: with the line."""
    if not path.is_file() or path.stat().st_size > MOST_BYTES:
        what = f"the parameter file does not exist, or has over {MOST_BYTES:,} bytes"
        raise ParameterError(what, where=path, do="`ragassay init NAME` writes one")
    lines: Lines = {}
    try:
        sections = _parsed(path.read_bytes().decode("utf-8-sig"), lines) or {}
    except ValueError as problem:
        what, do = "the parameter file is not valid YAML", "correct the line named"
        raise ParameterError(what, where=path, found=problem, do=do) from problem
    if not isinstance(sections, dict):
        what, do = (
            "the parameter file must hold sections named after notebooks",
            "write `00_scope:` and so on",
        )
        raise ParameterError(what, where=path, found=str(sections)[:80], do=do)
    return sections, lines


def value(text: str, where: str) -> Any:
    """One value, as the file would have it; ParameterError if it is no YAML."""
    try:
        return _parsed(text, {})
    except ValueError as problem:
        raise ParameterError("a value is not valid YAML", where=where, found=problem) from problem


def as_yaml(value: Any) -> str:
    """A value as YAML on one line, which reads back as it is."""
    text = json.dumps(value, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _parsed(text: str, lines: Lines) -> Any:
    """The data of a text, the lines of its entries noted; ValueError if it is none."""
    try:
        depth = 0
        for event in yaml.parse(text, Loader=_Loader):  # before anything is built that an alias multiplies
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if isinstance(event, yaml.AliasEvent) or depth > DEEPEST:
                raise ValueError(f"{_line(event)}: an alias, or over {DEEPEST} values in each other")
        root = yaml.compose(text, Loader=_Loader)
        if root is not None:
            _note_lines(root, (), lines)
        return yaml.load(text, Loader=_Loader)
    except ValueError:
        raise
    except Exception as problem:  # an unknown tag, a key that is none: YAML raises what it happens to raise
        raise ValueError(str(problem)) from problem


def _line(node: Any) -> str:
    return f"line {node.start_mark.line + 1}"


def _note_lines(node: Any, above: tuple, lines: Lines) -> None:
    """The line of every key and list element below a node, by the keys and places that lead there."""
    entries: list = []
    if node.id == "mapping":
        entries = [(str(key.value), key, child) for key, child in node.value]
    elif node.id == "sequence":
        entries = [(place, child, child) for place, child in enumerate(node.value)]
    for name, start, child in entries:
        place = (*above, name)
        if place in lines:
            raise ValueError(f"{_line(start)}: {name!r} stands there already, in {lines[place]}; keep one")
        lines[place] = _line(start)
        _note_lines(child, place, lines)
