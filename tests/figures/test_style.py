"""The common look of the figures, and what stands in for a figure that cannot be drawn."""

import pytest

from ragassay.figures import style


def test_what_cannot_be_drawn_is_an_empty_frame_that_says_so():
    drawn = style.draw_if_possible(style.finite_values, [float("nan")], "the table of scores")
    assert "holds no measured value" in drawn.alt and drawn.figure.axes[0].texts


def test_any_other_mistake_is_not_hidden():
    with pytest.raises(ZeroDivisionError):
        style.draw_if_possible(lambda: 1 / 0)
