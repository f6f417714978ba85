"""Boxes and arrows: an architecture with where failures arise, the steps of an evaluation."""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from matplotlib.path import Path

from ragassay.plots import style

LINE, GAP = 0.145, 0.32  # inches: a line of text; between two lanes
WIDEST = 1.45  # inches, of a box


def flow(
    nodes: pd.DataFrame | Iterable[Mapping], edges: Iterable[tuple[Any, Any]], *, ax: Axes | None = None
) -> Axes:
    """Boxes from left to right in lanes, joined by arrows to a later step or to a lower lane; texts are
    wrapped in their boxes.

    nodes : a row a box: node (its key, or its text), step (place from the left), and where wanted lane (a row
        of boxes, in order of appearance), text and note (a small line beneath)
    edges : pairs of nodes, from and to

    Example: `plots.flow([{"node": "index", "step": 1}, {"node": "model", "step": 2}], [("index", "model")])`
    """
    boxes = pd.DataFrame(nodes)
    if boxes.empty:
        return style.blank(ax, "there is nothing to join")
    boxes = boxes.reindex(columns=["node", "step", "lane", "text", "note"])
    steps = boxes["step"].rank(method="dense").astype(int) - 1
    lanes = pd.factorize(boxes["lane"], use_na_sentinel=False)[0]
    pitch = style.WIDTH / (steps.max() + 1)
    wide = min(WIDEST, pitch - 0.22)
    texts = [_wrapped(text, wide, style.SIZE) for text in boxes["text"].fillna(boxes["node"])]
    notes = [_wrapped(note, wide, style.SMALL) if pd.notna(note) else "" for note in boxes["note"]]
    lines = [f"{text}\n{note}".strip().count("\n") + 1 for text, note in zip(texts, notes, strict=True)]
    tall = LINE * max(lines) + 0.14
    height = (max(lanes) + 1) * (tall + GAP) + GAP
    ax = style.axes(ax, height)
    ax.set(xlim=(0, style.WIDTH), ylim=(height, 0))
    ax.set_axis_off()
    places = {}
    for node, step, lane, text, note in zip(boxes["node"], steps, lanes, texts, notes, strict=True):
        x, y = pitch * (step + 0.5), GAP + lane * (tall + GAP) + tall / 2
        places[node] = (x, y)
        _box(ax, (x, y), (wide, tall), text, note)
    for start, end in edges:
        points = Path(_route(places[start], places[end], wide, tall, pitch))
        look: Any = {"arrowstyle": "-|>", "mutation_scale": 8, "color": style.NOTE, "linewidth": 0.9}
        ax.add_patch(FancyArrowPatch(path=points, **look))
    return ax


def _wrapped(text: object, wide: float, size: float) -> str:
    return style.label(text, max(6, int((wide - 0.1) * 72 / (0.5 * size))), 4)


def _box(ax: Axes, middle: tuple, size: tuple, text: str, note: str) -> None:
    (x, y), (wide, tall) = middle, size
    look: Any = {"edgecolor": style.NOTE, "facecolor": style.PALE_GREY, "linewidth": 0.8}
    shape = "round,pad=0,rounding_size=0.06"
    ax.add_patch(FancyBboxPatch((x - wide / 2, y - tall / 2), wide, tall, boxstyle=shape, **look))
    above, beneath = text.count("\n") + 1, note.count("\n") + 1 if note else 0
    top = y - LINE * (above + beneath) / 2
    centred: Any = {"ha": "center", "va": "center"}
    ax.text(x, top + LINE * above / 2, text, linespacing=1.1, **centred)
    small: Any = {"color": style.NOTE, "fontsize": style.SMALL}
    ax.text(x, top + LINE * (above + beneath / 2), note, **small, **centred)


def _route(start: tuple, end: tuple, wide: float, tall: float, pitch: float) -> list[tuple[float, float]]:
    """The corners of an arrow: forwards before the step it leads to, else down between two lanes."""
    (x, y), (to_x, to_y) = start, end
    if to_x > x:
        bend = to_x - pitch / 2
        return [(x + wide / 2, y), (bend, y), (bend, to_y), (to_x - wide / 2, to_y)]
    bend = to_y - tall / 2 - GAP / 2
    return [(x, y + tall / 2), (x, bend), (to_x, bend), (to_x, to_y - tall / 2)]
