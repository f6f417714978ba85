"""Which schema a file follows, by its columns; and which column stands for which of ours.

Two columns that may both hold what is judged, and do not agree, are refused, never guessed.
"""

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

from ragassay.answers.log_files import Flaw, shorten
from ragassay.answers.log_formats.nested_values import MISSING, dig, first_value, parse_literal
from ragassay.answers.log_formats.tool_schemas import OURS, SCHEMAS, Schema
from ragassay.answers.log_formats.value_conversion import Unfit, as_texts
from ragassay.errors import InputError, ParameterError

# fmt: off
COMMON = {  # the first that is there counts
    "case_id": ("case_id", "question_id", "query_id", "id", "key"),
    "question": ("question", "query", "prompt", "user_input", "user_query", "user_question",
                 "customer_question", "user_message", "input", "instruction", "request"),
    "answer": ("answer", "response", "generated_answer", "model_answer", "bot_answer", "agent_answer",
               "assistant_answer", "chatbot_answer", "bot_response", "model_response", "assistant_response",
               "actual_output", "output", "completion", "prediction", "generation", "result", "reply"),
    "contexts": ("contexts", "context", "retrieved_contexts", "retrieved_context", "retrieval_context",
                 "retrieved_passages", "retrieved_documents", "retrieved_docs", "retrieved_chunks",
                 "passages", "documents", "docs", "source_documents", "chunks", "evidence", "sources",
                 "references"),
    "reference_answer": ("reference_answer", "reference", "ground_truth", "expected_output",
                         "expected_answer", "gold_answer", "gt_answer", "target"),
    "answerable": ("answerable", "is_answerable", "should_be_answered"),
    "latency_s": ("latency_s", "latency_seconds"),
}
MEANS_ALSO = {  # names that beside a known column mean something else as often: no sign of a contradiction
    "question": ("instruction",),
    "answer": ("result",),
    "contexts": ("context", "passages", "documents", "docs", "source_documents", "chunks", "evidence",
                 "sources", "references"),
    "reference_answer": ("reference", "target"),
}
# fmt: on
BY_NAME = "by_name"
JUDGED = ("question", "answer", "contexts", "reference_answer")  # of which two columns may not differ
SCORABLE = ("question", "answer", "contexts")  # without any of these there is nothing to score
LIST_DELIMITER = "list_delimiter"  # in a mapping: what parts the entries of a list, `\\n` for a line break
LOOKED_AT = 20  # records that say which columns there are


def likely_columns(columns: Sequence[str], ours: str, doubtful: Sequence[str] = ()) -> list[str]:
    """The columns that usually hold this one of ours, the likeliest first, one of each name; but for the
    `doubtful` names."""
    by_name = {_plain(name): name for name in reversed(columns)}
    usual = [_plain(name) for name in COMMON[ours] if name not in doubtful]
    return [by_name[name] for name in usual if name in by_name]


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def detect(records: Sequence[Mapping]) -> Schema | None:
    """The schema whose signature the records show; the longer signature, then the more columns, then the
    earlier row. None if none fits."""
    sample = [dict(record) for record in records[:LOOKED_AT]]
    return max(
        (one for one in SCHEMAS.values() if all(present_path(sample, part) for part in one.signature)),
        key=lambda schema: (
            len(schema.signature),
            sum(bool(present_path(sample, path)) for path in schema.columns.values()),
        ),
        default=None,
    )


def _by_usual_names(columns: Sequence[str]) -> Schema:
    """The schema of a file of no known tool."""
    found = {ours: names[0] for ours in COMMON if (names := likely_columns(columns, ours))}
    return Schema(BY_NAME, "no known tool; columns taken by their usual names", (), found)


def resolve(
    records: Sequence[Mapping],
    where: str,
    schema: str = "",
    mapping: Mapping[str, str] | None = None,
    needed: Sequence[str] = SCORABLE,
    places: Sequence[str] = (),
) -> Schema:
    """The schema named, or detected, or made of usual column names; with the user's `mapping` (ours ->
    theirs) before it. `list_delimiter` in a mapping is no column: it parts the entries of a list in a text.
    places : where each record stands, for messages; not given, all stand at `where`

    Raises
    ------
    ParameterError
        If the schema is unknown, or the mapping names no column of ours.
    InputError
        If the mapping names a column that is not there, no column is one of those `needed`: a question, an
        answer or contexts; or two columns may hold the same and do not agree in a record.
    """
    parted = (mapping or {}).get(LIST_DELIMITER, "").replace("\\n", "\n")
    mapping, scores, labels = split_mapping(mapping or {})
    sample = [dict(record) for record in records[:LOOKED_AT]]
    columns = list(dict.fromkeys(str(name) for record in sample for name in record))
    for ours, theirs in {**mapping, **scores, **labels}.items():
        _check_pair(ours, theirs, sample, columns, where, named=ours in {**scores, **labels})
    base = (schema_named(schema) if schema else detect(records)) or _by_usual_names(columns)
    found = replace(_apply_mapping(base, mapping), scores=scores, labels=labels)
    found = replace(found, delimiter=parted or found.delimiter)
    if not schema:
        others = {ours: likely_columns(columns, ours, MEANS_ALSO.get(ours, ())) for ours in COMMON}
        found = replace(found, rivals=_rivals(records, found, others, mapping))
        _refuse_two(records, places or [where] * len(records), found)
    if not any(present_path(sample, found.columns.get(ours, ours)) for ours in needed):
        _refuse(columns, where, needed)
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
        if ours == LIST_DELIMITER:
            continue
        kind, colon, name = ours.partition(":")
        kind, name = (kind, name.strip()) if colon and name.strip() and kind in parts else ("", ours)
        parts[kind][name] = theirs
    return parts[""], parts["score"], parts["label"]


