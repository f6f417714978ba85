"""How scores move as perturbations grow stronger: a panel a metric, a line a kind, named at its end."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ragassay.figures import colours, style
from ragassay.figures.style import Drawing
from ragassay.scores.display_names import with_names

APART = 0.075  # least distance of two names, as a share of the axis
NAMED = 8  # lines of a panel that are named


def dose_response_plot(table: pd.DataFrame) -> Drawing:
    """Differences, variant minus original, over levels, the original at 0; of `robustness.compare_metrics`.

    Flagged rows (`worse`) are drawn as such, with their intervals; the kinds that move most are named.

    Raises ValueError if no kind has two levels.
    """
    graded = table[table["intensity"].notna() & table["difference"].notna()]
    several = graded.groupby(["metric", "kind"])["intensity"].transform("nunique") > 1
    drawn = with_names(graded[several])
    style.refuse_empty(drawn, "the table of differences at two levels or more")
    metrics = list(dict.fromkeys(drawn["metric"]))
    across = min(2, len(metrics))
    down = -(-len(metrics) // across)
    with style.sheet(0.4 + 2.6 * down, rows=down, columns=across, squeeze=False) as (figure, axes):
        for place, metric in zip(axes.flat, metrics, strict=False):
            _panel(place, drawn[drawn["metric"] == metric], metric)
        for place in axes.flat[len(metrics) :]:
            place.set_axis_off()
    shown = ", ".join(style.alt_text(metric) for metric in metrics)
    return Drawing(figure, f"Differences by level of perturbation: {shown}.")


def _panel(axes, part: pd.DataFrame, metric: str) -> None:
    ends = []
    for kind, line in part.sort_values("intensity").groupby("kind"):
        worse = line["worse"].astype(bool)
        paint = colours.FLAGGED if worse.any() else colours.INTERVAL
        axes.plot(
            [0, *line["intensity"]],
            [0, *line["difference"]],
            color=paint,
            marker="o",
            markersize=3,
            linewidth=1,
        )
        axes.vlines(
            line["intensity"][worse], line["low"][worse], line["high"][worse], color=paint, linewidth=0.8
        )
        ends.append((float(line["difference"].iloc[-1]), float(line["intensity"].iloc[-1]), str(kind), paint))
    axes.axhline(0, color=colours.REFERENCE, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    axes.set(title=style.label(metric, 40), xlabel="level", xticks=sorted({0.0, *part["intensity"]}))
    axes.set_ylabel("variant minus original")
    _name(axes, ends)


def _name(axes, ends: Sequence[tuple[float, float, str, str]]) -> None:
    """The names of the lines that moved most, at their ends, moved apart where they would meet."""
    chosen = sorted(sorted(ends, key=lambda end: -abs(end[0]))[:NAMED])
    low, high = axes.get_ylim()
    heights = _spread([end[0] for end in chosen], APART * (high - low))
    for (value, level, kind, paint), height in zip(chosen, heights, strict=True):
        axes.annotate(
            style.label(kind, 24, 1),
            (level, value),
            xytext=(1.03, (height - low) / (high - low)),
            textcoords="axes fraction",
            va="center",
            fontsize=style.SMALL,
            color=paint,
            annotation_clip=False,
        )


def _spread(values: Sequence[float], apart: float) -> list[float]:
    """Ascending values moved so that none is nearer than `apart` to the next, about their own middle."""
    moved = list(values)
    for i in range(1, len(moved)):
        moved[i] = max(moved[i], moved[i - 1] + apart)
    shift = float(np.mean(moved) - np.mean(values)) if moved else 0.0
    return [one - shift for one in moved]
