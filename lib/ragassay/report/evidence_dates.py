"""When the evidence of a run came about: the days of a log."""

import re
from collections.abc import Mapping
from typing import Any

DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
TIMES = ("asked_at", "answered_at", "timestamp", "created_at", "time", "date")  # of a log, when it was asked


def logged_day(row: Mapping[str, Any]) -> str:
    """The day that a row of a log states in the first of `TIMES` that it has; "" if it states none."""
    stated = (str(row[name])[:10] for name in TIMES if row.get(name) is not None)
    return next((day for day in stated if DAY.fullmatch(day)), "")
