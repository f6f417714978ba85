"""mean_interval: which method, how missing values are told, a scale's ends, and coverage."""

from math import sqrt

import numpy as np
import pytest

from ragassay.stats import clopper_pearson, mean_interval


def rng(seed=0):
    return np.random.default_rng(seed)


def test_mean_interval_picks_the_method():
    shares, exact = mean_interval([1, 0, 1, 1, np.nan], rng=rng()), clopper_pearson(3, 4)
    assert (shares.low, shares.high, shares.left_out) == (exact.low, exact.high, 1)
    assert "BCa" in mean_interval(rng(1).random(20), rng=rng()).method
    assert (
        "10 clusters"
        in mean_interval(
            [1, 0] * 10, clusters=np.repeat(np.arange(10), 2)[rng().permutation(20)], rng=rng()
        ).method
    )


def test_mean_interval_says_why_values_are_missing():
    gone = [0.1, 0.5, 0.3, 0.9, 0.4, 0.6, np.nan, np.nan, np.nan]
    why = [None] * 6 + ["not_applicable", "not_measured", "not_applicable"]
    assert str(mean_interval(gone, reasons=why, rng=rng())).endswith(
        "n=6, 3 left out (2 not applicable, 1 not measured)"
    )
    assert (
        str(mean_interval(gone[6:], reasons=why[6:], rng=rng()))
        == "not available (3 left out (2 not applicable, 1 not measured))"
    )
    assert str(mean_interval([np.nan], rng=rng())) == "not available (1 not measured)"
    with pytest.raises(ValueError, match="one entry per value"):
        mean_interval(gone, reasons=["x"], rng=rng())


def test_constant_data_on_a_scale():
    """All 20 labels equal 4 on 1 to 5: some unseen share p of labels may be 1s, or 5s."""
    unseen = clopper_pearson(0, 20).high
    found = mean_interval(np.full(20, 4.0), span=(1, 5), rng=rng())
    assert (found.low, found.high) == (pytest.approx(4 - 3 * unseen), pytest.approx(4 + unseen))


@pytest.mark.parametrize("binary", [False, True])
def test_covers(binary):
    """Conversations of 1 to 5 answers, alike within, 40 of them: 0.95 within 3 standard errors of 600 simulations (0.027)."""
    draw, held = rng(13), []
    for _ in range(600):
        ids = np.repeat(np.arange(40), draw.integers(1, 6, 40))
        share = draw.beta(4, 1, size=40)[ids]
        values = (draw.random(len(ids)) < share) if binary else share + 0.1 * draw.normal(size=len(ids))
        found = mean_interval(values, clusters=ids, rng=draw)
        held.append(found.low <= 0.8 <= found.high)
    assert np.mean(held) == pytest.approx(0.95, abs=3 * sqrt(0.95 * 0.05 / 600))
