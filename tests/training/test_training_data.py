import numpy as np
import pytest

import data


def test_a_fold_depends_on_its_group_alone_and_folds_are_about_even():
    folds = [data.fold(group, 4) for group in range(2000)]
    assert folds == [data.fold(group, 4) for group in range(2000)]
    assert all(400 < folds.count(fold) < 600 for fold in range(4))


def test_interval_of_a_mean_is_that_of_the_textbook():
    rng = np.random.default_rng(1)
    values = rng.normal(size=400)
    value, low, high = data.interval(range(400), lambda i: float(values[i].mean()))
    assert value == pytest.approx(values.mean(), abs=1e-4)
    assert high - low == pytest.approx(2 * 1.96 * values.std() / 20, rel=0.1)


def test_copies_in_one_group_do_not_narrow_the_interval():
    values = np.random.default_rng(2).normal(size=50)
    _, low, high = data.interval(range(50), lambda i: float(values[i].mean()))
    copies = np.repeat(values, 10)
    _, low_copied, high_copied = data.interval(np.repeat(range(50), 10), lambda i: float(copies[i].mean()))
    assert high_copied - low_copied == pytest.approx(high - low, rel=0.15)
