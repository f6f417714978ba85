"""Numeric groundedness: whether the passages bear out each number of an answer, for what it is said of."""

from typing import Any

import numpy as np

from ragassay.scores.metric import SHOWN, NotApplicable, Result
from ragassay.scores.numbers.number_tracing import GIVEN, Trace, trace_numbers
from ragassay.scores.numbers.stated_amounts import stated_amounts
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools

LISTED = 50  # numbers listed as evidence, the least borne out first


def numeric_groundedness(sample: Sample, tools: Tools, aggregation: str = "mean") -> Result:
    """How far the passages bear out the answer's numbers: their mean or `minimum`, in [0, 1]; higher is
    better.

    Numbers that the question gives, years and dates do not count.
    """
    stated = stated_amounts(sample.contexts or ())
    found = [
        (one, sentence.text)
        for sentence in sample.answer_sentences
        for one in trace_numbers(sentence.text, stated, sample.question or "")
        if one.verdict != GIVEN
    ]
    if not found:
        raise NotApplicable("the answer states no number but the question's, years and dates")
    scores = [one.score for one, _ in found]
    detail = sorted((_record(one, text, sample) for one, text in found), key=lambda record: record["score"])
    return float(min(scores) if aggregation == "minimum" else np.mean(scores)), detail[:LISTED]


def _record(one: Trace, sentence: str, sample: Sample) -> dict[str, Any]:
    """A number, where it stands in the passages or how it follows from them."""
    known = one.passage is not None and len(sample.context_ids or ()) == len(sample.contexts or ())
    return {
        "text": one.text,
        "score": round(one.score, 6),
        "verdict": one.verdict,
        "found": one.found[:SHOWN],
        "row": one.item[:SHOWN],
        "column": one.column[:SHOWN],
        "derivation": one.step,
        "evidence_id": sample.ids[one.passage or 0] if known else None,
        "sentence": sentence[:SHOWN],
    }
