"""Kinds of calibrator: by hand, against scikit-learn, laws (monotone, finite, JSON), refusals."""

import json

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from calibration.calibrators.drawn_scores import graded, labelled, tabled
from ragassay.calibration import calibrators
from ragassay.calibration.calibrators.base import platt_targets
from ragassay.errors import LabelError, ParameterError

BINARY = ("logistic", "beta", "isotonic", "isotonic_interpolated", "boosted")
ONE_SCORE = (*BINARY, "ordinal")


def acceptance(calibrator, scores):
    """P(highest label), whatever the kind."""
    found = calibrator.predict(scores)
    return found[:, -1] if found.ndim == 2 else found


def every_kind():
    yield from (calibrators.fit(kind, *labelled()) for kind in BINARY)
    yield calibrators.fit("ordinal", *graded())
    yield calibrators.fit("multivariate", *tabled())


@pytest.mark.parametrize("calibrator", every_kind(), ids=lambda calibrator: calibrator.kind)
def test_json_gives_the_same_calibrator_bit_for_bit(calibrator):
    again = calibrators.from_json(calibrator.to_json())
    scores = (
        np.random.default_rng(5).normal(size=(400, 3))
        if calibrator.kind == "multivariate"
        else np.linspace(-9, 9, 400)
    )
    assert type(again) is type(calibrator) and again == calibrator and again.to_json() == calibrator.to_json()
    assert (again.predict(scores) == calibrator.predict(scores)).all()


@pytest.mark.parametrize("calibrator", every_kind(), ids=lambda calibrator: calibrator.kind)
def test_json_of_something_else_is_refused(calibrator):
    fields = json.loads(calibrator.to_json())
    one = next(iter(fields))
    wild = [
        {**fields, "extra": 1},
        {**fields, one: "x"},
        {**fields, one: None},
        {**fields, one: float("nan")},
    ]
    absent = {name: fields[name] for name in fields if name != one}
    for text in ("", "[1]", "{}", "[" * 100_000, *map(json.dumps, [*wild, absent])):
        with pytest.raises(ValueError, match="expected"):
            calibrators.from_json(text)


@pytest.mark.parametrize(
    "kind, change",
    [
        ("isotonic", {"values": [0.5]}),
        ("isotonic", {"edges": [0.0], "values": [0.1, 1.2]}),
        ("isotonic_interpolated", {"values": [0.5]}),
        ("isotonic_interpolated", {"at": [1.0, 0.0], "values": [0.1, 0.2]}),
        ("isotonic_interpolated", {"at": [0.0, 1.0], "values": [0.1, 1.2]}),
        ("boosted", {"edges": [0.0]}),
        ("boosted", {"edges": [0.0], "values": [-0.1, 0.4]}),
        ("boosted", {"edges": [0.0, 1.0], "values": [0.1, 0.9, 0.4]}),
        ("beta", {"low": 1.0, "high": 1.0}),
        ("beta", {"a": 1.0, "b": -1.0}),
        ("logistic", {"scale": 0.0}),
    ],
)
def test_json_of_an_impossible_curve_is_refused(kind, change):
    fields = json.loads(calibrators.fit(kind, *labelled()).to_json())
    with pytest.raises(ValueError, match=f"expected a {kind} calibrator"):
        calibrators.from_json(json.dumps({**fields, **change}))


@pytest.mark.parametrize("kind", ONE_SCORE)
@pytest.mark.parametrize("sign", [1, -1])
def test_monotone_in_the_sense_of_the_labels(kind, sign):
    score, label = labelled()
    calibrator = calibrators.fit(kind, sign * score, label)
    found = acceptance(calibrator, np.linspace(-6, 6, 500))
    assert (sign * np.diff(found) >= 0).all() and found[0] != found[-1]
    assert calibrator.direction == ("rises" if sign > 0 else "falls")


@pytest.mark.parametrize("kind", ONE_SCORE)
@pytest.mark.parametrize("n", [10, 100])
def test_perfect_separation_stays_finite_and_promises_no_certainty(kind, n):
    score, label = np.arange(float(n)), np.repeat([0.0, 1.0], n // 2)
    found = acceptance(calibrators.fit(kind, score, label), score)
    assert ((found > 0) & (found < 1)).all() and found[0] < 0.5 < found[-1]
    if kind in ("isotonic", "isotonic_interpolated", "boosted"):
        assert platt_targets(label)[0] <= found[0] and found[-1] <= platt_targets(label)[1]


@pytest.mark.parametrize("kind", ONE_SCORE)
def test_a_missing_score_has_no_probability_and_one_far_out_has(kind):
    found = acceptance(calibrators.fit(kind, *labelled()), [np.nan, -1e12, 0.0, 1e12])
    assert np.isnan(found).tolist() == [True, False, False, False] and found[1] <= found[2] <= found[3]


@pytest.mark.parametrize("kind", ONE_SCORE)
def test_free_of_the_score_s_unit_and_the_rows_order(kind):
    score, label = labelled()
    order = np.random.default_rng(1).permutation(len(score))
    plain = acceptance(calibrators.fit(kind, score, label), score)
    assert acceptance(calibrators.fit(kind, 1e-3 * score + 40, label), 1e-3 * score + 40) == pytest.approx(
        plain, abs=1e-6
    )
    assert acceptance(calibrators.fit(kind, score[order], label[order]), score) == pytest.approx(
        plain, abs=1e-6
    )


@settings(max_examples=60, deadline=None)
@given(st.data())
@pytest.mark.parametrize("kind", ONE_SCORE)
def test_whatever_the_scores_a_curve_or_a_refusal(kind, data):
    pairs = data.draw(
        st.lists(
            st.tuples(st.floats(-1e6, 1e6) | st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 1.0])),
            min_size=8,
            max_size=40,
        )
    )
    score, label = np.array(pairs).T
    try:
        calibrator = calibrators.fit(kind, score, label)
    except LabelError:
        assume(False)
    found = acceptance(calibrator, np.sort(score))
    assert ((found >= 0) & (found <= 1)).all() and calibrators.from_json(calibrator.to_json()) == calibrator
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
    (np.r_[TEN[:9], -1e200], [0, 1] * 5, "row 9"),
    (TEN, [0, 1] * 4 + [0, np.nan], "row 9"),
    (TEN, [0, 1], "every score needs one label"),
    ([], [], "too few labels"),
]


@pytest.mark.parametrize("kind", ONE_SCORE)
@pytest.mark.parametrize("scores, labels, complaint", REFUSED)
def test_refuses(kind, scores, labels, complaint):
    with pytest.raises(LabelError, match=complaint):
        calibrators.fit(kind, scores, labels)


def test_refuses_a_kind_there_is_not():
    with pytest.raises(ParameterError, match=r"spline[\s\S]*logistic, ordinal"):
        calibrators.fit("spline", *labelled())
