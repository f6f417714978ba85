"""Values and tables as readers see them: nothing hidden, nothing that acts."""

import csv
import json
import math
from collections.abc import Iterable
from copy import deepcopy
from html import escape
from io import StringIO
from typing import Any

from ragassay.sanitized_text import LONGEST, clean, guarded
from ragassay.stats import number_text
from ragassay.tables import is_missing

__all__ = ["MISSING", "clean", "value_text"]
MISSING = "—"
LIMITS: tuple = (  # in the HTML of a sealed kernel
    *("display.max_rows", 1000, "display.min_rows", 1000, "display.max_columns", 100),
    *("display.max_colwidth", 2200, "styler.render.max_rows", 1000),
)


def value_text(value: Any, decimals: int | None = None, limit: int = LONGEST) -> str:
    """Any value as text: numbers rounded, missing as —, lists joined, true and false as yes and no, the rest
    by `str`."""
    import numpy as np
    import pandas as pd

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
    if decimals is None and size == round(size) and size < 1e15:
        decimals = 0
    if decimals is None:
        decimals = 0 if size >= 1000 else 1 if size >= 10 else 2 if size >= 1 else 3
    if value and size < 0.5 * 10**-decimals:
        return f"{value:.1e}"
    return number_text(value, decimals)


def register(shell: Any) -> None:
    """Have an IPython shell show them so; pandas is not imported for it."""
    html = shell.display_formatter.formatters["text/html"]
    for module in ("pandas", "pandas.core.frame", "pandas.core.series"):  # from pandas 3 on, and before
        for name in ("DataFrame", "Series"):
            html.for_type_by_name(module, name, as_html)
    html.for_type_by_name("pandas.io.formats.style", "Styler", as_html)


def as_html(shown: Any) -> str | None:
    """A DataFrame, Series or Styler as pandas writes it for notebooks, within the limits above; the
    texts of a Styler escaped if they are not."""
    import pandas as pd

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


def csv_of_rows(columns: Iterable[Any], rows: Iterable[Iterable[Any]]) -> bytes:
    """Rows of anything as CSV in which nothing runs and nothing is hidden; None is empty."""
    page = StringIO()
    texts = ([guarded("" if cell is None else clean(cell, 0)) for cell in row] for row in (columns, *rows))
    csv.writer(page, lineterminator="\n").writerows(texts)
    return page.getvalue().encode("utf-8", "backslashreplace")
