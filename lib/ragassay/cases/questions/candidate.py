"""A question that may be kept, and where it comes from."""

from typing import NamedTuple

from ragassay.cases.questions.units import Block, Unit


class Candidate(NamedTuple):
    """A question as it stands before the document is named in it, its answer and its passages.

    answer   : the sentence, or the steps, that answer it
    key_fact : the part of the answer that matters ("$6.00"); for yes/no questions "yes" or "no"
    family   : which pattern made it
    placed   : whether the document is named where it must be; else `context.place` sees to it
    choices  : of a multiple-choice question, what may be chosen
    """

    question: str
    answer: str
    key_fact: str
    answer_type: str
    query_type: str
    family: str
    chunk_ids: tuple[str, ...]
    source: Unit | Block
    placed: bool = False
    choices: tuple[str, ...] = ()

    def told(self) -> str:
        """What a reader must find to have found the answer: the sentence itself where the answer is a yes, a no, or worked out from it."""
        worked_out = self.query_type in ("yes_no", "inference", "multi_hop")
        return getattr(self.source, "text", self.answer) if worked_out else self.key_fact


def fact(
    unit: Unit,
    family: str,
    question: str,
    key_fact: str,
    *,
    answer: str = "",
    answer_type: str = "short_fact",
    query_type: str = "factual",
) -> Candidate:
    """A candidate made from one sentence."""
    return Candidate(
        question, answer or unit.text, key_fact, answer_type, query_type, family, (unit.chunk_id,), unit
    )
