"""What an instrument gets right: types of unit tests by questions, one panel per mark (GroUSE figures 12 to
14)."""

import numpy as np
import pandas as pd

from ragassay.figures import colours, style
from ragassay.figures.style import Drawing
from ragassay.scores.display_names import level_name
from ragassay.stats import percent_text

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

    Raises
    ------
    ValueError
        If no test has a type.
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
    return Drawing(figure, _alt(known, int(checks["type"].isna().sum()) // len(MARKS), len(place)))


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


def _alt(checks: pd.DataFrame, untyped: int, questions: int) -> str:
    told = []
    for mark, words in MARKS.items():
        part = checks[checks["metric"] == mark]
        failed = part[part["outcome"] != "passed"]["type"].astype(int).value_counts()
        worst = ", ".join(f"{number} ({count})" for number, count in failed.head(3).items())
        told.append(
            f"{words} {percent_text((part['outcome'] == 'passed').mean())}"
            + (f", most failures at types {worst}" if worst else "")
        )
    rest = f" {untyped} tests without a type are not drawn." if untyped else ""
    return (
        f"Pass matrix of {checks['test'].nunique()} unit tests, 16 types by {questions} questions. Passed: "
        + "; ".join(told)
        + "."
        + rest
    )
