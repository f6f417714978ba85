"""What a schema is: the columns of one tool's records, beside ours."""

from dataclasses import dataclass
from typing import NamedTuple

from ragassay import tables

BESIDES = {  # columns of ours that no table declares
    "reference_contexts": tables.Column(
        tables.LIST, required=False, meaning="the passages that hold the answer, as text"
    )
}
OURS: dict[str, tables.Column] = tables.TABLES["cases"].columns | tables.TABLES["answers"].columns | BESIDES


@dataclass(frozen=True)
class Schema:
    """One row of SCHEMAS: how a tool names what we name otherwise.

    Parameters
    ----------
    name : what `--schema` takes
    tool : the tool and the kind of record, as printed when it is detected
    signature : what a record must have for the schema to fit; "a|b" is either
    columns : ours -> theirs. "a|b": the first that is there is read, the first is written; "a.b": below; "a.@human", "a.@ai": in messages
    passage : the keys of the text and the id where a passage is an object; empty where it is a plain text
    delimiter : what parts the entries of a list in CSV, where the tool has such a rule
    seen : where the names come from
    """

    name: str
    tool: str
    signature: tuple[str, ...]
    columns: dict[str, str]
    passage: tuple[str, str] = ("", "")
    delimiter: str = ""
    seen: str = ""


class Flaw(NamedTuple):
    """A value or line that could not be read: where it stands, what was found, what was expected, what to do."""

    where: str
    column: str
    found: str
    expected: str
    do: str

    def __str__(self) -> str:
        place = f"{self.where}, column {self.column!r}" if self.column else self.where
        return f"{place}: found {self.found}; expected {self.expected}; do: {self.do}"


class Record(NamedTuple):
    """The values of one record by column, where it stands ("log.jsonl, line 3"), its flaws, and the share of the input read so far."""

    values: dict
    where: str
    flaws: tuple[Flaw, ...] = ()
    share: float = 0.0
    broken: bool = False


def shortened(value: object, limit: int = 120) -> str:
    """A value as it is told in a flaw: one line, cut."""
    text = value if isinstance(value, str) else repr(value)[: 4 * limit]
    line = " ".join(text[: 4 * limit].encode("utf-8", "replace").decode().split())
    return repr(line if len(line) <= limit else f"{line[:limit]}...")
