"""Support: the model's probability for the answer, and for each of its sentences alone, with what speaks against it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragassay.scores import premises, support, vectors
from ragassay.scores.measure.result import SHOWN, NotApplicable, Result, evidence
from ragassay.scores.sample import Sample
from ragassay.scores.support import Findings, Model
from ragassay.scores.tools import Tools

AGAINST, LISTED = 3, 10  # features named against a sentence; words listed of a kind


def probability(material: Sample, tools: Tools, model: Model | None = None) -> Result:
    """Probability that the contexts support the whole answer; each sentence's score is the probability it would have alone.

    `model` takes the place of the one that ships (`support.model()`).
    """
    these, those = material.answer_sentences, material.context_sentences
    fitted = model or support.model()
    found, chances, cosine = inspect(material, tools)
    value = support.probability(support.features(found, chances), fitted)
    alone = [support.features([one], row[None]) for one, row in zip(found, chances, strict=True)]
    scores = np.array([support.probability(values, fitted) for values in alone])
    detail = evidence(these, those, scores, vectors.nearest(cosine), flagged=vectors.least_met(scores))
    reasons = [
        _reasons(one, row, values, fitted) for one, row, values in zip(found, chances, alone, strict=True)
    ]
    return value, [record | reason for record, reason in zip(detail, reasons, strict=True)]


def inspect(material: Sample, tools: Tools) -> tuple[list[Findings], NDArray, NDArray]:
    """What the model's features are computed from: findings per answer sentence (m), probabilities (m, 3), cosines with the contexts (m, n).

    Raises
    ------
    NotApplicable
        If the answer or the contexts hold no sentence.
    """
    these, those = material.answer_sentences, material.context_sentences
    if not these or not those:
        raise NotApplicable(f"the {'contexts hold' if these else 'answer holds'} no sentence")
    texts, candidates = [one.text for one in these], [one.text for one in those]
    cosine = vectors.cosines(tools.embed(texts), tools.embed(candidates))
    source = support.source(tuple(candidates))
    found = [support.findings(text, source, row) for text, row in zip(texts, cosine, strict=True)]
    return found, tools.entail_base(premises.pairs(these, those, tools)).probabilities, cosine


def _reasons(found: Findings, chances: NDArray, values: dict[str, float], fitted: Model) -> dict[str, Any]:
    """What was seen in the sentence, and the features that take most from its log-odds of support."""
    parts = support.contributions(values, fitted)
    against = sorted((name for name in parts if parts[name] < 0), key=lambda name: parts[name])[:AGAINST]
    kinds = (*support.PER_SENTENCE, "paraphrases", "verbs_reworded")
    return {
        "similarity": round(found.similarity, 6),
        "entailment": round(float(chances[0]), 6),
        "contradiction": round(float(chances[2]), 6),
        "words_found": round(values["words_found"], 6),
        **{kind: [word[:SHOWN] for word in getattr(found, kind)[:LISTED]] for kind in kinds},
        "negation_new": found.negation_new,
        "against": {name: round(parts[name], 6) for name in against},
    }
