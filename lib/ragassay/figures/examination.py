"""What an instrument gets right: unit tests by type and question, one panel per mark (GroUSE figures 12 to
14); which changes of an answer each metric sees."""

import numpy as np
import pandas as pd

from ragassay.figures import colours, style
from ragassay.figures.style import Drawing
from ragassay.scores.display_names import level_name, with_names

MARKS = {
    mark: level_name("mark", mark)
    for mark in (
        *("answer_relevancy", "completeness", "usefulness", "faithfulness"),
        *("positive_acceptance", "negative_rejection"),
    )
}
WANTED = {"told": "to be seen", "steady": "to be ignored"}


def pass_matrix(checks: pd.DataFrame) -> Drawing:
    """One square per test: its type down, its question across; a panel per mark. Failed squares carry a
    cross, unparsed ones a dot.

    checks : of `Examination.to_pandas()`: test, question, type, metric, outcome; tests without a type are
        left out and counted

    Raises ValueError if no test has a type.
    """
    known = checks[checks["type"].notna()]
    style.refuse_empty(known, "the checks of typed tests")
    place = {question: number for number, question in enumerate(dict.fromkeys(known["question"]))}
    with style.sheet(5.6, rows=2, columns=3, sharex=True, sharey=True) as (figure, panels):
        for axes, (mark, words) in zip(np.ravel(panels), MARKS.items(), strict=True):
            _panel(axes, known[known["metric"] == mark], place)
            axes.set_title(words, fontsize=style.SIZE)
        for axes in panels[:, 0]:
            axes.set_ylabel("test type (GroUSE table 6)")
        for axes in panels[1]:
            axes.set_xlabel(f"question (n={len(place)})")
    tests = known["test"].nunique()
    return Drawing(figure, f"Pass matrix of {tests} unit tests, 16 types by {len(place)} questions.")


def _panel(axes, checks: pd.DataFrame, place: dict[str, int]) -> None:
    x, y = checks["question"].map(place).to_numpy() + 1, checks["type"].to_numpy(dtype=int)
    paints = checks["outcome"].map(colours.CHECKS).to_numpy()
    axes.scatter(x, y, c=paints, marker="s", s=42, linewidths=0)
    for outcome, marker in (("failed", "x"), ("unparsed", ".")):
        chosen = (checks["outcome"] == outcome).to_numpy()
        axes.scatter(x[chosen], y[chosen], c=colours.PAPER, marker=marker, s=14, linewidths=0.9)
    axes.set(
        xlim=(0.4, len(place) + 0.6), ylim=(16.6, 0.4), yticks=range(1, 17), xticks=range(1, len(place) + 1)
    )
    axes.tick_params(labelsize=6.5, length=0)


def minimal_pair_heatmap(shares: pd.DataFrame) -> Drawing:
    """Share of minimal pairs that came right, metrics down, kinds across; dark is low.

    shares : of `examination.minimal_pairs.shares`: metric, kind, asked, value, n; cells without a value stay
        empty

    Raises ValueError if no cell has a value.
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
    return Drawing(
        figure, f"Share of minimal pairs judged rightly, {len(table)} metrics by {len(kinds)} kinds."
    )


def _staggered(kinds: list[str]) -> list[str]:
    """The names of columns, upright, every other one a step lower, so that each has the room of two."""
    names = [style.label(kind.rpartition(", ")[0], 11, 2) for kind in kinds]
    return ["\n\n" * (place % 2) + name for place, name in enumerate(names)]


def _group(axes, asked: list[str]) -> None:
    """Over the columns, what a metric should do with such a change; a line between the groups."""
    for wanted in dict.fromkeys(asked):
        start = asked.index(wanted)
        style.write(axes, WANTED.get(wanted, wanted), (start - 0.45, 1), fractions="y", shift=(0, 4))
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
