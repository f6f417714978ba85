"""SCHEMAS: how some twenty tools name what we name otherwise, by the tables of tool_schemas.toml; which of
them a file follows, by its columns, and which column stands for which of ours."""

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from typing import Any

from ragassay import tables
from ragassay.answers.log_formats.values import MISSING, dig
from ragassay.errors import InputError, ParameterError

REFERENCE_CONTEXTS = tables.Column(
    tables.LIST, required=False, meaning="the passages that hold the answer, as text"
)
ASKED_WITH = ("turn", "history", "passages", "passage_ids")  # in a log they are the log's own
OURS: dict[str, tables.Column] = {  # the columns of ours that a file may hold
    **{name: rule for name, rule in tables.TABLES["cases"].columns.items() if name not in ASKED_WITH},
    **tables.TABLES["answers"].columns,
    "reference_contexts": REFERENCE_CONTEXTS,
}
SCORABLE = ("question", "answer", "contexts")  # without any of these there is nothing to score
LIST_DELIMITER = "list_delimiter"  # in a mapping: what parts the entries of a list, `\\n` for a line break
LOOKED_AT = 20  # records that say which columns there are
PREFIXES = ("ragas", "trulens", "llamaindex", "langsmith", "langchain")  # tools of several schemas


@dataclass(frozen=True)
class Schema:
    """How a tool names what we name otherwise.

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
    score_columns : how it names columns of scores; `{}` is the score's name, the first is written
    label_columns : columns of people's judgements -> the dimension
    wrapped : what stands around the records of a JSON file
    scores, labels : columns that the user names as scores, or as labels of raters: name -> theirs
    """

    name: str
    tool: str
    signature: tuple[str, ...]
    columns: dict[str, str]
    passage: tuple[str, str] = ("", "")
    objects: bool = False
    flat: bool = False
    delimiter: str = ""
    score_columns: tuple[str, ...] = ()
    label_columns: dict[str, str] = field(default_factory=dict)
    wrapped: tuple[str, str] = ("[", "]")
    scores: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)

    @property
    def prefix(self) -> str:
        """What stands before the names of the tool's own scores: `ragas` of `ragas_0_1`."""
        name = self.name.partition("+")[0]
        return next((tool for tool in PREFIXES if name.startswith(tool)), name)


def _read_schemas(rows: dict[str, dict[str, Any]]) -> dict[str, Schema]:
    """The tables of tool_schemas.toml; one that names no columns has ours."""
    found = {}
    for name, row in rows.items():
        row.setdefault("columns", {ours: ours for ours in OURS})
        parts: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in row.items()
        }
        found[name] = Schema(name, **parts)
    return found


_FILE = resources.files("ragassay.answers.log_formats").joinpath("tool_schemas.toml")
_ROWS = tomllib.loads(_FILE.read_text("utf-8"))
COMMON: dict[str, list[str]] = _ROWS.pop("usual_names")  # in files of no known tool; the first counts
SCHEMAS: dict[str, Schema] = _read_schemas(_ROWS)


def schema_named(schema: str) -> Schema:
    """The schema of this name; ParameterError if there is none."""
    if schema not in SCHEMAS:
        near = difflib.get_close_matches(schema, SCHEMAS, 1)
        raise ParameterError(
            f"unknown schema {schema!r}",
            expected=", ".join(SCHEMAS),
            do=f"did you mean {near[0]!r}?" if near else None,
        )
    return SCHEMAS[schema]


def present_path(sample: Sequence[Mapping], paths: str) -> str:
    """The first of the paths `a|b` that stands in any record, if only with an empty value; "" if none
    does."""
    for path in (paths, *paths.split("|")):
        if any(dig(record, path) is not MISSING for record in sample):
            return path
    return ""


def detect(records: Sequence[Mapping], where: str = "") -> Schema | None:
    """The schema whose signature the records show: the longer signature, then the more columns; None if none
    fits.

    Raises
    ------
    InputError
        If two fit equally well and read the question, the answer or the passages from different columns.
    """
    sample = [dict(record) for record in records[:LOOKED_AT]]
    fitting = [one for one in SCHEMAS.values() if all(present_path(sample, part) for part in one.signature)]
    if not fitting:
        return None

    def rank(schema: Schema) -> tuple[int, int]:
        return len(schema.signature), sum(bool(present_path(sample, p)) for p in schema.columns.values())

    def reads(schema: Schema) -> list[str]:
        return [present_path(sample, f"{schema.columns.get(ours, ours)}|{ours}") for ours in SCORABLE]

    best = max(fitting, key=rank)
    rival = next((one for one in fitting if rank(one) == rank(best) and reads(one) != reads(best)), None)
    if rival is not None:
        raise InputError(
            "the file fits two tools equally well",
            where=where,
            found=f"{best.name} ({', '.join(reads(best))}), {rival.name} ({', '.join(reads(rival))})",
            do=f"say which: --schema {best.name} or {rival.name}; or name your columns, --map question=...",
        )
    return best


