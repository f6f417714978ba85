"""True success of a slice: by hand, the promise kept in simulation, refusals with what there is and is needed."""

import re
from math import inf, sqrt

import numpy as np
import pytest

from ragassay.calibration.judged_answers import JudgedAnswers
from ragassay.calibration.slice_true_success import labels_needed, machine_rates, success_of_slice
from ragassay.calibration.true_success import rogan_gladen

NAN = np.nan


def judged(n, labelled, *, truth=0.7, s=0.85, t=0.75, seed=0):
    """n answers, the first `labelled` of them looked at by people, judged by a machine with s and t."""
    draw = np.random.default_rng(seed)
    human = (draw.random(n) < truth).astype(float)
    machine = np.where(human == 1, draw.random(n) < s, draw.random(n) >= t).astype(float)
    return JudgedAnswers(machine, np.where(np.arange(n) < labelled, human, NAN))


def given(*, right_good=0, wrong_good=0, right_bad=0, wrong_bad=0, others=()):
    """Labelled answers by what people and the machine said, and the machine's verdicts on others."""
    counts = (right_good, 1, 1), (wrong_good, 0, 1), (right_bad, 0, 0), (wrong_bad, 1, 0)
    machine = [float(m) for n, m, _ in counts for _ in range(n)] + list(map(float, others))
    human = [float(h) for n, _, h in counts for _ in range(n)] + [NAN] * len(others)
    return JudgedAnswers(np.array(machine), np.array(human))


def test_by_hand(rng):
    """People accept 30, the machine 27 of them; they reject 20, the machine 15; it accepts 62 of 100 in all."""
    found = success_of_slice(
        given(right_good=27, wrong_good=3, right_bad=15, wrong_bad=5, others=[1] * 30 + [0] * 20), rng=rng
    )
    assert found.value == pytest.approx((0.62 + 0.75 - 1) / (0.9 + 0.75 - 1)) and found.n == 100
    assert found.low < found.value < found.high


def test_where_labels_suffice_it_is_rogan_and_gladens():
    both = judged(200, 80)
    one, other = (f(both, rng=np.random.default_rng(1)) for f in (success_of_slice, rogan_gladen))
    assert one == other


@pytest.mark.parametrize(
    "answers, said",
    [
        (given(others=[1, 0]), "0 labelled answers, 0 accepted and 0 rejected: at least 10, and 3 of each"),
        (given(right_good=5, right_bad=4), "9 labelled answers, 5 accepted and 4 rejected: at least 10"),
        (
            given(right_good=12, right_bad=2),
            "14 labelled answers, 12 accepted and 2 rejected: at least 10, and 3",
        ),
        (given(), "no verdict of the instruments"),
        (given(right_good=9, right_bad=9, others=[0.5]), "not 0 or 1"),
        (given(right_good=6, wrong_good=4, right_bad=6, wrong_bad=4), "20 labelled, about 189 needed"),
        (
            given(right_good=4, wrong_good=6, right_bad=6, wrong_bad=4),
            "labelled answers hold none|s \\+ t <= 1",
        ),
    ],
)
def test_what_labels_cannot_carry_is_refused_with_what_is_needed(answers, said, rng):
    """Even where every verdict agrees: four labels of a perfect machine are no evidence of anything."""
    found = success_of_slice(answers, rng=rng)
    assert np.isnan([found.value, found.low, found.high]).all()
    assert re.search(said, found.reason)


def test_labels_needed_by_hand():
    """s = t = 0.6, half accepted: (1.96 + 0.84)^2 (0.24/0.5 + 0.24/0.5) / 0.2^2 = 188.4."""
    assert labels_needed(0.6, 0.6, 0.5) == 189
    assert labels_needed(1, 1, 0.5) == 10 and labels_needed(0.5, 0.5, 0.5) == inf


def test_so_many_labels_tell_the_machine_from_a_coin():
    """Of 40 samples of the number named about eight in ten (binomial: 25 or more with probability 0.998)."""
    needed = int(labels_needed(0.65, 0.65, 0.5))
    found = [
        success_of_slice(
            judged(needed, needed, truth=0.5, s=0.65, t=0.65, seed=seed), rng=np.random.default_rng(seed)
        )
        for seed in range(40)
    ]
    assert sum(np.isfinite(each.low) for each in found) >= 25


def test_the_machines_rates_by_hand():
    both = given(right_good=3, wrong_good=1, right_bad=4, wrong_bad=1, others=[1])
    assert machine_rates(both) == (0.75, 0.8)
    assert np.isnan(machine_rates(given(right_good=2))[1])


@pytest.mark.parametrize(
    "n, labelled, truth, s, t",
    [
        (30, 15, 0.7, 0.85, 0.75),
        (60, 30, 0.7, 0.95, 0.95),
        (60, 60, 0.8, 0.7, 0.9),
        (100, 50, 0.5, 0.85, 0.75),
    ],
)
def test_the_interval_of_a_small_slice_covers(n, labelled, truth, s, t, simulations):
    """What is not refused covers at 0.92 or more of the promised 0.95; its lower bound, which a gate acts on, at 0.95 of 0.975."""
    found = [
        success_of_slice(
            judged(n, labelled, truth=truth, s=s, t=t, seed=seed), rng=np.random.default_rng(seed)
        )
        for seed in range(simulations(2000, 25))
    ]
    bounds = [(each.low, each.high) for each in found if np.isfinite(each.low)]
    inside, above = np.mean([(low <= truth <= high, low <= truth) for low, high in bounds], axis=0)
    error = 3 * sqrt(0.05 * 0.95 / len(bounds))
    assert inside >= 0.92 - error and above >= 0.95 - error
