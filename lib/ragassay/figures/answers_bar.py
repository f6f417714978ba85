"""All answers in one bar: how many are good, and of what kind the others are."""

import textwrap

import pandas as pd

from ragassay.figures import colours, style
from ragassay.figures.style import Drawing
from ragassay.stats import percent_text

LETTERS_PER_BAR = 92  # letters of the labels' size that the width of the bar holds
NARROW = 0.06  # share below which a segment's label stands beneath it
_ABOVE, _BELOW = 0.55, -0.62


def answers_bar(counts: pd.DataFrame) -> Drawing:
    """One bar of all answers by category (`error_taxonomy.count`: category, n, of, of one judge): segments in
    the table's order, each with its name, number and share; an empty category has none.

    Raises ValueError if there is no answer.
    """
    drawn = counts[counts["n"] > 0]
    style.refuse_empty(drawn, "the table of categories")
    total = int(drawn["n"].sum())
    with style.sheet(1.05) as (figure, axes):
        start = 0
        for category, n in zip(drawn["category"], drawn["n"], strict=True):
            _segment(axes, str(category), start / total, int(n), total)
            start += n
        axes.set(xlim=(0, 1), ylim=(-1.3, 1.5))
        axes.set_axis_off()
    told = ", ".join(
        f"{n} {category} ({_percent(n / total)})"
        for category, n in zip(drawn["category"], drawn["n"], strict=True)
    )
    return Drawing(figure, f"One bar of {total} answers: {told}.")


def _segment(axes, category: str, start: float, n: int, total: int) -> None:
    share = n / total
    axes.barh(
        0,
        share,
        left=start,
        height=0.9,
        color=colours.ANSWERS[category],
        edgecolor=colours.PAPER,
        linewidth=0.8,
    )
    middle = start + share / 2
    if share < NARROW:
        _beneath(axes, f"{category} {n} ({_percent(share)})", middle)
        return
    words = "\n".join(textwrap.wrap(category, max(6, round(share * LETTERS_PER_BAR))))
    axes.text(middle, _ABOVE, words, ha="center", va="bottom", fontsize=style.SMALL, linespacing=1.05)
    axes.text(
        middle,
        0,
        f"{n}\n{_percent(share)}",
        ha="center",
        va="center",
        fontsize=style.SMALL,
        color=_ink(category),
    )


def _beneath(axes, words: str, place: float) -> None:
    side = "right" if place > 0.5 else "left"
    axes.plot([place, place], [-0.45, _BELOW], color=colours.NOTE, linewidth=0.6)
    axes.text(place, _BELOW - 0.05, words, ha=side, va="top", fontsize=style.SMALL)


def _percent(share: float) -> str:
    return percent_text(share, 0 if share >= 0.01 else 1)


def _ink(category: str) -> str:
    return colours.PAPER if category in colours.DARK_ANSWERS else colours.TEXT
