"""What an instrument gets right: unit tests by type and question, a panel a mark (GroUSE figures 12-14)."""

import numpy as np
import pandas as pd

from ragassay.figures import colours, style
from ragassay.figures.style import Drawing
from ragassay.scores.display_names import level_name

MARKS = {
    mark: level_name("mark", mark)
    for mark in (
        *("answer_relevancy", "completeness", "usefulness", "faithfulness"),
        *("positive_acceptance", "negative_rejection"),
    )
}


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
