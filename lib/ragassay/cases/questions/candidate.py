"""A question that may be kept, and where it comes from."""

from typing import NamedTuple

from ragassay.cases.questions.units import Block, Unit


class Candidate(NamedTuple):
    """A question as it stands before the document is named in it, its answer and its passages.

    answer   : the sentence, or the steps, that answer it
    key_fact : the part of the answer that matters ("$6.00"); for yes/no questions "yes" or "no"
    family   : which pattern made it
    """

    question: str
    answer: str
    key_fact: str
    answer_type: str
    query_type: str
    family: str
    chunk_ids: tuple[str, ...]
    source: Unit | Block


def fact(
    unit: Unit, family: str, question: str, key_fact: str, *, answer: str = "", answer_type: str = "short_fact", query_type: str = "factual"
) -> Candidate:
    """A candidate made from one sentence."""
    return Candidate(question, answer or unit.text, key_fact, answer_type, query_type, family, (unit.chunk_id,), unit)
