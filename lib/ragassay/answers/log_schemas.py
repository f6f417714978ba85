"""SCHEMAS: how some twenty tools name what we name otherwise, by the tables of tool_schemas.toml; which of
them a file follows, by its columns, and which column stands for which of ours.

And their values as ours: below others (`inputs.question`, `messages.@ai`), and as text, list, number or flag.
What does not fit raises `Unfit`, which says what would.
"""

import ast
import io
import json
import re
import tokenize
import tomllib
import unicodedata
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from itertools import pairwise
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from ragassay import tables
from ragassay.assistant.reply_validation import CITATIONS, clean, is_placeholder
from ragassay.errors import InputError, ParameterError, did_you_mean
from ragassay.tables import is_blank, is_missing

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
MISSING: Any = object()  # nothing stands there
ROLES = {"@human": ("human", "user"), "@ai": ("ai", "assistant")}
LIST_LIKE = re.compile(  # how the print of a list begins, and prose such as "[1] The fee" or "[sic]" does not
    r"""\s*["']?(?:\[[\s\[]*(?:[bru]?["'{]|(?:None|nan|NaN|null)\s*,|[\w.]+\((?:\w+=|[\["'{(]))"""
    r"""|\{\s*["']|(?:\w+\.)?\w+\((?:\w+=|[\["'{])|\[?<[\w.]+ object)"""
)
TEXT_KEYS = (
    "text page_content content context chunk chunk_text passage node.text document snippet quote"
).split()
ID_KEYS = ("id doc_id chunk_id id_ doc_uri node.id_ source passage_id document_id source_id ref").split()
PASSAGE_KEYS = {key.partition(".")[0] for key in TEXT_KEYS}  # of a dict that is one passage, not {id: text}
KINDS: dict[str, tuple[TypeAdapter, str]] = {
    tables.FLAG: (TypeAdapter(bool), "true or false"),
    tables.NUMBER: (
        TypeAdapter(Annotated[float, Field(ge=0, allow_inf_nan=False)]),
        "a number of at least 0, with a point for decimals",
    ),
    tables.INTEGER: (TypeAdapter(Annotated[int, Field(ge=0, le=2**53)]), "a whole number of at least 0"),
}
LIST = "a list of texts, as JSON or Python"


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


_ROWS = tomllib.loads(resources.files("ragassay.answers").joinpath("tool_schemas.toml").read_text("utf-8"))
COMMON: dict[str, list[str]] = _ROWS.pop("usual_names")  # in files of no known tool; the first counts
SCHEMAS: dict[str, Schema] = {
    name: Schema(
        name,
        **dict[str, Any](columns={ours: ours for ours in OURS})  # one that names no columns has ours
        | {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()},
    )
    for name, row in _ROWS.items()
}


def schema_named(schema: str) -> Schema:
    """The schema of this name; ParameterError if there is none."""
    if schema not in SCHEMAS:
        raise ParameterError(
            "unknown schema", found=schema, expected=", ".join(SCHEMAS), do=did_you_mean(schema, SCHEMAS)
        )
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

    def fit(one: Schema) -> tuple[int, int]:
        return len(one.signature), sum(bool(present_path(sample, path)) for path in one.columns.values())

    return max(fitting, key=fit, default=None)


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
    if (unknown := next((ours for ours in own if ours not in OURS), None)) is not None:
        raise ParameterError(
            "the mapping names no column of ours",
            found=unknown,
            expected=f"score:NAME, label:DIMENSION, {LIST_DELIMITER}, {', '.join(OURS)}",
            do=did_you_mean(unknown, OURS, "write ours=theirs"),
        )
    mapped = {**own, **scores, **labels}.values()
    if (absent := next((theirs for theirs in mapped if not present_path(sample, theirs)), None)) is not None:
        raise InputError(
            f"the mapping names a column that is not there: {absent}",
            where=where,
            found=", ".join(columns)[:300] or "no column",
            do=did_you_mean(absent, columns, "name one of the columns found"),
        )
    base = schema_named(schema) if schema else detect(sample)
    if base is None:
        plain = {re.sub(r"[^a-z0-9]", "", column.lower()): column for column in reversed(columns)}
        usual = {
            ours: there[0]
            for ours, names in COMMON.items()  # whatever their case and signs
            if (there := [plain[key] for name in names if (key := name.replace("_", "")) in plain])
        }
        base = Schema("by_name", "no known tool; columns taken by their usual names", (), usual)
    if own:  # a column that the user gives another meaning loses the one it had
        kept = {
            ours: "|".join(path for path in theirs.split("|") if path not in own.values())
            for ours, theirs in base.columns.items()
        }
        base = replace(
            base,
            name=f"{base.name}+map",
            columns={ours: theirs for ours, theirs in kept.items() if theirs} | own,
        )
    if not any(present_path(sample, base.columns.get(ours, ours)) for ours in needed):
        raise InputError(
            f"no column holds {' or '.join(needed)}",
            where=where,
            found=", ".join(columns)[:300] or "no column",
            do="name your columns: --map question=...,answer=...,contexts=..., in parameters 00_scope.map",
        )
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
            raise ParameterError("a mapping cannot be read", found=pair, expected="ours=theirs")
        mapping[ours] = theirs
    return mapping


