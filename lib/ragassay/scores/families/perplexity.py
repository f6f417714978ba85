"""Perplexity: how unlikely the answer's words are to a causal language model (HCAT section 3, by name)."""

import math

from ragassay.scores.metric import SHOWN, Result
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools

MOST = 1_000_000.0  # higher values are cut to it


def perplexity(sample: Sample, tools: Tools) -> Result:
    """exp of the mean negative log-likelihood of the answer's tokens, citations apart; lower is likelier."""
    value = float(tools.perplexity([sample.uncited])[0])
    if math.isnan(value):
        raise ValueError("the answer has no token that the language model could predict")
    return min(value, MOST), [{"text": sample.uncited[:SHOWN]}]
