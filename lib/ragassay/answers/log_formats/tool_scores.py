"""Scores that a tool gave and its file carries, under its name: `ragas:faithfulness`. They are given with the
log, not computed here. To know another score of a tool, add a row to `tool_scores.csv`."""

import csv
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ragassay.answers.log_formats.schemas import SCHEMAS, Listed, Schema
from ragassay.answers.log_formats.values import MISSING, dig, first_value, is_empty, parse_literal
from ragassay.assistant.reply_validation import is_placeholder

GIVEN, OWN = "given", "ragassay"  # columns that the user named; scores of ours that a file carries
TOOLS = {*(schema.prefix for schema in SCHEMAS.values()), GIVEN, OWN}
MOST = 200  # scores read of one record
LONGEST = 80  # characters of a name
PASSED = "_passed"  # behind the name of a score: the verdict that the tool drew from it
ORIGIN = "given with the log, not computed here"
NUMBER = "a number, true or false, yes or no, pass or fail"
WORDS = {
    **dict.fromkeys(("true", "yes", "pass", "passed", "correct", "c"), 1.0),
    **dict.fromkeys(("false", "no", "fail", "failed", "incorrect", "i", "n"), 0.0),
    **dict.fromkeys(("partial", "p"), 0.5),
}
BY_PEOPLE = ("source.source_type", "assertion.type")  # an entry that holds HUMAN here is a rater's
OF_A_RECORD = ("success", "score", "passing")  # of the whole record, also where scores stand in lists
COLUMNS = ["case_id", "system", "metric", "value", "state", "reason", "detail"]
NONE_GIVEN = "the log gives no such score of this answer"


@dataclass(frozen=True)
class Card:
    """What is known of a given score: `low` and `high` are NaN and `better` is "" where nothing is.

    dimension : the judgement of raters that it should predict; ours : the score of ours beside it; reads_key:
        whether its tool computes it from the reference answer, the expected facts or the reference passages
    """

    name: str
    tool: str
    low: float = math.nan
    high: float = math.nan
    better: str = ""
    dimension: str = ""
    ours: str = ""
    meaning: str = "a score that the kit does not know"
    reads_key: bool = False


class Given(NamedTuple):
    """One score of one record: its name, the path it stands at, its value; NaN where the tool gave none, the
    raw value where it is no number."""

    name: str
    path: str
    value: Any


def is_given(name: str) -> bool:
    """Whether this is the name of a score that a log gave: `ragas:faithfulness`."""
    tool, colon, rest = name.partition(":")
    return bool(colon and rest) and tool in TOOLS


def full_name(tool: str, name: Any) -> str:
    """The name of a score with its tool before it; one that has such stays as it is."""
    text = str(name)
    owner, colon, rest = text.partition(":")
    tool, text = (owner, rest) if colon and owner in TOOLS else (tool, text)
    plain = re.sub(r"\W+", "_", text.replace("(mode=", "(").lower()).strip("_")[:LONGEST].strip("_")
    return f"{tool}:{plain or 'unnamed'}"


@lru_cache(maxsize=1)
def _known() -> dict[str, tuple[Card, str]]:
    """The card and the column of each known score, by its name."""
    text = resources.files("ragassay.answers.log_formats").joinpath("tool_scores.csv").read_text("utf-8")
    found = {}
    for row in csv.DictReader(text.splitlines()):
        low, high = (float(row[end] or "nan") for end in ("low", "high"))
        name, texts = (
            full_name(row["tool"], row["column"]),
            ("tool", "better", "dimension", "ours", "meaning"),
        )
        card = Card(
            name, low=low, high=high, reads_key=row["reads_key"] == "yes", **{t: row[t] for t in texts}
        )
        found[name] = card, row["column"]
    return found


def known_cards() -> list[Card]:
    """The cards of all scores of tools that the kit knows."""
    return [card for card, _ in _known().values()]


@lru_cache(maxsize=1000)
def card(name: str) -> Card:
    """What is known of a given score; of one of several modes, what is known of the score."""
    tool, _, rest = name.partition(":")
    parts = rest.split("_")
    stems = (f"{tool}:{'_'.join(parts[:n])}" for n in range(len(parts), 0, -1))
    found = next((_known()[stem][0] for stem in stems if stem in _known()), Card(name, tool))
    if rest.endswith(PASSED):
        meaning = f"whether {found.meaning.removeprefix('whether ')} was enough for the tool"
        return replace(found, name=name, low=0.0, high=1.0, better="higher", meaning=meaning)
    return replace(found, name=name)


def column_of(name: str, schema: Schema) -> str:
    """The column of its own in which the schema's tool keeps this score; "" where it keeps it in a list or an
    object, or it is another tool's."""
    tool, _, bare = name.partition(":")
    if tool != schema.prefix:
        return next((path for own, path in schema.scores.items() if full_name(GIVEN, own) == name), "")
    if schema.score_columns:
        return schema.score_columns[0].format(bare)
    column = _known()[name][1] if name in _known() else ""
    return column if column in OF_A_RECORD or not (schema.score_list or schema.score_map) else ""


