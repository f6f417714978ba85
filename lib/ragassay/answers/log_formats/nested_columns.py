"""What stands below the columns of a file, in objects and lists of passages: where ids and scores were found,
and what was not read."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragassay.answers.log_formats import tool_scores
from ragassay.answers.log_formats.list_literals import parse_literal
from ragassay.answers.log_formats.nested_values import dig
from ragassay.answers.log_formats.tool_schemas import Schema
from ragassay.answers.log_formats.value_conversion import keys_of_passage

Values = Mapping[str, Any]
ENTRY = "[]"  # behind a path: of each entry of the list there


@dataclass(frozen=True)
class Inner:
    """Of the first records of a file: where the ids of passages stand, "" where they have none of their own;
    the path of each given score; and the names below the columns that nothing was read from."""

    ids: str = ""
    scores: dict[str, str] = field(default_factory=dict)
    unread: tuple[str, ...] = ()


def look(sample: Sequence[Values], present: Mapping[str, str], schema: Schema) -> Inner:
    """What stands below the columns of these records; present : ours -> the path read."""
    scores: dict[str, str] = {}
    for values in sample:
        for one in tool_scores.read(values, schema):
            scores.setdefault(one.name, one.path)
    ids, unread = _of_passages(sample, present.get("contexts", "contexts"), schema)
    read = {*present.values(), *scores.values()}
    below = [name for name in _below(sample, read) if not _is_read(name, read)]
    return Inner(ids, scores, tuple(dict.fromkeys([*below, *unread])))


def _below(sample: Sequence[Values], read: set[str]) -> Iterator[str]:
    """The names in the objects of which something is read by its name."""
    heads = sorted({path.partition(".")[0] for path in read if "." in path})
    for values in sample:
        for head in heads:
            inside = parse_literal(values.get(head))
            yield from (f"{head}.{key}" for key in inside) if isinstance(inside, dict) else ()


def _is_read(name: str, read: set[str]) -> bool:
    return any(path == name or path.startswith(f"{name}.") for path in read)


def _of_passages(sample: Sequence[Values], path: str, schema: Schema) -> tuple[str, list[str]]:
    """Where the ids of passages that are objects stand, "" where not every one has its own; and the names in
    them that nothing was read from."""
    lists = [parse_literal(dig(dict(values), path)) for values in sample]
    passages = [one for each in lists if isinstance(each, list) for one in each if isinstance(one, dict)]
    keys = [keys_of_passage(one, schema) for one in passages]
    used = {key.partition(".")[0] for pair in keys for key in pair}
    others = [key for one in passages for key in one if key not in used]
    named = [name for _, name in keys]
    ids = f"{path}{ENTRY}.{named[0]}" if named and all(named) else ""
    return ids, [f"{path}{ENTRY}.{key}" for key in dict.fromkeys(others)]
