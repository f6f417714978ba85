"""True success: by hand, laws, refusals, coverage on clustered data."""

from math import isfinite, sqrt

import numpy as np
import pytest
from scipy import stats

from ragassay.calibration import conformal, inference
from ragassay.calibration.inference import JudgedAnswers, prediction_powered, share_accepted, true_success
from ragassay.errors import LabelError, ParameterError
from ragassay.stats import clopper_pearson, expected_half_width, zero_event_bound

NAN = np.nan


def rng(seed=0):
    return np.random.default_rng(seed)


def drawn(n, labelled, seed=0, truth=0.7, s=0.85, t=0.75, size=1):
    """n answers in clusters of `size` that share half their fate; the first `labelled` were looked at by people."""
    draw = rng(seed)
    cluster = np.arange(n) // size
    own = draw.random(n) < truth
    human = (
        np.where(draw.random(n) < 0.5, (draw.random(n) < truth)[cluster], own).astype(float)
        if size > 1
        else own.astype(float)
    )
    machine = np.where(human == 1, draw.random(n) < s, draw.random(n) >= t).astype(float)
    return JudgedAnswers(
        machine, np.where(np.arange(n) < labelled, human, NAN), cluster if size > 1 else None
    )


def test_ppi_by_hand():
    """As ppi_py has it: lambda of least variance, the labels' mean error under it plus the machine elsewhere."""
    judged = drawn(200, 80)
    known = judged.labelled
    f, y = judged.machine[known], judged.human[known]
    lam = np.mean((f - f.mean()) * (y - y.mean())) / ((1 + 80 / 120) * np.var(judged.machine, ddof=1))
    tuned = (y - lam * f).mean() + lam * judged.machine[~known].mean()
    assert prediction_powered(judged).value == pytest.approx(tuned, abs=1e-9)


@pytest.mark.parametrize("truth", [0.7, 1.0])
def test_all_labelled_is_the_mean_of_the_labels_whatever_the_machine_is_worth(truth):
    judged = drawn(150, 150, truth=truth, s=0.5, t=0.5)
    known = clopper_pearson(int(judged.human.sum()), 150)
    assert true_success(judged, rng=rng()) == known
    assert prediction_powered(judged).value == pytest.approx(known.value)


@pytest.mark.parametrize("labels", [[1] * 40, [0] * 40, [1, 0] * 20])
def test_a_judge_like_a_coin_is_refused(labels):
    """People accept all, reject all, or the machine says 1 and 0 whatever they say."""
    human = np.r_[np.array(labels, dtype=float), np.full(60, NAN)]
    found = true_success(JudgedAnswers(np.tile([1.0, 1.0, 0.0, 0.0], 25), human), rng=rng())
    assert np.isnan(found.value) and found.reason


@pytest.mark.parametrize("accepted", [0.0, 1.0])
def test_no_failure_seen_is_the_one_zero_event_bound_and_no_certainty(accepted):
    """People accept all of 40 answers, or none: at most `zero_event_bound(40)` of the others, whoever estimates it."""
    judged = JudgedAnswers(np.full(90, accepted), np.r_[np.full(40, accepted), np.full(50, NAN)])
    bound, found = zero_event_bound(40), prediction_powered(judged)
    low, high = (1 - bound, 1.0) if accepted else (0.0, bound)
    assert found.value == accepted and (found.low, found.high) == pytest.approx((low, high))


@pytest.mark.parametrize("machine, human, said", [
    ([0, 1], [1], "one label"), ([0, 1], [1, 2], "not 0 or 1"), ([NAN, 1], [1, 0], "missing"),
    ([2, 1], [1, 0], "outside"),
])  # fmt: skip
def test_what_is_no_verdict_is_refused(machine, human, said):
    with pytest.raises(LabelError, match=said):
        JudgedAnswers(np.array(machine, dtype=float), np.array(human, dtype=float))


SETTINGS = [
    *[(30, 15, 1, 0.7, 0.85, 0.75), (60, 60, 1, 0.8, 0.7, 0.9), (100, 50, 2, 0.7, 0.85, 0.75)],
    *[(300, 100, 1, 0.9, 0.85, 0.75), (384, 264, 1, 0.45, 0.73, 0.88), (1000, 200, 3, 0.9, 0.85, 0.75)],
]


