"""Blame: for every failing case, what is at fault: the documents, the retriever, the generator, or the
question.

Evidence, each where there is some: whether the reference passages were retrieved; whether the same passages
    served
another wording of the question; whether an extractive oracle finds the reference answer in the reference
passages, in those retrieved, in any; what the assistant answers when it is given the reference passages, and
when they are taken away. The first of RULES that the evidence meets decides; where none does, it is
undetermined.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import pandas as pd

from ragassay.analysis.extractive_oracle import HOLD, LACK, UNCLEAR
from ragassay.tables import BLAMED, is_blank

DOCUMENTS, RETRIEVER, GENERATOR, QUESTION, UNDETERMINED = BLAMED
ADVICE: Mapping[str, str] = {
    DOCUMENTS: "Add what is asked for to the documents, or mark the question as one they do not answer.",
    RETRIEVER: "Correct the retrieval: index, cutting, number of passages, the wording of the query.",
    GENERATOR: "Correct how passages become an answer: instructions, model, length of the context.",
    QUESTION: "Correct the reference answer or the reference passages of these cases.",
    UNDETERMINED: "Give these cases reference answers and passages, or let the assistant take passages.",
}


@dataclass(frozen=True)
class Evidence:
    """What is known of a failing case; None or unclear where nothing is.

    error : why there is no answer
    answerable : whether the documents answer it, by the case's mark
    gold_known : whether its reference passages are among the documents' (None: it names none)
    gold_retrieved : whether all of them were retrieved
    beside : another wording of the question that passages among those retrieved served; "" for none
    gold, retrieved, documents : whether these passages hold the reference answer, by the oracle
    given_gold : whether the answer is right when the reference passages are given
    without_gold : whether it says the same when they are taken away
    """

    error: str = ""
    answerable: bool = True
    gold_known: bool | None = None
    gold_retrieved: bool | None = None
    beside: str = ""
    gold: str = UNCLEAR
    retrieved: str = UNCLEAR
    documents: str = UNCLEAR
    given_gold: bool | None = None
    without_gold: bool | None = None


Rule = tuple[Callable[[Evidence], bool], str, str]

RULES: tuple[Rule, ...] = (
    (lambda e: bool(e.error), UNDETERMINED, "there is no answer to read"),
    (lambda e: not e.answerable, GENERATOR, "the documents hold no answer, and it did not just decline"),
    (lambda e: e.gold_known is False, DOCUMENTS, "its reference passages are not among the documents"),
    (
        lambda e: e.gold == LACK and e.given_gold is not True and e.documents == HOLD,
        QUESTION,
        "its reference passages do not hold its reference answer, others do",
    ),
    (
        lambda e: e.gold == LACK and e.given_gold is not True,
        QUESTION,
        "its reference passages do not hold its reference answer",
    ),
    (lambda e: bool(e.gold_retrieved), GENERATOR, "its reference passages were retrieved"),
    (lambda e: e.given_gold is False, GENERATOR, "given its reference passages, it still failed"),
    (lambda e: bool(e.beside), GENERATOR, "the passages retrieved served another wording"),
    (lambda e: e.retrieved == HOLD, GENERATOR, "the passages retrieved hold the reference answer"),
    (
        lambda e: e.gold_retrieved is False and e.given_gold is True,
        RETRIEVER,
        "its reference passages were not retrieved; given them, it answered rightly",
    ),
    (lambda e: e.gold_retrieved is False, RETRIEVER, "its reference passages were not retrieved"),
    (
        lambda e: e.gold_known is None and e.documents == HOLD and e.retrieved == LACK,
        RETRIEVER,
        "other passages hold the reference answer, those retrieved do not",
    ),
    (
        lambda e: e.gold_known is None and e.documents == LACK,
        DOCUMENTS,
        "no passage that was searched holds the reference answer",
    ),
)


def decide(evidence: Evidence) -> tuple[str, str]:
    """What is at fault, and why."""
    return next(
        ((blamed, why) for holds, blamed, why in RULES if holds(evidence)),
        (UNDETERMINED, "the evidence does not decide it"),
    )


def blame(failing: pd.DataFrame) -> pd.DataFrame:
    """The failing cases, one row each with what is known (columns named as in `Evidence`; a missing column is
    not known), with `blamed`, `why`, and `evidence`: all that is known, in words."""
    known = [_evidence(row) for row in failing.to_dict("records")]
    decided = [decide(one) for one in known]
    return failing.assign(
        blamed=[blamed for blamed, _ in decided],
        why=[why for _, why in decided],
        evidence=[describe(one) for one in known],
    )


def describe(evidence: Evidence) -> str:
    """All that is known of a case, in words."""
    told = {
        "mark": None if evidence.answerable else "marked as a question that the documents do not answer",
        "retrieved": {True: "reference passages retrieved", False: "reference passages not retrieved"}.get(
            evidence.gold_retrieved  # type: ignore[arg-type]
        ),
        "gold": _said("reference passages", evidence.gold),
        "contexts": _said("passages retrieved", evidence.retrieved),
        "documents": _said("documents", evidence.documents),
        "beside": f"same passages served: {evidence.beside}" if evidence.beside else None,
        "given": {True: "given them: right", False: "given them: wrong"}.get(evidence.given_gold),  # type: ignore[arg-type]
        "without": {True: "without them: says the same", False: "without them: says another thing"}.get(
            evidence.without_gold  # type: ignore[arg-type]
        ),
        "error": evidence.error[:80] or None,
    }
    return "; ".join(filter(None, told.values())) or "nothing is known"


def _said(what: str, found: str) -> str | None:
    return None if found == UNCLEAR else f"{what} {found} the reference answer"


def _evidence(row: dict[str, Any]) -> Evidence:
    named = {each.name for each in fields(Evidence)}
    given: dict[str, Any] = {
        name: _plain(value) for name, value in row.items() if name in named and not is_blank(value)
    }
    return Evidence(**given)


def _plain(value: Any) -> Any:
    """A numpy truth value as a plain one."""
    return value.item() if hasattr(value, "item") else value
