"""When the evidence of a run came about: the days of a log and of labels."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

UNDATED = "undated"
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
TIMES = ("asked_at", "answered_at", "timestamp", "created_at", "time", "date")  # of a log, when it was asked


def logged_day(row: Mapping[str, Any]) -> str:
    """The day that a row of a log states in the first of `TIMES` that it has; "" if it states none."""
    stated = (str(row[name])[:10] for name in TIMES if row.get(name) is not None)
    return next((day for day in stated if DAY.fullmatch(day)), "")


def labelled_in_words(labels: "pd.DataFrame") -> str:
    """From when to when the labels were made, by what they state themselves; "undated" if none states it."""
    if "labelled_at" not in labels:
        return UNDATED
    days = labels["labelled_at"].dropna().astype(str).str[:10]
    days = days[[DAY.fullmatch(day) is not None for day in days]]
    if days.empty:
        return UNDATED
    span = f"made on {days.min()}" if days.nunique() == 1 else f"made from {days.min()} to {days.max()}"
    rest = len(labels) - len(days)
    return f"{span}, by their own record" + (f"; {rest} of {len(labels)} are undated" if rest else "")