@pytest.mark.parametrize("n, labelled, size, truth, s, t", SETTINGS)
def test_intervals_cover_the_share_among_answers_to_come(n, labelled, size, truth, s, t, simulations):
    """Not below 0.92 of the promised 0.95, and the lower bound, which a gate acts on, at 0.95 of 0.975, within three standard
    errors; what was refused is left out."""
    found: dict[str, list] = {"corrected": [], "powered": []}
    for seed in range(simulations(2000, 40)):
        judged = drawn(n, labelled, seed=seed, truth=truth, s=s, t=t, size=size)
        found["corrected"].append(true_success(judged, n_boot=500, rng=rng(seed)))
        found["powered"].append(prediction_powered(judged))
    for name, each in found.items():
        bounds = [(one.low, one.high) for one in each if isfinite(one.low)]
        inside, above = np.mean([(low <= truth <= high, low <= truth) for low, high in bounds], axis=0)
        error = 3 * sqrt(0.05 * 0.95 / len(bounds))
        assert inside >= 0.92 - error and above >= 0.95 - error, (name, inside, above)


def counted(*, right_good=0, wrong_good=0, right_bad=0, wrong_bad=0, others=()):
    """Labelled answers by what people and the machine said, and the machine's verdicts on others."""
    counts = (right_good, 1, 1), (wrong_good, 0, 1), (right_bad, 0, 0), (wrong_bad, 1, 0)
    machine = [float(m) for n, m, _ in counts for _ in range(n)] + list(map(float, others))
    human = [float(h) for n, _, h in counts for _ in range(n)] + [NAN] * len(others)
    return JudgedAnswers(np.array(machine), np.array(human))


def test_rogan_gladen_of_those_that_nobody_read_by_hand():
    """People accept 30, the machine 27 of them (s = 0.9); they reject 20, the machine 15 (t = 0.75). It accepts 30 of the 50
    others."""
    found = true_success(
        counted(right_good=27, wrong_good=3, right_bad=15, wrong_bad=5, others=[1] * 30 + [0] * 20), rng=rng()
    )
    others = (0.6 + 0.75 - 1) / (0.9 + 0.75 - 1)
    assert found.value == pytest.approx((30 + 50 * others) / 100) and found.n == 100
    assert found.low < found.value < found.high and "clipped" not in found.method


@pytest.mark.parametrize("answers, needed, has", [
    (counted(others=[1, 0]), 2, 0),
    (counted(others=[1] * 100), 18, 0),
    (counted(right_good=6, wrong_good=4, right_bad=6, wrong_bad=4, others=[1] * 500), 189, 20),
    (counted(right_good=4, wrong_good=6, right_bad=6, wrong_bad=4, others=[1] * 9), 29, 20),
])  # fmt: skip
def test_what_labels_cannot_carry_is_refused_with_what_is_needed(answers, needed, has):
    """Even where every verdict agrees; where no number tells the machine from a coin, all answers are to be read."""
    found = true_success(answers, rng=rng())
    assert np.isnan([found.value, found.low, found.high]).all()
    assert f"needs labels: {needed} (has {has})" in found.reason


def test_share_accepted_is_each_method_by_itself():
    """A row a method; where all was read every one is the mean of the labels."""
    draw = np.random.default_rng(5)
    human = (draw.random(120) < 0.7).astype(float)
    machine = np.where(draw.random(120) < 0.9, human, 1 - human)
    few = np.where(np.arange(120) < 60, human, np.nan)
    found = share_accepted(few, machine).set_index("method")
    assert found.value["labels"] == few[:60].mean() and found.n.tolist() == [60, 120, 120, 120]
    assert found.value["machine"] == machine.mean()
    assert found.value["prediction_powered"] == prediction_powered(JudgedAnswers(machine, few)).value
    assert (found.low < found.value).all() and (found.value < found.high).all() and (found.reason == "").all()
    whole = share_accepted(human, machine).set_index("method")
    assert whole.value["labels"] == whole.value["rogan_gladen"] == human.mean()
    assert share_accepted([np.nan], [1.0]).set_index("method").reason["rogan_gladen"]


N, SHARE, S, T = 1000, 0.7, 0.85, 0.75


def planned(*sizes):
    return inference.plan(sizes)


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
        inference.plan(**wrong)
