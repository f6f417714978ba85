"""The heatmap of two dimensions (HCAT 6.2)."""

import numpy as np
import pandas as pd

from ragassay.figures import colours, style
from ragassay.figures.style import Drawing
from ragassay.scores.display_names import with_names

LETTERS = 110  # that fit side by side


def heatmap(table: pd.DataFrame, *, unit: str | None = None) -> Drawing:
    """Mean and n of every cell of two dimensions (`weakness.bivariate`): dark is low; flagged cells framed.
    Cells with too few cases stay blank; levels that have no other are left out.

    Raises ValueError if the table has no row, or no cell has enough cases to be drawn.
    """
    import seaborn

    style.refuse_empty(table, "the table of cells")
    table = with_names(table)
    grid = {
        (one, two): cell
        for one, two, cell in zip(table["a"], table["b"], table.to_dict("records"), strict=True)
    }
    measured = table[[not np.isnan(_mean(cell)) for cell in table.to_dict("records")]]
    style.finite_values(measured["mean"], "the table of cells with enough cases")
    rows, columns = (
        [one for one in dict.fromkeys(table[side]) if one in {*measured[side]}] for side in ("a", "b")
    )
    means = np.array([[_mean(grid[one, two]) for two in columns] for one in rows])
    words = np.array([[_words(grid[one, two]) for two in columns] for one in rows])
    metric, (first, second) = str(table["metric"].iloc[0]), str(table["dimension"].iloc[0]).split(" & ")
    blank = len(table) - len(measured)
    with style.sheet(style.height_of(len(rows), each=0.36, base=1.2)) as (figure, axes):
        seaborn.heatmap(
            means,
            ax=axes,
            mask=np.isnan(means),
            annot=words,
            fmt="",
            cmap=colours.LOW_TO_HIGH,
            linewidths=1.2,
            linecolor=colours.PAPER,
            annot_kws={"fontsize": style.SMALL, "linespacing": 1.1},
            cbar=False,
        )
        _contrast(axes)
        _frame_flagged(axes, grid, rows, columns)
        _name_cells(axes, rows, columns, first, second)
        told = f"{blank} of {len(table)} cells have too few cases" if blank else ""
        axes.set_title(f"{style.label(unit or f'mean {metric}', 60, 1)}: dark is low\n{told}".rstrip())
    factors = f"{style.alt_text(first)} and {style.alt_text(second)}"
    alt = f"Heatmap of mean {style.alt_text(metric)} by {factors}, {len(measured)} cells drawn."
    return Drawing(figure, alt, is_single=len(measured) == 1)


def _mean(cell: dict) -> float:
    return cell["mean"] if cell["state"] in ("tested", "no rest") else np.nan


def _words(cell: dict) -> str:
    return f"{cell['mean']:.2f}\nn={int(cell['n'])}".replace("-", "−")


def _contrast(axes) -> None:
    """Texts on dark cells white, on all others black: by the luminance of the cell under them (WCAG 2, equal
    contrast at 0.18)."""
    linear = np.clip(axes.collections[0].get_facecolors()[:, :3], 0, 1) ** 2.2
    luminance = linear @ [0.2126, 0.7152, 0.0722]
    shape = axes.collections[0].get_array().shape
    for text in axes.texts:
        column, row = (int(place) for place in text.get_position())
        text.set_color(colours.PAPER if luminance[row * shape[1] + column] < 0.18 else colours.TEXT)


def _frame_flagged(axes, grid: dict, rows: list, columns: list) -> None:
    from matplotlib.patches import Rectangle

    for (one, two), cell in grid.items():
        if cell["flagged"] and one in rows and two in columns:
            corner = (columns.index(two) + 0.04, rows.index(one) + 0.06)
            axes.add_patch(
                Rectangle(corner, 0.92, 0.88, fill=False, edgecolor=colours.FLAGGED, linewidth=2.2)
            )


def _name_cells(axes, rows: list, columns: list, first: str, second: str) -> None:
    beside = [style.label(name) for name in rows]
    axes.set_yticks(np.arange(len(rows)) + 0.5, beside, rotation=0)
    taken = max(len(line) for name in beside for line in name.split("\n"))
    width = max(6, int((LETTERS - taken) / len(columns)) - 2)
    above = [style.label(name, width, 3) for name in columns]
    axes.set_xticks(np.arange(len(columns)) + 0.5, above, rotation=0)
    axes.tick_params(length=0)
    axes.set(xlabel=style.label(second, 60), ylabel=style.label(first, 40))
