"""The collection and its topics as a map (HCAT figure 1)."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd

from ragassay.figures import colours, style
from ragassay.figures.style import Drawing

MOST_DIRECT = 12  # topics whose words stand on the map


def topic_map(chunks: pd.DataFrame, topics: pd.DataFrame) -> Drawing:
    """One dot per passage at (x, y), coloured and shaped by topic. Up to 12 topics have their words at their
    middle; of more the number stands there, and the words in a key.

    chunks : topic, x, y; topics : topic, label, n_chunks, in the order of the key

    Raises ValueError if no passage has a place on the map, or there is no topic.
    """
    style.refuse_empty(topics, "the table of topics")
    placed = chunks.dropna(subset=["topic", "x", "y"])
    style.refuse_empty(placed, "the table of passages with topic, x and y")
    words = topics.set_index("topic")["label"].astype(str).to_dict()
    if len(topics) <= MOST_DIRECT:
        with style.sheet(4.2) as (figure, axes):
            _draw(
                axes,
                placed,
                topics["topic"].tolist(),
                {topic: style.label(words[topic], 20) for topic in words},
            )
    else:
        with _with_key(topics) as (figure, axes):
            _draw(
                axes, placed, topics["topic"].tolist(), {topic: style.label(topic, 10, 1) for topic in words}
            )
    return Drawing(figure, f"Map of {len(placed)} passages in {len(topics)} topics, one dot each.")


@contextmanager
def _with_key(topics: pd.DataFrame) -> Iterator[tuple]:
    """A sheet with the map's axes at the left and the key of topics at the right."""
    shown = topics.head(style.MOST_ROWS)
    height = max(3.6, style.height_of(len(shown), each=0.26, base=0.5))
    with style.sheet(height, columns=2, width_ratios=(3, 2)) as (figure, (axes, key)):
        yield figure, axes
        _key(key, shown, len(topics))


def _draw(axes, placed: pd.DataFrame, topics: list, names: dict) -> None:
    for position, topic in enumerate(topics):
        _dots(axes, placed[placed["topic"] == topic], position, len(placed))
    _name_topics(axes, placed, topics, names)
    axes.set(xticks=[], yticks=[], xlabel="map coordinate 1 (no unit)", ylabel="map coordinate 2 (no unit)")


def _dots(axes, part: pd.DataFrame, position: int, n: int) -> None:
    size = float(np.clip(4000 / n, 4, 26))
    marker = style.MARKERS[position // len(colours.CATEGORIES) % len(style.MARKERS)]
    axes.scatter(
        part["x"], part["y"], s=size, c=colours.category(position), marker=marker, alpha=0.75, linewidths=0
    )


def _name_topics(axes, placed: pd.DataFrame, topics: list, names: dict) -> None:
    """The name of each topic at the median of its dots, moved up or down where two would overlap."""
    from matplotlib import patheffects

    middles = placed.groupby("topic")[["x", "y"]].median().reindex(topics).dropna()
    halo = [patheffects.withStroke(linewidth=2.5, foreground=colours.PAPER)]
    size = (0.2, 0.085) if len(topics) <= MOST_DIRECT else (0.09, 0.045)
    reach = np.ptp(placed[["x", "y"]].to_numpy(), axis=0)
    for topic, (x, y) in zip(middles.index, _apart(middles.to_numpy(), reach, *size), strict=True):
        bold: dict[str, Any] = {
            "fontsize": style.SIZE,
            "fontweight": "bold",
            "linespacing": 1.0,
            "path_effects": halo,
        }
        style.write(axes, names[topic], (x, y), ha="center", va="center", **bold)


def _apart(middles: np.ndarray, reach: np.ndarray, width: float, height: float) -> np.ndarray:
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
