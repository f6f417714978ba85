"""Sentiment: by hand, against VADER itself, its laws, its refusals."""

import numpy as np
import pandas as pd
import pytest
from word_tools import WordTools

from ragassay import scores
from ragassay.scores.families.tone import sentiment
from ragassay.scores.metric import NotApplicable
from ragassay.scores.prepared_answer import Sample

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


def test_it_is_computed_only_where_it_is_named():
    assert "sentiment" not in scores.DEFAULT and "sentiment" not in scores.choose("")
    answers = pd.DataFrame({"case_id": ["a"], "system": ["s"], "answer": ["I could not find this."]})
    assert scores.score(answers, metrics=["sentiment"])["state"].tolist() == ["scored"]
