"""What became of the questions that a language model was to write: counted; refused where none is left."""

from typing import Any

import pandas as pd

from ragassay.errors import InputError
from ragassay.models.judge.messages import UNANSWERED, UNPARSED

MOST = 10  # reasons that are named


def failures(rejected: pd.DataFrame) -> dict[str, int]:
    """How many replies did not come (`unanswered`) and how many could not be parsed (`unparsed`)."""
    reasons = rejected["reason"].astype(str)
    return {
        name: int(reasons.str.startswith(words).sum())
        for name, words in (("unanswered", UNANSWERED), ("unparsed", UNPARSED))
    }


def in_words(cases: pd.DataFrame, rejected: pd.DataFrame) -> str:
    """`12 questions kept, 7 rejected (replies that did not come: 2, that could not be parsed: 1)`."""
    count = failures(rejected)
    lost = (
        f"replies that did not come: {count['unanswered']:,}, that could not be parsed: {count['unparsed']:,}"
    )
    return f"{len(cases):,} questions kept, {len(rejected):,} rejected ({lost})"


def reasons(rejected: pd.DataFrame) -> list[str]:
    """The commonest reasons, `7  names no fact it rests on` each; MOST at most, the rest counted."""
    kinds = rejected["reason"].astype(str).str.slice(0, 100).value_counts()
    rest = kinds.iloc[MOST:]
    more = [f"{rest.sum():,}  for {len(rest):,} other reasons"] if len(rest) else []
    return [f"{count:,}  {reason}" for reason, count in kinds.head(MOST).items()] + more


def require_questions(cases: pd.DataFrame, rejected: pd.DataFrame, judge: Any) -> None:
    """Refuse to go on without one question that was kept.

    Raises
    ------
    InputError
        If there is none.
    """
    if cases.empty:
        raise InputError(
            "the language model wrote no question that can be kept",
            where=f"{judge.model} at {judge.endpoint}",
            found="; ".join([in_words(cases, rejected), *reasons(rejected)[:3]]),
            expected="replies in the form that is asked for, about facts that the passages state",
            do="see that the model answers in plain JSON, name another, or none: then rules ask",
        )
