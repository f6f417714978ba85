"""Dimensions and scales: read, refused; levels; the label that accepts; a cell that becomes a label."""

import pytest

from ragassay.errors import LabelError, ParameterError
from ragassay.labels import dimensions
from ragassay.labels.dimensions import Dimension, scale_ends, usual_accept_from


@pytest.mark.parametrize(
    "wild", ["", "5", "low to high", "5-1", "1-1", "nan-1", "0-inf", "1-2-3", "-1-1", "=1-5"]
)
def test_what_is_no_scale_is_refused(wild):
    with pytest.raises(LabelError, match="low-high"):
        scale_ends(wild)


@pytest.mark.parametrize(
    "written, cut",
    [("0-1", 1), ("1-2", 2), ("1-3", 3), ("1-4", 3), ("1-5", 4), ("0-10", 7), ("1-7", 5), ("0-0.5", 0.5)],
)
def test_the_upper_third_accepts(written, cut):
    assert usual_accept_from(written) == cut


@pytest.mark.parametrize("scale, cell, value", [
    ("0-1", "1", 1), ("0-1", 0, 0), ("1-5", 4.0, 4), ("1-5", " 5 ", 5), ("0-10", 10, 10),
    ("1-5", "", None), ("1-5", None, None), ("1-5", " ", None),
])  # fmt: skip
def test_a_cell_becomes_a_label(scale, cell, value):
    assert Dimension("d", scale).value(cell) == value


@pytest.mark.parametrize("scale, cell", [
    ("0-1", "yes"), ("0-1", True), ("1-5", 6), ("1-5", 3.5), ("1-5", "4 | 5"), ("1-5", "inf"),
    ("1-5", "nan"), ("1-5", []),
])  # fmt: skip
def test_what_is_no_label_is_refused(scale, cell):
    with pytest.raises(ValueError, match=r"0 or 1|1, 2, 3, 4 or 5"):
        Dimension("d", scale).value(cell)


def test_dimensions_by_hand():
    assert dimensions.parse("a:0-1, b:1-5") == (Dimension("a", "0-1"), Dimension("b", "1-5"))
    assert (
        dimensions.from_heading("a (0-1)") == Dimension("a", "0-1")
        and dimensions.from_heading("question") is dimensions.from_heading("a (x)") is None
    )


@pytest.mark.parametrize("text, error", [
    ("", ParameterError), ("a:0-1,a:1-5", ParameterError), ("row:0-1", ParameterError),
    ("a b:0-1", ParameterError), ("a", LabelError), ("a:5-1", LabelError), ("a:0-0.5", LabelError),
])  # fmt: skip
def test_dimensions_that_cannot_be_are_refused(text, error):
    with pytest.raises(error):
        dimensions.parse(text)
