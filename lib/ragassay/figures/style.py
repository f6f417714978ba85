"""One look for every figure: readable in print at A4 text width, safe for colour-blind readers, safe against
hostile labels."""

import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ragassay.figures import colours
from ragassay.show import clean

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 6.5  # inches: the text width of an A4 page
FACE = "Libertinus Serif"  # the document's own (report.typ); in fonts/, as matplotlib has no copy
FURTHER = "DejaVu Sans"  # asked for the letters that FACE lacks
SIZE, SMALL = 9.5, 8.6  # points: words and names; numbers beside them, as in the document's tables
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
MOST_ROWS = 40  # rows that fit a page
_RC = {
    "font.family": [FACE, FURTHER],
    "font.size": SIZE,
    "axes.titlesize": SIZE,
    "axes.labelsize": SIZE,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SIZE,
    "legend.fontsize": SIZE,
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
}


@dataclass(frozen=True)
class Drawing:
    """A figure and the full sentences that stand for it, with n and the numbers that matter; `show.figure`
    takes it as it is. `is_single`: it holds one number only, which the sentences say as well."""

    figure: "Figure"
    alt: str
    is_single: bool = False


@dataclass(frozen=True)
class NoDrawing:
    """What is said where there is no figure: the one number there is, or why nothing could be drawn."""

    alt: str
    is_single: bool
    figure: None = None


@contextmanager
def sheet(height: float, *, rows: int = 1, columns: int = 1, **grid: Any) -> Iterator[tuple["Figure", Any]]:
    """A figure `WIDTH` by `height` inches with its axes, in our style; on leaving, all texts are laid out and
    nothing leaks."""
    from matplotlib import style
    from matplotlib.figure import Figure

    _add_face()
    with style.context(["default", _RC]):
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        yield figure, figure.subplots(rows, columns, **grid)
        figure.draw_without_rendering()
        figure.set_layout_engine("none")  # else every later drawing lays all texts out again


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


def draw_if_possible(draw: Callable[..., Drawing], *arguments: Any, **options: Any) -> Drawing | NoDrawing:
    """What `draw` makes of its arguments; no figure where nothing was measured, or one number only."""
    try:
        drawn = draw(*arguments, **options)
    except NothingToDraw as reason:
        return NoDrawing(f"No figure: {alt_text(reason, 200)}.", is_single=False)
    return NoDrawing(drawn.alt, is_single=True) if drawn.is_single else drawn


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


def category_axis(axes: "Axes", labels: Sequence[str]) -> None:
    """Names down the left side, the first on top, no ticks."""
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x")


def padded_limits(low: float, high: float, share: float = 0.05) -> tuple[float, float]:
    """Limits a little wider than the data."""
    room = (high - low) * share or max(abs(high), 1.0) * share
    return low - room, high + room


def write(
    axes: "Axes", words: str, place: tuple, *, fractions: str = "", shift=(0, 0), **options: Any
) -> None:
    """Words at a place, `shift` points off it; `fractions` names the coordinates (x, y) that are shares of
    the axes and not data."""
    x, y = ("axes fraction" if axis in fractions else "data" for axis in "xy")
    settings: dict[str, Any] = {"fontsize": SMALL, "annotation_clip": False} | options
    axes.annotate(words, place, xycoords=(x, y), xytext=shift, textcoords="offset points", **settings)


def interval(
    axes: "Axes", row: int, estimate: Sequence[float], *, paint: str, marker: str = "o", **mark: Any
) -> None:
    """A line from low to high in this row and a mark at the value; hollow where there are no bounds."""
    value, low, high = estimate
    axes.plot([low, high], [row, row], color=paint, linewidth=1.6, solid_capstyle="butt")
    face = paint if np.isfinite(low) else colours.PAPER
    shape: dict[str, Any] = {
        "marker": marker,
        "markersize": 5,
        "markerfacecolor": face,
        "markeredgecolor": paint,
    }
    axes.plot([value], [row], linestyle="none", **shape, **mark)


def jitter(n: int, width: float, seed: int = 0) -> np.ndarray:
    """(n,) offsets within +- width, the same every time."""
    return np.random.default_rng([seed, n]).uniform(-width, width, n)


@lru_cache(maxsize=1)
def _glyphs() -> frozenset[int]:
    from matplotlib.font_manager import FontProperties, findfont, get_font

    _add_face()
    faces = [get_font(findfont(FontProperties(family=name))) for name in (FACE, FURTHER)]
    return frozenset(code for face in faces for code in face.get_charmap()) | {ord("\n")}


@lru_cache(maxsize=1)
def _add_face() -> None:
    from matplotlib.font_manager import fontManager

    for file in sorted((Path(__file__).parent / "fonts").glob("*.otf")):
        fontManager.addfont(file)
