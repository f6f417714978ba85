"""The scale of a label: read, refused, its levels, its usual cut."""

import pytest

from ragassay.errors import LabelError
from ragassay.labels import scale


def test_ends_by_hand():
    assert scale.ends("0-1") == (0, 1) and scale.ends("1-5") == (1, 5) and scale.ends("0.5-2.5") == (0.5, 2.5)


@pytest.mark.parametrize(
    "wild", ["", "5", "low to high", "5-1", "1-1", "nan-1", "0-inf", "1-2-3", "-1-1", "=1-5"]
)
def test_what_is_no_scale_is_refused(wild):
    with pytest.raises(LabelError, match="low-high"):
        scale.ends(wild)


def test_levels_of_whole_steps():
    assert scale.levels("1-4") == [1, 2, 3, 4] and scale.levels("0-2") == [0, 1, 2]
    assert scale.levels("0-1") is scale.levels("0-2.5") is scale.levels("0-100") is None


@pytest.mark.parametrize(
    "written, cut",
    [("0-1", 1), ("1-2", 2), ("1-3", 3), ("1-4", 3), ("1-5", 4), ("0-10", 7), ("1-7", 5), ("0-0.5", 0.5)],
)
def test_the_usual_cut_accepts_the_upper_third(written, cut):
    assert scale.usual_cut(written) == cut
