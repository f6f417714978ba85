"""How a sealed kernel shows pandas' tables: more rows and longer texts than a lab, the rest as CSV."""

from copy import deepcopy
from html import escape
from typing import Any

from ragassay.show.text_tables import flat
from ragassay.spreadsheet_injection import csv_of_rows

MOST_ROWS, MOST_COLUMNS, MOST_LETTERS = 200, 100, 2200  # in the HTML
FEW_ROWS = 25  # which a report prints whole
MOST_CELLS, MOST_BYTES = 1_000_000, 20_000_000  # of a CSV; larger tables are for `tables/`
CSV = "text/csv"


def register(shell: Any) -> None:
    """Have an IPython shell show them so; pandas is not imported for it."""
    from IPython.core.formatters import BaseFormatter
    from traitlets import ObjectName, Unicode

    class CsvFormatter(BaseFormatter):
        format_type, print_method = Unicode(CSV), ObjectName("_repr_csv_")

    formatters = shell.display_formatter.formatters
    formatters[CSV] = CsvFormatter(parent=shell.display_formatter)
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
    limits = {
        "display.max_rows": MOST_ROWS,
        "display.min_rows": MOST_ROWS,
        "display.max_columns": MOST_COLUMNS,
        "display.max_colwidth": MOST_LETTERS,
        "styler.render.max_rows": 5 * MOST_ROWS,
    }
    with pd.option_context(*(part for limit in limits.items() for part in limit)):
        made = shown._repr_html_()
        texts = shown.data.to_numpy().ravel() if hasattr(shown, "data") else ()
        if any(isinstance(cell, str) and "<" in cell and cell in made for cell in texts):  # of a Styler
            shown = deepcopy(shown)
            shown.data = shown.data.map(lambda cell: escape(cell, False) if isinstance(cell, str) else cell)
            made = shown._repr_html_()
        return made


def as_csv(shown: Any) -> str | None:
    """All of a DataFrame or Series; None for one that is printed whole, or is too large for a notebook."""
    frame = flat(shown)
    if frame.size > MOST_CELLS:
        return None
    rows = frame.astype(object).where(frame.notna(), None).itertuples(index=False, name=None)
    if len(frame) <= FEW_ROWS:
        rows = list(rows)
        if all(len(str(cell)) <= MOST_LETTERS for row in rows for cell in row):
            return None
    data = csv_of_rows(frame.columns, rows)
    return data.decode() if len(data) <= MOST_BYTES else None
