"""Citations: which passages an answer names, whether they were retrieved, and whether they hold what is said
(Lesson sections 2 and 4.1). The grammar of an id stands in citation_grammar.py.
"""

import numpy as np

from ragassay.models import entailment_thresholds
from ragassay.scores.families import inference
from ragassay.scores.metric import Detail, Result
from ragassay.scores.numbers.amounts import missing_numbers
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools


def citations_present(sample: Sample, tools: Tools) -> Result:
    """Share of the answer's sentences that cite anything, in [0, 1]; higher is better.

    Source: Lesson sections 3.1 (`citations_present`) and 10.1, here a share instead of yes or no.
    """
    return sum(bool(ids) for _, ids in sample.cited) / len(sample.cited), [
        {"text": text, "score": float(bool(ids)), "cited": list(ids)} for text, ids in sample.cited
    ]


def citation_correctness(sample: Sample, tools: Tools) -> Result:
    """Share of the cited ids, each counted every time, that were retrieved, by id or by their number among
    the passages, in [0, 1]; higher is better; 0 where nothing is cited (decision 6).

    Source: Lesson section 4.1, `citation_correctness`.
    """
    detail: Detail = [
        {"id": one, "score": float(bool(sample.places(one))), "text": text}
        for text, ids in sample.cited
        for one in ids
    ]
    return _share(detail), detail


def citations_valid(sample: Sample, tools: Tools) -> Result:
    """1 if every cited id was retrieved, else 0; higher is better.

    Source: Lesson section 3.1, `must_pass.citations_valid`.
    """
    value, detail = citation_correctness(sample, tools)
    return float(value == 1.0), detail


def citations_supported(sample: Sample, tools: Tools) -> Result:
    """Share of the citing sentences that the passages they cite, taken together, support, in [0, 1]; higher
    is better; 0 where nothing is cited (decision 6): a sentence of theirs is near enough (the calibrated
    threshold), and every number is found.

    Source: Lesson section 1 ("citations refer to the correct chunk ids and are sufficient to justify the
    claim").
    """
    least, detail = entailment_thresholds.threshold("citation_similarity"), Detail()
    for text, ids in ((text, ids) for text, ids in sample.cited if ids):
        sentences, numbers = (
            sample.passage_sentences(ids),
            sorted(missing_numbers(text, sample.passages(ids))),
        )
        cosine = tools.cosines([text], sentences)[0] if sentences else np.array([-1.0])
        detail.append(
            {
                "text": text,
                "score": float(cosine.max() >= least and not numbers),
                "cited": list(ids),
                "evidence": sentences[int(cosine.argmax())] if sentences else None,
                "similarity": cosine.max() if sentences else None,
                "numbers_missing": numbers[:20],
            }
        )
    return _share(detail), detail


def citations_entailed(sample: Sample, tools: Tools) -> Result:
    """Share of the citing sentences that what they cite entails, in [0, 1]; higher is better."""
    threshold = entailment_thresholds.threshold("citations")
    detail: Detail = []
    for text, ids in ((text, ids) for text, ids in sample.cited if ids):
        passage = sample.passage_sentences(ids)
        premise = inference.choose_premises([text], passage, tools)[0][0] if passage else None
        found = float(tools.entail([(premise, text)]).probabilities[0, 0]) if premise else 0.0
        detail.append(
            {
                "text": text,
                "score": float(round(found, 6) >= threshold),
                "cited": list(ids),
                "evidence": premise if premise else None,
                "entailment": found,
            }
        )
    return _share(detail), detail


def _share(detail: Detail) -> float:
    return sum(record["score"] for record in detail) / len(detail) if detail else 0.0
