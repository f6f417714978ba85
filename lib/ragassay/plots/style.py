"""One look for every figure: readable in print at A4 text width, safe against hostile labels."""

import textwrap
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties, findfont, fontManager, get_font

from ragassay.sanitized_text import clean
from ragassay.scores.display_names import cell_name
from ragassay.tables import is_missing

# every colour by what it says, in the hues of Okabe and Ito (2008), which colour-blind readers tell apart;
# colour never speaks alone: a flagged row has a diamond too, a rejected answer a cross
BLUE, ORANGE, GREEN, PINK, SKY, RED = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00"
PALE_GREEN, PALE_RED, PALE_GREY = "#CFE8DF", "#F6D5C3", "#EEEEEE"

PAPER, TEXT, NOTE, GRID = "white", "#222222", "#666666", "#D9D9D9"
INTERVAL = BLUE  # estimates; one question
FLAGGED = RED  # weak or worse beyond chance
ACCEPTED, REJECTED = GREEN, RED

OUTCOMES = {  # colour and marker, of what is flagged, of differences and of gates
    "True": (FLAGGED, "D"),
    "better": (GREEN, "s"),
    "worse": (FLAGGED, "D"),
    "pass": (ACCEPTED, "o"),
    "fail": (REJECTED, "D"),
    "incomplete": (NOTE, "s"),
}
REGIONS = {"reject": PALE_RED, "review": PALE_GREY, "accept": PALE_GREEN}
ANSWERS = {  # kinds of answers
    "good": GREEN,
    "partial": SKY,
    "misleading": RED,
    "needless refusal": "#BBBBBB",
    "should have declined": ORANGE,
    "unsafe": TEXT,
    "not judged": PALE_GREY,
}
CATEGORIES = (BLUE, ORANGE, GREEN, PINK, SKY, RED, "#6A5ACD", "#8C6D31", "#555555")  # topics

WIDTH = 6.3  # inches: the text width of an A4 page
FACE, FURTHER = "Libertinus Serif", "DejaVu Sans"  # the report's own; one for the letters that it lacks
SIZE, SMALL = 9.0, 8.0  # points: names; numbers beside them
MOST_ROWS = 40  # rows that fit a page
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHED: Any = (0, (4, 3))
REFERENCE: Any = {"color": TEXT, "linewidth": 0.8, "linestyle": DASHED, "zorder": 1}  # a line to read by
RC: Any = {
    "font.family": [FACE, FURTHER],
    **{f"{name}size": SIZE for name in ("font.", "axes.title", "axes.label", "legend.title_font")},
    **{f"{name}size": SMALL for name in ("xtick.label", "ytick.label", "legend.font")},
    **dict.fromkeys(["text.color", "axes.labelcolor", "xtick.labelcolor", "ytick.labelcolor"], TEXT),
    **dict.fromkeys(["axes.edgecolor", "xtick.color", "ytick.color"], NOTE),
    **{f"{name}.width": 0.6 for name in ("xtick.major", "ytick.major")},
    **{f"{name}.size": 3 for name in ("xtick.major", "ytick.major")},
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.axisbelow": True,
    "lines.linewidth": 1.4,
    "grid.color": GRID,
    "grid.linewidth": 0.5,
    "legend.frameon": False,
    "figure.facecolor": PAPER,
    "figure.figsize": (WIDTH, 3.4),
    "text.parse_math": False,
    "text.usetex": False,
    "svg.fonttype": "path",
    "svg.hashsalt": "ragassay",
}


def use_style() -> None:
    """Set the fonts, sizes and colours of the report for every later figure; text of the data is never read
    as formulas.

    Example: `plots.use_style()`, after a call of `sns.set_theme`.
    """
    for file in sorted(Path(__file__).with_name("fonts").glob("*.otf")):
        fontManager.addfont(file)
    mpl.rcParams.update(RC)


def axes(ax: Axes | None, height: float) -> Axes:
    """The Axes given, or those of a new figure as wide as the text and so many inches high."""
    return plt.subplots(figsize=(WIDTH, height), layout="constrained")[1] if ax is None else ax


def blank(ax: Axes | None, reason: str) -> Axes:
    """Axes with nothing but the reason why there is nothing to draw; by their id the report knows it."""
    ax = axes(ax, 0.8)
    ax.set_axis_off()
    place: Any = {"ha": "center", "va": "center", "transform": ax.transAxes}
    ax.text(0.5, 0.5, reason, color=NOTE, gid=f"blank: {reason}", **place)
    return ax


def label(text: object, width: int = 26, lines: int = 2) -> str:
    """A text of the data, fit to be drawn: wrapped, cut with …, hidden characters shown, unknown glyphs □."""
    seen = clean(" ".join(str(text).split()), 0)[: width * lines * 2]
    drawable = "".join(letter if ord(letter) in _glyphs() else "□" for letter in seen)
    return "\n".join(textwrap.wrap(drawable, width, max_lines=lines, placeholder="…")) or "(empty)"


def names(values: Iterable, column: str, width: int = 26, lines: int = 2) -> list[str]:
    """The labels of a column's values, metrics and levels by the names that readers know."""
    texts = ["(none)" if is_missing(value) else cell_name(column, str(value)) for value in values]
    return [label(text, width, lines) for text in texts]


def rows_axis(ax: Axes, labels: list[str]) -> None:
    """Names down the left side, the first on top, no ticks."""
    ax.set_yticks(range(len(labels)), labels)
    ax.set_ylim(len(labels) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.grid(axis="x")


def height_of(rows: int, each: float = 0.27) -> float:
    """Inches for so many rows, at most a page."""
    return min(9.0, 0.75 + each * rows)


def write(ax: Axes, words: str, place: tuple, *, fractions: str = "", shift=(0, 0), **options: Any) -> None:
    """Words at a place, `shift` points off it; `fractions` names the coordinates (x, y) that are shares of
    the axes and not data."""
    x, y = ("axes fraction" if axis in fractions else "data" for axis in "xy")
    settings: dict[str, Any] = {"fontsize": SMALL, "annotation_clip": False} | options
    ax.annotate(words, place, xycoords=(x, y), xytext=shift, textcoords="offset points", **settings)


def at_right(ax: Axes, row: int, words: str, paint: str) -> None:
    """Words at the right end of a row."""
    write(ax, words, (1, row), fractions="x", shift=(6, 0), va="center", color=paint)


def jitter(n: int, width: float, seed: int = 0) -> np.ndarray:
    """(n,) offsets within +- width, the same every time."""
    return np.random.default_rng([seed, n]).uniform(-width, width, n)


@lru_cache(maxsize=1)
def _glyphs() -> frozenset[int]:
    faces = [get_font(findfont(FontProperties(family=name))) for name in (FACE, FURTHER)]
    return frozenset(code for face in faces for code in face.get_charmap()) | {ord("\n")}