def as_value(value: Any) -> float:
    """The number that a value is, NaN where it says nothing; ValueError if it is none."""
    if isinstance(value, Mapping):
        value = next((value[key] for key in ("value", "score") if key in value), value)
    if isinstance(value, str):
        word = value.strip().lower()
        value = math.nan if not word or is_placeholder(value) else WORDS.get(word, word)
    number = math.nan if is_empty(value) else float(value)
    if math.isinf(number):
        raise ValueError("not finite")
    return number


def by_people(entry: Any) -> bool:
    """Whether an entry of a list of scores is a rater's judgement: a label, not a score."""
    return any(str(dig(entry, path)).upper() == "HUMAN" for path in BY_PEOPLE)


def read(values: Mapping[str, Any], schema: Schema) -> list[Given]:
    """The scores that a record carries, each name once."""
    found: dict[str, Given] = {}
    for one in _all(values, schema):
        name, times = one.name, 2
        while name in found:
            name, times = f"{one.name}_{times}", times + 1
        found[name] = one._replace(name=name)
        if len(found) == MOST:
            break
    return list(found.values())


def _all(values: Mapping[str, Any], schema: Schema) -> Iterator[Given]:
    taken = {path.partition(".")[0] for theirs in schema.columns.values() for path in theirs.split("|")}
    for name, path in schema.scores.items():
        yield Given(full_name(GIVEN, name), path, _or_nan(dig(values, path)))
    for column in (name for name in values if name not in {*taken, *schema.scores.values()}):
        if name := _of_column(column, values, schema):
            yield Given(name, column, values[column])
    if schema.score_list:
        yield from _of_list(values, schema, schema.score_list)
    entries = parse_literal(dig(values, schema.score_map)) if schema.score_map else MISSING
    for name, value in entries.items() if isinstance(entries, dict) else ():
        yield Given(full_name(schema.prefix, name), schema.score_map, value)


def _of_column(column: str, values: Mapping[str, Any], schema: Schema) -> str:
    """The name of the score that a column holds; "" if it holds none."""
    name = full_name(schema.prefix, column)
    if is_given(column):
        return name
    if name in _known() or full_name(schema.prefix, column.partition("(")[0]) in _known():
        return name if not schema.score_map or column in ("success", "score") else ""
    for before, _, behind in (pattern.partition("{}") for pattern in schema.score_columns):
        if column.startswith(before) and column.endswith(behind) and len(column) > len(before + behind):
            return full_name(schema.prefix, column.removeprefix(before).removesuffix(behind))
    return name if schema.prefix == "trulens" and f"{column}_calls" in values else ""


def entries_of(values: Mapping[str, Any], listed: Listed) -> tuple[str, list[dict]]:
    """Where a record keeps its list of scores, and the objects in it."""
    path, found = first_value(values, listed.path)
    entries = parse_literal(found)
    return path, [one for one in entries if isinstance(one, dict)] if isinstance(entries, list) else []


def _of_list(values: Mapping[str, Any], schema: Schema, listed: Listed) -> Iterator[Given]:
    path, entries = entries_of(values, listed)
    for entry in entries:
        name = first_value(entry, listed.name)[1]
        if not isinstance(name, str) or by_people(entry):
            continue
        full = full_name(schema.prefix, name)
        yield Given(full, path, _or_nan(first_value(entry, listed.value)[1]))
        passed = dig(entry, listed.passed) if listed.passed else MISSING
        if passed is not MISSING:
            yield Given(full + PASSED, path, passed)


def _or_nan(value: Any) -> Any:
    return math.nan if value is MISSING else value


def score_columns(answers: pd.DataFrame) -> list[str]:
    """The columns of an answers table that hold given scores."""
    return [str(name) for name in answers.columns if is_given(str(name))]


def as_scores(answers: pd.DataFrame) -> pd.DataFrame:
    """Rows of the scores table, one per answer and given score, answers in their order: not_measured, with a
    reason, where the tool gave none, or the answer could not be read. Nothing is computed."""
    names = score_columns(answers)
    values = answers[names].to_numpy(dtype=float, na_value=np.nan).ravel()
    errors = answers.get("error", pd.Series(index=answers.index, dtype=object)).fillna("").astype(str)
    reasons = errors.where(errors != "", NONE_GIVEN).repeat(len(names)).to_numpy()
    scored = np.isfinite(values)
    return pd.DataFrame(
        {
            "case_id": answers["case_id"].repeat(len(names)).to_numpy(),
            "system": answers["system"].repeat(len(names)).to_numpy(),
            "metric": np.tile(np.array(names, dtype=object), len(answers)),
            "value": np.where(scored, values, np.nan),
            "state": np.where(scored, "scored", "not_measured"),
            "reason": np.where(scored, "", reasons),
            "detail": "[]",
        },
        columns=COLUMNS,
    ).astype({"value": float, "metric": object, "state": object, "reason": object})


def pairs(scores: pd.DataFrame, labels: pd.DataFrame) -> dict[str, str]:
    """Which judgement each given score should predict, of those that raters gave: score -> dimension. None
    that reads the answer key."""
    known, judged = map(card, dict.fromkeys(scores["metric"])), set(labels["dimension"])
    return {one.name: one.dimension for one in known if one.dimension in judged and not one.reads_key}
