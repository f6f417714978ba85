"""One look for every figure: readable in print at A4 text width, safe for colour-blind readers, safe against
hostile labels."""

import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ragassay.figures import colours
from ragassay.show import clean

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 6.5  # inches: the text width of an A4 page
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
MOST_ROWS = 40  # rows that fit a page
_RC = {
    "font.family": ["DejaVu Sans"],
    "font.size": 8.5,
    "axes.titlesize": 9,
    "axes.labelsize": 8.5,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "text.color": colours.TEXT,
    "axes.labelcolor": colours.TEXT,
    "axes.edgecolor": colours.NOTE,
    "xtick.color": colours.NOTE,
    "ytick.color": colours.NOTE,
    "xtick.labelcolor": colours.TEXT,
    "ytick.labelcolor": colours.TEXT,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 3,
    "ytick.major.size": 3,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "lines.linewidth": 1.4,
    "grid.color": colours.GRID,
    "grid.linewidth": 0.5,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "figure.facecolor": colours.PAPER,
    "text.parse_math": False,
    "text.usetex": False,
    "svg.fonttype": "path",
    "svg.hashsalt": "ragassay",
    "hatch.linewidth": 0.5,
    "hatch.color": colours.HATCH,
}


@dataclass(frozen=True)
class Drawing:
    """A figure and the full sentences that stand for it, with n and the numbers that matter; `show.figure`
    takes it as it is."""

    figure: "Figure"
    alt: str


@contextmanager
def sheet(height: float, *, rows: int = 1, columns: int = 1, **grid: Any) -> Iterator[tuple["Figure", Any]]:
    """A figure `WIDTH` by `height` inches with its axes, in our style; on leaving, all texts are laid out and
    nothing leaks."""
    from matplotlib import style
    from matplotlib.figure import Figure

    with style.context(["default", _RC]):
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        yield figure, figure.subplots(rows, columns, **grid)
        figure.draw_without_rendering()


def label(text: object, width: int = 26, lines: int = 2) -> str:
    """A text from the data, fit to be drawn: one paragraph, wrapped, cut with …, hidden characters shown,
    unknown glyphs as □."""
    seen = clean(" ".join(str(text).split()), 0)[: width * lines * 2]
    drawable = "".join(letter if ord(letter) in _glyphs() else "□" for letter in seen)
    if lines == 1 and len(drawable) > width:
        return f"{drawable[: width - 1].rstrip()}…"
    return "\n".join(textwrap.wrap(drawable, width, max_lines=lines, placeholder="…")) or "(empty)"


def alt_text(text: object, limit: int = 60) -> str:
    """A text from the data for the alt text: one line, hidden characters shown, cut."""
    return clean(" ".join(str(text).split()), limit) or "(empty)"


class NothingToDraw(ValueError):
    """The table holds nothing that could be drawn."""


def draw_if_possible(draw: Callable[..., Drawing], *arguments: Any, **options: Any) -> Drawing:
    """What `draw` makes of its arguments; where nothing was measured, an empty frame that says so."""
    try:
        return draw(*arguments, **options)
    except NothingToDraw as reason:
        return _empty(str(reason))


def _empty(reason: str) -> Drawing:
    with sheet(0.8) as (figure, axes):
        axes.set_axis_off()
        axes.text(
            0.5,
            0.5,
            label(reason, 90),
            ha="center",
            va="center",
            color=colours.NOTE,
            transform=axes.transAxes,
        )
    return Drawing(figure, f"Empty figure: {alt_text(reason, 200)}.")


def refuse_empty(table: Any, what: str) -> None:
    """ValueError if the table has no row."""
    if len(table) == 0:
        raise NothingToDraw(f"{what} has no row: nothing to draw")


def finite_values(values: Any, what: str) -> np.ndarray:
    """The values that are measured, as floats; ValueError if there is none."""
    numbers = np.asarray(values, dtype=float)
    known = numbers[np.isfinite(numbers)]
    if len(known) == 0:
        raise NothingToDraw(f"{what} holds no measured value: nothing to draw")
    return known


def height_of(rows: int, *, each: float = 0.3, base: float = 0.9, most: float = 9.0) -> float:
    """Inches for so many rows, at most a page."""
    return min(most, base + each * rows)


def category_axis(axes: "Axes", labels: Sequence[str], *, size: float = 8) -> None:
    """Names down the left side, the first on top, no ticks."""
    axes.set_yticks(range(len(labels)), labels, fontsize=size)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x")


def padded_limits(low: float, high: float, share: float = 0.05) -> tuple[float, float]:
    """Limits a little wider than the data."""
    room = (high - low) * share or max(abs(high), 1.0) * share
    return low - room, high + room


def jitter(n: int, width: float, seed: int = 0) -> np.ndarray:
    """(n,) offsets within +- width, the same every time."""
    return np.random.default_rng([seed, n]).uniform(-width, width, n)


@lru_cache(maxsize=1)
def _glyphs() -> frozenset[int]:
    from matplotlib.font_manager import FontProperties, findfont, get_font

    return frozenset(get_font(findfont(FontProperties(family="DejaVu Sans"))).get_charmap()) | {ord("\n")}
