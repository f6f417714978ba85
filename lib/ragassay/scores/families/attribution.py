"""Attribution: how much of an answer's support goes when the reference passages are taken away (Lesson 13.2).

An answer that rests on the passages named as holding it loses its support without them; one that rests on
nothing, or on others, does not.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from ragassay.scores.families.claims import supported_claims_rate
from ragassay.scores.families.similarity import similarity
from ragassay.scores.metric import NotApplicable, Result
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools

MEASURES: dict[str, Callable[[Sample, Tools], Result]] = {
    "groundedness": partial(similarity, these="answer", those="contexts"),
    "supported_claims_rate": supported_claims_rate,
}


def drop(whole: float, without: float) -> float:
    """What a score loses without the reference passages: the score with them minus that without; higher
    means that the answer rests on them more.

    Raises ValueError if one of the two is undefined. Source: Lesson section 13, exercise 2.
    """
    if whole != whole or without != without:
        raise ValueError("a score is undefined: its drop does not exist")
    return whole - without


def without_reference(sample: Sample) -> Sample:
    """The sample without the reference passages that were retrieved.

    Raises NotApplicable if none of them was retrieved, or nothing else was.
    """
    reference = set(sample.reference_chunk_ids or ())
    kept = [i for i, one in enumerate(sample.ids) if one not in reference]
    if len(kept) == len(sample.ids):
        raise NotApplicable("no reference passage was retrieved: there is none to take away")
    if not kept:
        raise NotApplicable("only reference passages were retrieved: nothing is left without them")
    contexts, ids = sample.contexts or (), sample.ids
    return replace(sample, contexts=tuple(contexts[i] for i in kept), context_ids=tuple(ids[i] for i in kept))


def attribution(sample: Sample, tools: Tools, of: str) -> Result:
    """What groundedness loses, in [0, 2], or the rate of supported claims, in [-1, 1]; below 0 where a
    passage only misled.
    """
    rest, measure = without_reference(sample), MEASURES[of]
    whole, without = measure(sample, tools)[0], measure(rest, tools)[0]
    taken = [one for one in sample.ids if one not in rest.ids]
    return drop(whole, without), [{"with": round(whole, 6), "without": round(without, 6), "taken": taken}]
