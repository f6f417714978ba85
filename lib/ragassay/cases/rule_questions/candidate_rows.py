"""Candidates as rows of a case, the document named where it must be, with the flaw of those of bad form."""

from collections.abc import Iterable

import numpy as np

from ragassay.cases.rule_questions import question_form_checks
from ragassay.cases.rule_questions.askable_units import Candidate


def well_formed(made: Iterable[Candidate]) -> list[dict]:
    """The candidates of good form as rows of a case, each question once, with the document named in it."""
    return [row for row in once(map(candidate_row, made), set()) if not row["reason"]]


def once(found: Iterable[dict], seen: set[str]) -> list[dict]:
    """The rows, with a reason to leave out each question that is asked already, here or in `seen`, to which
    the others are added."""
    rows = list(found)
    for row in rows:
        key = question_form_checks.question_key(row["question"])
        row["reason"] = row["reason"] or ("is asked already" if key in seen else "")
        seen |= set() if row["reason"] else {key}
    return rows


def _unclear(question: str | None, candidate: Candidate) -> str:
    """Why a question would not be clear to somebody who has not read the passage, "" if it would."""
    if question is None:
        return "needs its document named, and the document has no title"
    title = candidate.source.title
    named = (
        candidate.placed
        or question_form_checks.shares_title(question, title)
        or (question != candidate.question and question_form_checks.names_something(title))
    )
    return (
        "" if named or not question_form_checks.unnamed(question) else "speaks of something it does not name"
    )


def candidate_row(candidate: Candidate) -> dict:
    """What a case needs of a candidate, and what the draw of questions needs; `reason` says its flaw."""
    source, silent = candidate.source, candidate.answer_type == "no_answer"
    question = (
        candidate.question
        if candidate.placed
        else question_form_checks.name_document(
            candidate.question, source.title, source.language, source.heading
        )
    )
    reason = _unclear(question, candidate) or question_form_checks.flaw(question or "", candidate)
    question = question_form_checks.MARKS.sub("", question or candidate.question)
    return {
        "question": question,
        "reason": reason,
        "answer_type": candidate.answer_type,
        "query_type": candidate.query_type,
        "topic": source.topic,
        "answerable": not silent,
        "reference_answer": None if silent else candidate.answer,
        "reference_chunk_ids": list(candidate.chunk_ids),
        "language": source.language,
        "kind": "generated",
        "key_fact": None if silent else candidate.key_fact,
        "family": candidate.family,
        "similarity": np.nan,
        "choices": list(candidate.choices),
        "chunk_id": candidate.chunk_ids[0] if candidate.chunk_ids else getattr(source, "chunk_id", ""),
        "stem": question_form_checks.stem(question, candidate),
        "told": candidate.told(),
        "fact": (candidate.chunk_ids, getattr(source, "text", candidate.question)),
        "candidate": candidate._replace(question=question, placed=True),
    }
