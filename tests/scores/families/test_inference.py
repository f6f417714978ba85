"""Groundedness by entailment: HCAT 3.2.2 spelled out, its laws, its refusals; and the metric on rules in place of a model."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from fake_tools import INSTRUMENTS, FakeTools
from hypothesis import given
from hypothesis import strategies as st

from ragassay.models import Entailment
from ragassay.scores import score
from ragassay.scores.families import inference
from ragassay.scores.sample import Sentence

FINITE = st.floats(-50, 50)


def test_by_hand():
    assert inference.sigma([0.0, 1.5]).tolist() == pytest.approx([0.5, 1 / (1 + math.exp(-1.5))])


@given(FINITE, FINITE)
def test_sigma_rises_and_stays_within_0_and_1(one, other):
    low, high = sorted((one, other))
    assert 0 <= inference.sigma(low) <= inference.sigma(high) <= 1
    assert inference.sigma(-one) == pytest.approx(1 - inference.sigma(one))


ANSWER = {
    "case_id": "a",
    "system": "s",
    "question": "What is due?",
    "contexts": ["The fee is due in May. Dogs bark.", "A card is free."],
}


def scored(answer: str, metric: str = "groundedness_nli", **instruments) -> pd.Series:
    return score(
        pd.DataFrame([ANSWER | {"answer": answer}]), metrics=[metric], instruments=INSTRUMENTS | instruments
    ).iloc[0]


def test_the_metric_is_the_mean_of_sigma_over_sentences():
    row = scored("The fee is due. Cats sing loudly.")
    detail = json.loads(row.detail)
    assert [record["weakest"] for record in detail] == [False, True] and detail[0]["entailment"] == 0.9
    assert row.value == pytest.approx(
        np.mean([1 / (1 + math.exp(-record["D"])) for record in detail]), abs=1e-5
    )
    assert row.value > scored("The fee is due. Cats sing loudly.", "groundedness_nli_min").value


def test_a_supported_answer_scores_above_a_contradicted_one():
    assert scored("The fee is due.").value > scored("The fee is not due.").value


def test_a_model_without_a_distance_leaves_the_reason():
    def foreign(pairs):
        return Entailment(np.full((len(pairs), 3), 1 / 3), np.zeros(len(pairs)), np.full(len(pairs), np.nan))

    row = scored("The fee is due.", entail=foreign)
    assert np.isnan(row.value) and row.state == "error" and "no linear last layer" in row.reason


COSINES = st.lists(st.floats(-1, 1), min_size=1, max_size=12)


def test_the_three_nearest_in_the_order_they_stand():
    assert inference.premise(np.array([0.1, 0.9, 0.3, 0.8]), list("abcd")) == ("b c d", [1, 2, 3])


def test_a_repeated_sentence_counts_once():
    text, places = inference.premise(np.array([0.9, 0.9, 0.2, 0.1]), ["a", "a", "b", "c"])
    assert text == "a b c" and places == [0, 2, 3]


@given(COSINES, st.integers(1, 5))
def test_what_is_chosen_is_at_least_as_near_as_what_is_not(cosine, k):
    _, places = inference.premise(np.array(cosine), [str(i) for i in range(len(cosine))], k)
    left = [value for place, value in enumerate(cosine) if place not in places]
    assert len(places) == min(k, len(cosine)) and places == sorted(places)
    assert not left or min(cosine[place] for place in places) >= max(left) - 1e-9


def test_one_pair_per_sentence():
    these = [Sentence("the fee is due"), Sentence("a card is free")]
    those = [
        Sentence("cards are free"),
        Sentence("the fee is due in May"),
        Sentence("a card is free here"),
        Sentence("dogs bark"),
    ]
    found = inference.premise_pairs(these, those, FakeTools(), k=1)
    assert found == [("the fee is due in May", "the fee is due"), ("a card is free here", "a card is free")]
    assert inference.premise_pairs([], those, FakeTools()) == []


def test_no_candidates_is_refused():
    with pytest.raises(ValueError, match="empty"):
        inference.premise_pairs([Sentence("a")], [], FakeTools())