def split_mapping(mapping: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """The pairs of columns of ours, of scores (`score:NAME`) and of labels (`label:DIMENSION`)."""
    parts: dict[str, dict[str, str]] = {"": {}, "score": {}, "label": {}}
    for ours, theirs in mapping.items():
        kind, _, name = ours.partition(":")
        is_ours = kind not in ("score", "label") or not name.strip()
        parts["" if is_ours else kind][ours if is_ours else name.strip()] = theirs
    parts[""].pop(LIST_DELIMITER, None)
    return parts[""], parts["score"], parts["label"]


class Unfit(ValueError):
    """A value is not of the kind it should be; the message says what is expected."""


def is_empty(value: Any) -> bool:
    """Whether nothing was given."""
    return value is MISSING or is_missing(value)


def parse_literal(value: Any) -> Any:
    """A text that is written as a JSON or Python list or dict as that; anything else as it is."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    for parse in (json.loads, _python_literal):
        try:
            return parse(value.strip())
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError, tokenize.TokenError):
            continue
    return value


def _python_literal(text: str) -> Any:
    """ValueError also where two quoted texts stand side by side, as NumPy prints them: ['a' 'b']."""
    if len(text) > 1_000_000:
        raise ValueError("too long")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on odd escapes in texts that are not ours
        found = ast.literal_eval(text)
    skipped = (tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT)
    kinds = [token.type for token in tokenize.generate_tokens(io.StringIO(text).readline)]
    if (tokenize.STRING, tokenize.STRING) in pairwise(kind for kind in kinds if kind not in skipped):
        raise ValueError("a comma is missing: Python would read two texts as one")
    return found


def dig(values: Any, path: str) -> Any:
    """What stands at a path, MISSING if nothing does; a name that itself holds the dots comes first, JSON in
    a text is looked into, `@human` and `@ai` are the last question and answer of a list of messages."""
    values = parse_literal(values)
    if path in ROLES:
        return _message_text(values, path)
    if not isinstance(values, Mapping):
        return MISSING
    if path in values:
        return values[path]
    for dot in (place for place, letter in enumerate(path) if letter == "."):
        if path[:dot] in values and (found := dig(values[path[:dot]], path[dot + 1 :])) is not MISSING:
            return found
    return MISSING


def first_value(values: Mapping, paths: str) -> tuple[str, Any]:
    """The first of `a|b|c` that holds something, and what it holds; else the first that is there at all; else
    MISSING."""
    there = [(path, found) for path in paths.split("|") if (found := dig(values, path)) is not MISSING]
    return next((pair for pair in there if not is_empty(pair[1])), there[0] if there else (paths, MISSING))


def put(values: dict, path: str, value: Any, flat: bool = False) -> None:
    """Write a value at a path, making what is not there yet; the dots of a flat one are its own."""
    head, dot, rest = path.partition(".")
    below = parse_literal(values.get(head))
    if path in values or flat or not dot:
        values[path] = value
    elif rest in ROLES:
        messages = [one for one in below if isinstance(one, dict)] if isinstance(below, list) else []
        others = [one for one in messages if one.get("role", one.get("type")) not in ROLES[rest]]
        values[head] = [*others, {"type": ROLES[rest][0], "content": value}]
    else:
        values[head] = dict(below) if isinstance(below, dict) else {}
        put(values[head], rest, value)


def _message_text(messages: Any, role: str) -> Any:
    """The text of the last message of a role; of people, the last before the last answer."""
    if not isinstance(messages, list) or not all(isinstance(one, dict) for one in messages):
        return MISSING
    roles = [str(one.get("role", one.get("type", ""))).lower() for one in messages]
    answered = max((i for i, name in enumerate(roles) if name in ROLES["@ai"]), default=len(roles) - 1)
    spoken = [one for one, name in zip(messages[: answered + 1], roles, strict=False) if name in ROLES[role]]
    content = spoken[-1].get("content", spoken[-1].get("parts", MISSING)) if spoken else MISSING
    if not isinstance(content, list):
        return content
    parts = [part.get("text", part.get("content")) if isinstance(part, dict) else part for part in content]
    return "\n".join(part for part in parts if isinstance(part, str))


def read_value(
    ours: str, rule: tables.Column, value: Any, passage: tuple[str, str], delimiter: str
) -> tuple[Any, list[str]]:
    """A value as the column `ours` holds it, None if it says nothing; and the ids of passages that carry
    them. Unfit if it cannot be what the column holds."""
    value = value.tolist() if type(value).__module__ == "numpy" else value
    if ours == "reference_answer" and isinstance(value, list | tuple) and value:
        value = value[0]  # any of several: the first
    if ours == "error" and isinstance(value, Mapping):
        value = str(value.get("message") or json.dumps(value, default=str))
    if isinstance(value, str) and is_placeholder(value):
        if ours == "answer":
            raise Unfit("an answer, where a placeholder stands")
        return None, []
    if is_empty(value) or (rule.kind == tables.LIST and is_blank(value)):  # an empty cell is no empty list
        return None, []
    if rule.kind == tables.LIST:
        is_ids = ours.endswith("_ids") or ours == CITATIONS
        return (as_ids(value), []) if is_ids else as_texts(value, passage, delimiter)
    found = as_text(value) if rule.kind == tables.TEXT else _as_kind(value, rule.kind)
    if found == "" and ours not in ("answer", "question"):  # there it was given, and is empty
        return None, []
    if rule.allowed and found not in rule.allowed:
        raise Unfit(f"one of {', '.join(rule.allowed)}")
    return found, []


def as_text(value: Any) -> str:
    """A text; a number or flag as it is written, the only text of a list or dict."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, bool | int | float):
        is_whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
        return json.dumps(int(value) if is_whole else value)
    entries = list(value.values()) if isinstance(value, dict) else value
    if isinstance(entries, list | tuple) and len(entries) == 1 and isinstance(entries[0], str):
        return clean(entries[0])
    raise Unfit("a text")


def as_texts(value: Any, passage: tuple[str, str], delimiter: str) -> tuple[list[str], list[str]]:
    """A list of texts, and their ids if every one carries an id: from a list of texts or objects, its print,
    a delimited text, or one text."""
    found = [_passage(item, passage) for item in _items(value, delimiter)]
    ids = [one for _, one in found if one]
    return [words for words, _ in found], ids if len(ids) == len(found) else []


def as_ids(value: Any) -> list[str]:
    """Ids in NFC: a list of them, or of objects that have one, or a text in which comma, semicolon, bar or
    line parts them."""
    if isinstance(value, str) and not value.lstrip().startswith("["):
        value = list(filter(None, map(str.strip, re.split(r"[,;|\n]", value))))
    texts, ids = as_texts(value, ("", ""), "")
    return [unicodedata.normalize("NFC", one) for one in ids or texts]


def _as_kind(value: Any, kind: str) -> Any:
    """A number, whole number or flag, however written; "" where a text is blank."""
    adapter, expected = KINDS[kind]
    plain = value.strip().removesuffix(".0") if isinstance(value, str) else value
    if plain == "":
        return ""
    try:
        if isinstance(value, bool) and kind != tables.FLAG:
            raise Unfit(expected)
        return adapter.validate_python(plain)
    except ValidationError:
        raise Unfit(expected) from None


def _items(value: Any, delimiter: str) -> Sequence:
    if isinstance(value, str):
        inside = parse_literal(value)
        if inside is not value:
            return _items(inside, "")
        if LIST_LIKE.match(value[:200]) or (
            value.strip()[:1] in ("[", "{") and not any(map(str.isalpha, value))
        ):
            raise Unfit(f"{LIST}; cut short, or the print of Python objects")
        parts = map(str.strip, value.split(delimiter)) if delimiter else [value]
        return [part for part in parts if part.strip()]
    if isinstance(value, dict):
        is_by_id = not set(value) & PASSAGE_KEYS and all(isinstance(one, str) for one in value.values())
        return [{"id": str(name), "text": words} for name, words in value.items()] if is_by_id else [value]
    if isinstance(value, list | tuple):
        return value
    raise Unfit(LIST)


def _passage(item: Any, keys: tuple[str, str]) -> tuple[str, str]:
    """The text of one passage, and its id or ""; a list within the list is one passage of its texts."""
    item = item.tolist() if type(item).__module__ == "numpy" else item
    if is_empty(item) or (isinstance(item, str) and is_placeholder(item)):
        return "", ""
    if isinstance(item, dict):
        words, name = first_filled(item, keys[0], TEXT_KEYS), first_filled(item, keys[1], ID_KEYS)
        if words is None:
            raise Unfit(f"{LIST}; an object needs one of {', '.join(TEXT_KEYS)}")
        return as_text(words), "" if name is None else unicodedata.normalize("NFC", as_text(name))
    if isinstance(item, list | tuple) and all(isinstance(one, str) for one in item):
        return clean("\n".join(item)), ""
    if isinstance(item, str | int | float):
        return as_text(item), ""
    raise Unfit(LIST)


def first_filled(item: dict, key: str, usual: Sequence[str]) -> Any:
    """What the first path holds that holds something; None if none does."""
    found = (dig(item, path) for path in filter(None, (key, *usual)))
    return next((one for one in found if isinstance(one, str | int | float) and not is_empty(one)), None)
