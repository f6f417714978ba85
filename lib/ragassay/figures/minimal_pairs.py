"""Which changes of an answer each metric sees."""

import numpy as np
import pandas as pd

from ragassay.figures import colours, style
from ragassay.figures.style import Drawing
from ragassay.scores.display_names import with_names

WANTED = {"told": "to be seen", "steady": "to be ignored"}


def minimal_pair_heatmap(shares: pd.DataFrame) -> Drawing:
    """Share of minimal pairs that came right, metrics down, kinds across; dark is low.

    shares : of `examination.minimal_pairs.shares`: metric, kind, asked, value, n; cells without a value stay
        empty

    Raises
    ------
    ValueError
        If no cell has a value.
    """
    style.finite_values(shares["value"], "the table of minimal pairs")
    shares = with_names(shares)
    shown = shares.assign(kind=[_change(*each) for each in zip(shares["kind"], shares["asked"], strict=True)])
    kinds = list(dict.fromkeys(shown.sort_values(["asked", "kind"], ascending=[False, True])["kind"]))
    table = shown.pivot(index="metric", columns="kind", values="value")[kinds].loc[
        list(dict.fromkeys(shown["metric"]))[: style.MOST_ROWS]
    ]
    values = table.to_numpy(dtype=float)
    with style.sheet(style.height_of(len(table), each=0.24, base=1.3)) as (figure, axes):
        _cells(
            axes, values, 1 - values, ["" if np.isnan(value) else f"{value:.2f}" for value in values.ravel()]
        )
        style.category_axis(axes, [style.label(name, 50, 1) for name in table.index])
        axes.tick_params(axis="y", labelsize=style.SMALL)
        axes.grid(False)
        axes.set_xticks(range(len(kinds)), _staggered(kinds), linespacing=1.0)
        _group(axes, [shown[shown["kind"] == kind]["asked"].iloc[0] for kind in kinds])
        axes.set_title(f"share judged rightly; {_pairs(shown)} a cell; dark is low", pad=18)
    return Drawing(figure, _told(shown))


def _staggered(kinds: list[str]) -> list[str]:
    """The names of columns, upright, every other one a step lower, so that each has the room of two."""
    names = [style.label(kind.rpartition(", ")[0], 11, 2) for kind in kinds]
    return ["\n\n" * (place % 2) + name for place, name in enumerate(names)]


def _group(axes, asked: list[str]) -> None:
    """Over the columns, what a metric should do with such a change; a line between the groups."""
    for wanted in dict.fromkeys(asked):
        start = asked.index(wanted)
        place, beside = (start - 0.45, 1), {"xycoords": ("data", "axes fraction"), "xytext": (0, 4)}
        axes.annotate(
            WANTED.get(wanted, wanted), place, textcoords="offset points", fontsize=style.SMALL, **beside
        )
        if start:
            axes.axvline(start - 0.5, color=colours.PAPER, linewidth=4)


def _pairs(shares: pd.DataFrame) -> str:
    """How many pairs stand behind a cell: `6 pairs`, `4 to 6 pairs`."""
    sizes = shares.dropna(subset=["value"])["n"]
    return " to ".join(str(each) for each in sorted({int(sizes.min()), int(sizes.max())})) + " pairs"


def _change(kind: str, asked: str) -> str:
    """What differs within the pairs, in words, and what a metric should do."""
    return f"{str(kind).replace('_', ' ')}, {WANTED.get(str(asked), str(asked))}"


def _cells(axes, table: np.ndarray, depth: np.ndarray, words: list[str]) -> None:
    """A grid of cells with their words, white on the dark ones."""
    axes.imshow(depth, cmap=colours.FEW_TO_MANY, vmin=0, vmax=1, aspect="auto")
    for place, word in enumerate(words):
        row, column = divmod(place, table.shape[1])
        axes.text(
            column,
            row,
            word,
            ha="center",
            va="center",
            fontsize=style.SMALL,
            color=colours.PAPER if depth[row, column] > 0.6 else colours.TEXT,
        )
    axes.tick_params(length=0)


def _told(shares: pd.DataFrame) -> str:
    known = shares.dropna(subset=["value"])
    worst = known.sort_values("value", kind="stable").head(3)
    low = "; ".join(
        f"{style.alt_text(row['metric'])} on {style.alt_text(row['kind'])} {row['value']:.2f}, n={row['n']}"
        for row in worst.to_dict("records")
    )
    size = f"{known['metric'].nunique()} metrics by {known['kind'].nunique()} kinds"
    return f"Share of minimal pairs that came right, {size}, {_pairs(shares)} a cell. Lowest: {low}."
