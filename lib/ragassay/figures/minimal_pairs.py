"""Two judges' marks against each other (GroUSE figure 5), and which changes of an answer each metric sees."""

import numpy as np
import pandas as pd

from ragassay.figures import style
from ragassay.figures.style import Drawing


def confusion(
    counts: pd.DataFrame, *, mark: str, names: tuple[str, str] = ("first judge", "second judge")
) -> Drawing:
    """Answers by both judges' marks, the count in each cell, dark is many.

    counts : of `verdicts.instruments.judges.confusion`; names : of the judges, rows first

    Raises
    ------
    ValueError
        If there is no answer that both marked.
    """
    table = counts.to_numpy(dtype=float)
    n, same = int(table.sum()), int(np.trace(table))
    style.refuse_empty(range(n), "the table of marks")
    with style.sheet(3.4) as (figure, axes):
        _cells(axes, table, table / table.max(), [f"{int(count)}" for count in table.ravel()])
        axes.set_aspect("equal")
        axes.set_xticks(range(len(counts)), [style.label(name, 8, 1) for name in counts.columns])
        axes.set_yticks(range(len(counts)), [style.label(name, 8, 1) for name in counts.index])
        axes.set(xlabel=style.label(names[1], 40, 1), ylabel=style.label(names[0], 40, 1))
        axes.set_title(f"{style.label(mark, 30, 1)}, n={n}")
    alt = f"Confusion matrix of {style.alt_text(mark)}, {style.alt_text(names[0])} by {style.alt_text(names[1])}, n={n} answers"
    return Drawing(figure, f"{alt}: the same mark in {same} ({same / n:.0%}).")


def minimal_pair_heatmap(shares: pd.DataFrame) -> Drawing:
    """Share of minimal pairs that came right, metrics down, kinds across; dark is low.

    shares : of `verdicts.instruments.probes.shares`: metric, kind, asked, value, n; cells without a value stay empty

    Raises
    ------
    ValueError
        If no cell has a value.
    """
    style.finite_values(shares["value"], "the table of minimal pairs")
    shown = shares.assign(
        kind=[f"{kind} ({asked})" for kind, asked in zip(shares["kind"], shares["asked"], strict=True)]
    )
    table = shown.pivot(index="metric", columns="kind", values="value").loc[
        list(dict.fromkeys(shown["metric"]))[: style.MOST_ROWS]
    ]
    values = table.to_numpy(dtype=float)
    with style.sheet(style.height_of(len(table), each=0.26, base=1.5)) as (figure, axes):
        _cells(
            axes, values, 1 - values, ["" if np.isnan(value) else f"{value:.2f}" for value in values.ravel()]
        )
        style.category_axis(axes, [style.label(name, 30, 1) for name in table.index])
        axes.grid(False)
        axes.set_xticks(
            range(table.shape[1]),
            [style.label(kind, 22, 1) for kind in table.columns],
            rotation=40,
            ha="right",
        )
    return Drawing(figure, _told(shown))


def _cells(axes, table: np.ndarray, depth: np.ndarray, words: list[str]) -> None:
    """A grid of cells with their words, white on the dark ones."""
    axes.imshow(depth, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for place, word in enumerate(words):
        row, column = divmod(place, table.shape[1])
        axes.text(
            column,
            row,
            word,
            ha="center",
            va="center",
            fontsize=7.5,
            color="white" if depth[row, column] > 0.6 else style.INK,
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
    return f"Share of minimal pairs that came right, {size}, {known['n'].min()} to {known['n'].max()} pairs a cell. Lowest: {low}."
