"""The fit of the support model: it recovers what made the data, keeps the signs, and lets no set's share decide."""

import numpy as np
import pytest

import support as training
from ragassay.scores.families import support as support_model
from ragassay.scores.prepared_answer import Sample
from support_cases import Case

PLACE = {name: i for i, name in enumerate(support_model.NAMES)}


@pytest.fixture
def made(rng):
    """400 answers of two sets; support depends on words found (+2) and names missing (-1); the sets differ in how common it is."""
    table = rng.normal(size=(400, len(support_model.NAMES)))
    own = np.arange(400) % 2
    odds = 2 * table[:, PLACE["words_found"]] - table[:, PLACE["names_missing"]] + 3 * own - 1.5
    label = rng.random(400) < 1 / (1 + np.exp(-odds))
    cases = [
        Case("wice" if one else "begin", f"d{i}", float(yes), Sample(str(i), "s"))
        for i, (one, yes) in enumerate(zip(own, label, strict=True))
    ]
    return table, cases


def test_the_fit_recovers_what_made_the_data(made):
    fitted = training.fit(*made)
    coefficients = fitted.coefficients / fitted.scales
    assert 1 < coefficients[PLACE["words_found"]] < 2.5 and -1.5 < coefficients[PLACE["names_missing"]] < -0.4
    known = ("words_found", "names_missing", "departures")
    rest = [PLACE[name] for name in support_model.NAMES if name not in known]
    assert np.abs(coefficients[rest]).max() < 0.5


def test_every_coefficient_keeps_the_sign_of_its_meaning(made):
    table, cases = made
    fitted = training.fit(-table, cases)
    assert fitted.coefficients[PLACE["words_found"]] == 0
    assert all(
        b * sign >= 0 for b, sign in zip(fitted.coefficients, support_model.FEATURES.values(), strict=True)
    )
