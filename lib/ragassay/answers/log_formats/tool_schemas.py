"""SCHEMAS: how some twenty tools name what we name otherwise, by the rows of tool_schemas.toml."""

import tomllib
from dataclasses import dataclass, field
from importlib import resources
from typing import Any, NamedTuple

from ragassay import tables

REFERENCE_CONTEXTS = tables.Column(
    tables.LIST, required=False, meaning="the passages that hold the answer, as text"
)
ASKED_WITH = ("turn", "history", "passages", "passage_ids")  # in a log they are the log's own
OURS: dict[str, tables.Column] = {  # the columns of ours that a file may hold
    **{name: rule for name, rule in tables.TABLES["cases"].columns.items() if name not in ASKED_WITH},
    **tables.TABLES["answers"].columns,
    "reference_contexts": REFERENCE_CONTEXTS,
}


class Listed(NamedTuple):
    """Scores as objects in a list at `path`: where each has its name, its value and its verdict."""

    path: str
    name: str
    value: str
    passed: str = ""


@dataclass(frozen=True)
class Schema:
    """One row of SCHEMAS: how a tool names what we name otherwise.

    Parameters
    ----------
    name : what `--schema` takes
    tool : the tool and the kind of record, as printed when it is detected
    signature : what a record must have for the schema to fit; "a|b" is either
    columns : ours -> theirs. "a|b": the first that is there is read, the first is written; "a.b": below;
        "a.@human", "a.@ai": in messages
    passage : the keys of the text and the id where a passage is an object; empty where it is a plain text
    objects : whether the tool writes every passage as an object, also one without an id
    flat : whether the dots of its names are theirs, and nothing stands below
    delimiter : what parts the entries of a list in CSV, where the tool has such a rule
    score_list : where the tool keeps scores as objects of a list; score_entry : what each of them says beside
    score_map : where it keeps them as an object name -> value, or name -> an object with its value
    score_columns : how it names columns of scores; `{}` is the score's name, the first is written
    label_columns : columns of people's judgements -> the dimension
    fixed : what its record must say beside what was read, by path
    wrapped : what stands around the records of a JSON file
    seen : where the names come from
    scores : columns that the user names as scores: name -> theirs
    labels : columns that the user names as labels of raters: dimension -> theirs
    rivals : what of the file may hold the same of ours, where that is more than one column
    """

    name: str
    tool: str
    signature: tuple[str, ...]
    columns: dict[str, str]
    passage: tuple[str, str] = ("", "")
    objects: bool = False
    flat: bool = False
    delimiter: str = ""
    score_list: Listed | None = None
    score_entry: dict[str, str] = field(default_factory=dict)
    score_map: str = ""
    score_columns: tuple[str, ...] = ()
    label_columns: dict[str, str] = field(default_factory=dict)
    fixed: dict[str, str] = field(default_factory=dict)
    wrapped: tuple[str, str] = ("[", "]")
    seen: str = ""
    scores: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    rivals: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def prefix(self) -> str:
        """What stands before the names of the tool's own scores: `ragas` of `ragas_0_1`."""
        name = self.name.partition("+")[0]
        return next((tool for tool in PREFIXES if name.startswith(tool)), name)


# what stands before the names of scores where several rows are of one tool
PREFIXES = ("ragas", "trulens", "llamaindex", "langsmith", "langchain")


def _read_schemas() -> dict[str, Schema]:
    """The rows of tool_schemas.toml; one that names no columns has ours."""
    text = resources.files("ragassay.answers.log_formats").joinpath("tool_schemas.toml").read_text("utf-8")
    found = {}
    for name, row in tomllib.loads(text).items():
        columns = row.pop("columns", {ours: ours for ours in OURS})
        parts: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in row.items()
        }
        listed = Listed(**row["score_list"]) if "score_list" in row else None
        found[name] = Schema(name, columns=columns, **parts | {"score_list": listed})
    return found


SCHEMAS: dict[str, Schema] = _read_schemas()
