"""Scores written where a tool keeps its own, so that it shows them and `tool_scores` reads them back."""

import math
from typing import Any

from ragassay.answers.log_formats import tool_scores
from ragassay.answers.log_formats.list_literals import parse_literal
from ragassay.answers.log_formats.nested_values import dig, put
from ragassay.answers.log_formats.tool_schemas import Schema
from ragassay.answers.log_formats.tool_scores import LISTS, MAPS, full_name

OF_A_RECORD = ("success", "score", "passing")  # of the whole record, also where scores stand in lists
ENDINGS = {
    "mlflow": "{}/value",
    "langsmith": "feedback.{}",
    "databricks_agents": "response/llm_judged/{}/rating",
}
EVENT = {"name": "gen_ai.evaluation.result"}  # of OpenTelemetry


def column_of(name: str, schema: Schema) -> str:
    """The column of its own in which the schema's tool keeps this score; "" where it keeps it in a list or an
    object, or it is another tool's."""
    tool, _, bare = name.partition(":")
    if tool != schema.prefix:
        return next((path for own, path in schema.scores.items() if full_name("given", own) == name), "")
    known = tool_scores.columns().get(name, "")
    if tool in ENDINGS:
        return ENDINGS[tool].format(bare)
    return known if known in OF_A_RECORD or tool not in {*LISTS, *MAPS} else ""


def write(record: dict[str, Any], scores: dict[str, float], schema: Schema) -> None:
    """Put scores into a record of the schema's tool, but for those that it carries already."""
    there = {one.name: _number(one.value) for one in tool_scores.read(record, schema)}
    for name, value in scores.items():
        if name not in there or there[name] != value:
            _write_one(record, name, value, schema)


def _write_one(record: dict[str, Any], name: str, value: float, schema: Schema) -> None:
    tool, label = schema.prefix, name.removeprefix(f"{schema.prefix}:")
    if column := column_of(name, schema):
        record[column] = value
    elif tool in MAPS:
        entries = parse_literal(record.get(MAPS[tool]))
        kept = entries if isinstance(entries, dict) else {}
        record[MAPS[tool]] = kept | {label: {"value": value} if tool == "inspect_ai" else value}
    elif tool in LISTS:
        listed = LISTS[tool]
        path = next((one for one in listed.path.split("|") if one in record), listed.path.split("|")[0])
        entry: dict[str, Any] = dict(EVENT) if tool == "otel_genai" else {}
        put(entry, listed.name.split("|")[0], label)
        put(entry, listed.value.split("|")[0], value)
        entries = parse_literal(dig(record, path))
        record[path] = [*(entries if isinstance(entries, list) else ()), entry]
    else:
        record[name] = value


def _number(value: Any) -> float:
    try:
        return tool_scores.as_value(value)
    except (TypeError, ValueError):
        return math.nan