def resolve(
    records: Sequence[Mapping],
    where: str,
    schema: str = "",
    mapping: Mapping[str, str] | None = None,
    needed: Sequence[str] = SCORABLE,
) -> Schema:
    """The schema named, or detected, or made of usual column names; with the user's `mapping` (ours ->
    theirs) before it. `list_delimiter` in a mapping is no column: it parts the entries of a list in a text.

    Raises
    ------
    ParameterError
        If the schema is unknown, or the mapping names no column of ours.
    InputError
        If the mapping names a column that is not there, no column is one of those `needed`, or two tools fit.
    """
    own, scores, labels = split_mapping(mapping or {})
    sample = [dict(record) for record in records[:LOOKED_AT]]
    columns = list(dict.fromkeys(str(name) for record in sample for name in record))
    _check_mapping(own, {**own, **scores, **labels}, sample, columns, where)
    base = schema_named(schema) if schema else detect(records, where)
    if base is None:
        usual = {ours: names[0] for ours, of in COMMON.items() if (names := _with_names(columns, of))}
        base = Schema("by_name", "no known tool; columns taken by their usual names", (), usual)
    if own:  # a column that the user gives another meaning loses the one it had
        kept = {
            ours: "|".join(path for path in theirs.split("|") if path not in own.values())
            for ours, theirs in base.columns.items()
        }
        columns_read = {ours: theirs for ours, theirs in kept.items() if theirs} | own
        base = replace(base, name=f"{base.name}+map", columns=columns_read)
    parted = (mapping or {}).get(LIST_DELIMITER, "").replace("\\n", "\n")
    found = replace(base, scores=scores, labels=labels, delimiter=parted or base.delimiter)
    if not any(present_path(sample, found.columns.get(ours, ours)) for ours in needed):
        known = [f"{one.name}: {', '.join(one.signature)}" for one in list(SCHEMAS.values())[:6]]
        raise InputError(
            f"no column holds {' or '.join(needed)}",
            where=where,
            found=", ".join(columns)[:300] or "no column",
            expected=f"{'; '.join(known)}; ...",
            do="name your columns: --map question=...,answer=...,contexts=..., in parameters 00_scope.map",
        )
    if found.columns.get("case_id", "case_id") == "case_id":
        return replace(found, columns=found.columns | {"case_id": "|".join(COMMON["case_id"])})
    return found


def parse_mapping(pairs: Iterable[str]) -> dict[str, str]:
    """`question=prompt` as {"question": "prompt"}; several may stand in one, parted by commas. ParameterError
    if there is no equals sign."""
    mapping = {}
    for pair in (part for one in pairs for part in one.split(",") if part.strip()):
        ours, equals, theirs = pair.partition("=")
        if not equals or not ours.strip() or not theirs.strip():
            raise ParameterError(
                "a mapping cannot be read",
                found=pair,
                expected="ours=theirs",
                do="write for example question=prompt",
            )
        mapping[ours.strip()] = theirs.strip()
    return mapping


def split_mapping(mapping: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """The pairs of columns of ours, of scores (`score:NAME`) and of labels (`label:DIMENSION`)."""
    parts: dict[str, dict[str, str]] = {"": {}, "score": {}, "label": {}}
    for ours, theirs in mapping.items():
        kind, colon, name = ours.partition(":")
        if colon and name.strip() and kind in parts:
            parts[kind][name.strip()] = theirs
        elif ours != LIST_DELIMITER:
            parts[""][ours] = theirs
    return parts[""], parts["score"], parts["label"]


def _with_names(columns: Sequence[str], names: Sequence[str]) -> list[str]:
    """The columns of these names, in the order of the names, whatever their case and signs."""
    by_name = {re.sub(r"[^a-z0-9]", "", column.lower()): column for column in reversed(columns)}
    return [by_name[key] for name in names if (key := name.replace("_", "")) in by_name]


def _check_mapping(
    own: Mapping[str, str], every: Mapping[str, str], sample: list[dict], columns: list[str], where: str
) -> None:
    for ours in own:
        if ours not in OURS:
            near = difflib.get_close_matches(ours, OURS, 1)
            raise ParameterError(
                f"the mapping {ours}={own[ours]} names no column of ours",
                found=ours,
                expected=f"{', '.join(OURS)}, score:NAME, label:DIMENSION or {LIST_DELIMITER}",
                do=f"did you mean {near[0]!r}?" if near else "write ours=theirs",
            )
    for ours, theirs in every.items():
        if not present_path(sample, theirs):
            near = difflib.get_close_matches(theirs, columns[:1000], 1)
            raise InputError(
                f"the mapping {ours}={theirs} names a column that is not there",
                where=where,
                found=", ".join(columns)[:300] or "no column",
                do=f"did you mean {near[0]!r}?" if near else "name one of the columns found",
            )
