"""Sentiment: how kind or harsh the words of an answer are, by VADER's lexicon and rules (HCAT section 4)."""

from functools import cache
from typing import Any

import numpy as np

from ragassay.scores.memo import remembered
from ragassay.scores.metric import NotApplicable, Result, sentence_scores
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools

LANGUAGE = "en"  # of the lexicon
LONGEST = 1_000  # characters of a sentence that are read: VADER's time grows with the square of their number


def sentiment(sample: Sample, tools: Tools) -> Result:
    """Mean compound valence of the answer's sentences, in [-1, 1]: above 0 kind, below 0 harsh.

    Raises NotApplicable if the answer is not in English, or holds no sentence. Source: Hutto, Gilbert (2014),
    VADER, ICWSM: the compound score of a sentence.
    """
    if sample.language != LANGUAGE:
        raise NotApplicable(f"the lexicon is English; the case is in {sample.language!r}")
    texts = [sentence.text for sentence in sample.answer_sentences]
    if not texts:
        raise NotApplicable("the answer holds no sentence")
    found = np.array([valence(text) for text in texts])
    return float(found.mean()), sentence_scores(sample.answer_sentences, found)


@remembered
def valence(text: str) -> float:
    """VADER's compound score of one sentence, in [-1, 1]; 0 where no word of the lexicon stands in it."""
    return float(_analyser().polarity_scores(text[:LONGEST])["compound"])


@cache
def _analyser() -> Any:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    return SentimentIntensityAnalyzer()
