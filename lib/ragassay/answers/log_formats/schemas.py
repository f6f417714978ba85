"""SCHEMAS: how some twenty tools name what we name otherwise, by the tables of tool_schemas.toml; which of
them a file follows, by its columns, and which column stands for which of ours."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources

from ragassay import tables
from ragassay.answers.log_formats.values import MISSING, dig
from ragassay.errors import InputError, ParameterError, did_you_mean

ASKED_WITH = ("turn", "history", "passages", "passage_ids")  # in a log they are the log's own
OURS: dict[str, tables.Column] = {  # the columns of ours that a file may hold
    **{name: rule for name, rule in tables.TABLES["cases"].columns.items() if name not in ASKED_WITH},
    **tables.TABLES["answers"].columns,
    "reference_contexts": tables.Column(
        tables.LIST, required=False, meaning="the passages that hold the answer, as text"
    ),
}
SCORABLE = ("question", "answer", "contexts")  # without any of these there is nothing to score
LIST_DELIMITER = "list_delimiter"  # in a mapping: what parts the entries of a list, `\\n` for a line break
LOOKED_AT = 20  # records that say which columns there are
PREFIXES = ("ragas", "trulens", "llamaindex", "langsmith", "langchain")  # tools of several schemas


@dataclass(frozen=True)
class Schema:
    """How a tool, `tool`, names what we name otherwise; `name` is what `--schema` takes.

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


_FILE = resources.files("ragassay.answers.log_formats").joinpath("tool_schemas.toml")
_ROWS = tomllib.loads(_FILE.read_text("utf-8"))
COMMON: dict[str, list[str]] = _ROWS.pop("usual_names")  # in files of no known tool; the first counts
SCHEMAS: dict[str, Schema] = {}
for _name, _row in _ROWS.items():  # one that names no columns has ours
    _lists = {key: tuple(value) for key, value in _row.items() if isinstance(value, list)}
    SCHEMAS[_name] = Schema(_name, **({"columns": {ours: ours for ours in OURS}} | _row | _lists))


def schema_named(schema: str) -> Schema:
    """The schema of this name; ParameterError if there is none."""
    if schema not in SCHEMAS:
        do = did_you_mean(schema, SCHEMAS)
        raise ParameterError(f"unknown schema {schema!r}", expected=", ".join(SCHEMAS), do=do)
    return SCHEMAS[schema]


def present_path(sample: Sequence[Mapping], paths: str) -> str:
    """The first of the paths `a|b` that stands in any record, if only with an empty value; "" if none
    does."""
    return next((p for p in paths.split("|") if any(dig(one, p) is not MISSING for one in sample)), "")


def detect(records: Sequence[Mapping]) -> Schema | None:
    """The schema whose signature the records show: the longest signature, then the most columns, then the
    first in the file of schemas; None if none fits."""
    sample = records[:LOOKED_AT]
    fitting = [one for one in SCHEMAS.values() if all(present_path(sample, part) for part in one.signature)]

    widths = {one.name: sum(bool(present_path(sample, p)) for p in one.columns.values()) for one in fitting}
    return max(fitting, key=lambda one: (len(one.signature), widths[one.name]), default=None)


def resolve(
    records: Sequence[Mapping],
    where: str,
    schema: str = "",
    mapping: Mapping[str, str] | None = None,
    needed: Sequence[str] = SCORABLE,
) -> Schema:
    """The schema named, or detected, or made of usual column names; with the user's `mapping` (ours ->
    theirs) before it. `list_delimiter` in a mapping is no column: it parts the entries of a list in a text.

    ParameterError if the schema is unknown, or the mapping names no column of ours. InputError if the mapping
    names a column that is not there, or no column is one of those `needed`.
    """
    own, scores, labels = split_mapping(mapping or {})
    sample = records[:LOOKED_AT]
    columns = list(dict.fromkeys(str(name) for record in sample for name in record))
    unknown = next((ours for ours in own if ours not in OURS), None)
    if unknown is not None:
        expected = f"score:NAME, label:DIMENSION, {LIST_DELIMITER}, {', '.join(OURS)}"
        do = did_you_mean(unknown, OURS, "write ours=theirs")
        raise ParameterError("the mapping names no column of ours", found=unknown, expected=expected, do=do)
    mapped = {**own, **scores, **labels}.values()
    absent = next((theirs for theirs in mapped if not present_path(sample, theirs)), None)
    if absent is not None:
        what, found = f"the mapping names a column that is not there: {absent}", ", ".join(columns)[:300]
        do = did_you_mean(absent, columns, "name one of the columns found")
        raise InputError(what, where=where, found=found or "no column", do=do)
    base = schema_named(schema) if schema else detect(sample)
    if base is None:
        plain = {re.sub(r"[^a-z0-9]", "", column.lower()): column for column in reversed(columns)}
        usual: dict[str, str] = {}
        for ours, names in COMMON.items():  # whatever their case and signs
            there = [plain[key] for name in names if (key := name.replace("_", "")) in plain]
            usual |= {ours: there[0]} if there else {}
        base = Schema("by_name", "no known tool; columns taken by their usual names", (), usual)
    if own:  # a column that the user gives another meaning loses the one it had
        kept = {
            ours: "|".join(path for path in theirs.split("|") if path not in own.values())
            for ours, theirs in base.columns.items()
        }
        columns_read = {ours: theirs for ours, theirs in kept.items() if theirs} | own
        base = replace(base, name=f"{base.name}+map", columns=columns_read)
    if not any(present_path(sample, base.columns.get(ours, ours)) for ours in needed):
        what, found = f"no column holds {' or '.join(needed)}", ", ".join(columns)[:300] or "no column"
        do = "name your columns: --map question=...,answer=...,contexts=..., in parameters 00_scope.map"
        raise InputError(what, where=where, found=found, do=do)
    if base.columns.get("case_id", "case_id") == "case_id":
        base = replace(base, columns=base.columns | {"case_id": "|".join(COMMON["case_id"])})
    delimiter = (mapping or {}).get(LIST_DELIMITER, "").replace("\\n", "\n") or base.delimiter
    return replace(base, scores=scores, labels=labels, delimiter=delimiter)


def parse_mapping(pairs: Iterable[str]) -> dict[str, str]:
    """`question=prompt` as {"question": "prompt"}; several may stand in one, parted by commas. ParameterError
    if there is no equals sign."""
    mapping = {}
    for pair in (part for one in pairs for part in one.split(",") if part.strip()):
        ours, _, theirs = (part.strip() for part in pair.partition("="))
        if not ours or not theirs:
            do = "write for example question=prompt"
            raise ParameterError("a mapping cannot be read", found=pair, expected="ours=theirs", do=do)
        mapping[ours] = theirs
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