def is_target(ours: str) -> bool:
    """Whether a mapping may have this on its left: a column of ours, score:NAME, label:DIMENSION or
    list_delimiter."""
    return not (set(split_mapping({ours: ""})[0]) - set(OURS))


def present_path(sample: Sequence[Mapping], paths: str) -> str:
    """The first of the paths `a|b` that stands in any record, if only with an empty value; "" if none
    does."""
    for path in (paths, *paths.split("|")):
        if any(dig(record, path) is not MISSING for record in sample):
            return path
    return ""


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


def _check_pair(
    ours: str, theirs: str, sample: Sequence[dict], columns: Sequence[str], where: str, *, named: bool
) -> None:
    if not named and ours not in OURS:
        near = difflib.get_close_matches(ours, OURS, 1)
        raise ParameterError(
            f"the mapping {ours}={theirs} names no column of ours",
            found=ours,
            expected=f"{', '.join(OURS)}, score:NAME, label:DIMENSION or {LIST_DELIMITER}",
            do=f"did you mean {near[0]!r}?" if near else "write ours=theirs",
        )
    if not present_path(sample, theirs):
        near = difflib.get_close_matches(theirs, columns[:1000], 1)
        raise InputError(
            f"the mapping {ours}={theirs} names a column that is not there",
            where=where,
            found=", ".join(columns)[:300] or "no column",
            do=f"did you mean {near[0]!r}?" if near else "name one of the columns found",
        )


def _apply_mapping(schema: Schema, mapping: Mapping[str, str]) -> Schema:
    """The schema with the user's pairs in place of its own; a column that the user gives another meaning
    loses the one it had."""
    if not mapping:
        return schema
    taken, columns = set(mapping.values()), {}
    for ours, theirs in schema.columns.items():
        if kept := [path for path in theirs.split("|") if path not in taken]:
            columns[ours] = "|".join(kept)
    return replace(schema, name=f"{schema.name}+map", columns=columns | dict(mapping))


def _refuse(columns: Sequence[str], where: str, needed: Sequence[str]) -> NoReturn:
    raise InputError(
        f"no column holds {' or '.join(needed)}",
        where=where,
        found=", ".join(columns)[:300] or "no column",
        expected="; ".join(
            f"{schema.name}: {', '.join(schema.signature)}" for schema in list(SCHEMAS.values())[:6]
        )
        + "; ...",
        do="name your columns: --map question=...,answer=...,contexts=..., in parameters 00_scope.map",
    )


def _rivals(
    sample: Sequence[Mapping], chosen: Schema, others: Mapping[str, Sequence[str]], mapping: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    """Of what is judged, the columns beside the one read that may hold it too, say something, and mean
    nothing else to the schema.

    sample : records; others : ours -> columns that may hold it; mapping : of the user, who has then decided
    """
    read = {path.partition(".")[0] for theirs in chosen.columns.values() for path in theirs.split("|")}
    read |= set(chosen.scores.values()) | set(chosen.labels.values())
    found = {}
    for ours in (name for name in JUDGED if name not in mapping and name in chosen.columns):
        names = [*chosen.columns[ours].split("|"), *(one for one in others.get(ours, ()) if one not in read)]
        telling = [
            name
            for name in dict.fromkeys(names)
            if any(_told(ours, dig(values, name), chosen) for values in sample)
        ]
        if len(telling) > 1:
            found[ours] = tuple(telling)
    return found


def _refuse_two(sample: Sequence[Mapping], places: Sequence[str], schema: Schema) -> None:
    """InputError if two columns of a record may hold the same, and do not agree; places : of the records."""
    for values, place in zip(sample, places, strict=True):
        for flaw in contradictions(values, place, schema):
            raise InputError(
                "two columns of the file do not agree",
                where=place,
                found=f"{flaw.found}; the file was taken as {schema.tool}",
                expected=flaw.expected,
                do=flaw.do,
            )


def contradictions(values: Mapping, where: str, schema: Schema) -> list[Flaw]:
    """The first two columns of a record which may hold the same and do not agree."""
    for ours, names in schema.rivals.items():
        path, mine = first_value(dict(values), schema.columns[ours])
        told = _told(ours, mine, schema)
        for other in (name for name in names if name != path and told):
            value = dig(values, other)
            if not _agree(ours, told, _told(ours, value, schema)):
                found = f"{shorten(mine)} in {path}, {shorten(value)} in {other}"
                do = f"say which: --map {ours}={path} or --map {ours}={other}, in parameters 00_scope.map"
                return [Flaw(where, path, found, f"one to hold the {ours}", do)]
    return []


def _told(ours: str, value: Any, schema: Schema) -> tuple[str, ...]:
    """The texts that a value says as this column of ours, without the spaces around them; none where it is of
    another kind, an object, or a list of ids."""
    if ours == "contexts":
        return _passages(value, schema)
    if not isinstance(value, str) or parse_literal(value) is not value:
        return ()
    return tuple(filter(None, [" ".join(value.split())]))


def _passages(value: Any, schema: Schema) -> tuple[str, ...]:
    try:
        texts = [" ".join(text.split()) for text in as_texts(value, schema)[0]]
    except Unfit:
        return ()
    return tuple(texts) if any(" " in text for text in texts) else ()


def _agree(ours: str, mine: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether both say the same, or the other nothing; a prompt that holds the question agrees with it."""
    around = ours == "question" and bool(other) and mine[0] in other[0]
    return not other or mine == other or around
