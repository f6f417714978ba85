"""Values and tables as readers see them: nothing hidden, nothing that acts; for the lab a table as a pandas
Styler: names in words, an estimate and its interval as one."""

import json
import math
from collections.abc import Callable, Collection
from copy import deepcopy
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ragassay.sanitized_text import LONGEST, clean
from ragassay.stats import interval_text, number_text, share_text
from ragassay.tables import is_missing

if TYPE_CHECKING:
    from pandas.io.formats.style import Styler

__all__ = ["MISSING", "clean", "value_text"]
HEADINGS = pd.read_csv(Path(__file__).with_suffix(".csv"), index_col="column")["heading"].to_dict()
MISSING, MISSING_CELL = "—", "–"
COUNTS = ("n", "left_out", "n_cases", "needed", "labels")  # never the estimate that an interval is of
LIMITS: tuple = (  # in the HTML of a sealed kernel
    *("display.max_rows", 1000, "display.min_rows", 1000, "display.max_columns", 100),
    *("display.max_colwidth", 2200, "styler.render.max_rows", 1000),
)


def value_text(value: Any, decimals: int | None = None, limit: int = LONGEST) -> str:
    """Any value as text: numbers rounded, missing as —, lists joined, true and false as yes and no, the rest
    by `str`."""
    if is_missing(value):
        return MISSING
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, int | np.integer):
        return f"{int(value):,}".replace("-", "−")
    if isinstance(value, float | np.floating):
        return _number(float(value), decimals)
    if isinstance(value, dict):
        return clean(json.dumps(value, sort_keys=True, ensure_ascii=False, default=str), limit)
    if isinstance(value, list | tuple | np.ndarray) and not hasattr(value, "_fields"):
        return clean(", ".join(map(value_text, value)) or "none", limit)
    if isinstance(value, pd.Timestamp) and value == value.normalize():
        return value.date().isoformat()
    return clean(value, limit)


def _number(value: float, decimals: int | None) -> str:
    """With as many decimals as its size deserves: 1,234 / 12.3 / 1.23 / 0.123 / 2.1e-05."""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    size = abs(value)
    if decimals is None:
        is_whole = size == round(size) and size < 1e15
        decimals = 0 if is_whole or size >= 1000 else 1 if size >= 10 else 2 if size >= 1 else 3
    if value and size < 0.5 * 10**-decimals:
        return f"{value:.1e}"
    return number_text(value, decimals)


def register(shell: Any) -> None:
    """Have an IPython shell show them so."""
    html = shell.display_formatter.formatters["text/html"]
    for module in ("pandas", "pandas.core.frame", "pandas.core.series"):  # from pandas 3 on, and before
        for name in ("DataFrame", "Series"):
            html.for_type_by_name(module, name, as_html)
    html.for_type_by_name("pandas.io.formats.style", "Styler", as_html)


def as_html(shown: Any) -> str | None:
    """A DataFrame, Series or Styler as pandas writes it for notebooks, within the limits above; the
    texts of a Styler escaped if they are not."""
    if isinstance(shown, pd.Series):
        shown = shown.to_frame("value" if shown.name is None else shown.name)
    with pd.option_context(*LIMITS):
        made = shown._repr_html_()
        texts = shown.data.to_numpy().ravel() if hasattr(shown, "data") else ()
        if any(isinstance(cell, str) and "<" in cell and cell in made for cell in texts):  # of a Styler
            shown = deepcopy(shown)
            shown.data = shown.data.map(lambda cell: escape(cell, False) if isinstance(cell, str) else cell)
            made = shown._repr_html_()
        return made


def readable(
    frame: pd.DataFrame, *, percent: Collection[str] = (), digits: int = 2, names: bool = True
) -> "Styler":
    """The table for a reader: headings in words, an estimate with the `low` and `high` beside it as
    `0.62 [0.55, 0.70]`, missing values as –, true and false as yes and no, numbers to the right. Text is
    shown letter for letter, whatever it holds.

    percent : columns of shares, shown as `62 %`, with their bounds as `62 % [55, 70]`
    digits : decimals of the other numbers that are not whole
    names : metrics, slices and levels in the cells by the names that readers know

    Columns keep their own names in the Styler, so that `.background_gradient(subset=...)` can follow; a named
    index becomes columns.

    Example: `readable(scorecard, percent=["value"])`
    """
    from ragassay.scores.display_names import with_names

    kept = [name for name in frame.index.names if name is not None and name not in frame.columns]
    shown = frame.reset_index(level=kept).reset_index(drop=True) if kept else frame.reset_index(drop=True)
    if isinstance(shown.columns, pd.MultiIndex):
        shown.columns = [" · ".join(str(part) for part in name if part != "") for name in shown.columns]
    shown, estimates = _joined(with_names(shown) if names and len(shown) else shown, percent, digits)
    style, kinds = shown.style.hide(axis="index"), {}
    for name in shown:
        style = style.format(_formatter(shown[name], name in percent, digits), subset=[name])
        props = "text-align: right"
        if name not in estimates and not _is_number(shown[name]):
            is_wide = bool(shown[name].astype(str).str.len().max() > 60)
            props = "text-align: left" + "; min-width: 14em; max-width: 40em" * is_wide
        kinds[name] = [{"selector": "", "props": props}]
    style = style.set_table_styles(kinds).set_table_attributes('class="mathjax_ignore"')  # $ is no formula
    heads = {name: heading(name) + " [interval]" * (name in estimates) for name in shown}
    return style.format_index(lambda name: escape(heads[name]), axis="columns")


def heading(name: object) -> str:
    """The words over a column: a metric's name for readers, those of `show.csv`, or its own without
    underscores."""
    from ragassay.scores.display_names import display_name, is_named

    words = display_name(str(name)) if is_named(str(name)) else str(name).replace("_", " ")
    return HEADINGS.get(str(name), words)


def _joined(frame: pd.DataFrame, percent: Collection[str], digits: int) -> tuple[pd.DataFrame, set]:
    """The table with estimate and bounds in one column of text, and the names of such columns."""
    frame, columns, done = frame.copy(), list(frame.columns), set()
    for name, low, high in zip(columns, columns[1:], columns[2:], strict=False):
        is_estimate = (low, high) in [("low", "high"), (f"{name}_low", f"{name}_high")] and name not in COUNTS
        if is_estimate and all(_is_number(frame[each]) for each in (name, low, high)):
            rows = frame[[name, low, high]].to_numpy(dtype=float, na_value=np.nan)
            is_share = name in percent
            text = partial(
                interval_text, decimals=None if is_share else digits, percent=is_share, missing=MISSING_CELL
            )
            frame[name] = pd.Series([text(*row) for row in rows], dtype=object)
            frame = frame.drop(columns=[low, high])
            done.add(name)
    return frame, done


def _formatter(values: pd.Series, is_share: bool, digits: int) -> Callable[[Any], str]:
    known = [value for value in values if isinstance(value, float | np.floating) and np.isfinite(value)]
    decimals = 0 if all(value == round(value) for value in known) else digits

    def text(value: Any) -> str:
        if is_missing(value):
            return MISSING_CELL
        if is_share and isinstance(value, int | float | np.number) and not isinstance(value, bool):
            return share_text(float(value))
        return escape(value_text(value, decimals, limit=0))

    return text


def _is_number(values: pd.Series) -> bool:
    return pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values)
