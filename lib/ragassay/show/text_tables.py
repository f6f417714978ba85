"""What a cell of a sealed kernel shows of a DataFrame: what pandas writes, longer than in a lab; and CSV in
which nothing runs."""

import csv
from collections.abc import Iterable
from copy import deepcopy
from html import escape
from io import StringIO
from typing import Any

from ragassay.sanitized_text import clean
from ragassay.spreadsheet_injection import guarded

MOST_ROWS, MOST_COLUMNS, MOST_LETTERS = 1000, 100, 2200  # in the HTML of a sealed kernel
LIMITS: tuple = ("display.max_rows", MOST_ROWS, "display.min_rows", MOST_ROWS)
LIMITS += ("display.max_columns", MOST_COLUMNS, "display.max_colwidth", MOST_LETTERS)
LIMITS += ("styler.render.max_rows", MOST_ROWS)


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
