"""Cells that a spreadsheet would run as formulas, as text: an apostrophe before them, taken off when read.

A cell acts if it begins with = + - @ | % or a wide form of these, whatever blanks, marks, quotes and
apostrophes stand before, or with a tab or a line break; a number, however written, does not.
"""

import csv
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

GUARD = "'"
_LEADING = "'\"\u00a0\ufeff\u200b\u200e\u200f "
_ACTS = ("=", "+", "-", "@", "|", "%", "＝", "＋", "－", "＠", "\t", "\r", "\n")
_NUMBER = re.compile(r"[-+]?(?:\d{1,30}|\d{0,30}[.,]\d{1,30})(?:[eE][-+]?\d{1,4})?(?:\s?%)?")


def guarded(text: str) -> str:
    """The text behind an apostrophe where a spreadsheet would run it; `unguarded` takes it off."""
    return GUARD + text if _acts(text) else text


def unguarded(text: str) -> str:
    """The text as it was before `guarded`."""
    return text[1:] if text[:1] == GUARD and _acts(text) else text


def to_csv(table: "pd.DataFrame", *, header: bool = True) -> str:
    """The table as CSV in which nothing runs: texts guarded and in quotes, numbers as they are."""
    return guard_table(table).to_csv(
        index=False, header=header, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC
    )


def guard_table(table: "pd.DataFrame") -> "pd.DataFrame":
    """The table as a CSV may hold it: texts in cells and column names guarded, numbers as they are."""
    import pandas as pd

    texts = [name for name in table if not pd.api.types.is_numeric_dtype(table[name])]
    return table.assign(**{str(name): table[name].map(_cell) for name in texts}).rename(columns=_cell)


def unguard_columns(table: "pd.DataFrame", names: Iterable[str]) -> "pd.DataFrame":
    """The table with the texts of these columns as they were before `guard_table`."""
    return table.assign(**{name: table[name].map(unguarded, na_action="ignore") for name in names})


def _cell(value: Any) -> Any:
    return guarded(value) if isinstance(value, str) else value


def _acts(text: str) -> bool:
    """Whether it would act, seen without the apostrophes that may guard it already."""
    body = text.lstrip(GUARD)
    core = body.lstrip(_LEADING)
    return body.startswith(("\t", "\r", "\n")) or (core.startswith(_ACTS) and not _NUMBER.fullmatch(body))
