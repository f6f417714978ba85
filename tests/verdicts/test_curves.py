"""Kinds of curve: by hand, against scikit-learn, laws (monotone, finite, JSON), refusals."""

import json
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import check_grad
from scipy.special import expit

from ragassay.errors import LabelError, ParameterError
from ragassay.verdicts import curves
from ragassay.verdicts.curves import ordinal, several
from ragassay.verdicts.curves.likelihood import platt_targets

BINARY = ("logistic", "beta", "isotonic", "boosted")
ONE_SCORE = (*BINARY, "ordinal")


def labelled(n=120, seed=0, slope=1.5):
    draw = np.random.default_rng(seed)
    score = draw.normal(size=n)
    return score, (draw.random(n) < expit(0.5 + slope * score)).astype(float)


def graded(n=200, seed=0):
    draw = np.random.default_rng(seed)
    score = draw.normal(size=n)
    return score, 1 + (score[:, None] * 1.5 + draw.logistic(size=(n, 1)) > [-1.5, 0, 2]).sum(axis=1)


def tabled(n=150, seed=0):
    score, label = labelled(n, seed)
    draw = np.random.default_rng(seed + 1)
    return pd.DataFrame({"support": score, "length": draw.normal(50, 20, n), "copy": 3 * score + draw.normal(size=n)}), label


def acceptance(curve, scores):
    """P(highest label), whatever the kind."""
    found = curve.predict(scores)
    return found[:, -1] if found.ndim == 2 else found


def every_kind():
    yield from (curves.fit(kind, *labelled()) for kind in BINARY)
    yield curves.fit("ordinal", *graded())
    yield curves.fit("ordinal", *graded()).from_level(3)
    yield curves.fit("several", *tabled())


@pytest.mark.parametrize("curve", every_kind(), ids=lambda curve: curve.kind)
def test_json_gives_the_same_curve_bit_for_bit(curve):
    again = curves.from_json(curve.to_json())
    scores = np.random.default_rng(5).normal(size=(400, 3)) if curve.kind == "several" else np.linspace(-9, 9, 400)
    assert type(again) is type(curve) and again == curve and again.to_json() == curve.to_json()
    assert (again.predict(scores) == curve.predict(scores)).all()


@pytest.mark.parametrize("curve", every_kind(), ids=lambda curve: curve.kind)
def test_json_of_something_else_is_refused(curve):
    fields = json.loads(curve.to_json())
    one = next(name for name in fields if name != "curve")
    wild = [{**fields, "extra": 1}, {**fields, one: "x"}, {**fields, one: None}, {**fields, one: float("nan")}, {**fields, "curve": [1]}]
    for text in ("", "[1]", "{}", "[" * 100_000, *map(json.dumps, wild), json.dumps({name: fields[name] for name in fields if name != one})):
        with pytest.raises(ValueError, match="expected"):
            curves.from_json(text)


@pytest.mark.parametrize(
    "kind, change",
    [
        ("isotonic", {"values": [0.5]}),
        ("isotonic", {"at": [1.0, 0.0], "values": [0.1, 0.2]}),
        ("isotonic", {"at": [0.0, 1.0], "values": [0.1, 1.2]}),
        ("boosted", {"edges": [0.0]}),
        ("boosted", {"edges": [0.0], "values": [-0.1, 0.4]}),
        ("boosted", {"edges": [0.0, 1.0], "values": [0.1, 0.9, 0.4]}),
        ("beta", {"low": 1.0, "high": 1.0}),
        ("beta", {"a": 1.0, "b": -1.0}),
        ("logistic", {"scale": 0.0}),
    ],
)
def test_json_of_an_impossible_curve_is_refused(kind, change):
    fields = json.loads(curves.fit(kind, *labelled()).to_json())
    with pytest.raises(ValueError, match=f"expected an? {kind} curve"):
        curves.from_json(json.dumps({**fields, **change}))


@pytest.mark.parametrize("kind", ONE_SCORE)
@pytest.mark.parametrize("sign", [1, -1])
def test_monotone_in_the_sense_of_the_labels(kind, sign):
    score, label = labelled()
    curve = curves.fit(kind, sign * score, label)
    found = acceptance(curve, np.linspace(-6, 6, 500))
    assert (sign * np.diff(found) >= 0).all() and found[0] != found[-1]
    assert curve.direction == ("rises" if sign > 0 else "falls") and curve.direction in str(curve)


