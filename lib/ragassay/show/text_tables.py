"""What a cell shows of a DataFrame: a table as text; or, in a sealed kernel, what pandas writes, longer than
in a lab, and the rest as CSV."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from html import escape
from io import StringIO
from typing import Any

from ragassay.show import readable_columns
from ragassay.show.display import Shown, instead
from ragassay.show.plain_values import clean, in_words
from ragassay.spreadsheet_injection import guarded

TABLE = "application/vnd.ragassay.table+json"
CSV = "text/csv"
MOST_ROWS, MOST_COLUMNS, MOST_LETTERS = 200, 100, 2200  # in the HTML of a sealed kernel
FEW_ROWS = 25  # which a report prints whole
MOST_CELLS, MOST_BYTES = 1_000_000, 20_000_000  # of a CSV; larger tables are for `tables/`
SIDES = {"l": "left", "r": "right", "c": "center"}


@dataclass(frozen=True)
class ShownTable:
    """A table as text: its caption, columns, rows of strings, and how many rows there were."""

    caption: str
    columns: list[str]
    rows: list[list[str]]
    align: list[str]
    note: str
    n_rows_total: int
    more: str = ""
    widths: list[float] | None = None
    file: str = ""
    states: list[str] = field(default_factory=list)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {TABLE: self.__dict__, "text/html": self.html(), "text/plain": self.caption}

    def html(self) -> str:
        """The table for JupyterLab, every text escaped."""
        head = "".join(f'<th scope="col">{escape(name)}</th>' for name in self.columns)
        body = "".join(
            "<tr>"
            + "".join(
                f'<td style="text-align:{SIDES[side]}">{escape(text)}</td>'
                for text, side in zip(row, self.align, strict=True)
            )
            + "</tr>"
            for row in self.rows
        )
        below = "".join(f"<p>{escape(line)}</p>" for line in (self.more, self.note) if line)
        caption = f"<caption>{escape(self.caption)}</caption>"
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"


def table(  # noqa: PLR0913  each option is one thing a notebook asks of a table
    frame: Any,
    caption: str,
    *,
    align: Mapping[str, str] | None = None,
    limit: int = 25,
    note: str = "",
    widths: Sequence[float] | Mapping[str, float] | None = None,
    file: str = "",
    decimals: int | None = None,
    states: Sequence[str] = (),
    percent: Sequence[str] = (),
    interval: str = readable_columns.INTERVAL,
    absent: str | Shown = "",
) -> ShownTable | Any:
    """A DataFrame (or Series) as a table of the report: the first `limit` rows, the rest counted.

    Headings and the names of metrics and levels are words (`readable_columns.py`, `scores/display_names.py`);
    an estimate with the columns low and high beside it is one column. Options name the columns of the frame.

    Parameters
    ----------
    align : letters (l, r, c) by column name; by default numbers right, words left
    note : one sentence under the table
    widths : relative widths, in order or by column name; by default the longest words decide
    file : where the whole table is, below the run folder (`tables/scores.parquet`): the evidence index links
        to it
    decimals : of every number that is not whole by its column's type; by default each column shows what its
        numbers need
    states : columns whose cells are judgements (`pass`, `High`): coloured as such in the report
    percent : columns of shares, printed in per cent, as everywhere that a reader compares them; a row whose
        `metric` is no share keeps its units
    interval : what the bounds beside an estimate are, as its heading says; `show.ADJUSTED` where tests were
        adjusted for their number
    absent : why there is no such table (shown as a limit), or the sentence to show in its place

    Raises
    ------
    ValueError
        If the caption is empty, or `align`, `widths`, `states` or `percent` name a column that is not there.
    """
    if absent:
        return instead(absent)
    if not caption.strip():
        raise ValueError("a table needs a caption that says what it shows")
    frame = flat(frame)
    shown, names = frame.head(limit) if limit else frame, list(frame.columns)
    columns = readable_columns.columns(frame, shown, decimals, interval, percent)
    for option, given in (("states", states), ("percent", percent)):
        if not set(given) <= set(names):
            raise ValueError(f"{option} {list(given)} do not fit the columns {names}")
    return ShownTable(
        in_words(caption.strip()),
        [column.heading for column in columns],
        [list(row) for row in zip(*(column.texts for column in columns), strict=True)],
        _aligned(align, names, columns),
        in_words(note) or ("" if len(frame) else "No rows."),
        len(frame),
        _more(len(frame) - len(shown), file),
        _weighed(widths, names, columns),
        file,
        [column.heading for column in columns if set(column.sources) & set(states)],
    )


def _more(left: int, file: str) -> str:
    where = f"in {clean(file)}" if file else "not shown"
    return f"… and {left:,} more row{'s' if left > 1 else ''} {where}" if left else ""


def flat(frame: Any) -> Any:
    """A DataFrame (or Series) with its index as columns, unless that only counts, and one name a column."""
    import pandas as pd

    frame = frame.to_frame() if isinstance(frame, pd.Series) else frame
    if not isinstance(frame.index, pd.RangeIndex) and not (
        frame.index.name is None and frame.index.dtype.kind in "iu"
    ):
        frame = frame.reset_index(names=[name or "" for name in frame.index.names])
    return frame.set_axis(
        [" · ".join(map(str, name)) if isinstance(name, tuple) else str(name) for name in frame.columns],
        axis=1,
    )


def _aligned(
    align: Mapping[str, str] | None, names: list[str], columns: Sequence[readable_columns.Column]
) -> list[str]:
    chosen = dict(align or {})
    wrong = [name for name in chosen if name not in names or chosen[name] not in SIDES]
    if wrong:
        raise ValueError(f"align {align!r} does not fit the columns {names}: one of l, r, c for each")
    return [chosen.get(column.sources[0], "r" if column.is_number else "l") for column in columns]


def _weighed(
    widths: Sequence[float] | Mapping[str, float] | None,
    names: list[str],
    columns: Sequence[readable_columns.Column],
) -> list[float] | None:
    if widths is None:
        return None
    weights = [widths.get(name, 1.0) for name in names] if isinstance(widths, Mapping) else list(widths)
    unknown = set(widths) - set(names) if isinstance(widths, Mapping) else set()
    if unknown or len(weights) != len(names) or min(weights) <= 0:
        raise ValueError(f"widths {widths!r} do not fit the columns {names}: one positive number for each")
    given = dict(zip(names, weights, strict=True))
    return [float(max(given[name] for name in column.sources)) for column in columns]


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


def csv_of_rows(columns: Iterable[Any], rows: Iterable[Iterable[Any]]) -> bytes:
    """Rows of anything as CSV in which nothing runs and nothing is hidden; None is empty."""
    page = StringIO()
    texts = ([guarded("" if cell is None else clean(cell, 0)) for cell in row] for row in (columns, *rows))
    csv.writer(page, lineterminator="\n").writerows(texts)
    return page.getvalue().encode("utf-8", "backslashreplace")
