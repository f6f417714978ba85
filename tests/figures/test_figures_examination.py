"""Figures of instruments: the pass matrix, what minimal pairs show; hostile names and nothing to draw."""

import pandas as pd
import pytest

from ragassay.figures.examination import MARKS, minimal_pair_heatmap, pass_matrix
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


def test_shares_of_pairs():
    table = pd.DataFrame(
        [
            ("support", "number", "told", 0.25, 8),
            ("support", "order", "steady", 1.0, 6),
            ("other", "number", "told", float("nan"), 0),
        ]
    )
    drawn = minimal_pair_heatmap(table.set_axis(["metric", "kind", "asked", "value", "n"], axis=1))
    assert [text.get_text() for text in drawn.figure.axes[0].texts] == [
        *("0.25", "1.00", "", ""),
        *("to be seen", "to be ignored"),
    ]
    alike = minimal_pair_heatmap(
        table.set_axis(["metric", "kind", "asked", "value", "n"], axis=1).assign(n=6)
    )
    assert "; 6 pairs a cell" in alike.figure.axes[0].get_title(loc="left")
    ticks = drawn.figure.axes[0].get_xticklabels()
    assert [text.get_text() for text in ticks] == ["number", "\n\norder"]
    assert {text.get_rotation() for text in ticks} == {0}
    with pytest.raises(NothingToDraw):
        minimal_pair_heatmap(
            table.set_axis(["metric", "kind", "asked", "value", "n"], axis=1).assign(value=float("nan"))
        )