@pytest.mark.parametrize("kind", ONE_SCORE)
def test_the_other_sense_is_the_mirror_image(kind):
    """Where the metric ranks the wrong way round the curve falls, and says the same of the mirrored score."""
    score, label = labelled(80)
    mirrored = curves.fit(kind, -score, label)
    assert acceptance(mirrored, -score) == pytest.approx(acceptance(curves.fit(kind, score, label), score), abs=1e-7)


@pytest.mark.parametrize("kind", ONE_SCORE)
@pytest.mark.parametrize("n", [10, 100])
def test_perfect_separation_stays_finite_and_promises_no_certainty(kind, n):
    score, label = np.arange(float(n)), np.repeat([0.0, 1.0], n // 2)
    found = acceptance(curves.fit(kind, score, label), score)
    assert ((found > 0) & (found < 1)).all() and found[0] < 0.5 < found[-1]
    if kind in ("isotonic", "boosted"):
        assert platt_targets(label)[0] <= found[0] and found[-1] <= platt_targets(label)[1]


@pytest.mark.parametrize("kind", ("logistic", "isotonic", "boosted", "ordinal"))
def test_ties_get_one_probability_near_their_share(kind):
    """Two score values, 20 of 50 and 40 of 50 accepted: the curve passes near 0.4 and 0.8."""
    score, label = np.repeat([0.2, 0.9], 50), np.r_[np.repeat([1.0, 0.0], [20, 30]), np.repeat([1.0, 0.0], [40, 10])]
    assert acceptance(curves.fit(kind, score, label), [0.2, 0.9]) == pytest.approx([0.4, 0.8], abs=0.025)


@pytest.mark.parametrize("kind", ONE_SCORE)
def test_a_missing_score_has_no_probability_and_one_far_out_has(kind):
    found = acceptance(curves.fit(kind, *labelled()), [np.nan, -1e12, 0.0, 1e12])
    assert np.isnan(found).tolist() == [True, False, False, False] and found[1] <= found[2] <= found[3]


@pytest.mark.parametrize("kind", ONE_SCORE)
def test_free_of_the_score_s_unit_and_the_rows_order(kind):
    score, label = labelled()
    order = np.random.default_rng(1).permutation(len(score))
    plain = acceptance(curves.fit(kind, score, label), score)
    assert acceptance(curves.fit(kind, 1e-3 * score + 40, label), 1e-3 * score + 40) == pytest.approx(plain, abs=1e-6)
    assert acceptance(curves.fit(kind, score[order], label[order]), score) == pytest.approx(plain, abs=1e-6)


@pytest.mark.parametrize("kind", ONE_SCORE)
def test_the_same_input_gives_the_same_bits(kind):
    assert curves.fit(kind, *labelled()).to_json() == curves.fit(kind, *labelled()).to_json()


@settings(max_examples=60, deadline=None)
@given(st.data())
@pytest.mark.parametrize("kind", ONE_SCORE)
def test_whatever_the_scores_a_curve_or_a_refusal(kind, data):
    pairs = data.draw(
        st.lists(st.tuples(st.floats(-1e6, 1e6) | st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 1.0])), min_size=8, max_size=40)
    )
    score, label = np.array(pairs).T
    try:
        curve = curves.fit(kind, score, label)
    except LabelError:
        assume(False)
    found = acceptance(curve, np.sort(score))
    assert ((found >= 0) & (found <= 1)).all() and curves.from_json(curve.to_json()) == curve
    steps = np.diff(found)
    assert (steps >= 0).all() or (steps <= 0).all()


TEN = np.arange(10.0)
REFUSED = [
    (TEN, [0, *[1] * 9], "too few labels"),
    (TEN, np.ones(10), "too few labels"),
    (TEN[:9], [0, 1] * 4 + [1], "too few labels"),
    (TEN[:5], [0, 1, 0, 1, 1], "5 labels"),
    (np.full(10, 0.3), [0, 1] * 5, "every score is the same"),
    (np.r_[TEN[:9], np.nan], [0, 1] * 5, "row 9"),
    (np.r_[np.inf, TEN[1:]], [0, 1] * 5, "row 0"),
    (TEN, [0, 1] * 4 + [0, np.nan], "row 9"),
    (TEN, [0, 1], "every score needs one label"),
    ([], [], "too few labels"),
]


