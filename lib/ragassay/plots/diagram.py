"""Boxes and arrows: an architecture with where failures arise, the steps of an evaluation."""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from matplotlib.path import Path

from ragassay.plots import colours, style

LINE, GAP = 0.145, 0.32  # inches: a line of text; between two lanes
WIDEST = 1.45  # inches, of a box


def flow(
    nodes: pd.DataFrame | Iterable[Mapping], edges: Iterable[tuple[str, str]], *, ax: Axes | None = None
) -> Axes:
    """Boxes from left to right in lanes, joined by arrows; texts are wrapped in their boxes.

    nodes : a row a box: node (its key, or its text), step (place from the left), and where wanted lane (a row
        of boxes, in order of appearance), text, note (a small line beneath) and flagged (true: in red)
    edges : pairs of nodes, from and to

    Example: `plots.flow([{"node": "index", "step": 1}, {"node": "model", "step": 2}], [("index", "model")])`
    """
    boxes = pd.DataFrame(list(nodes) if not isinstance(nodes, pd.DataFrame) else nodes)
    if boxes.empty:
        return style.blank(ax, "there is nothing to join")
    boxes = boxes.reindex(columns=["node", "step", "lane", "text", "note", "flagged"])
    steps, lanes = sorted(boxes["step"].unique()), list(dict.fromkeys(boxes["lane"].fillna("")))
    pitch = style.WIDTH / len(steps)
    wide = min(WIDEST, pitch - 0.22)
    texts = [_wrapped(text, wide, style.SIZE) for text in boxes["text"].fillna(boxes["node"])]
    notes = [_wrapped(note, wide, style.SMALL) if pd.notna(note) else "" for note in boxes["note"]]
    lines = [f"{text}\n{note}".strip().count("\n") + 1 for text, note in zip(texts, notes, strict=True)]
    tall = LINE * max(lines) + 0.14
    height = len(lanes) * (tall + GAP) + GAP
    ax = style.axes(ax, height)
    ax.set(xlim=(0, style.WIDTH), ylim=(height, 0))
    ax.set_axis_off()
    places = {}
    for box, text, note in zip(boxes.to_dict("records"), texts, notes, strict=True):
        lane = lanes.index("" if pd.isna(box["lane"]) else box["lane"])
        x, y = pitch * (steps.index(box["step"]) + 0.5), GAP + lane * (tall + GAP) + tall / 2
        places[box["node"]] = (x, y)
        _box(ax, (x, y), (wide, tall), text, note, box["flagged"] is True)
    for start, end in edges:
        points = Path(_route(places[start], places[end], wide, tall, pitch))
        look: Any = {"arrowstyle": "-|>", "mutation_scale": 8, "color": colours.NOTE, "linewidth": 0.9}
        ax.add_patch(FancyArrowPatch(path=points, **look))
    return ax


def _wrapped(text: object, wide: float, size: float) -> str:
    return style.label(text, max(6, int((wide - 0.1) * 72 / (0.5 * size))), 4)


def _box(ax: Axes, middle: tuple, size: tuple, text: str, note: str, is_flagged: bool) -> None:
    (x, y), (wide, tall) = middle, size
    edge, face = (colours.FLAGGED, colours.PALE_RED) if is_flagged else (colours.NOTE, colours.PALE_GREY)
    shape: Any = {
        "boxstyle": "round,pad=0,rounding_size=0.06",
        "edgecolor": edge,
        "facecolor": face,
        "linewidth": 0.8,
    }
    ax.add_patch(FancyBboxPatch((x - wide / 2, y - tall / 2), wide, tall, **shape))
    above, beneath = text.count("\n") + 1, note.count("\n") + 1 if note else 0
    top = y - LINE * (above + beneath) / 2
    ax.text(x, top + LINE * above / 2, text, ha="center", va="center", linespacing=1.1)
    paint = colours.FLAGGED if is_flagged else colours.NOTE
    if note:
        ax.text(
            x,
            top + LINE * (above + beneath / 2),
            note,
            ha="center",
            va="center",
            color=paint,
            fontsize=style.SMALL,
        )


def _route(start: tuple, end: tuple, wide: float, tall: float, pitch: float) -> list[tuple[float, float]]:
    """The corners of an arrow: straight to a neighbour, over the boxes between two of a lane, else by the
    free space between two steps, or between two lanes where it goes back."""
    (x, y), (to_x, to_y) = start, end
    down = tall / 2 if to_y > y else -tall / 2
    if x == to_x:
        return [(x, y + down), (to_x, to_y - down)]
    if y == to_y:
        if 0 < to_x - x < 1.5 * pitch:
            return [(x + wide / 2, y), (to_x - wide / 2, y)]
        side = -tall / 2 if to_x > x else tall / 2  # over the lane forwards, under it backwards
        turn = side * (1 + GAP / tall)
        return [(x, y + side), (x, y + turn), (to_x, y + turn), (to_x, y + side)]
    if to_x > x:
        bend = to_x - pitch / 2
        return [(x + wide / 2, y), (bend, y), (bend, to_y), (to_x - wide / 2, to_y)]
    bend = to_y - down * (1 + GAP / tall)
    return [(x, y + down), (x, bend), (to_x, bend), (to_x, to_y - down)]
