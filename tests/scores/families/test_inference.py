"""Groundedness by entailment: HCAT 3.2.2 spelled out, its laws, its refusals; and the metric on rules in place of a model."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from fake_tools import INSTRUMENTS

from ragassay.models import Entailment
from ragassay.scores import score
from ragassay.scores.families import inference


def test_by_hand():
    assert inference.sigma([0.0, 1.5]).tolist() == pytest.approx([0.5, 1 / (1 + math.exp(-1.5))])


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


def test_a_model_without_a_distance_leaves_the_reason():
    def foreign(pairs):
        return Entailment(np.full((len(pairs), 3), 1 / 3), np.zeros(len(pairs)), np.full(len(pairs), np.nan))

    row = scored("The fee is due.", entail=foreign)
    assert np.isnan(row.value) and row.state == "error" and "no linear last layer" in row.reason


SCATTERED = {  # an answer sentence whose words stand in four passages
    "case_id": "a",
    "system": "s",
    "answer": "Alpha beta gamma delta.",
    "contexts": ["Alpha one.", "Beta two.", "Gamma three.", "Delta four."],
}
NEUTRAL, ENTAILED = (
    (math.log(entailed) - (math.log(0.05) + math.log(other)) / 2) / 2
    for entailed, other in ((0.05, 0.9), (0.9, 0.05))
)  # D of the rules: z / 2


def held_against(premise: str, **instruments) -> pd.Series:
    return score(
        pd.DataFrame([SCATTERED]),
        metrics=["groundedness_nli"],
        instruments=INSTRUMENTS | instruments,
        premise=premise,
    ).iloc[0]


@pytest.mark.parametrize("premise, distance, sentences", [("nearest", NEUTRAL, 3), ("whole", ENTAILED, 4)])
def test_the_premise_is_the_nearest_three_sentences_or_hcat_s_whole_context(premise, distance, sentences):
    """The sentence follows from the four passages together and from no three of them."""
    row = held_against(premise, premise_spans=lambda asked: [[(0, len(those))] for those, _ in asked])
    found = json.loads(row.detail)[0]
    assert row.value == pytest.approx(1 / (1 + math.exp(-distance)), abs=1e-6)
    assert found["evidence"].count(".") == sentences and found.get("pieces") == (
        1 if premise == "whole" else None
    )


def test_of_a_context_in_pieces_the_one_that_entails_most_counts():
    """Two sentences to a piece: neither holds all four words; the answer's second half stands in the second."""
    assert held_against("whole").value == pytest.approx(1 / (1 + math.exp(-NEUTRAL)), abs=1e-6)
    halves = SCATTERED | {"answer": "Gamma delta."}
    row = score(
        pd.DataFrame([halves]), metrics=["groundedness_nli"], instruments=INSTRUMENTS, premise="whole"
    ).iloc[0]
    found = json.loads(row.detail)[0]
    assert row.value == pytest.approx(1 / (1 + math.exp(-ENTAILED)), abs=1e-6)
    assert (found["evidence"], found["pieces"]) == ("Gamma three. Delta four.", 2)
