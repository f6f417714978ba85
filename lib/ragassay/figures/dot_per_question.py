"""One dot per question: what a mean hides (HCAT 6.2, figures 5 to 7)."""

import numpy as np
import pandas as pd

from ragassay.figures import colours, style
from ragassay.figures.style import Drawing
from ragassay.scores.display_names import with_names
from ragassay.show.readable_columns import heading

FEWEST = 6  # values a violin needs to be more than a drawing of its dots


def violin_plot(rows: pd.DataFrame, by: str, *, unit: str) -> Drawing:
    """The distribution of the scores in each level: its outline, one dot per question, the median as a bar;
    lowest median on top.

    rows : `value` and the column `by`, one row per question (`weakness.score_rows`); NaN values are
        not drawn. A level of fewer
    than 6 values has dots only.

    Raises ValueError if no value is measured.
    """
    groups = _groups(with_names(rows), by)
    with style.sheet(style.height_of(len(groups), each=0.5)) as (figure, axes):
        for position, (_, values) in enumerate(groups):
            _outline(axes, values, position)
            _cloud(axes, values, position, 0.13, colours.POINT)
            axes.plot(
                [np.median(values)] * 2, [position - 0.3, position + 0.3], color=colours.MEDIAN, linewidth=1.8
            )
            _count(axes, len(values), position)
        style.category_axis(axes, [style.label(name) for name, _ in groups])
        axes.set(xlabel=style.label(unit, 80), ylabel=style.label(heading(by), 40))
    names = f"{style.alt_text(unit, 100)} by {style.alt_text(heading(by))}"
    n = sum(len(values) for _, values in groups)
    return Drawing(figure, f"Violin plot of {names}, n={n} in {len(groups)} levels.")


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
    panels = {metric: _groups(rows[rows["metric"] == metric], by, sort=False) for metric in metrics}
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


def histogram(values, *, unit: str, bins: int = 20) -> Drawing:
    """How often each value occurs, with the median as a dashed line; NaN values are not drawn.

    Raises ValueError if no value is measured.
    """
    known = style.finite_values(values, "the values")
    middle = float(np.median(known))
    with style.sheet(2.5) as (figure, axes):
        axes.hist(
            known,
            bins=_edges(known, bins),
            color=colours.DISTRIBUTION,
            alpha=0.85,
            edgecolor=colours.PAPER,
            linewidth=0.6,
        )
        axes.axvline(middle, color=colours.MEDIAN, linewidth=1, linestyle=(0, (4, 3)))
        style.write(axes, f"median {middle:.3g}", (middle, 1), fractions="y", shift=(4, -2), va="top")
        axes.set(xlabel=style.label(unit, 80), ylabel=f"count (n={len(known)})")
        axes.yaxis.get_major_locator().set_params(integer=True)
    alt = f"Histogram of {style.alt_text(unit, 100)}, n={len(known)}, median {middle:.3g}."
    return Drawing(figure, alt, is_single=bool(np.ptp(known) == 0))


def _groups(rows: pd.DataFrame, by: str, sort: bool = True) -> list[tuple[str, np.ndarray]]:
    style.finite_values(rows["value"], "the table of scores")
    known = rows[np.isfinite(rows["value"].astype(float))]
    names = known[by].map(lambda name: "(none)" if pd.isna(name) or name == "" else str(name))
    groups = [
        (str(name), part.to_numpy(dtype=float))
        for name, part in known["value"].groupby(names.to_numpy(), sort=True)
    ]
    if sort:
        groups.sort(key=lambda group: (np.median(group[1]), group[0]))
    return groups[: style.MOST_ROWS] if sort else groups


def _outline(axes, values: np.ndarray, position: int) -> None:
    if len(values) < FEWEST or np.ptp(values) == 0:
        return
    for body in axes.violinplot(
        [values], [position], orientation="horizontal", widths=0.85, showextrema=False
    )["bodies"]:
        body.set(facecolor=colours.OUTLINE, edgecolor=colours.DISTRIBUTION, alpha=0.35, linewidth=0.6)


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


def _edges(known: np.ndarray, bins: int) -> np.ndarray:
    low, high = float(known.min()), float(known.max())
    return np.linspace(low, high, bins + 1) if high > low else np.array([low - 0.5, low + 0.5])
