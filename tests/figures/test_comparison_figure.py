"""The figure of a system against others: what it draws, what it says, what it cannot draw."""

import numpy as np
import pandas as pd
import pytest

from ragassay.figures import paired_difference_plot


def table(
    rivals=("alpha", "beta"),
    metrics=("support", "completeness", "recall"),
    outcomes=("worse", "better", "not compared"),
) -> pd.DataFrame:
    rows = [
        {
            "metric": metric,
            "challenger": rival,
            "n": 10 + i,
            "difference": d,
            "low": d - 0.1,
            "high": d + 0.1,
            "outcome": outcomes[i % len(outcomes)],
        }
        for rival in rivals
        for i, (metric, d) in enumerate(zip(metrics, np.linspace(-0.2, 0.2, len(metrics)), strict=True))
    ]
    return pd.DataFrame(rows)


def test_a_panel_for_each_challenger():
    drawn = paired_difference_plot(table())
    panels = drawn.figure.axes
    assert [axes.get_title("left") for axes in panels] == [
        "against alpha, n=10 to 11",
        "against beta, n=10 to 11",
    ]
    assert [text.get_text() for text in panels[0].get_yticklabels()] == [
        "support by the passages",
        "completeness\n(similarity)",
    ]
    assert [text.get_text() for text in panels[0].texts] == ["worse", "better"]
    marks = {
        line.get_label(): line.get_xdata()[0]
        for line in panels[0].lines
        if line.get_label() in ("better", "worse")
    }
    assert marks == {"worse": pytest.approx(-0.2), "better": pytest.approx(0.0)}


def test_nothing_told_apart_is_nothing_to_draw():
    with pytest.raises(ValueError, match="no row"):
        paired_difference_plot(table(outcomes=("same on every question",)))


def test_hostile_names_are_only_text():
    drawn = paired_difference_plot(table(["<b>$x$</b>\x00" + "y" * 500]))
    assert len(drawn.figure.axes[0].get_title("left")) < 90
