"""What customers ask about: a log of questions counted by topic, to weight the test set by (HCAT section 2,
step 4)."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd

from ragassay import models, parameter_ranges, provenance
from ragassay.cases.own_questions import nearest_topics, read_rows
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
    file, expected = Path(path), f".jsonl or .csv with a column of {', '.join(COLUMNS)}, or one a line"
    try:
        if file.suffix.lower() in (".jsonl", ".csv"):
            rows = [next((row[one] for one in COLUMNS if one in row), "") for _, row in read_rows(file)]
        else:
            rows = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, ValueError) as problem:
        what = "the log of questions cannot be read"
        raise InputError(what, where=path, found=problem, expected=expected) from None
    asked = [" ".join(one.split()) for one in rows if isinstance(one, str) and one.strip()]
    if not asked:
        raise InputError("there is no question in the log", where=path, found="0", expected=expected)
    return asked


def allocation(
    how: str, query_log: str, chunks: pd.DataFrame, *, encode: Callable = models.encode
) -> str | dict[str, float]:
    """How questions are spread over the topics: "proportional" or "equal" as given; "log" is a weight for
    each topic: how many questions of the log are nearest to its mean vector, and UNASKED.

    Raises
    ------
    InputError
        If the questions are to follow a log, and none is given or it cannot be read.
    """
    parameter_ranges.check("allocation", how, "one of proportional, equal, log")
    if how != "log":
        return how
    if not query_log:
        do = "name query_log, a file of what customers asked, or choose proportional"
        raise InputError("a log of questions is to be followed, and none is given", found="query_log", do=do)
    asked = read_questions(provenance.reads_input(query_log))
    counts = pd.Series(nearest_topics(asked, chunks, encode)).value_counts()
    return {name: counts.get(name, 0) + UNASKED for name in sorted(chunks["topic"].unique())}
