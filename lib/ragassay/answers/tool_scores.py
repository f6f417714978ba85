"""Scores that a tool gave and its file carries, under its name: `ragas:faithfulness`. They are given with the
log, not computed here. To know another score of a tool, add a row to `tool_scores.csv`."""

import csv
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from typing import Any

import numpy as np
import pandas as pd

from ragassay.answers.log_schemas import MISSING, SCHEMAS, Schema, Unfit, dig, is_empty
from ragassay.assistant.reply_validation import is_placeholder

GIVEN, OWN = "given", "ragassay"  # columns that the user named; scores of ours that a file carries
TOOLS = {*(schema.prefix for schema in SCHEMAS.values()), GIVEN, OWN}
ORIGIN = "given with the log, not computed here"
NUMBER = "a number, true or false, yes or no, pass or fail"
WORDS = {
    **dict.fromkeys(("true", "yes", "pass", "passed", "correct", "c"), 1.0),
    **dict.fromkeys(("false", "no", "fail", "failed", "incorrect", "i", "n"), 0.0),
    **dict.fromkeys(("partial", "p"), 0.5),
}
COLUMNS = ["case_id", "system", "metric", "value", "state", "reason", "detail"]


@dataclass(frozen=True)
class Card:
    """What is known of a given score: `low` and `high` are NaN and `better` is "" where nothing is.

    dimension : the judgement of raters that it should predict; reads_key : whether its tool computes it from
        the reference answer, the expected facts or the reference passages
    """

    name: str
    tool: str
    low: float = math.nan
    high: float = math.nan
    better: str = ""
    dimension: str = ""
    meaning: str = "a score that the kit does not know"
    reads_key: bool = False


def is_given(name: str) -> bool:
    """Whether this is the name of a score that a log gave: `ragas:faithfulness`."""
    tool, colon, rest = name.partition(":")
    return bool(colon and rest) and tool in TOOLS


def full_name(tool: str, name: Any) -> str:
    """The name of a score with its tool before it; one that has such stays as it is."""
    owner, colon, rest = str(name).partition(":")
    tool, text = (owner, rest) if colon and owner in TOOLS else (tool, str(name))
    plain = re.sub(r"\W+", "_", text.replace("(mode=", "(").lower()).strip("_")[:80].strip("_")
    return f"{tool}:{plain or 'unnamed'}"


@lru_cache(maxsize=1)
def known_scores() -> dict[str, tuple[Card, str]]:
    """The card and the column of each known score, by its name."""
    text = resources.files("ragassay.answers").joinpath("tool_scores.csv").read_text("utf-8")
    found = {}
    for row in csv.DictReader(text.splitlines()):
        column, reads_key = row.pop("column"), row.pop("reads_key") == "yes"
        low, high = (float(row.pop(end) or "nan") for end in ("low", "high"))
        name = full_name(row["tool"], column)
        found[name] = Card(name, low=low, high=high, reads_key=reads_key, **row), column
    return found


@lru_cache(maxsize=1000)
def card(name: str) -> Card:
    """What is known of a given score; of one of several modes, what is known of the score."""
    tool, _, rest = name.partition(":")
    parts = rest.split("_")
    stems = (f"{tool}:{'_'.join(parts[:n])}" for n in range(len(parts), 0, -1))
    found = next((known_scores()[stem][0] for stem in stems if stem in known_scores()), Card(name, tool))
    return replace(found, name=name)


def column_of(name: str, schema: Schema) -> str:
    """The column in which the schema's tool keeps this score; "" where it has none, or it is another
    tool's."""
    tool, _, bare = name.partition(":")
    if tool != schema.prefix:
        return next((path for own, path in schema.scores.items() if full_name(GIVEN, own) == name), "")
    if schema.score_columns:
        return schema.score_columns[0].format(bare)
    return known_scores()[name][1] if name in known_scores() else ""


def as_value(value: Any) -> float:
    """The number that a value is, NaN where it says nothing; Unfit if it is none."""
    if isinstance(value, str):
        word = value.strip().lower()
        value = math.nan if not word or is_placeholder(value) else WORDS.get(word, word)
    try:
        if isinstance(value, str) and value.endswith("%"):
            number = float(value[:-1]) / 100
        else:
            number = math.nan if is_empty(value) else float(value)
    except (TypeError, ValueError):
        raise Unfit(NUMBER) from None
    if math.isinf(number):
        raise Unfit(NUMBER)
    return number


def as_score(name: str, value: Any) -> float | None:
    """The value of a given score, None where it says nothing; Unfit if it is no number, or none that the
    score can have."""
    number, known = as_value(value), card(name)
    if number < known.low or number > known.high:
        raise Unfit(f"{known.low:g} to {known.high:g}")
    return None if math.isnan(number) else number


def read(values: Mapping[str, Any], schema: Schema) -> dict[str, tuple[str, Any]]:
    """The scores that stand in columns of a record: name -> the path it stands at, its value as it stands."""
    named = {full_name(GIVEN, own): (path, dig(values, path)) for own, path in schema.scores.items()}
    found = {name: (path, math.nan if value is MISSING else value) for name, (path, value) in named.items()}
    taken = {path.partition(".")[0] for theirs in schema.columns.values() for path in theirs.split("|")}
    for column in (name for name in values if name not in {*taken, *schema.scores.values()}):
        if name := _of_column(column, values, schema):
            found.setdefault(name, (column, values[column]))
    return found


def _of_column(column: str, values: Mapping[str, Any], schema: Schema) -> str:
    name = full_name(schema.prefix, column)
    if is_given(column) or {name, full_name(schema.prefix, column.partition("(")[0])} & set(known_scores()):
        return name
    for before, _, behind in (pattern.partition("{}") for pattern in schema.score_columns):
        if column.startswith(before) and column.endswith(behind) and len(column) > len(before + behind):
            return full_name(schema.prefix, column.removeprefix(before).removesuffix(behind))
    return name if schema.prefix == "trulens" and f"{column}_calls" in values else ""


def score_columns(answers: pd.DataFrame) -> list[str]:
    """The columns of an answers table that hold given scores."""
    return [str(name) for name in answers.columns if is_given(str(name))]


def as_scores(answers: pd.DataFrame) -> pd.DataFrame:
    """Rows of the scores table, one per answer and given score, answers in their order: not_measured, with a
    reason, where the tool gave none, or the answer could not be read. Nothing is computed."""
    names = score_columns(answers)
    errors = answers["error"].fillna("") if "error" in answers else ""
    wide = answers[["case_id", "system", *names]].assign(reason=errors, place=range(len(answers)))
    long = wide.melt(["case_id", "system", "reason", "place"], names, "metric").sort_values(
        "place", kind="stable"
    )
    scored = np.isfinite(long["value"].to_numpy(dtype=float, na_value=np.nan))
    return (
        long.assign(
            value=np.where(scored, long["value"], np.nan).astype(float),
            state=np.where(scored, "scored", "not_measured"),
            reason=np.where(
                scored, "", long["reason"].replace("", "the log gives no such score of this answer")
            ),
            detail="[]",
        )
        .reset_index(drop=True)[COLUMNS]
        .astype(dict.fromkeys(("metric", "state", "reason"), object))
    )


def pairs(scores: pd.DataFrame, labels: pd.DataFrame) -> dict[str, str]:
    """Which judgement each given score should predict, of those that raters gave: score -> dimension. None
    that reads the answer key."""
    known, judged = map(card, dict.fromkeys(scores["metric"])), set(labels["dimension"])
    return {one.name: one.dimension for one in known if one.dimension in judged and not one.reads_key}
