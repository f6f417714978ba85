"""The columns of a table as a reader sees them: headings and names in words, an estimate and its interval as
one."""

import csv
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

from ragassay.show.plain_values import MISSING, clean, column_text, in_words, value_text

INTERVAL, ADJUSTED = "95 % interval", "interval at the adjusted level"  # of checks made together
ADJUSTED_SHARES = f"{ADJUSTED}, of differences at 95 %"
# columns of sentences
PROSE = (
    "title",
    "statement",
    "condition",
    "criterion",
    "reason",
    "why",
    "limit",
    "measure",
    "measured",
    "evidence",
)
_COUNTS = ("n", "left_out", "n_cases", "needed", "labels")  # never the estimate that an interval is of
_AT = re.compile(r"(half_width|fall)_(0\.\d+)")  # of a share, such as half_width_0.50
_UNDERSCORED = re.compile(r"[a-z0-9]+(_[a-z0-9]+)+")


@dataclass(frozen=True)
class Column:
    """One printed column: the columns it is made of, its heading, its cells, whether they are numbers."""

    sources: tuple[str, ...]
    heading: str
    texts: list[str]
    is_number: bool


def columns(
    frame: Any,
    shown: Any,
    decimals: int | None = None,
    interval: str = INTERVAL,
    percent: Collection[str] = (),
) -> list[Column]:
    """The columns of `shown`, the rows of `frame` to be printed; an estimate and the two bounds beside it are
    one column, headed by what `interval` they are of. Those of `percent` are shares, in per cent."""
    names, made, place = [str(name) for name in frame.columns], [], 0
    numeric = [is_number(frame.iloc[:, each]) for each in range(len(names))]
    while place < len(names):
        shares = _shares(shown) if names[place] in percent else [False] * len(shown)
        if _has_bounds(names, numeric, place):
            part = shown.iloc[:, place : place + 3]
            made.append(_estimate(names[place : place + 3], part, decimals, interval, shares))
            place += 3
        else:
            made.append(_alone(names[place], shown.iloc[:, place], numeric[place], decimals, shares))
            place += 1
    return made


def heading(name: str) -> str:
    """The words over a column: those of `column_names.csv`, or its name without underscores; a name that
    code would not have stays letter for letter."""
    if found := _AT.fullmatch(name):
        words = "expected half-width" if found[1] == "half_width" else "detectable fall"
        return f"{words} at {float(found[2]):.0%}".replace("%", " %")
    return _headings().get(name) or (name.replace("_", " ") if _UNDERSCORED.fullmatch(name) else clean(name))


def is_number(values: Any) -> bool:
    """Whether a column holds numbers, true and false not counted."""
    import pandas as pd

    if values.dtype == object:
        present = [value for value in values if value is not None and value is not pd.NA]
        return bool(present) and all(
            pd.api.types.is_number(value) and not pd.api.types.is_bool(value) for value in present
        )
    return pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values)


def _has_bounds(names: list[str], numeric: list[bool], place: int) -> bool:
    name, after = names[place], tuple(names[place + 1 : place + 3])
    bounds = [
        ("low", "high"),
        *((f"{each}_low", f"{each}_high") for each in (name, name.removesuffix("_rate"))),
    ]
    return name not in _COUNTS and after in bounds and all(numeric[place : place + 3])


def _shares(rows: Any) -> list[bool]:
    """Which rows are told in per cent: all but those of a metric that is known to be no share."""
    from ragassay.analysis.case_scores import value_range

    if "metric" not in rows:
        return [True] * len(rows)
    return [value_range(str(metric)) in (None, (0.0, 1.0)) for metric in rows["metric"]]


def _estimate(
    names: list[str], values: Any, decimals: int | None, interval: str, shares: Sequence[bool]
) -> Column:
    import numpy as np

    from ragassay.stats import interval_text

    numbers = values.to_numpy(dtype=float, na_value=np.nan)
    texts = [
        interval_text(value, low, high, decimals, missing=MISSING, percent=share)
        for (value, low, high), share in zip(numbers, shares, strict=True)
    ]
    return Column(tuple(names), f"{heading(names[0])} [{interval}]", texts, True)


def _alone(name: str, values: Any, is_numeric: bool, decimals: int | None, shares: Sequence[bool]) -> Column:
    from ragassay.scores.display_names import cell_name

    if is_numeric and any(shares):
        return Column((name,), heading(name), _numbers(values, decimals, shares), True)
    values = [
        value if not isinstance(value, str) else in_words(value) if name in PROSE else cell_name(name, value)
        for value in values
    ]
    return Column((name,), heading(name), column_text(values, is_numeric, decimals), is_numeric)


def _numbers(values: Any, decimals: int | None, shares: Sequence[bool]) -> list[str]:
    """Numbers one by one, those of shares in per cent."""
    from ragassay.stats import share_text
    from ragassay.tables import is_missing

    return [
        share_text(float(value)) if share and not is_missing(value) else value_text(value, decimals)
        for value, share in zip(values, shares, strict=True)
    ]


@lru_cache(maxsize=1)
def _headings() -> dict[str, str]:
    text = resources.files("ragassay.show").joinpath("column_names.csv").read_text(encoding="utf-8")
    return {row["column"]: row["heading"] for row in csv.DictReader(text.splitlines())}
