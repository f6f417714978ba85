"""A table as text: what a cell shows of a DataFrame."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from ragassay.show import readable_columns
from ragassay.show.display import Shown, instead
from ragassay.show.plain_values import clean, in_words

TABLE = "application/vnd.ragassay.table+json"
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
    align: str | Mapping[str, str] | None = None,
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
    align : one letter per column (`"lrr"`), or letters by column name; by default numbers right, words left
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
    align: str | Mapping[str, str] | None, names: list[str], columns: Sequence[readable_columns.Column]
) -> list[str]:
    chosen = dict(zip(names, align, strict=False)) if isinstance(align, str) else dict(align or {})
    wrong = [name for name in chosen if name not in names or chosen[name] not in SIDES]
    if wrong or (isinstance(align, str) and len(align) != len(names)):
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
