"""Which changes of an answer each metric sees."""

import numpy as np
import pandas as pd

from ragassay.figures import colours, style
from ragassay.figures.style import Drawing
from ragassay.scores.names import with_names

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
    table = shown.pivot(index="metric", columns="kind", values="value").loc[
        list(dict.fromkeys(shown["metric"]))[: style.MOST_ROWS]
    ]
    values = table.to_numpy(dtype=float)
    with style.sheet(style.height_of(len(table), each=0.26, base=1.5)) as (figure, axes):
        _cells(
            axes, values, 1 - values, ["" if np.isnan(value) else f"{value:.2f}" for value in values.ravel()]
        )
        style.category_axis(axes, [style.label(name, 44, 1) for name in table.index])
        axes.grid(False)
        axes.set_xticks(
            range(table.shape[1]),
            [style.label(kind, 30, 1) for kind in table.columns],
            rotation=40,
            ha="right",
        )
        sizes = shown.dropna(subset=["value"])["n"]
        many = " to ".join(str(each) for each in sorted({int(sizes.min()), int(sizes.max())}))
        axes.set_title(f"share judged rightly; {many} pairs a cell; dark is low")
    return Drawing(figure, _told(shown))


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
    return (
        f"Share of minimal pairs that came right, {size}, {known['n'].min()} to {known['n'].max()} pairs "
        f"a cell. Lowest: {low}."
    )
