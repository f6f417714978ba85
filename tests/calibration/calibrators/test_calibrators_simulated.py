"""Calibrators against a truth that is known: each kind finds it, and the error shrinks as labels grow.

Mean distance between calibrator and truth over scores 0.02 to 0.98 (scores uniform on [0, 1], 40 simulations each):

    truth                    kind       n = 100   1,000    10,000
    logistic                 logistic   0.043     0.014    0.005
    beta                     beta       0.043     0.015    0.005
    one step                 isotonic   0.080     0.024    0.007     (isotonic_interpolated the same)
    one step                 boosted    0.078     0.027    0.015
    cubic                    isotonic   0.072     0.032    0.015     (isotonic_interpolated 0.070, 0.032, 0.015)
    cubic                    boosted    0.069     0.033    0.017
    proportional odds, 4     ordinal    0.039     0.012    0.004
"""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from ragassay.calibration import calibrators
from ragassay.calibration.calibrator_selection import cross_validate, fit

GRID = np.linspace(0.02, 0.98, 200)


def of_levels(score):
    """(n, 4) proportional odds with slope 3 and cuts 0, 1.5 and 3."""
    above = expit(3 * score[:, None] - np.array([-np.inf, 0.0, 1.5, 3.0, np.inf]))
    return above[:, :-1] - above[:, 1:]


TRUTHS = {
    "logistic": lambda x: expit(1 + 4 * (x - 0.5)),
    "beta": lambda x: expit(0.3 + 0.5 * np.log(x) - 2 * np.log1p(-x)),
    "step": lambda x: np.where(x < 0.4, 0.2, 0.8),
    "cubic": lambda x: 0.1 + 0.8 * x**3,
    "levels": of_levels,
}


def drawn(truth, n, seed):
    draw = np.random.default_rng([seed, n])
    score = draw.uniform(size=n)
    p, chance = TRUTHS[truth](score), draw.random(n)
    return score, (chance < p).astype(float) if p.ndim == 1 else 1.0 + (
        chance[:, None] > np.cumsum(p, axis=1)[:, :3]
    ).sum(axis=1)


def distance(truth, kind, n, simulations=20):
    found = [calibrators.fit(kind, *drawn(truth, n, seed)).predict(GRID) for seed in range(simulations)]
    return np.mean(np.abs(np.array(found) - TRUTHS[truth](GRID)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "truth, kind, limits",
    [
        ("logistic", "logistic", (0.06, 0.02, 0.007)),
        ("beta", "beta", (0.06, 0.02, 0.007)),
        ("step", "isotonic", (0.10, 0.035, 0.012)),
        ("step", "boosted", (0.10, 0.040, 0.020)),
        ("cubic", "isotonic", (0.10, 0.045, 0.020)),
        ("cubic", "boosted", (0.10, 0.045, 0.022)),
        ("levels", "ordinal", (0.06, 0.02, 0.007)),
    ],
)
def test_finds_the_truth_as_labels_grow(truth, kind, limits):
    far = [distance(truth, kind, n) for n in (100, 1000, 10_000)]
    assert all(each < limit for each, limit in zip(far, limits, strict=True)) and far[0] > far[1] > far[2]


def test_the_beta_curve_keeps_a_calibrated_score_as_it_is():
    """Scores that are probabilities already: a = b = 1, c = 0, which no logistic calibrator can say (40,000 labels, standard errors about 0.03)."""
    draw = np.random.default_rng(0)
    p = draw.uniform(size=40_000)
    found = calibrators.fit("beta", p, (draw.random(40_000) < p).astype(float))
    assert (found.a, found.b, found.c) == pytest.approx((1, 1, 0), abs=0.1)


def test_ordinal_finds_slope_and_cuts():
    """20,000 labels; standard errors about 0.05."""
    score, level = drawn("levels", 20_000, 1)
    found = calibrators.fit("ordinal", score, level)
    slope = found.slope / found.scale
    assert slope == pytest.approx(3, abs=0.2) and np.asarray(
        found.cuts
    ) + slope * found.centre == pytest.approx([0, 1.5, 3], abs=0.2)


def test_several_finds_the_weights_of_two_metrics():
    """Log-odds 1.0 and -0.5 per standard deviation and nothing from a third; 20,000 labels, standard errors about 0.02."""
    draw = np.random.default_rng(0)
    scores = draw.normal(size=(20_000, 3))
    label = (draw.random(20_000) < expit(scores @ [1.0, -0.5, 0.0])).astype(float)
    assert calibrators.fit("multivariate", scores, label).slopes == pytest.approx([1.0, -0.5, 0.0], abs=0.06)


def test_a_calibrator_selected_among_many_promises_no_more_than_one_given(simulations):
    """Choosing on the labels one fits must not buy over-confidence: 60 choices from 150 labels of a logistic truth, asked of the truth.

    Measured: mean log loss above that of the truth itself 0.0067 for the chosen calibrator, 0.0066 for the logistic alone. How often each kind
    is chosen (60 simulations; 20 for n = 2,000; beta with the range known):

        truth      n = 50            150               500               2,000
        logistic   55 logistic       59 logistic       60 logistic       20 logistic
        one step   55 logistic       43 logistic       55 free           20 free (17 isotonic, 3 boosted)
        cubic      59 logistic       50 logistic       56 logistic       15 logistic, 5 beta
    """
    given, chosen = [], []
    for seed in range(simulations(60)):
        score, label = drawn("logistic", 150, seed)
        rows = pd.DataFrame({"value": score, "label": label})
        found = fit(rows, cross_validate(rows, seed=seed))
        chosen.append(_excess(found.predict(GRID)))
        given.append(_excess(calibrators.fit("logistic", score, label).predict(GRID)))
    assert np.mean(chosen) < np.mean(given) + 0.01


def _excess(p):
    truth = TRUTHS["logistic"](GRID)
    return np.mean(truth * np.log(truth / p) + (1 - truth) * np.log((1 - truth) / (1 - p)))
