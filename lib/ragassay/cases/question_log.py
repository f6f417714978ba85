"""What customers ask about: a log of questions counted by topic, to weight the test set by (HCAT section 2,
step 4)."""

import io
import json
from collections.abc import Callable
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
    expected = f".jsonl or .csv with a column of {', '.join(COLUMNS)}, or one a line"
    try:
        text, ending = Path(path).read_text(encoding="utf-8-sig"), Path(path).suffix.lower()
        rows: list[Any] = [line for line in text.splitlines() if line.strip()]
        if ending == ".jsonl":
            rows = [json.loads(line) for line in rows]
        elif ending == ".csv" and rows:
            rows = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False).to_dict("records")
    except (OSError, ValueError) as problem:
        raise InputError(
            "the log of questions cannot be read", where=path, found=problem, expected=expected
        ) from None
    found = [
        next((row[name] for name in COLUMNS if isinstance(row.get(name), str)), "")
        if isinstance(row, dict)
        else row
        for row in rows
    ]
    kept = [" ".join(one.split()) for one in found if isinstance(one, str) and one.strip()]
    if not kept:
        raise InputError("there is no question in the log", where=path, found="0", expected=expected)
    return kept


def allocation(
    how: str, query_log: str, chunks: pd.DataFrame, *, encode: Callable = models.encode
) -> str | dict[str, float]:
    """How questions are spread over the topics: "proportional" or "equal" as given; "log" is a weight for
    each topic: how many questions of the log are nearest to its mean vector, and UNASKED.

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
    asked = read_questions(provenance.reads_input(query_log))
    counts = pd.Series(nearest_topics(asked, chunks, encode)).value_counts()
    return {name: counts.get(name, 0) + UNASKED for name in sorted(chunks["topic"].unique())}
