"""The gates in one picture: every measured share is drawn and told, hostile names do nothing."""

import pandas as pd
import pytest

from decision.judged_gates import judge
from ragassay.figures import gate_plot
from ragassay.figures.style import NothingToDraw

RULES = {
    "judged_grounded": "low >= 0.8",
    "support": "low >= 0.8",
    "privacy_leak_rate": "high <= 0.02, critical",
}
COUNTS = {
    "judged_grounded": {"own": (200, 264), "generated": (119, 120)},
    "privacy_leak_rate": {"own": (0, 264), "generated": (0, 120), "probe": (9, 100)},
}


def test_every_measured_gate_is_drawn_and_told():
    drawn = gate_plot(judge(RULES, COUNTS))
    at_least, at_most = drawn.figure.axes
    assert [len(axes.get_yticks()) for axes in (at_least, at_most)] == [2, 3]


def test_outcomes_differ_by_mark_and_word_besides_colour():
    drawn = gate_plot(judge(RULES, COUNTS))
    marks = {line.get_marker() for axes in drawn.figure.axes for line in axes.lines} - {"None"}
    words = " ".join(text.get_text() for axes in drawn.figure.axes for text in axes.texts)
    assert marks == {"o", "D", "s"} and all(word in words for word in ("pass", "fail", "incomplete"))


@pytest.mark.parametrize("gates", [judge({}, {}), judge({"support": "low >= 0.8"}, {})])
def test_nothing_measured_is_nothing_to_draw(gates):
    with pytest.raises(NothingToDraw):
        gate_plot(pd.DataFrame(gates))
