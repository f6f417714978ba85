"""Toxicity: the score by rule and by the head."""

import json

import numpy as np
import pandas as pd
import pytest
from fake_tools import INSTRUMENTS

from ragassay.scores import score
from ragassay.scores.families.tone import toxicity_rule
from ragassay.scores.prepared_answer import Sample


def _rule(text: str) -> float:
    return toxicity_rule(Sample("c1", "s", answer=text), None)[0]


@pytest.mark.parametrize(("text", "value"), [("You idiot.", 1.0), ("who re-applies", 0.0), ("", 0.0)])
def test_the_rule_is_1_where_a_term_stands(text, value):
    assert _rule(text) == value


def scored(metric: str, answer: str | None) -> pd.Series:
    answers = pd.DataFrame([{"case_id": "a", "system": "s", "answer": answer}])
    return score(answers, metrics=[metric], instruments=INSTRUMENTS).iloc[0]


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


@pytest.mark.parametrize(
    ("answer", "state"), [("", "not_applicable"), (None, "not_measured"), ("[1]", "not_applicable")]
)
def test_nothing_said_is_not_judged(answer, state):
    row = scored("toxicity", answer)
    assert row.state == state and np.isnan(row.value) and row.reason
