"""The validated system against others: differences with their intervals, a panel for each challenger."""

import pandas as pd

from ragassay.figures import colours, style
from ragassay.figures.style import Drawing
from ragassay.scores.display_names import with_names

UNTOLD = ("not compared", "same on every question")
MARKERS = {"better": "s", "worse": "D", "no significant difference": "o"}
MOST_PANELS = 3
UNIT = "mean difference with 95 % interval: validated system minus challenger"


def paired_difference_plot(table: pd.DataFrame, *, unit: str = UNIT) -> Drawing:
    """Paired differences of `comparison.compare_systems` around the line of no difference: metrics down, a
    panel for each of three challengers.

    Shape and colour say what is better or worse beyond chance. Rows that cannot tell two systems apart (not
    compared, or the same on every question) are left out.

    Raises ValueError if no row is left.
    """
    done = with_names(table[~table["outcome"].isin(UNTOLD)])
    style.refuse_empty(done, "the table of comparisons")
    metrics, rivals = (
        list(dict.fromkeys(done["metric"]))[: style.MOST_ROWS],
        list(dict.fromkeys(done["challenger"])),
    )
    columns = min(len(rivals), MOST_PANELS)
    with style.sheet(
        style.height_of(len(metrics), base=1.5), columns=columns, sharex=True, squeeze=False
    ) as (figure, grid):
        for place, (axes, rival) in enumerate(zip(grid[0], rivals, strict=False)):
            _panel(axes, done[done["challenger"] == rival], metrics, rival)
            style.category_axis(axes, [style.label(metric, 24) if place == 0 else "" for metric in metrics])
        figure.supxlabel(style.label(unit, 90), fontsize=style.SIZE)
    others = ", ".join(style.alt_text(rival) for rival in rivals[:MOST_PANELS])
    return Drawing(figure, f"Paired differences of {len(metrics)} metrics against {others}.")


def _panel(axes, rows: pd.DataFrame, metrics: list[str], rival: str) -> None:
    for row in rows[rows["metric"].isin(metrics)].itertuples():
        paint, place = colours.OUTCOMES[row.outcome], metrics.index(row.metric)
        estimate = (row.difference, row.low, row.high)
        marker = MARKERS[row.outcome]
        style.interval(axes, place, estimate, paint=paint, marker=marker, label=row.outcome)
        if row.outcome in ("better", "worse"):
            here = (row.difference, place)
            style.write(axes, row.outcome, here, shift=(0, 4), ha="center", va="bottom", color=paint)
    axes.axvline(0, color=colours.REFERENCE, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    axes.set_title(style.label(f"against {rival}, {_n(rows)}", 34), fontsize=style.SIZE)


def _n(rows: pd.DataFrame) -> str:
    least, most = int(rows["n"].min()), int(rows["n"].max())
    return f"n={least}" if least == most else f"n={least} to {most}"
