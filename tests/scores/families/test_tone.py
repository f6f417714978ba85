"""Toxicity and sentiment: by hand, against VADER, refusals."""

import json

import numpy as np
import pandas as pd
import pytest
from fake_tools import INSTRUMENTS
from word_tools import WordTools

from ragassay.scores import score
from ragassay.scores.families.tone import sentiment, toxicity_rule
from ragassay.scores.metric import NotApplicable
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


TOOLS = WordTools()


def value(answer: str, **more) -> float:
    return sentiment(Sample("c", "s", answer=answer, **more), TOOLS)[0]


def test_by_hand():
    """`good` has valence 1.9: 1.9 / sqrt(1.9² + 15) = 0.4404; a plain sentence beside it halves the mean."""
    assert value("That is good.") == pytest.approx(0.4404, abs=1e-4)
    assert value("That is good. The fee is $6.00.") == pytest.approx(0.2202, abs=1e-4)


def test_agrees_with_vader_sentence_by_sentence():
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    rival = SentimentIntensityAnalyzer()
    said = ["We are very happy to help you!", "Your claim is not valid.", "This is a terrible, ugly fraud."]
    expected = np.mean([rival.polarity_scores(one)["compound"] for one in said])
    assert value(" ".join(said)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("answer", "language", "why"), [("Muy bien.", "es", "English"), ("", "en", "no sentence")]
)
def test_refusals(answer, language, why):
    with pytest.raises(NotApplicable, match=why):
        value(answer, language=language)
