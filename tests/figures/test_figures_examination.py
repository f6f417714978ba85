"""Figures of instruments: the pass matrix; hostile names and nothing to draw."""

import pandas as pd
import pytest

from ragassay.figures.examination import MARKS, pass_matrix
from ragassay.figures.style import NothingToDraw


def checks(types=range(1, 17), outcome="passed"):
    rows = [
        (
            f"{question}-{number}",
            f"q{question}<b>$x$",
            number,
            mark,
            outcome if mark == "faithfulness" else "passed",
        )
        for question in range(3)
        for number in types
        for mark in MARKS
    ]
    return pd.DataFrame(rows, columns=["test", "question", "type", "metric", "outcome"])


def test_the_matrix_has_a_panel_per_mark_and_a_square_per_test():
    drawn = pass_matrix(checks(outcome="failed"))
    assert [axes.get_title("left") for axes in drawn.figure.axes] == list(MARKS.values())
    assert len(drawn.figure.axes[0].collections[0].get_offsets()) == 48


def test_nothing_typed_is_refused():
    with pytest.raises(NothingToDraw):
        pass_matrix(checks([None]))
