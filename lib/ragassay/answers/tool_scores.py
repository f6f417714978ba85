"""Scores that a tool gave and its file carries, under its name: `ragas:faithfulness`. They are given with the
log, not computed here. To know another score of a tool, add a row to `tool_scores.csv`.

And judgements of people, as rows of a labels file: in columns (ARES, or named by the user), or as MTRAG keeps
them, answers of several systems that annotators have judged. Of MTRAG's JSON Lines (id, turns, query,
contexts, answer, system, human) the question is the last turn of the user; the turns before it are kept in
the case's column `turns`, and no metric reads them.
"""

import csv
import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ragassay.answers.log_schemas import MISSING, SCHEMAS, Schema, Unfit, dig, first_value, is_empty, resolve
from ragassay.assistant.reply_validation import is_placeholder
from ragassay.documents.record_files import Record, broken_record, read_records
from ragassay.errors import LabelError
from ragassay.tables import is_blank

GIVEN, OWN = "given", "ragassay"  # columns that the user named; scores of ours that a file carries
TOOLS = {*(schema.prefix for schema in SCHEMAS.values()), GIVEN, OWN}
ORIGIN = "given with the log, not computed here"
NUMBER = "a number, true or false, yes or no, pass or fail"
WORDS = {
    **dict.fromkeys(("true", "yes", "pass", "passed", "correct", "c"), 1.0),
    **dict.fromkeys(("false", "no", "fail", "failed", "incorrect", "i", "n"), 0.0),
    **dict.fromkeys(("partial", "p"), 0.5),
}
OF_MTRAG = {"id", "turns", "answer", "system"}
JUDGED = "id, system, answer, and turns with a text each"
COMPARISONS = ("win-rate", "win_rate", "winrate")  # they rank systems and judge no single answer
QUERY_TYPE_OF = {
    "composite": "multi_hop",
    "comparative": "multi_hop",
    "explanation": "inference",
    "factoid": "factual",
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
    reason, where the tool gave none, or the answer could not be read. Nothing is computed.

    >>> answers = pd.DataFrame({"case_id": ["a"], "system": "bank", "ragas:faithfulness": [0.8]})
    >>> as_scores(answers)[["metric", "value", "state"]].to_numpy().tolist()
    [['ragas:faithfulness', 0.8, 'scored']]
    """
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
    that reads the answer key.

    >>> pairs(pd.DataFrame({"metric": ["ragas:faithfulness"]}), pd.DataFrame({"dimension": ["grounded"]}))
    {'ragas:faithfulness': 'grounded'}
    """
    known, judged = map(card, dict.fromkeys(scores["metric"])), set(labels["dimension"])
    return {one.name: one.dimension for one in known if one.dimension in judged and not one.reads_key}


def read_log(path: Path) -> Iterator[Record]:
    """The records of a log in a file of any kind; those of MTRAG with case_id, system, question, answer,
    contexts, context_ids, and what is known of the case, or broken if they are not what they should be.

    case_id is the first 8 signs of the conversation and the number of the turn (`f0d2873b-3`); `task_id`
    keeps the whole.
    """
    return map(_of_mtrag, read_records(path))


def _of_mtrag(record: Record) -> Record:
    values = record.values
    if not set(values) >= OF_MTRAG:
        return record
    try:
        task = values["id"].removesuffix(f"|{values['system']}")
        conversation, _, turn = task.partition("<::>")
        kinds = values.get("question_type") or []
        named = [kinds] if isinstance(kinds, str) else kinds
        lower = {kind.lower() for kind in named}
        answerability, collection = (values.get(name) or "" for name in ("answerability", "collection"))
        answerable = answerability.upper() != "UNANSWERABLE"
        answer_type = "instruction" if "how-to" in lower else "short_fact"
        domain = re.fullmatch(r"mt-rag-([a-z]+)-.*", collection)
        turns = [{"speaker": one.get("speaker", ""), "text": one["text"]} for one in values["turns"]]
        row = {
            "case_id": f"{conversation[:8]}-{turn}" if turn else conversation,
            **({"answerable": answerable} if answerability else {}),
            "system": values["system"],
            "answer": values["answer"] + "",  # a text, or TypeError
            "question": turns[-1]["text"],
            "contexts": values.get("contexts") or [],
            "context_ids": values.get("context_ids") or [],
            "reference_answer": values.get("reference") or "",
            "answer_type": answer_type if answerable else "no_answer",
            "query_type": next((ours for theirs, ours in QUERY_TYPE_OF.items() if theirs in lower), "open"),
            "topic": domain[1] if domain else collection,
            "conversation_id": values.get("conversation_id") or conversation,
            "answerability": answerability,
            "question_type": ", ".join(named),
            "task_id": task,
            "turns": json.dumps(turns, ensure_ascii=False),
        }
    except (KeyError, TypeError, IndexError, AttributeError) as problem:
        return broken_record(record.where, f"{type(problem).__name__}: {problem}", JUDGED, "correct the line")
    return record._replace(values=row)


def label_rows(
    records: Sequence[Record], where: str, mapping: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    """The judgements of a log: case_id (the row's number where it names none), question, system, dimension,
    rater, label, scale, where; `numbered` says that the case_id is a number of ours. Of MTRAG case_id (as in
    `read_log`), system, dimension, rater, label, scale, answer_sha256, where.

    A column that the user names is `label:DIMENSION=COLUMN`, or `label:DIMENSION:1-5=COLUMN` where the scale
    is not 0-1. LabelError if the file carries none, or one is no number.
    """
    if set(records[0].values) >= OF_MTRAG:
        found = list(_of_annotators(records))
    else:
        schema = resolve(
            [record.values for record in records],
            where,
            mapping=mapping,
            needed=("case_id", "question", "answer"),
        )
        found = [
            label for place, record in enumerate(records, 1) for label in _of_columns(record, place, schema)
        ]
    if not found:
        raise LabelError(
            "the file holds no judgements of people",
            where=where,
            found=", ".join(dict.fromkeys(name for one in records[:20] for name in one.values))[:300],
            do="name your column: label:DIMENSION=COLUMN, with its scale as label:DIMENSION:1-5=COLUMN",
        )
    return found


def _of_annotators(records: Sequence[Record]) -> Iterator[dict[str, Any]]:
    for raw in records:
        values, judged = _of_mtrag(raw).values, raw.values.get("human") or {}
        for dimension, raters in judged.items() if values else ():  # none of a broken line
            for rater, value in raters.items() if dimension.lower() not in COMPARISONS else ():
                answer = values["answer"].encode("utf-8", "surrogatepass")
                yield {
                    "case_id": values["case_id"],
                    "system": values["system"],
                    "answer_sha256": hashlib.sha256(answer).hexdigest(),
                    "dimension": dimension,
                    "rater": rater,
                    "label": str(value),
                    "scale": "1-4",
                    "where": f"{raw.where}, {dimension} by {rater}",
                }


def _of_columns(record: Record, place: int, schema: Schema) -> Iterator[dict[str, Any]]:
    paths = {ours: schema.columns.get(ours, ours) for ours in ("case_id", "system", "question")}
    paths["rater"] = "rater|annotator"
    values = {ours: first_value(record.values, path)[1] for ours, path in paths.items()}
    key = {ours: "" if is_empty(one) or is_blank(one) else str(one) for ours, one in values.items()}
    is_numbered, key["case_id"] = not key["case_id"], key["case_id"] or str(place)
    key |= {"rater": key["rater"] or "not named", "where": record.where}
    columns = schema.labels or {dimension: column for column, dimension in schema.label_columns.items()}
    for name, column in columns.items():
        (dimension, _, scale), value = name.partition(":"), dig(record.values, column)
        if is_empty(value) or is_blank(value):
            continue
        try:
            label = {"dimension": dimension, "label": as_value(value), "scale": scale or "0-1"}
        except Unfit as why:
            raise LabelError(
                "a label is no number", where=f"{record.where}, {dimension}", found=value, expected=why
            ) from None
        yield {**key, **label, "numbered": is_numbered}
