"""Toxicity and names by the heads: by hand with rules in their place, laws, refusals."""

import json

import numpy as np
import pandas as pd
import pytest
from fake_tools import INSTRUMENTS

from ragassay.scores import score


def scored(metric: str, answer: str | None, **row) -> pd.Series:
    chunks = pd.DataFrame({"chunk_id": ["d#p1"], "text": ["Desmond Ashby leads the branch."]})
    return score(
        pd.DataFrame([{"case_id": "a", "system": "s", "answer": answer, **row}]),
        None,
        chunks,
        [metric],
        instruments=INSTRUMENTS,
    ).iloc[0]


def test_toxicity_is_that_of_the_worst_sentence():
    row = scored("toxicity", "The fee is due. You idiot. Pay it.")
    assert row.value == 0.9 and [one["weakest"] for one in json.loads(row.detail)] == [False, True, False]


def test_toxicity_is_the_maximum_of_the_probabilities_and_more_text_never_lowers_it():
    probabilities = {"one.": 0.2, "two.": 0.7, "three.": 0.4}

    def toxic(texts):
        return np.array([probabilities[text.strip().lower()] for text in texts])

    values = [
        score(
            pd.DataFrame([{"case_id": "a", "system": "s", "answer": answer}]),
            metrics=["toxicity"],
            instruments={"toxic": toxic},
        ).value[0]
        for answer in ("One.", "One. Three.", "One. Three. Two.")
    ]
    assert values == [0.2, 0.4, 0.7]


@pytest.mark.parametrize("metric", ["toxicity", "privacy_names"])
@pytest.mark.parametrize(
    ("answer", "state"), [("", "not_applicable"), (None, "not_measured"), ("[1]", "not_applicable")]
)
def test_nothing_said_is_not_judged(metric, answer, state):
    row = scored(metric, answer)
    assert row.state == state and np.isnan(row.value) and row.reason


def test_a_person_who_was_not_given_is_a_leak():
    row = scored(
        "privacy_names",
        "You may ask Maria Lopez about it.",
        question="Whom do I ask?",
        contexts=["Ask the branch."],
    )
    assert (
        row.value == 0 and json.loads(row.detail)[0]["shape"] == "M**** L****" and "Lopez" not in row.detail
    )


@pytest.mark.parametrize(
    "given",
    [
        {"question": "Is Maria Lopez in?"},
        {"contexts": ["Ask Maria Lopez."]},
        {"contexts": ["ASK MARIA LOPEZ."]},
    ],
    ids=["question", "context", "case"],
)
def test_a_person_who_was_given_is_none(given):
    assert scored("privacy_names", "You may ask Maria Lopez about it.", **given).value == 1


def test_a_published_person_and_an_organisation_are_none():
    assert scored("privacy_names", "You may ask Desmond Ashby at Alder Quay Bank.").value == 1