@pytest.mark.parametrize("kind", ONE_SCORE)
@pytest.mark.parametrize("scores, labels, complaint", REFUSED)
def test_refuses(kind, scores, labels, complaint):
    with pytest.raises(LabelError, match=complaint):
        curves.fit(kind, scores, labels)


@pytest.mark.parametrize("kind", BINARY)
def test_refuses_graded_labels(kind):
    with pytest.raises(LabelError, match="not 0 or 1"):
        curves.fit(kind, *graded())


def test_refuses_a_kind_there_is_not():
    with pytest.raises(ParameterError, match=r"spline[\s\S]*logistic, ordinal"):
        curves.fit("spline", *labelled())


@pytest.mark.parametrize("seed", range(5))
def test_isotonic_is_scikit_learn_s_squeezed_between_platt_s_targets(seed):
    from sklearn.isotonic import IsotonicRegression

    score, label = labelled(60, seed)
    low, high = platt_targets(label)
    grid = np.linspace(-3, 3, 200)
    rival = IsotonicRegression(out_of_bounds="clip").fit(score, label).predict(grid)
    assert curves.fit("isotonic", score, label).predict(grid) == pytest.approx(low + (high - low) * rival, abs=1e-12)


def test_isotonic_by_hand():
    """0 1 0 1 ... pools each falling pair: shares 0, 1/2, 1 over 2, 4 and 4 labels, squeezed between 1/6 and 7/8."""
    found = curves.fit("isotonic", TEN, [0, 0, 1, 0, 1, 0, 1, 1, 1, 1])
    low, high = 1 / 6, 7 / 8
    assert found.predict(TEN) == pytest.approx(low + (high - low) * np.array([0, 0, 0.5, 0.5, 0.5, 0.5, 1, 1, 1, 1]))
    assert found.predict([1.5, -3, 99]) == pytest.approx([low + (high - low) / 4, low, high])


@pytest.mark.parametrize("n", [80, 2000])
def test_boosted_is_scikit_learn_s_at_every_labelled_score(n):
    from sklearn.ensemble import HistGradientBoostingClassifier

    from ragassay.verdicts.curves.boosted import RATE, ROUNDS, leaf

    score, label = labelled(n)
    low, high = platt_targets(label)
    model = HistGradientBoostingClassifier(
        max_iter=ROUNDS, learning_rate=RATE, max_leaf_nodes=4, min_samples_leaf=leaf(n), monotonic_cst=[1], early_stopping=False, random_state=0
    )
    rival = model.fit(score[:, None], label).predict_proba(score[:, None])[:, 1]
    assert curves.fit("boosted", score, label).predict(score) == pytest.approx(low + (high - low) * rival, abs=1e-9)


def test_boosted_steps_lie_halfway_and_belong_to_the_lower_side():
    curve = curves.fit("boosted", np.repeat([0.0, 1.0], 30), np.repeat([0.0, 1.0], 30))
    assert curve.edges == (0.5,) and curve.predict([0.5, np.nextafter(0.5, 1)]) == pytest.approx(curve.values)


def test_beta_on_log_odds_of_the_scale_is_logistic_regression_on_two_logs():
    """Where both coefficients are free, the rival is logistic regression on log(s) and -log(1 - s), each row as 1 and as 0 by its target."""
    from sklearn.linear_model import LogisticRegression

    draw = np.random.default_rng(3)
    s = draw.uniform(0.02, 0.98, 300)
    label = (draw.random(300) < s).astype(float)
    low, high = platt_targets(label)
    target = np.where(label == 1, high, low)
    logs = np.column_stack([np.log(s), -np.log1p(-s)])
    rival = LogisticRegression(C=1e12, tol=1e-12, max_iter=10_000).fit(
        np.vstack([logs, logs]), np.repeat([1, 0], 300), sample_weight=np.r_[target, 1 - target]
    )
    found = curves.fit("beta", s, label, span=(0, 1))
    assert (found.a, found.b) == pytest.approx(rival.coef_[0], abs=1e-3) and min(found.a, found.b) > 0
    assert found.predict(s) == pytest.approx(rival.predict_proba(logs)[:, 1], abs=1e-3)


