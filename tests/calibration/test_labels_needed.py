"""What n labels buy: by hand, against simulated studies, its laws, its refusals."""

import numpy as np
import pytest
from scipy import stats

from ragassay.calibration import conformal, labels_needed
from ragassay.errors import ParameterError
from ragassay.stats import expected_half_width

N, SHARE, S, T = 1000, 0.7, 0.85, 0.75


def planned(*sizes):
    return labels_needed.plan(sizes)


def studies(n: int, count: int = 4000):
    """Simulated studies: labels and verdicts, (count, N), of which the first n labels are known."""
    rng = np.random.default_rng(n)
    human = rng.random((count, N)) < SHARE
    return human, np.where(human, rng.random((count, N)) < S, rng.random((count, N)) >= T)


def test_by_hand():
    row = planned(100).iloc[0]
    assert row["share"] == expected_half_width(0.7, 100)
    assert row["sensitivity"] == expected_half_width(0.85, 70)
    assert row["specificity"] == expected_half_width(0.75, 30)
    found = conformal.expected_coverage(50, 0.1)
    assert (row["coverage_low"], row["coverage_high"]) == (found.low, found.high)


@pytest.mark.parametrize("n", [100, 400])
def test_the_widths_are_those_of_simulated_studies(n):
    human, machine = studies(n)
    h, m = human[:, :n], machine[:, :n]
    s, t = (h & m).sum(1) / h.sum(1), (~h & ~m).sum(1) / (~h).sum(1)
    others = (machine[:, n:].mean(1) + t - 1) / (s + t - 1)
    rogan_gladen = (h.sum(1) + (N - n) * others) / N
    row, reach = planned(n).iloc[0], stats.norm.ppf(0.975)
    assert row["rogan_gladen"] == pytest.approx(reach * rogan_gladen.std(), rel=0.12)
    passed = SHARE * S + (1 - SHARE) * (1 - T)
    trust = SHARE * (1 - SHARE) * (S + T - 1) / (passed * (1 - passed)) / (1 + n / (N - n))
    powered = (h - trust * m).mean(1) + trust * machine[:, n:].mean(1)
    assert row["prediction_powered"] == pytest.approx(reach * powered.std(), rel=0.05)


@pytest.mark.parametrize("wrong", [{"accepted": 0}, {"alpha": 1}, {"answers": 0}, {"sensitivity": 1.1}])
def test_expectations_out_of_range_are_refused(wrong):
    with pytest.raises(ParameterError):
        labels_needed.plan(**wrong)
