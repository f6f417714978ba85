"""What of a file was read as what, and what had no counterpart: columns by name, both ways."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ragassay.answers.log_formats import given_scores, given_writing
from ragassay.answers.log_formats.given_scores import ORIGIN
from ragassay.answers.log_formats.schemas import OURS, Schema

NOT_READ = "no counterpart"
NOT_THERE = "(none)"
KEPT = "kept, and written back; no metric reads it"
ABSENT = "not in the file: what needs it is not measured"
WANTED = ("question", "answer", "contexts", "context_ids", "reference_answer", "latency_s", "cost", "tokens")
MOST = 200  # columns of a file that are named


class Mapped(NamedTuple):
    """One row: a column of the file, what it is read as, and a remark."""

    read_from: str
    column: str
    remark: str = ""


def rows(
    schema: Schema, present: Mapping[str, str], columns: Sequence[str], scores: Sequence[str] = ()
) -> tuple[Mapped, ...]:
    """The columns that were read, the scores that came along, the columns that were not read, and those of
    ours that the file lacks.

    present : ours -> the path read; columns : of the file; scores : names of given scores
    """
    same = {name: name for name in columns if name in OURS and name not in present.values()}
    read = {**same, **present}
    origins = _origins(schema, columns, scores)
    named = [Mapped(path, ours) for ours, path in read.items()]
    given = [Mapped(path or NOT_THERE, name, ORIGIN) for name, path in origins.items()]
    used = {*read.values(), *(path.partition(".")[0] for path in [*read.values(), *origins.values()])}
    used |= {*origins.values()}
    unread = [Mapped(name, NOT_READ, KEPT) for name in columns if name not in used]
    absent = [Mapped(NOT_THERE, ours, ABSENT) for ours in WANTED if ours not in read]
    return (*named, *given, *unread[:MOST], *absent)


def lines(mapped: Sequence[Mapped]) -> list[str]:
    """The rows for a terminal."""
    width = max((len(row.read_from) for row in mapped), default=0)
    wide = min(width, 40)
    return [
        f"  {row.read_from:<{wide}}  {row.column}{': ' if row.remark else ''}{row.remark}" for row in mapped
    ]


def _origins(schema: Schema, columns: Sequence[str], scores: Sequence[str]) -> dict[str, str]:
    """Where each score stands in the file: its column, or the one in whose list or object it stands."""
    heads = [each.path for each in [given_scores.LISTS.get(schema.prefix)] if each]
    heads += [given_scores.MAPS[schema.prefix]] if schema.prefix in given_scores.MAPS else []
    within = [path for head in heads for path in head.split("|") if path.partition(".")[0] in columns]
    plain = {given_scores.full_name(schema.prefix, name): name for name in reversed(columns)}
    found = {}
    for name in scores:
        column = given_writing.column_of(name, schema)
        found[name] = column if column in columns else plain.get(name, " or ".join(within))
    return found
