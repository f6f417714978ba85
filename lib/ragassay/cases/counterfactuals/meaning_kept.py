"""When a swap leaves the meaning of a question: neither it, nor its reference answer, nor the passages that
answer it may speak of the attribute.

A question about an age limit is no place to swap ages, and one whose passage says "from the age of 18" may
rightly be answered otherwise for another age. The words are in
`cases/data/counterfactuals/meaning_words.jsonl`; a question without reference passages is judged by its own
words and its reference answer.
"""

from collections.abc import Mapping, Sequence

from ragassay.cases.counterfactuals import wording_files
from ragassay.tables import is_blank

STAFF = "staff"  # the segment of questions that no customer asks


def why_not(case: Mapping, attribute: str, passages: Mapping[str, str], languages: Sequence[str]) -> str:
    """Why the attribute may not be swapped in this question, in words; "" where it may.

    passages : text by chunk id; languages : those that the attribute has wordings in
    """
    if not case["answerable"]:
        return "the documents do not answer it"
    if not is_blank(case.get("conversation_id")):
        return "it is part of a conversation"
    if case.get("segment") == STAFF:
        return "asked by staff, of whom no persona is told"
    if case["language"] not in languages:
        return "no wordings in its language"
    return _speaks(case, attribute, passages)


def _speaks(case: Mapping, attribute: str, passages: Mapping[str, str]) -> str:
    spoken = wording_files.speaking_of(attribute)
    if spoken is None:
        return ""
    if spoken.search(case["question"]):
        return "the question speaks of it"
    answer = case.get("reference_answer")
    if not is_blank(answer) and spoken.search(str(answer)):
        return "its reference answer speaks of it"
    named = case.get("reference_chunk_ids")
    found = [passages.get(one, "") for one in (() if named is None else named)]
    return "a passage that answers it speaks of it" if any(map(spoken.search, found)) else ""
