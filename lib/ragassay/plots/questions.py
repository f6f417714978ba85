"""One mark a passage, question or answer: what a mean hides."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib import patheffects
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from ragassay.plots import style
from ragassay.show.styled_table import heading
from ragassay.stats import percent_text

MOST_LEVELS = 14  # rows of dots; the smaller levels share the last


def topic_map(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """The collection as a map: one dot a passage at (x, y), coloured by topic, whose words stand at its
    middle.

    frame : x, y, topic (passages without one are grey), and topic_label, its name

    Example: `plots.topic_map(run.chunks())`

    Source: HCAT figure 1.
    """
    placed = frame if frame.empty else frame.dropna(subset=["x", "y"])
    if placed.empty:
        return style.blank(ax, "no passage has a place on the map")
    ax = style.axes(ax, 4.2)
    size = float(np.clip(4000 / len(placed), 4, 26))
    topics = placed.groupby("topic", sort=True)
    ax.scatter("x", "y", data=placed[placed["topic"].isna()], s=size, color=style.GRID, linewidths=0)
    for at, (_, part) in enumerate(topics):
        turn, which = divmod(at, len(style.CATEGORIES))
        look: Any = {"color": style.CATEGORIES[which], "marker": style.MARKERS[turn % len(style.MARKERS)]}
        ax.scatter("x", "y", data=part, s=size, alpha=0.7, linewidths=0, **look)
    column = "topic_label" if "topic_label" in placed else "topic"
    lines, height, letters = (2, 0.085, style.SIZE) if len(topics) <= 12 else (1, 0.045, style.SMALL)
    texts = style.names(topics[column].first(), column, 20, lines)
    reach = np.ptp(placed[["x", "y"]].to_numpy(dtype=float), axis=0)
    places = _apart(topics[["x", "y"]].median().to_numpy(dtype=float), reach, 0.2, height)
    halo = [patheffects.withStroke(linewidth=2.5, foreground=style.PAPER)]
    bold: Any = {"fontweight": "bold", "fontsize": letters, "path_effects": halo, "linespacing": 1.0}
    for text, place in zip(texts, places, strict=True):
        style.write(ax, text, tuple(place), ha="center", va="center", **bold)
    ax.set(xticks=[], yticks=[], xlabel=f"map coordinate 1 (no unit), n={len(placed):,} passages")
    ax.set_ylabel("map coordinate 2 (no unit)")
    return ax


def dots(frame: pd.DataFrame, *, x: str, y: str, col: str | None = None) -> np.ndarray:
    """One dot a question along x, a row a level of y, the lowest median of the first panel on top; the bar is
    the median, the number at the right n.

    x : column of the scores; y : of the levels, such as topic, of which the 14 largest are named; col : a
        panel for each of its values, such as metric. Returns the (panels,) Axes.

    Example: `plots.dots(run.scores(), x="value", y="topic", col="metric")`

    Source: HCAT figures 5, 6 and 7.
    """
    known = frame if frame.empty else frame.dropna(subset=[x])
    if known.empty:
        return np.array([style.blank(None, "no question was scored")])
    level = known[y].astype(object).where(known[y].notna(), "(none)")
    largest = level.value_counts().index
    rest = f"{len(largest) - MOST_LEVELS + 1} others"
    if len(largest) > MOST_LEVELS:
        level = level.where(level.isin(largest[: MOST_LEVELS - 1]), rest)
    known = known.assign(**{y: level})
    parts = list(known.groupby(col, sort=False)) if col else [("", known)]
    lowest_first = parts[0][1].groupby(y)[x].median().sort_values().index
    levels = sorted(dict.fromkeys([*lowest_first, *level.unique()]), key=lambda name: name == rest)
    labels = style.names(levels, y, 24)
    columns, height = min(len(parts), 3), style.height_of(len(levels), 0.32)
    rows = -(-len(parts) // columns)
    whole = (style.WIDTH, height * rows)
    grid = plt.subplots(rows, columns, figsize=whole, layout="constrained", squeeze=False, sharey=True)[1]
    for unused in grid.ravel()[len(parts) :]:
        unused.set_axis_off()
    axes = grid.ravel()[: len(parts)]
    for ax, (title, part) in zip(axes, parts, strict=True):
        for name, values in part.groupby(y)[x]:
            row = levels.index(name)
            size = float(np.clip(600 / len(values), 5, 14))
            heights = row + style.jitter(len(values), 0.22, row)
            ax.scatter(values, heights, s=size, color=style.INTERVAL, alpha=0.5, linewidths=0)
            ax.plot([values.median()] * 2, [row - 0.38, row + 0.38], color=style.TEXT, linewidth=2)
            style.at_right(ax, row, f"{len(values)}", style.NOTE)
        style.rows_axis(ax, labels)
        ax.set_title("\n".join(style.names([title], col, 60 // min(3, len(parts)))) if col else "")
        ax.set_xlabel(f"{style.label(heading(x), 24)}, n={len(part)}")
    return axes


def answers_bar(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """All answers in one bar, by kind: segments in the order of the table, each with its number and share.

    frame : of `error_taxonomy.count_categories` for one judge: a row a category with its n; none, no segment

    Example: `plots.answers_bar(counts.query("judged_by == 'raters'"))`
    """
    drawn = frame if frame.empty else frame[frame["n"] > 0]
    if drawn.empty:
        return style.blank(ax, "no answer was judged")
    ax = style.axes(ax, 1.15)
    total, start = drawn["n"].sum(), 0.0
    for place, (kind, count) in enumerate(zip(drawn["category"].astype(str), drawn["n"], strict=True)):
        share = count / total
        percent = percent_text(share, 0 if share >= 0.01 else 1)
        paint = style.ANSWERS.get(kind, style.CATEGORIES[place % len(style.CATEGORIES)])
        words = f"{style.label(kind, 30, 1)}: {int(count):,} ({percent})"
        ax.barh(0, share, left=start, height=0.8, color=paint, edgecolor=style.PAPER, label=words)
        ink = style.PAPER if paint in style.DARK else style.TEXT
        if share >= 0.05:  # there is room for the number
            ax.text(start + share / 2, 0, percent, ha="center", va="center", color=ink)
        start += share
    ax.set(xlim=(0, 1), ylim=(-0.45, 0.45))
    ax.set_axis_off()
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, 0), ncols=3, handlelength=1, columnspacing=1.4)
    return ax


def _apart(middles: np.ndarray, reach: np.ndarray, width: float, height: float) -> np.ndarray:
    """(k, 2) places moved apart vertically until no two lie within a label's width and height, as shares of
    the map."""
    scale = np.where(reach > 0, reach, 1.0)
    places, order = middles / scale, np.arange(len(middles))
    for _ in range(200):
        away = places[:, None] - places[None]
        near = (np.abs(away) < (width, height)).all(axis=2) & (order[:, None] != order)
        if not near.any():
            break
        side = np.where(away[..., 1] != 0, np.sign(away[..., 1]), np.sign(order[:, None] - order))
        places[:, 1] += 0.25 * (side * (height - np.abs(away[..., 1])) * near).sum(axis=1)
    return places * scale
