"""True success: by hand, laws, refusals, coverage on clustered data."""

import re
from math import inf, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.calibration.true_success import (
    COLUMNS,
    JudgedAnswers,
    corrected_share,
    labelled_only,
    labels_needed,
    machine_only,
    machine_rates,
    prediction_powered,
    rogan_gladen,
    success_of_slice,
    true_success,
)
from ragassay.errors import LabelError
from ragassay.stats import zero_event_bound

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


def test_rogan_gladen_by_hand():
    assert corrected_share(0.7, 0.9, 0.8) == pytest.approx((0.7 + 0.8 - 1) / (0.9 + 0.8 - 1))
    assert (
        corrected_share(0.1, 0.9, 0.8) == pytest.approx(-0.1 / 0.7)
        and corrected_share(1, 0.9, 0.8) == pytest.approx(0.8 / 0.7)
        and np.isnan(corrected_share(0.5, 0.4, 0.6))
    )


@settings(max_examples=50, deadline=None)
@given(*[st.floats(0, 1)] * 3)
def test_rogan_gladen_undoes_the_judge(truth, s, t):
    if s + t - 1 > 0.01:
        assert corrected_share(truth * s + (1 - truth) * (1 - t), s, t) == pytest.approx(truth, abs=1e-9)


def test_corrected_by_hand():
    """Labelled: people accept 30, the machine 27 of them (s = 0.9); people reject 20, the machine 15 (t = 0.75). In all it accepts 62 of 100."""
    human = np.r_[np.ones(30), np.zeros(20), np.full(50, NAN)]
    machine = np.r_[np.ones(27), np.zeros(3), np.ones(5), np.zeros(15), np.ones(30), np.zeros(20)]
    found = rogan_gladen(JudgedAnswers(machine, human), rng=rng())
    assert (
        found.value == pytest.approx(corrected_share(0.62, 0.9, 0.75))
        and found.low < found.value < found.high
        and found.n == 100
    )


def test_ppi_by_hand():
    """Lambda 1: the machine's mean elsewhere plus the mean of label less machine among the labelled; else as ppi_py has it."""
    found, judged = prediction_powered(drawn(200, 80), lam=1.0), drawn(200, 80)
    known = judged.labelled
    assert found.value == pytest.approx(
        judged.machine[~known].mean() + (judged.human - judged.machine)[known].mean()
    )
    assert prediction_powered(judged, lam=0.0).value == pytest.approx(judged.human[known].mean())
    f, y = judged.machine[known], judged.human[known]
    lam = np.mean((f - f.mean()) * (y - y.mean())) / ((1 + 80 / 120) * np.var(judged.machine, ddof=1))
    tuned = (y - lam * f).mean() + lam * judged.machine[~known].mean()
    assert prediction_powered(judged).value == pytest.approx(tuned, abs=1e-9)


def test_all_labelled_is_the_mean_of_the_labels():
    judged = drawn(150, 150)
    share = judged.human.mean()
    assert (
        prediction_powered(judged).value
        == pytest.approx(share)
        == pytest.approx(labelled_only(judged, rng=rng()).value)
    )
    assert rogan_gladen(judged, rng=rng()).value == pytest.approx(share)


def test_a_calibration_set_apart_counts_only_for_the_judge():
    """Labels drawn apart, of other answers: they tell s and t; the pass rate is that of the counted ones."""
    both = drawn(300, 100)
    judged = JudgedAnswers(both.machine, both.human, None, np.arange(300) >= 100)
    assert machine_only(judged, rng=rng()).value == pytest.approx(both.machine[100:].mean())
    known, s = both.labelled, both.machine[(both.human == 1)].mean()
    t = 1 - both.machine[both.human == 0].mean()
    assert rogan_gladen(judged, rng=rng()).value == pytest.approx(
        corrected_share(both.machine[~known].mean(), s, t)
    )


def test_labels_of_one_cluster_have_no_spread():
    """One conversation labelled, with answers accepted and rejected: a reason in every row, and no division by zero."""
    both = drawn(40, 20)
    judged = JudgedAnswers(both.machine, both.human, np.r_[np.zeros(20), np.arange(1, 21)])
    rows = true_success(judged, rng=rng()).set_index("estimate")
    assert np.isnan(rows.low["Rogan-Gladen"]) and "1 cluster, at least 2" in rows.reason["Rogan-Gladen"]
    assert rows.low.notna().equals(rows.reason == ""), rows[["low", "reason"]]


