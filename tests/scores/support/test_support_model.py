"""Support: findings by hand, the logistic formula spelled out, the laws its signs promise, its refusals."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.scores.support import support_model
from ragassay.scores.support.support_findings import Findings, findings, source
from ragassay.scores.support.support_model import FEATURES, NAMES, Model, features, probability

CONTEXTS = (
    "The Harbour Bank raised its card fee to 12 euros in March.",
    "Customers in Lisbon paid the fee by transfer.",
    "All branches closed on Monday.",
)
SURE = [[0.9, 0.05, 0.05]]
PLAIN = Findings(0.9, 6, 6, 6, 5, 5, *[()] * 8, negation_new=False, tokens=10, tokens_met=10)


def found(sentence, cosines=(0.9, 0.5, 0.1)):
    return findings(sentence, source(CONTEXTS), cosines)


def even(value=0.0):
    """A model that gives every feature one unit of its sign."""
    signs = np.array([feature.sign for feature in FEATURES], dtype=float)
    return Model(np.zeros(len(NAMES)), np.ones(len(NAMES)), signs, value)


def test_features_by_hand():
    two = [
        PLAIN,
        replace(
            PLAIN,
            similarity=0.5,
            words_found=3,
            words_together=2,
            tokens=20,
            tokens_met=5,
            paraphrases=("clients",),
            numbers_missing=("7",),
            borne_out=(0.25, 1.0),
            negation_new=True,
        ),
    ]
    values = features(two, [[0.8, 0.1, 0.1], [0.2, 0.2, 0.6]])
    expected = {
        "words_found": 9 / 12, "words_together": 8 / 12,
        "tokens_met": 15 / 30, "least_met": 5 / 20, "pairs_found": 1.0, "paraphrases": math.log(1.5), "numbers_missing": math.log(1.5), "negations_new": 0.5,
        "numbers_borne_out": math.log(1 + 1.25 / 2), "numbers_doubtful": math.log(1 + 0.75 / 2),
        "entailed": (10 * math.log(4) - 20 * math.log(4)) / 30,
    }  # fmt: skip
    assert {name: values[name] for name in expected} == pytest.approx(expected)


def test_a_long_answer_is_judged_neither_by_rewording_nor_by_single_amounts():
    reworded = replace(PLAIN, paraphrases=("clients",), verbs_reworded=("paid",), borne_out=(0.5,))
    values = features([reworded] * 3, SURE * 3)
    assert all(values[name] == 0.0 for name in support_model.SHORT)
    assert all(features([reworded] * 2, SURE * 2)[name] > 0 for name in support_model.SHORT)
    assert features([reworded], SURE, long=True) == values


def test_how_far_an_answer_is_entailed_is_held_and_weighed_by_tokens():
    """Certain in ten tokens, at a quarter in thirty: (10 * 4 + 30 * log(1 / 3)) / 40; neutral or not is all one."""
    longer = replace(PLAIN, tokens=30, tokens_met=30)
    for rest in ([0.75, 0.0], [0.0, 0.75]):
        value = features([PLAIN, longer], [[1.0, 0.0, 0.0], [0.25, *rest]])["entailed"]
        assert value == pytest.approx((40 - 30 * math.log(3)) / 40)
    assert features([PLAIN], [[0.0, 0.5, 0.5]])["entailed"] == pytest.approx(-support_model.SURE)


@pytest.mark.parametrize("fitted", [even(), support_model.model()])
def test_an_amount_borne_out_less_never_helps(fitted):
    values = [
        probability(features([replace(PLAIN, borne_out=(score,))], SURE), fitted) for score in (0, 0.5, 1)
    ]
    assert values == sorted(values)


def test_the_formula_spelled_out():
    fitted = Model(np.full(len(NAMES), 0.5), np.full(len(NAMES), 2.0), np.linspace(-1, 1, len(NAMES)), 0.3)
    values = features([PLAIN], SURE)
    odds = 0.3 + sum(
        (values[name] - 0.5) / 2 * b for name, b in zip(NAMES, np.linspace(-1, 1, len(NAMES)), strict=True)
    )
    assert probability(values, fitted) == pytest.approx(1 / (1 + math.exp(-odds)))
    assert sum(support_model.contributions(values, fitted).values()) == pytest.approx(odds - 0.3)


@pytest.mark.parametrize("kind", support_model.PER_SENTENCE)
def test_more_that_is_missing_never_helps(kind):
    worse = replace(PLAIN, **{kind: ("something",)})
    for fitted in (even(), support_model.model()):
        assert probability(features([worse], SURE), fitted) <= probability(features([PLAIN], SURE), fitted)


@pytest.mark.parametrize("kind", ["words_found", "words_together", "tokens_met", "pairs_found"])
def test_less_that_is_found_never_helps(kind):
    worse = replace(PLAIN, **{kind: 1})
    for fitted in (even(), support_model.model()):
        assert probability(features([worse], SURE), fitted) <= probability(features([PLAIN], SURE), fitted)


@pytest.mark.parametrize("length", [1, 3, 6])
def test_a_copied_sentence_more_never_harms_a_long_answer(length):
    weak = replace(PLAIN, similarity=0.4, words_found=2, words_together=2, pairs_found=0, tokens_met=3)
    answer = [weak] * 3 + [PLAIN] * length
    before, after = (features(one, SURE * len(one)) for one in (answer, [*answer, PLAIN]))
    assert probability(after, support_model.model()) >= probability(before, support_model.model())


@pytest.mark.parametrize("length", [1, 3, 6])
def test_an_invented_sentence_lowers_a_supported_answer(length):
    invented = replace(
        PLAIN,
        similarity=0.2,
        words_found=1,
        words_together=1,
        pairs_found=0,
        tokens_met=2,
        names_missing=("X",),
    )
    before = features([PLAIN] * length, SURE * length)
    after = features([PLAIN] * length + [invented], [*SURE * length, [0.05, 0.85, 0.1]])
    assert probability(after, support_model.model()) < probability(before, support_model.model()) - 0.01


def test_more_entailment_never_hurts():
    chances = [0.1, 0.5, 0.9]
    for fitted in (even(), support_model.model()):
        values = [probability(features([PLAIN], [[one, 0.95 - one, 0.05]]), fitted) for one in chances]
        assert values == sorted(values)


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
    copy, changed = found(CONTEXTS[0]), found("The Harbour Bank lowered its card fee to 15 euros in March.")
    assert probability(features([copy], SURE), fitted) > probability(features([changed], SURE), fitted) + 0.1


@given(st.text(min_size=1), st.lists(st.text(min_size=1), min_size=1, max_size=4))
def test_any_text_gets_a_probability(sentence, contexts):
    one = findings(sentence, source(tuple(contexts)), np.linspace(-1, 1, len(contexts)))
    assert 0 < probability(features([one], SURE), support_model.model()) < 1
    assert one.words_together <= one.words_found <= one.words and one.pairs_found <= one.pairs


def test_refusals():
    with pytest.raises(ValueError, match="one cosine per context sentence"):
        findings("A fee", source(CONTEXTS), [0.5])
    with pytest.raises(ValueError, match="at least one"):
        findings("A fee", source(()), [])
    with pytest.raises(ValueError, match="three probabilities per sentence"):
        features([PLAIN], [[0.5, 0.5]])
    with pytest.raises(ValueError, match="at least one sentence"):
        features([], np.empty((0, 3)))
