"""What a cell of a sealed kernel shows of a DataFrame: what pandas writes, longer than in a lab, and the rest
as CSV."""

import csv
from collections.abc import Iterable
from copy import deepcopy
from html import escape
from io import StringIO
from typing import Any

from ragassay.sanitized_text import clean
from ragassay.spreadsheet_injection import guarded

CSV = "text/csv"
MOST_ROWS, MOST_COLUMNS, MOST_LETTERS = 200, 100, 2200  # in the HTML of a sealed kernel
LIMITS: tuple = ("display.max_rows", MOST_ROWS, "display.min_rows", MOST_ROWS)
LIMITS += ("display.max_columns", MOST_COLUMNS, "display.max_colwidth", MOST_LETTERS)
LIMITS += ("styler.render.max_rows", 5 * MOST_ROWS)
FEW_ROWS = 25  # which a report prints whole
MOST_CELLS = 1_000_000  # of a CSV; larger tables are for `tables/`


def register(shell: Any) -> None:
    """Have an IPython shell show them so; pandas is not imported for it."""
    from IPython.core.formatters import BaseFormatter

    formatters = shell.display_formatter.formatters
    formatters[CSV] = BaseFormatter(format_type=CSV, print_method="_repr_csv_")
    for module in ("pandas", "pandas.core.frame", "pandas.core.series"):  # from pandas 3 on, and before
        for name in ("DataFrame", "Series"):
            formatters["text/html"].for_type_by_name(module, name, as_html)
            formatters[CSV].for_type_by_name(module, name, as_csv)
    formatters["text/html"].for_type_by_name("pandas.io.formats.style", "Styler", as_html)


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


def as_csv(shown: Any) -> str | None:
    """All of a DataFrame or Series; None for one whose rows are all printed, or too many for a notebook. An
    index is columns, unless it only counts."""
    frame = shown.to_frame() if shown.ndim == 1 else shown
    if len(frame) <= FEW_ROWS or frame.size > MOST_CELLS:
        return None
    if frame.index.name is not None or frame.index.dtype.kind not in "iu":
        frame = frame.reset_index(names=[name or "" for name in frame.index.names])
    names = [" · ".join(map(str, name)) if isinstance(name, tuple) else str(name) for name in frame.columns]
    rows = frame.astype(object).where(frame.notna(), None).itertuples(index=False, name=None)
    return csv_of_rows(names, rows).decode()


def csv_of_rows(columns: Iterable[Any], rows: Iterable[Iterable[Any]]) -> bytes:
    """Rows of anything as CSV in which nothing runs and nothing is hidden; None is empty."""
    page = StringIO()
    texts = ([guarded("" if cell is None else clean(cell, 0)) for cell in row] for row in (columns, *rows))
    csv.writer(page, lineterminator="\n").writerows(texts)
    return page.getvalue().encode("utf-8", "backslashreplace")
