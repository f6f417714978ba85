"""When the evidence of a run came about: the days of its answers and of its labels."""

import io
import re
from pathlib import Path

from ragassay.errors import InputError
from ragassay.places import file_below

DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def asked_on(folder: Path) -> list[str]:
    """The days (UTC) on which the answers of a run were asked, by its journals, in order, a day an answer."""
    from ragassay.answers import journal

    names = sorted(path.name for path in (folder / "journal").glob("*.jsonl"))
    days = [day for name in names for day in journal.asked_on(_content(folder, f"journal/{name}"))]
    return sorted(day for day in days if DAY.fullmatch(day))


def last_label(labels: bytes) -> str:
    """The day of the last label that states one; "" if none does, or the table cannot be read."""
    import pandas as pd

    try:
        days = pd.read_parquet(io.BytesIO(labels))["labelled_at"].dropna().astype(str).str[:10]
        return max((day for day in days if DAY.fullmatch(day)), default="")
    except (ValueError, KeyError, OSError):
        return ""


def _content(folder: Path, name: str) -> bytes:
    try:
        return file_below(folder, name).read_bytes()
    except (OSError, InputError):
        return b""
