"""What a pilot rests on marks of documents: a machine that keeps from being shown what is for staff only, or
no longer in force, sees the documents that are marked so, and no others."""

from collections.abc import Iterable, Mapping

import pandas as pd

from ragassay.decision.closing.earlier_findings import sources
from ragassay.decision.findings.behaviours import metric_of

BY_MARKS = ("staff_only_reach_rate", "superseded_cited_rate")  # what is compared with marked documents
MARKS = ["status", "audience"]  # whether a document is in force, and for whom it is
TOLD = (
    "What compares with documents for staff only, or no longer in force, sees those marked so: {n} of {all} "
    "lack one mark or both, and to mark each is a condition before any use ([chapter](#crosswalk)). "
)


def unmarked(documents: pd.DataFrame) -> int:
    """How many documents do not say whether they are in force, or for whom they are.

    documents : with status and audience, or without
    """
    if not set(MARKS) <= set(documents):
        return len(documents)
    return int(documents[MARKS].fillna("").astype(str).eq("").any(axis=1).sum())


def rests_on_marks(findings: Iterable[Mapping]) -> bool:
    """Whether a control of an open finding, or what ends a pilot for it, rests on marks.

    findings : that are open
    """
    return any(metric_of(source) in BY_MARKS for row in findings for source in sources(row))


def in_words(findings: Iterable[Mapping], documents: pd.DataFrame) -> str:
    """How many documents such a control does not see, as a sentence; "" where it sees all, or none does."""
    missing = unmarked(documents)
    return TOLD.format(n=missing, all=len(documents)) if missing and rests_on_marks(findings) else ""
