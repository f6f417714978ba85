"""The collection and its topics as a map (HCAT figure 1)."""

import numpy as np
import pandas as pd

from ragassay.figures import colours, style
from ragassay.figures.style import Drawing


def topic_map(chunks: pd.DataFrame, topics: pd.DataFrame) -> Drawing:
    """One dot per passage at (x, y), coloured and shaped by topic; the topic's id at its middle, its words in
    the key.

    chunks : topic, x, y; topics : topic, label, n_chunks, in the order of the key

    Raises
    ------
    ValueError
        If no passage has a place on the map, or there is no topic.
    """
    style.refuse_empty(topics, "the table of topics")
    placed = chunks.dropna(subset=["topic", "x", "y"])
    style.refuse_empty(placed, "the table of passages with topic, x and y")
    shown = topics.head(style.MOST_ROWS)
    with style.sheet(
        max(3.6, style.height_of(len(shown), each=0.26, base=0.5)), columns=2, width_ratios=(3, 2)
    ) as (figure, (axes, key)):
        for position, topic in enumerate(topics["topic"]):
            _dots(axes, placed[placed["topic"] == topic], position, len(placed))
        _name_topics(axes, placed, topics["topic"].tolist())
        axes.set(
            xticks=[], yticks=[], xlabel="map coordinate 1 (no unit)", ylabel="map coordinate 2 (no unit)"
        )
        _key(key, shown, len(topics))
    sizes = topics.set_index("topic")["n_chunks"]
    return Drawing(
        figure,
        f"Map of n={len(placed)} passages in {len(topics)} topics, one dot each; close dots have similar "
        "content. "
        f"Largest topic: {style.alt_text(sizes.idxmax())} with {int(sizes.max())} passages; "
        f"smallest: {style.alt_text(sizes.idxmin())} with {int(sizes.min())}.",
    )


def _dots(axes, part: pd.DataFrame, position: int, n: int) -> None:
    size = float(np.clip(4000 / n, 4, 26))
    marker = style.MARKERS[position // len(colours.CATEGORIES) % len(style.MARKERS)]
    axes.scatter(
        part["x"], part["y"], s=size, c=colours.category(position), marker=marker, alpha=0.75, linewidths=0
    )


def _name_topics(axes, placed: pd.DataFrame, topics: list) -> None:
    """The id of each topic at the median of its dots, moved up or down where two would overlap."""
    from matplotlib import patheffects

    middles = placed.groupby("topic")[["x", "y"]].median().reindex(topics).dropna()
    halo = [patheffects.withStroke(linewidth=2.5, foreground=colours.PAPER)]
    for topic, (x, y) in zip(
        middles.index, _apart(middles.to_numpy(), np.ptp(placed[["x", "y"]].to_numpy(), axis=0)), strict=True
    ):
        axes.annotate(
            style.label(topic, 10, 1),
            (x, y),
            ha="center",
            va="center",
            fontsize=style.SIZE,
            fontweight="bold",
            path_effects=halo,
        )


def _apart(middles: np.ndarray, reach: np.ndarray, width: float = 0.09, height: float = 0.045) -> np.ndarray:
    """(k, 2) places moved apart vertically until no two lie within a label's width and height, as shares of
    the map."""
    scale = np.where(reach > 0, reach, 1.0)
    places = middles / scale
    for _ in range(200):
        away = places[:, None] - places[None]
        near = (np.abs(away) < (width, height)).all(axis=2) & ~np.eye(len(places), dtype=bool)
        if not near.any():
            break
        order = np.arange(len(places))
        side = np.where(away[..., 1] != 0, np.sign(away[..., 1]), np.sign(order[:, None] - order[None]))
        places[:, 1] += 0.25 * (side * (height - np.abs(away[..., 1])) * near).sum(axis=1)
    return places * scale


def _key(axes, shown: pd.DataFrame, total: int) -> None:
    axes.set_axis_off()
    axes.set(xlim=(0, 1), ylim=(max(len(shown), 12) - 0.5, -0.5))
    for position, row in enumerate(shown.to_dict("records")):
        axes.scatter(
            [0.02],
            [position],
            s=26,
            c=colours.category(position),
            marker=style.MARKERS[position // len(colours.CATEGORIES) % len(style.MARKERS)],
            linewidths=0,
        )
        axes.text(
            0.07,
            position,
            style.label(f"{row['topic']} {row['label']}", 34, 1) + f"  n={int(row['n_chunks'])}",
            va="center",
            fontsize=style.SMALL,
        )
    if total > len(shown):
        axes.set_title(f"{len(shown)} of {total} topics named")
