"""An answer beside the reference answer: which sentences belong to what is wanted, which facts it tells."""

from collections.abc import Sequence

from numpy import zeros
from numpy.typing import NDArray

from ragassay.scores import reference_alignment
from ragassay.scores.metric import SHOWN, Detail
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools
from ragassay.scores.text_reading.answer_state import declines

ANSWERS = 0.55  # cosine of a sentence with the question from which it answers it, where no label says
Cited = tuple[str, tuple[str, ...]]


def informative(cited: Sequence[Cited]) -> list[Cited]:
    """The sentences that say something beside "no document answers", each with what it cites."""
    return [(text, ids) for text, ids in cited if not declines(text)]


def sentences_wanted(sample: Sample, tools: Tools, answerable: bool) -> Detail:
    """Each sentence of the answer, and whether it belongs to the reference answer.

    Where the references hold no answer, none does that is not near the question itself.
    """
    said = informative(sample.cited)
    if not answerable:
        questions = [one.text for one in sample.question_sentences]
        near = [float(_cosines([text], questions, tools).max(initial=0.0)) for text, _ in said]
        return [record(text, one >= ANSWERS, one) for (text, _), one in zip(said, near, strict=True)]
    return [_belonging(text, ids, informative(sample.reference_cited), tools) for text, ids in said]


def facts_told(sample: Sample, tools: Tools) -> Detail:
    """Each fact of the reference answer, and whether the answer tells it."""
    answer = [text for text, _ in informative(sample.cited)]
    pieces = [*answer, *(piece for text in answer for piece in reference_alignment.facts(text))]
    wanted = informative(sample.reference_cited)
    facts = [fact for text, _ in wanted for fact in reference_alignment.facts(text)]
    best = _cosines(facts, pieces, tools).max(axis=1, initial=0.0) if facts else []
    told = [
        reference_alignment.fact_in(fact, float(value), answer)
        for fact, value in zip(facts, best, strict=True)
    ]
    return [record(one.text, one.held, one.similarity) | {"words": round(one.words, 6)} for one in told]


def record(text: str, good: bool, similarity: float) -> dict:
    """The evidence of one sentence."""
    return {"text": text[:SHOWN], "score": float(good), "similarity": round(float(similarity), 6)}


def _belonging(text: str, ids: Sequence[str], wanted: Sequence[Cited], tools: Tools) -> dict:
    reference = [one for one, _ in wanted]
    pieces = [*reference, *(fact for one in reference for fact in reference_alignment.facts(one))]
    cosine = _cosines([text], pieces, tools)[0]
    alike = bool({one for _, each in wanted for one in each} & set(ids))
    good = reference_alignment.belongs(text, cosine, reference, cites_alike=alike)
    return record(text, good, cosine.max(initial=0.0))


def _cosines(these: Sequence[str], those: Sequence[str], tools: Tools) -> NDArray:
    return tools.cosines(these, those) if these and those else zeros((len(these), len(those)))