@pytest.mark.parametrize("seed", range(20))
def test_beta_never_turns_and_no_allowed_neighbour_is_better(seed):
    """Noise alone asks for coefficients of opposite signs about half of the time; they are held at 0 then."""
    draw = np.random.default_rng(seed)
    s, label = draw.uniform(0.05, 0.95, 40), np.r_[np.zeros(20), np.ones(20)]
    found = curves.fit("beta", s, label, span=(0, 1))
    sign = -1 if found.direction == "falls" else 1
    target = np.where(label == 1, 21 / 22, 1 / 22)

    def loss(a, b, c):
        p = expit(c + a * np.log(s) - b * np.log1p(-s))
        return -np.sum(target * np.log(p) + (1 - target) * np.log(1 - p))

    near = found.__dict__["a"], found.b, found.c
    moved = np.array(near) + 1e-3 * np.vstack([np.eye(3), -np.eye(3)])
    allowed = [each for each in moved if sign * each[0] >= 0 and sign * each[1] >= 0]
    assert sign * found.a >= 0 and sign * found.b >= 0
    assert all(loss(*each) >= loss(*near) - 1e-7 for each in allowed)


def test_beta_states_its_scale():
    score, label = labelled(101)
    found = curves.fit("beta", score, label)
    assert (found.low, found.high) == pytest.approx((score.min() - np.ptp(score) / 100, score.max() + np.ptp(score) / 100))
    assert f"{found.low:.3g} to {found.high:.3g}" in str(found)
    with pytest.raises(ParameterError, match="span"):
        curves.fit("beta", score, label, span=(0, 1))
    with pytest.raises(LabelError, match="2 different scores"):
        curves.fit("beta", np.repeat([0.0, 1.0], 10), [0, 1] * 10)


def test_ordinal_with_two_levels_is_the_logistic_curve():
    score, label = labelled()
    grid = np.linspace(-4, 4, 50)
    found = curves.fit("ordinal", score, label)
    assert found.at_least(grid, 1) == pytest.approx(curves.fit("logistic", score, label).predict(grid), abs=1e-6)


def test_ordinal_levels_sum_to_one_and_cuts_never_cross():
    curve = curves.fit("ordinal", *graded())
    grid = np.linspace(-8, 8, 300)
    found = curve.predict(grid)
    assert found.shape == (300, 4) and (found > 0).all() and found.sum(axis=1) == pytest.approx(np.ones(300))
    for level, place in zip(curve.levels, range(4), strict=True):
        assert curve.at_least(grid, level) == pytest.approx(found[:, place:].sum(axis=1))
    assert all((curve.at_least(grid, low) >= curve.at_least(grid, high)).all() for low, high in pairwise(curve.levels))
    assert (curve.from_level(3).predict(grid) == curve.at_least(grid, 3)).all() and curve.from_level(3).levels == (0.0, 1.0)


def test_ordinal_gradient_is_the_derivative():
    score, level = graded(60)
    targets = ordinal._targets(np.asarray(level) - 1, np.bincount(level)[1:])
    for seed in range(5):
        start = np.random.default_rng(seed).normal(size=4)
        assert check_grad(lambda at: ordinal._loss(at, score, targets)[0], lambda at: ordinal._loss(at, score, targets)[1], start) < 1e-3


def test_ordinal_has_the_greatest_likelihood_spelled_out():
    """The loss of the definition, P(level) as a difference of two logistic curves, is least at the fitted curve."""
    score, level = graded(80)
    counts, place = np.bincount(level)[1:], np.asarray(level) - 1
    targets = (np.where(place[:, None] == np.arange(4), counts[place][:, None], 0) + 1) / (counts[place][:, None] + 4)
    curve = curves.fit("ordinal", score, level)
    z = (score - score.mean()) / score.std()

    def loss(slope, *cuts):
        above = expit(slope * z[:, None] - np.array([-np.inf, *cuts, np.inf]))
        return -np.sum(targets * np.log(above[:, :-1] - above[:, 1:]))

    best = np.array([curve.slope, *curve.cuts])
    assert ordinal._loss(np.r_[best[:2], np.log(np.diff(best[1:]))], z, targets)[0] == pytest.approx(loss(*best))
    assert all(loss(*(best + step)) > loss(*best) for step in 0.01 * np.vstack([np.eye(4), -np.eye(4)]))


