"""Parts of the hybrid assessment by heads: entailment, contradiction, acceptability (Hybrid 2.5, 2.6 a)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragassay.scores.families import inference
from ragassay.scores.families.hybrid_parts import mean_of_parts
from ragassay.scores.metric import SHOWN, Detail, Result, sentence_scores
from ragassay.scores.prepared_answer import Sample, Sentence
from ragassay.scores.shared_instruments import Tools

# weights of the texts judged for acceptability: the sentence alone, and after question or context
ALONE, PAIRED = 1.0, 2.0


def nli_coherence(sample: Sample, tools: Tools, side: str) -> Result:
    """2.5 a: entailment and half of neutral, from the sentences of the question or the contexts nearest to
    each answer sentence.
    """
    found = _entailment(sample, tools, side)
    each = entailment_credit(found)
    return float(each.mean()), _evidence(sample.answer_sentences, found, each, lowest=True)


def entailment_credit(probabilities: ArrayLike) -> NDArray[np.float64]:
    """The probability of entailment and half that of neutral, in [0, 1], of (k, 3) entailment, neutral,
    contradiction; shape (k,).

    Raises ValueError if there is no sentence. Source: Hybrid 2.5 a, "entailment given full weight and neutral
    given half weight".
    """
    found = np.asarray(probabilities, dtype=float)
    if len(found) == 0:
        raise ValueError("no sentence was judged")
    return found @ np.array([1.0, 0.5, 0.0])


def contradiction(sample: Sample, tools: Tools) -> Result:
    """Mean probability that the contexts contradict an answer sentence; LOWER is better.

    Source: Hybrid 2.6 a.
    """
    found = _entailment(sample, tools, "contexts")
    return float(found[:, 2].mean()), _evidence(sample.answer_sentences, found, found[:, 2], lowest=False)


def acceptability(sample: Sample, tools: Tools) -> Result:
    """Answer sentences that are acceptable English."""
    found = tools.acceptable([one.text for one in sample.answer_sentences])
    return mean_of_parts(list(found)), sentence_scores(sample.answer_sentences, found)


def pair_acceptability(sample: Sample, tools: Tools) -> Result:
    """Answer sentences alone, after the question, and after the nearest context sentence."""
    these = [one.text for one in sample.answer_sentences]
    asked = " ".join(one.text for one in sample.question_sentences)
    before = inference.choose_premises(these, [one.text for one in sample.context_sentences], tools, 1)
    texts = [
        *these,
        *(f"{asked} {text}" for text in these),
        *(f"{context} {text}" for (context, _), text in zip(before, these, strict=True)),
    ]
    alone, after_question, after_context = tools.acceptable(texts).reshape(3, len(these))
    value = mean_in_pairs(alone, after_question, after_context)
    return value, [
        {
            "text": text[:SHOWN],
            "score": round(float(a), 6),
            "after_question": round(float(q), 6),
            "after_context": round(float(c), 6),
        }
        for text, a, q, c in zip(these, alone, after_question, after_context, strict=True)
    ]


def mean_in_pairs(alone: ArrayLike, after_question: ArrayLike, after_context: ArrayLike) -> float:
    """Mean probability that a text is acceptable English, of the answer's sentences alone (k,) and in pairs,
    in [0, 1]; higher is better.

    after_question, after_context : (k,) of each sentence joined to the question or to its nearest context
        sentence; these count twice

    Source: Hybrid 2.5 b, "higher weights given to query-response and context-response pairs"; weights 1, 2, 2
    are ours.
    """
    means = [np.mean(np.asarray(part, dtype=float)) for part in (alone, after_question, after_context)]
    return float(np.average(means, weights=[ALONE, PAIRED, PAIRED]))


def _entailment(sample: Sample, tools: Tools, side: str) -> NDArray:
    return tools.entail(
        inference.premise_pairs(sample.answer_sentences, sample.sentences_of(side), tools)
    ).probabilities


def _evidence(these: Sequence[Sentence], found: NDArray, scores: NDArray, lowest: bool) -> Detail:
    names = ("entailment", "neutral", "contradiction")
    rows = [dict(zip(names, (round(float(one), 6) for one in row), strict=True)) for row in found]
    return [record | row for record, row in zip(sentence_scores(these, scores, lowest), rows, strict=True)]
