"""What one sentence holds that its passages do not, and the model over it: by hand, the formula, laws, refusals."""

import math

import numpy as np
import pytest

from ragassay.scores.families import support as support_model
from ragassay.scores.families.support import FEATURES, NAMES, Model, features, findings, probability, source

CONTEXTS = (
    "The Harbour Bank raised its card fee to 12 euros in March.",
    "Customers in Lisbon paid the fee by transfer.",
    "All branches closed on Monday.",
)


def found(sentence, cosines=(0.9, 0.5, 0.1)):
    return findings(sentence, source(CONTEXTS), cosines)


def test_findings_by_hand():
    """12 is 15, March is June, Lisbon is Porto."""
    one = found("The bank lowered its fee to 15 euros in June for all clients in Porto")
    assert one["numbers_missing"] == ["15"]
    assert one["dates_missing"] == ["month 6"]
    assert one["names_missing"] == ["Porto"]
    assert (one["words"], one["words_found"]) == (
        8,
        3,
    )  # bank, fee and euros of bank lowered fee 15 euros june clients porto
    assert (one["pairs"], one["pairs_found"]) == (7, 0)


SURE = [[0.9, 0.05, 0.05]]
KINDS = (*support_model.PER_SENTENCE, "borne_out")
COUNTS = {"words": 6, "words_found": 6, "words_together": 6, "pairs": 5, "pairs_found": 5}
PLAIN = (
    COUNTS
    | {"tokens": 10, "tokens_met": 10, "negation_new": False, "departure": ""}
    | dict.fromkeys(KINDS, ())
)


def test_features_by_hand():
    two = [
        PLAIN,
        PLAIN
        | {
            "words_found": 3,
            "words_together": 2,
            "tokens": 20,
            "tokens_met": 5,
            "numbers_missing": ("7",),
            "borne_out": (0.25, 1.0),
            "negation_new": True,
        },
    ]
    values = features(two, [[0.8, 0.1, 0.1], [0.2, 0.2, 0.6]])
    expected = {
        "words_found": 9 / 12, "words_together": 8 / 12,
        "tokens_met": 15 / 30, "least_met": 5 / 20, "pairs_found": 1.0, "numbers_missing": math.log(1.5), "negations_new": 0.5,
        "numbers_borne_out": math.log(1 + 1.25 / 2), "numbers_doubtful": math.log(1 + 0.75 / 2),
        "entailed": (10 * math.log(4) - 20 * math.log(4)) / 30,
    }  # fmt: skip
    assert {name: values[name] for name in expected} == pytest.approx(expected)


def test_a_long_answer_is_judged_not_by_single_amounts():
    stating = PLAIN | {"borne_out": (0.5,)}
    values = features([stating] * 3, SURE * 3)
    assert all(values[name] == 0.0 for name in support_model.SHORT)
    assert all(features([stating] * 2, SURE * 2)[name] > 0 for name in support_model.SHORT)
    assert features([stating], SURE, long=True) == values


def test_the_formula_spelled_out():
    fitted = Model(np.full(len(NAMES), 0.5), np.full(len(NAMES), 2.0), np.linspace(-1, 1, len(NAMES)), 0.3)
    values = features([PLAIN], SURE)
    odds = 0.3 + sum(
        (values[name] - 0.5) / 2 * b for name, b in zip(NAMES, np.linspace(-1, 1, len(NAMES)), strict=True)
    )
    assert probability(values, fitted) == pytest.approx(1 / (1 + math.exp(-odds)))


def test_the_shipped_coefficients_have_the_sign_their_meaning_asks_for():
    fitted = support_model.model()
    assert all(
        b * feature.sign >= 0
        for b, feature in zip(fitted.coefficients, FEATURES, strict=True)
        if feature.sign
    )
    assert (fitted.scales > 0).all()
    assert np.abs(fitted.coefficients).max() > 0.1


def test_a_copy_is_supported_and_a_changed_fact_less():
    fitted = support_model.model()
    copy, changed = (found(CONTEXTS[0]), found("The Harbour Bank lowered its card fee to 15 euros in March."))
    assert probability(features([copy], SURE), fitted) > probability(features([changed], SURE), fitted) + 0.1


def test_refusals():
    with pytest.raises(ValueError, match="one cosine per context sentence"):
        findings("A fee", source(CONTEXTS), [0.5])
    with pytest.raises(ValueError, match="at least one"):
        findings("A fee", source(()), [])
    with pytest.raises(ValueError, match="three probabilities"):
        features([PLAIN], [[0.5, 0.5]])
    with pytest.raises(ValueError, match="three probabilities"):
        features([], np.empty((0, 3)))
