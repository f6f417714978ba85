"""An engagement's YAML as plain data with the line of every entry: bounded, no aliases, each name once."""

import json
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import yaml

from ragassay.errors import ParameterError

MOST_BYTES, DEEPEST, MOST_FLAWS = 200_000, 20, 100
# section, name, key or place in a list -> line of the file, or where else it was given
Lines = dict[tuple, int | str]
Sections = dict[str, Any]  # section -> parameter -> value
# what YAML does not take as it stands, or reads as the end of a line
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_TEXT, _NOTHING = "tag:yaml.org,2002:str", "tag:yaml.org,2002:null"


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Reads plain values only; in C where PyYAML was built so."""


def read(path: Path) -> tuple[Sections, Lines]:
    """The sections of the file, and the line of everything in it.

    Raises
    ------
    ParameterError
        If there is no such file, it is larger than 200 kB or no YAML, or (all of them, each with its line) it
        has an alias, a key that is no text, one name twice, or a value that YAML cannot read.
    """
    text = _text(path)
    try:
        refuse(path, islice(_event_flaws(text), MOST_FLAWS))
        root = _Loader(text).get_single_node()
    except yaml.YAMLError as problem:
        raise _no_yaml(path, problem) from problem
    if root is None or root.tag == _NOTHING:
        return {}, {}
    if root.id != "mapping":
        what, do = (
            "the parameter file must hold sections named after notebooks",
            "write `00_scope:` and so on",
        )
        raise ParameterError(what, where=path, found=text[:80].strip(), do=do)
    refuse(path, islice(_key_flaws(root), MOST_FLAWS))
    flaws: list[str] = []
    sections: Sections = {}
    for key, node in root.value:
        each = node.value if node.id == "mapping" else ()
        values = {name.value: _value(value, flaws) for name, value in each}
        sections[key.value] = values if node.id == "mapping" else _value(node, flaws)
    refuse(path, flaws)
    return sections, dict(_lines(root))


def value(text: str, where: str) -> Any:
    """One value, as the file would have it.

    Raises
    ------
    ParameterError
        If it is no YAML, or has an alias, a key that is no text, or one name twice.
    """
    flaws: list[str] = []
    try:
        found = list(islice(_event_flaws(text), MOST_FLAWS))
        root = None if found else _Loader(text).get_single_node()
        found += islice(_key_flaws(root), MOST_FLAWS) if root else []
        read = None if found or root is None else _value(root, flaws)
    except yaml.YAMLError as problem:
        found, read = [str(problem)], None
    if found or flaws:
        raise ParameterError("a value is not valid YAML", where=where, found="; ".join([*found, *flaws]))
    return read


def as_yaml(value: Any) -> str:
    """A value as YAML on one line, which reads back as it is."""
    text = json.dumps(value, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def place_of(lines: Lines, *place: Any) -> str:
    """Where an entry stands, in words: `line 3`, or where else it was given."""
    found = lines.get(place, "?")
    return str(found) if str(found).startswith("-p ") else f"line {found}"


def refuse(path: Path, flaws: Iterator[str] | list[str]) -> None:
    """ParameterError with every flaw, if there is one; of more than MOST_FLAWS the first."""
    found = list(islice(flaws, MOST_FLAWS))
    if found:
        most = " or more" if len(found) == MOST_FLAWS else ""
        what = f"{len(found)}{most} flaw(s) in the parameters, nothing was run"
        do = "correct the lines named; `ragassay init NAME` writes a file with defaults"
        lines = [line if len(line) <= 500 else f"{line[:500]}..." for line in found]
        raise ParameterError("\n    ".join([what, *lines]), where=path, do=do)


def _text(path: Path) -> str:
    if not path.is_file():
        what = "the parameter file is no file" if path.exists() else "the parameter file does not exist"
        raise ParameterError(what, where=path, do="`ragassay init NAME` writes one")
    with path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        what, do = "the parameter file is too large", "name the file of parameters, not one of data"
        raise ParameterError(what, where=path, expected=f"at most {MOST_BYTES:,} bytes", do=do)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise _no_yaml(path, problem) from problem


def _no_yaml(path: Path, problem: Exception) -> ParameterError:
    what = "the parameter file is not valid YAML"
    return ParameterError(what, where=path, found=problem, do="correct the line named")


def _event_flaws(text: str) -> Iterator[str]:
    """Aliases, which could stand for any number of values, and what is nested too deep: found while reading
    on, before anything is built."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        line = event.start_mark.line + 1 if event.start_mark else 1
        if isinstance(event, yaml.AliasEvent):
            yield f"line {line}: *{event.anchor} is an alias: write the value out"
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            yield f"line {line}: more than {DEEPEST} values stand in each other"
            return


def _key_flaws(node: Any) -> Iterator[str]:
    """Keys that are no texts (1, null, on), and names that stand twice in one mapping."""
    first: dict[str, int] = {}
    for key, _ in node.value if node.id == "mapping" else ():
        line = key.start_mark.line + 1
        if key.tag != _TEXT:
            kind = key.tag.rpartition(":")[2]
            spelled = repr(key.value) if key.id == "scalar" else f"a {key.id}"
            yield f"line {line}: a name must be text, found {spelled} ({kind}); quote it"
        elif key.value in first:
            yield f"line {line}: {key.value!r} stands there already, in line {first[key.value]}; keep one"
        else:
            first[key.value] = line
    children = {"sequence": lambda: node.value, "mapping": lambda: [value for _, value in node.value]}
    for child in children.get(node.id, list)():
        yield from _key_flaws(child)


def _value(node: Any, flaws: list[str]) -> Any:
    try:
        return _Loader("").construct_document(node)
    except Exception as problem:  # 2026-13-01, !!int x, an unknown tag: YAML raises what it happens to raise
        reason = getattr(problem, "problem", None) or problem
        flaws.append(f"line {node.start_mark.line + 1}: not valid YAML: {reason}")
        return None


def _lines(node: Any, above: tuple = ()) -> Iterator[tuple[tuple, int]]:
    """The line of every key and list element below a node, by the keys and places that lead there."""
    children = {
        "mapping": lambda: [(key.value, key, value) for key, value in node.value],
        "sequence": lambda: [(place, value, value) for place, value in enumerate(node.value)],
    }.get(node.id, list)()
    for name, start, value in children:
        yield (*above, name), start.start_mark.line + 1
        yield from _lines(value, (*above, name))
