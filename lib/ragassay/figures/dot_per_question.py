"""One dot per question: what a mean hides (HCAT 6.2, figures 5 to 7)."""

import numpy as np
import pandas as pd

from ragassay.figures import colours, style
from ragassay.figures.style import Drawing
from ragassay.scores.display_names import with_names
from ragassay.show.readable_columns import heading


def dots_by_topic(rows: pd.DataFrame, by: str = "topic", *, unit: str = "score") -> Drawing:
    """Marginal plot: one dot per question, a row per level, the mean as a bar; one panel per metric, side by
    side.

    rows : `metric`, `value` and the column `by` (`weakness.score_rows`); low values are where the weakness
        is.

    Raises ValueError if no value is measured, or there are more than 3 metrics.

    Source: HCAT figures 5, 6 and 7.
    """
    style.refuse_empty(rows, "the table of scores")
    rows = with_names(rows)
    metrics = list(dict.fromkeys(rows["metric"]))
    if len(metrics) > 3:
        raise ValueError(
            f"at most 3 metrics fit side by side; found {len(metrics)}: {', '.join(map(str, metrics))}"
        )
    panels = {metric: _groups(rows[rows["metric"] == metric], by) for metric in metrics}
    names = list(dict.fromkeys(sorted(name for groups in panels.values() for name, _ in groups)))[
        : style.MOST_ROWS
    ]
    with style.sheet(
        style.height_of(len(names), each=0.32), columns=len(metrics), sharex=True, sharey=True, squeeze=False
    ) as (figure, grid):
        for axes, metric in zip(grid[0], metrics, strict=True):
            _panel(axes, dict(panels[metric]), names)
            axes.set(
                title=style.label(metric, 60 // len(metrics), 2),
                xlabel=style.label(unit, 80 // len(metrics), 3),
            )
        grid[0][0].set_ylabel(style.label(heading(by), 40))
    shown = ", ".join(style.alt_text(metric) for metric in metrics)
    return Drawing(figure, f"One dot per question by {style.alt_text(heading(by))}: {shown}.")


def _groups(rows: pd.DataFrame, by: str) -> list[tuple[str, np.ndarray]]:
    style.finite_values(rows["value"], "the table of scores")
    known = rows[np.isfinite(rows["value"].astype(float))]
    names = known[by].map(lambda name: "(none)" if pd.isna(name) or name == "" else str(name))
    return [
        (str(name), part.to_numpy(dtype=float))
        for name, part in known["value"].groupby(names.to_numpy(), sort=True)
    ]


def _cloud(axes, values: np.ndarray, position: int, width: float, paint: str) -> None:
    size = float(np.clip(600 / len(values), 5, 14))
    axes.scatter(
        values,
        position + style.jitter(len(values), width, position),
        s=size,
        c=paint,
        alpha=0.55,
        linewidths=0,
        zorder=3,
    )


def _panel(axes, groups: dict[str, np.ndarray], names: list[str]) -> None:
    for position, name in enumerate(names):
        if name in groups:
            _cloud(axes, groups[name], position, 0.2, colours.POINT)
            axes.plot(
                [groups[name].mean()] * 2,
                [position - 0.36, position + 0.36],
                color=colours.MEAN,
                linewidth=2,
                zorder=4,
            )
            _count(axes, len(groups[name]), position)
    style.category_axis(axes, [style.label(name) for name in names])


def _count(axes, n: int, position: int) -> None:
    style.write(axes, f"n={n}", (1, position), fractions="x", shift=(3, 0), va="center", color=colours.NOTE)
