"""Prediction sets of levels drawn: the alt text's numbers, the same bytes twice, hostile units, refusals."""

import io

import matplotlib
import numpy as np
import pytest

from ragassay.calibration.conformal import ordinal
from ragassay.figures.conformal_levels import conformal_levels
from ragassay.figures.style import NothingToDraw

LEVELS = (1, 2, 3, 4, 5)


def drawn(n=60, unit="support", labelled=True):
    draw = np.random.default_rng(1)
    p, x = draw.dirichlet(np.ones(5), n), draw.random(n)
    labels = draw.integers(1, 6, n).astype(float) if labelled else np.full(n, np.nan)
    return conformal_levels(x, ordinal.sets(p, 0.4, LEVELS), labels, LEVELS, accept_from=4, unit=unit)


def bytes_of(figure):
    with io.BytesIO() as buffer, matplotlib.rc_context({"svg.hashsalt": "ragassay", "svg.fonttype": "path"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None})
        return buffer.getvalue()


def test_by_hand():
    found = conformal_levels(
        [0.1, 0.5, 0.9, np.nan], [[1, 2], [3, 4], [5], [1]], [1, 5, 5, 1], LEVELS, accept_from=4
    )
    assert "n=3 cases, accepted from level 4: accept 1 (33 %), reject 1 (33 %), review 1 (33 %)" in found.alt
    assert "1.67 levels per set on average, 0 sets empty; 2 of 3 labelled cases" in found.alt
    words = [text.get_text() for text in found.figure.axes[0].get_legend().get_texts()]
    assert words == ["accept (1)", "reject (1)", "review (1)", "level in its set (2)", "missed (1)"]


def test_a_set_with_a_gap_leaves_the_gap_open():
    found = conformal_levels([0.5], [[1, 3]], [np.nan], (1, 2, 3), accept_from=2)
    spans = [
        segment[:, 1].tolist()
        for collection in found.figure.axes[0].collections
        for segment in getattr(collection, "get_segments", list)()
    ]
    assert sorted(spans) == [[0.5, 1.5], [2.5, 3.5]]


def test_without_a_label():
    assert "no case is labelled" in drawn(labelled=False).alt


@pytest.mark.parametrize(
    "unit", ["cost $5 and $\\frac{1}{0}$", "<script>alert('1')</script>", "x" * 3000, "NUL \x00"]
)
def test_hostile_units_and_the_same_bytes(unit):
    one, other = drawn(unit=unit), drawn(unit=unit)
    assert (
        bytes_of(one.figure) == bytes_of(other.figure)
        and one.alt == other.alt
        and len(one.alt) < 600
        and "\x00" not in one.alt
    )


def test_refuses():
    with pytest.raises(NothingToDraw, match="no measured value"):
        conformal_levels([np.nan], [[1]], [1], LEVELS, accept_from=4)
    with pytest.raises(ValueError, match="2 scores, 1 sets"):
        conformal_levels([0.1, 0.2], [[1]], [1, 2], LEVELS, accept_from=4)
    with pytest.raises(ValueError, match="scale"):
        conformal_levels([0.1], [[7]], [1], LEVELS, accept_from=4)