def test_clusters_widen():
    """Every answer three times over is no more information than once."""
    once = drawn(200, 80)
    thrice = JudgedAnswers(np.repeat(once.machine, 3), np.repeat(once.human, 3), np.repeat(np.arange(200), 3))
    for estimate in (lambda j: rogan_gladen(j, rng=rng()), prediction_powered):
        one, three = estimate(once), estimate(thrice)
        assert three.value == pytest.approx(one.value, abs=1e-3) and three.high - three.low == pytest.approx(
            one.high - one.low, rel=0.1
        )


@pytest.mark.parametrize("labels", [[1] * 40, [0] * 40, [1, 0] * 20])
def test_a_judge_like_a_coin_is_refused(labels):
    """People accept all, reject all, or the machine says 1 and 0 whatever they say."""
    human = np.r_[np.array(labels, dtype=float), np.full(60, NAN)]
    found = rogan_gladen(JudgedAnswers(np.tile([1.0, 1.0, 0.0, 0.0], 25), human), rng=rng())
    assert np.isnan(found.value) and found.reason


@pytest.mark.parametrize("accepted", [0.0, 1.0])
def test_no_failure_seen_is_the_one_zero_event_bound_and_no_certainty(accepted):
    """People accept all of 40 answers, or none: at most `zero_event_bound(40)` of the others, whoever estimates it."""
    judged = JudgedAnswers(np.full(90, accepted), np.r_[np.full(40, accepted), np.full(50, NAN)])
    bound = zero_event_bound(40)
    for found in (prediction_powered(judged), labelled_only(judged, rng=rng())):
        low, high = (1 - bound, 1.0) if accepted else (0.0, bound)
        assert found.value == accepted and (found.low, found.high) == pytest.approx((low, high))


def test_no_labels_at_all():
    table = true_success(drawn(50, 0), rng=rng(), n_boot=100).set_index("estimate")
    assert (
        table.loc["instruments, as they stand", "value"] > 0
        and table["value"].isna().sum() == 3
        and (table["reason"].iloc[1:] != "").all()
    )


@pytest.mark.parametrize(
    "machine, human, said",
    [
        ([0, 1], [1], "one label"),
        ([0, 1], [1, 2], "not 0 or 1"),
        ([NAN, 1], [1, 0], "missing"),
        ([2, 1], [1, 0], "outside"),
        ([-1, 0], [1, 0], "outside"),
    ],
)
def test_what_is_no_verdict_is_refused(machine, human, said):
    with pytest.raises(LabelError, match=said):
        JudgedAnswers(np.array(machine, dtype=float), np.array(human, dtype=float))


def test_probabilities_are_for_ppi_only():
    judged = JudgedAnswers(rng().random(60), np.r_[np.ones(15), np.zeros(15), np.full(30, NAN)])
    with pytest.raises(LabelError, match="0 or 1"):
        rogan_gladen(judged, rng=rng())
    assert 0 <= prediction_powered(judged).value <= 1


def test_segments_stand_side_by_side_at_a_joint_level():
    segment = np.where(np.arange(300) % 3 == 0, "a", "b")
    table = true_success(drawn(300, 150), segment=segment, rng=rng(), n_boot=200)
    assert list(table.columns) == COLUMNS and table["segment"].tolist() == ["all"] * 4 + ["a"] * 4 + ["b"] * 4
    assert set(table.level) == {0.95, 0.975} and table[
        table.estimate == "labelled only"
    ].labelled.tolist() == [150, 50, 100]
    assert table.iloc[1].value == pytest.approx(drawn(300, 150).human[:150].mean())


