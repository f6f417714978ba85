"""When the evidence of a run came about: the days of its answers and of its labels."""

import io
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragassay.errors import InputError
from ragassay.search_paths import file_below

if TYPE_CHECKING:
    import pandas as pd

UNDATED = "undated"
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
TIMES = ("asked_at", "answered_at", "timestamp", "created_at", "time", "date")  # of a log, when it was asked


def asked_on(folder: Path) -> list[str]:
    """The days (UTC) on which the answers of a run were asked, by its journals, in order, a day an answer."""
    from ragassay.answers import answer_journal

    names = sorted(path.name for path in (folder / "journal").glob("*.jsonl"))
    days = [day for name in names for day in answer_journal.asked_on(_content(folder, f"journal/{name}"))]
    return sorted(day for day in days if DAY.fullmatch(day))


def logged_on(rows: list[dict]) -> list[str]:
    """The days on which a log says that it was asked, in order, a day a row that states one."""
    return sorted(filter(None, map(logged_day, rows)))


def logged_day(row: Mapping[str, Any]) -> str:
    """The day that a row of a log states in the first of `TIMES` that it has; "" if it states none."""
    stated = (str(row[name])[:10] for name in TIMES if row.get(name) is not None)
    return next((day for day in stated if DAY.fullmatch(day)), "")


def last_label(labels: bytes) -> str:
    """The day of the last label that states one; "" if none does, or the table cannot be read."""
    import pandas as pd

    try:
        days = pd.read_parquet(io.BytesIO(labels))["labelled_at"].dropna().astype(str).str[:10]
        return max((day for day in days if DAY.fullmatch(day)), default="")
    except (ValueError, KeyError, OSError):
        return ""


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


def _content(folder: Path, name: str) -> bytes:
    try:
        return file_below(folder, name).read_bytes()
    except (OSError, InputError):
        return b""
