"""Groundedness by entailment: HCAT 3.2.2 spelled out, its laws, its refusals; and the metric on rules in place of a model."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from fake_tools import INSTRUMENTS
from hypothesis import given
from hypothesis import strategies as st

from ragassay.models import Entailment
from ragassay.scores import inference, score

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
