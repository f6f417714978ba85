"""Column widths under which a table is shortest."""

import numpy as np
import pytest

from ragassay.report.shortest_widths import height, is_near, shortest


def test_the_column_that_makes_the_table_long_gets_the_room():
    lengths = np.array([[60.0, 4000.0], [60.0, 3000.0]])
    widths = shortest(lengths, np.array([40.0, 40.0]), np.array([60.0, 4000.0]), 460.0)
    assert widths.sum() == pytest.approx(460) and widths[1] > 380 and widths[0] >= 40


@pytest.mark.parametrize("seed", range(10))
def test_shorter_than_even_widths_and_within_the_bounds(seed):
    rng = np.random.default_rng(seed)
    lengths = rng.exponential([80, 300, 2000, 600], size=(30, 4))
    floors, needs = np.full(4, 40.0), lengths.max(axis=0)
    widths = shortest(lengths, floors, needs, 446.0)
    assert widths.sum() == pytest.approx(446) and (widths >= floors - 1e-6).all()
    assert height(lengths, widths) < height(lengths, np.full(4, 446 / 4))


def test_no_column_is_wider_than_its_longest_line():
    lengths = np.array([[100.0, 50.0]])
    widths = shortest(lengths, np.array([10.0, 10.0]), np.array([100.0, 50.0]), 400.0)
    assert widths == pytest.approx([100, 50])


def test_height_by_hand_and_what_is_near():
    lengths = np.array([[100.0, 10.0], [10.0, 250.0]])
    assert height(lengths, np.array([50.0, 100.0])) == 2 + 3
    assert is_near(np.array([50.0, 125.0]), np.array([50.0, 125.0]), lengths)
    assert not is_near(np.array([50.0, 25.0]), np.array([50.0, 125.0]), lengths)
