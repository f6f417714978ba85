"""What customers ask about: a log of questions counted by topic, to weight the test set by (HCAT section 2,
step 4)."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from ragassay import models, parameter_ranges, provenance
from ragassay.cases.evidence_lookup import nearest_topics
from ragassay.errors import InputError

UNASKED = 0.5  # counted for every topic besides its questions, so that none is without a weight
COLUMNS = ("question", "query", "user_input", "input", "prompt", "text")


def read_questions(path: str | Path) -> list[str]:
    """The questions of a log as often as they were asked: a .jsonl or .csv with a column of COLUMNS, or a
    text file with one a line.

    Raises
    ------
    InputError
        If the file cannot be read, or holds no question.
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8-sig")
        found = {".jsonl": _jsonl, ".csv": _csv}.get(file.suffix.lower(), str.splitlines)(text)
    except (OSError, ValueError) as problem:
        raise InputError(
            "the log of questions cannot be read",
            where=path,
            found=problem,
            expected="a .jsonl, .csv or .txt file in UTF-8",
        ) from None
    kept = [" ".join(one.split()) for one in found if one and one.strip()]
    if not kept:
        raise InputError(
            "there is no question in the log",
            where=path,
            found="0",
            expected=f"a column named {', '.join(COLUMNS)}, or one a line",
        )
    return kept


def allocation(
    how: str, query_log: str, chunks: pd.DataFrame, *, encode: Callable = models.encode
) -> str | dict[str, float]:
    """How questions are spread over the topics: "proportional" or "equal" as given; "log" is a weight for
    each topic, by what the log asks.

    Raises
    ------
    ParameterError
        If `how` is another word.
    InputError
        If the questions are to follow a log, and none is given or it cannot be read.
    """
    parameter_ranges.check("allocation", how, "one of proportional, equal, log")
    if how != "log":
        return how
    if not query_log:
        raise InputError(
            "the questions are to follow a log of questions, and none is given",
            found="query_log is empty",
            do="name query_log, a file of what customers asked, or choose proportional",
        )
    counts = count_by_topic(read_questions(provenance.reads_input(query_log)), chunks, encode=encode)
    return dict(zip(counts["topic"], counts["weight"], strict=True))


def count_by_topic(
    asked: Sequence[str], chunks: pd.DataFrame, *, encode: Callable = models.encode
) -> pd.DataFrame:
    """topic, asked (questions nearest to the topic's mean vector), share [0, 1], weight (asked + 0.5);
    every topic of `chunks`, by name."""
    unique = list(dict.fromkeys(asked))
    nearest = dict(zip(unique, nearest_topics(unique, chunks, encode), strict=True))
    counts = pd.Series([nearest[one] for one in asked]).value_counts()
    table = pd.DataFrame({"topic": sorted(chunks["topic"].unique())})
    table["asked"] = table["topic"].map(counts).fillna(0).astype(int)
    return table.assign(share=(table["asked"] / len(asked)).round(4), weight=table["asked"] + UNASKED)


def _jsonl(text: str) -> list[str]:
    return [_question(json.loads(line)) for line in text.splitlines() if line.strip()]


def _csv(text: str) -> list[str]:
    return [_question(row) for row in csv.DictReader(io.StringIO(text, newline=""))]


def _question(record: Any) -> str:
    found = (
        next((record[name] for name in COLUMNS if isinstance(record.get(name), str)), "")
        if isinstance(record, dict)
        else record
    )
    return found if isinstance(found, str) else ""
