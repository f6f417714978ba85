"""What of a file was read as what, and what had no counterpart: columns by name, both ways."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ragassay.answers.log_formats import tool_scores
from ragassay.answers.log_formats.nested_values import dig, parse_literal
from ragassay.answers.log_formats.tool_schemas import OURS, Schema
from ragassay.answers.log_formats.tool_scores import ORIGIN
from ragassay.answers.log_formats.value_conversion import keys_of_passage

Values = Mapping[str, Any]
ENTRY = "[]"  # behind a path: of each entry of the list there
NOT_READ = "no counterpart"
NOT_THERE = "(none)"
KEPT = "kept, and written back; no metric reads it"
ABSENT = "not in the file: what needs it is not measured"
WANTED = {  # columns of ours that a file is told to lack
    **dict.fromkeys(("question", "answer", "contexts", "context_ids", "reference_chunk_ids"), ABSENT),
    **dict.fromkeys(("reference_answer", "latency_s", "cost", "tokens"), ABSENT),
    "answerable": "not in the file: every question is taken as answerable",
}
UNUSED = ("reference_contexts",)  # columns of ours that are kept for the way back alone
MOST = 200  # columns of a file that are named


@dataclass(frozen=True)
class Inner:
    """Of the first records of a file: where the ids of passages stand, "" where they have none of their own;
    the path of each given score."""

    ids: str = ""
    scores: dict[str, str] = field(default_factory=dict)


def look(sample: Sequence[Values], present: Mapping[str, str], schema: Schema) -> Inner:
    """What stands below the columns of these records; present : ours -> the path read."""
    scores: dict[str, str] = {}
    for values in sample:
        for one in tool_scores.read(values, schema):
            scores.setdefault(one.name, one.path)
    return Inner(_ids_of_passages(sample, present.get("contexts", "contexts"), schema), scores)


def _ids_of_passages(sample: Sequence[Values], path: str, schema: Schema) -> str:
    """Where the ids of passages that are objects stand; "" where not every one has its own."""
    lists = [parse_literal(dig(dict(values), path)) for values in sample]
    passages = [one for each in lists if isinstance(each, list) for one in each if isinstance(one, dict)]
    named = [keys_of_passage(one, schema)[1] for one in passages]
    return f"{path}{ENTRY}.{named[0]}" if named and all(named) else ""


class Mapped(NamedTuple):
    """One row: a column of the file, what it is read as, and a remark."""

    read_from: str
    column: str
    remark: str = ""


def rows(
    schema: Schema, present: Mapping[str, str], columns: Sequence[str], scores: Sequence[str], inner: Inner
) -> tuple[Mapped, ...]:
    """The columns that were read, the scores that came along, the columns that were not read, and those of
    ours that the file lacks.

    present : ours -> the path read; columns : of the file; scores : names of given scores; inner : what
        stands below the columns
    """
    read = {name: name for name in columns if name in OURS and name not in present.values()} | {**present}
    read |= {"context_ids": inner.ids} if inner.ids and "context_ids" not in read else {}
    origins = {name: inner.scores.get(name) or tool_scores.column_of(name, schema) for name in scores}
    named = [Mapped(path, ours, KEPT if ours in UNUSED else "") for ours, path in read.items()]
    given = [Mapped(path or NOT_THERE, name, ORIGIN) for name, path in origins.items()]
    paths = {*read.values(), *origins.values()}
    used = paths | {path.partition(".")[0] for path in paths}
    unread = [name for name in columns if name not in used and f"{name}[]" not in used]
    others = [Mapped(name, NOT_READ, KEPT) for name in unread[:MOST]]
    absent = [Mapped(NOT_THERE, ours, why) for ours, why in WANTED.items() if ours not in read]
    return (*named, *given, *others, *absent)


def lines(mapped: Sequence[Mapped]) -> list[str]:
    """The rows for a terminal."""
    wide = min(max((len(row.read_from) for row in mapped), default=0), 40)
    return [
        f"  {row.read_from:<{wide}}  {row.column}{': ' if row.remark else ''}{row.remark}" for row in mapped
    ]