@pytest.mark.parametrize("n, labelled, size", [(100, 50, 1), (300, 100, 1), (300, 200, 3), (1000, 200, 3)])
def test_intervals_cover(n, labelled, size, simulations):
    """400 simulations each, truth 0.7: 0.95 within three standard errors (0.033); what was refused is left out."""
    runs = simulations(400, part=1)  # a shorter run decides little: its bounds would have to be wide
    resamples = simulations(500, part=2)
    hits: dict[str, list] = {"corrected": [], "powered": [], "labelled": []}
    for seed in range(runs):
        judged = drawn(n, labelled, seed=seed, size=size)
        found = {"corrected": rogan_gladen(judged, n_boot=resamples, rng=rng(seed)), "powered": prediction_powered(judged),
                 "labelled": labelled_only(judged, rng=rng(seed))}  # fmt: skip
        for name, each in found.items():
            hits[name] += [] if np.isnan(each.value) else [each.low <= 0.7 <= each.high]
    assert all(abs(np.mean(each) - 0.95) <= 3 * np.sqrt(0.95 * 0.05 / len(each)) for each in hits.values()), {
        name: np.mean(each) for name, each in hits.items()
    }


def counted(*, right_good=0, wrong_good=0, right_bad=0, wrong_bad=0, others=()):
    """Labelled answers by what people and the machine said, and the machine's verdicts on others."""
    counts = (right_good, 1, 1), (wrong_good, 0, 1), (right_bad, 0, 0), (wrong_bad, 1, 0)
    machine = [float(m) for n, m, _ in counts for _ in range(n)] + list(map(float, others))
    human = [float(h) for n, _, h in counts for _ in range(n)] + [NAN] * len(others)
    return JudgedAnswers(np.array(machine), np.array(human))


def test_a_slice_by_hand():
    """People accept 30, the machine 27 of them; they reject 20, the machine 15; it accepts 62 of 100 in all."""
    found = success_of_slice(
        counted(right_good=27, wrong_good=3, right_bad=15, wrong_bad=5, others=[1] * 30 + [0] * 20), rng=rng()
    )
    assert found.value == pytest.approx((0.62 + 0.75 - 1) / (0.9 + 0.75 - 1)) and found.n == 100
    assert found.low < found.value < found.high


def test_where_labels_suffice_it_is_rogan_and_gladens():
    both = drawn(200, 80)
    one, other = (f(both, rng=rng(1)) for f in (success_of_slice, rogan_gladen))
    assert one == other


@pytest.mark.parametrize(
    "answers, said",
    [
        (counted(others=[1, 0]), "10"),
        (counted(right_good=5, right_bad=4), "10"),
        (counted(right_good=12, right_bad=2), "3 of each"),
        (counted(), "no verdict"),
        (counted(right_good=9, right_bad=9, others=[0.5]), "not 0 or 1"),
        (counted(right_good=6, wrong_good=4, right_bad=6, wrong_bad=4), "20 labelled, about 189 needed"),
        (counted(right_good=4, wrong_good=6, right_bad=6, wrong_bad=4), "s [+] t <= 1"),
    ],
)
def test_what_labels_cannot_carry_is_refused_with_what_is_needed(answers, said):
    """Even where every verdict agrees: four labels of a perfect machine are no evidence of anything."""
    found = success_of_slice(answers, rng=rng())
    assert np.isnan([found.value, found.low, found.high]).all()
    assert re.search(said, found.reason)


def test_labels_needed_by_hand():
    """s = t = 0.6, half accepted: (1.96 + 0.84)^2 (0.24/0.5 + 0.24/0.5) / 0.2^2 = 188.4."""
    assert labels_needed(0.6, 0.6, 0.5) == 189
    assert labels_needed(1, 1, 0.5) == 10 and labels_needed(0.5, 0.5, 0.5) == inf


def test_the_machines_rates_by_hand():
    both = counted(right_good=3, wrong_good=1, right_bad=4, wrong_bad=1, others=[1])
    assert machine_rates(both) == (0.75, 0.8)
    assert np.isnan(machine_rates(counted(right_good=2))[1])


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
        success_of_slice(drawn(n, labelled, truth=truth, s=s, t=t, seed=seed), rng=rng(seed))
        for seed in range(simulations(2000, 25))
    ]
    bounds = [(each.low, each.high) for each in found if np.isfinite(each.low)]
    inside, above = np.mean([(low <= truth <= high, low <= truth) for low, high in bounds], axis=0)
    error = 3 * sqrt(0.05 * 0.95 / len(bounds))
    assert inside >= 0.92 - error and above >= 0.95 - error