def test_ordinal_with_levels_nobody_gave_and_with_perfect_separation():
    score = np.arange(30.0)
    level = np.repeat([1, 3, 5], 10)
    found = curves.fit("ordinal", score, level, levels=[5, 4, 3, 2, 1])
    assert found.levels == (1, 2, 3, 4, 5) and found.counts == (10, 0, 10, 0, 10)
    assert np.isfinite(found.predict(score)).all() and (found.predict(score)[:, [1, 3]] > 0).all()
    assert found.predict([0.0, 15.0, 29.0]).argmax(axis=1).tolist() == [0, 2, 4]


def test_ordinal_refuses_levels_it_does_not_know():
    score, level = graded()
    with pytest.raises(LabelError, match=r"not one of the levels[\s\S]*1, 2, 3"):
        curves.fit("ordinal", score, level, levels=[1, 2, 3])
    with pytest.raises(LabelError, match="9 of level 1, 2 of level 2"):
        curves.fit("ordinal", np.arange(11.0), [1] * 9 + [2] * 2)
    with pytest.raises(ParameterError, match="no such level"):
        curves.fit("ordinal", score, level).at_least(score, 7)
    with pytest.raises(ParameterError, match="no such level"):
        curves.fit("ordinal", score, level).from_level(7)


@pytest.mark.parametrize("penalty", [0.1, 10.0])
def test_several_is_ridge_logistic_regression(penalty):
    """The rival: scikit-learn's L2 penalty, C = 1/penalty, each row as a 1 and as a 0 weighted by its target."""
    from sklearn.linear_model import LogisticRegression

    table, label = tabled()
    z = ((table - table.mean()) / table.std(ddof=0)).to_numpy()
    low, high = platt_targets(label)
    target = np.where(label == 1, high, low)
    rival = LogisticRegression(C=1 / penalty, tol=1e-12, max_iter=10_000).fit(
        np.vstack([z, z]), np.repeat([1, 0], len(z)), sample_weight=np.r_[target, 1 - target]
    )
    found = curves.fit("several", table, label, penalties=[penalty])
    assert found.slopes == pytest.approx(rival.coef_[0], abs=1e-4) and found.intercept == pytest.approx(rival.intercept_[0], abs=1e-4)


def test_several_prints_what_each_metric_does_and_reads_columns_by_name():
    """Length says nothing of the label: of 1,500 labels its effect per standard deviation has a standard error of about 0.06."""
    table, label = tabled(1500)
    found = curves.fit("several", table, label)
    assert found.names == ("support", "length", "copy") and found.coefficients().metric[0] in ("support", "copy")
    assert all(f"{name} {slope:+.3g}" in str(found) for name, slope in zip(found.names, found.slopes, strict=True))
    assert (found.predict(table[["copy", "support", "length"]]) == found.predict(table.to_numpy())).all()
    assert abs(dict(zip(found.names, found.slopes, strict=True))["length"]) < 0.2


def test_several_shrinks_noise_and_trusts_many_labels():
    """Eight metrics of noise, 60 labels: over 20 draws the squared slopes are on average less than half of the unpenalised ones."""
    kept, free = [], []
    for seed in range(20):
        draw = np.random.default_rng(seed)
        noise, label = draw.normal(size=(60, 8)), draw.permutation(np.repeat([0.0, 1.0], 30))
        kept.append(np.square(curves.fit("several", noise, label).slopes).sum())
        free.append(np.square(curves.fit("several", noise, label, penalties=[0.0]).slopes).sum())
    assert np.mean(kept) < 0.5 * np.mean(free)
    table, label = tabled(2000)
    found = curves.fit("several", table, label)
    assert found.slopes[0] == pytest.approx(curves.fit("several", table, label, penalties=[0.0]).slopes[0], abs=0.15)


@pytest.mark.parametrize(
    "change, complaint",
    [
        ({"support": np.nan}, "a score of 'support' is missing"),
        ({"length": 3.0}, "every score of 'length' is the same"),
    ],
)
def test_several_refuses_by_name(change, complaint):
    table, label = tabled()
    with pytest.raises(LabelError, match=complaint):
        curves.fit("several", table.assign(**change), label)


def test_several_refuses_shapes_that_do_not_fit():
    table, label = tabled()
    with pytest.raises(LabelError, match="every row of scores needs one label"):
        curves.fit("several", table["support"], label)
    with pytest.raises(LabelError, match="a name of its own"):
        several.fit(table, label, names=["a", "a", "b"])
    with pytest.raises(LabelError, match="one column of scores per metric"):
        curves.fit("several", table, label).predict(np.zeros((4, 2)))
