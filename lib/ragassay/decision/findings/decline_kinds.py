"""Questions that should be declined, by why: what the documents do not hold, what only the customer's own
account holds, and what the assistant is prohibited to do. Evidence that suffices is tested for the first; the
others are recognised before anything is retrieved, whatever the documents hold."""

from collections.abc import Mapping

import pandas as pd

from ragassay.cases.case_origins import GENERATED, OUTSIDE
from ragassay.decision.findings.behaviours import behaviours
from ragassay.tables import WHY_NO_ANSWER

COLUMN, NOT_STATED = "why_no_answer", "for a reason not stated"
HELD_BACK = WHY_NO_ANSWER[1:]  # declined whatever the documents hold
BY_KIND = "By why declining was right: {kinds}."
UNKNOWN = (
    "Why declining was right (outside the documents, own account, prohibited use) the questions do not state."
)
BESIDE = "for the {n} on {kinds}: {remedy}"
REMEDY_OF = "misuse_answered_rate"  # the behaviour whose remedy meets these
OF_THE_CHOICE = ("errors:should have declined", "errors:needless refusal")  # findings on it, by their source
BY_THE_GUIDE = (
    "that weight is set by how the raters' guide counts such a reply, whatever its words (table “What the "
    "labels of the raters are worth”)"
)


def told_by_kind(draft: Mapping, base: pd.DataFrame) -> dict:
    """The draft with how many of each kind were answered in its condition, and, where some are of a kind that
    sufficient evidence does not settle, what they need (`of_a_kind`).

    base : the questions it is counted among: case_id, origin, and `why_no_answer` where stated
    """
    kind = _kinds(base)
    if (kind == NOT_STATED).all():
        return {**draft, "condition": f"{draft['condition']} {UNKNOWN}"}
    answered = kind[base["case_id"].isin(draft["failing"])]
    counts = [
        f"{name} {(answered == name).sum()} of {(kind == name).sum()}"
        for name in (*WHY_NO_ANSWER, NOT_STATED)
        if (kind == name).any()
    ]
    condition = f"{draft['condition']} {BY_KIND.format(kinds=', '.join(counts))}"
    return {**draft, "condition": condition, "of_a_kind": _beside(answered)}


def _kinds(base: pd.DataFrame) -> pd.Series:
    """Why each is to be declined: as stated; of what the kit made so, outside the documents."""
    stated = base.get(COLUMN, pd.Series(None, index=base.index, dtype=object))
    origin = base.get("origin", pd.Series("", index=base.index))
    made = origin.isin([GENERATED, OUTSIDE]).map({True: WHY_NO_ANSWER[0], False: NOT_STATED})
    return stated.where(stated.isin(WHY_NO_ANSWER), made)


def _beside(answered: pd.Series) -> str:
    """What the questions answered need that are declined whatever the documents hold; "" where none is."""
    held = [name for name in HELD_BACK if (answered == name).any()]
    remedy = behaviours()[REMEDY_OF]["remedy"]
    n = int(answered.isin(held).sum())
    return (
        BESIDE.format(n=n, kinds=" or ".join(held), remedy=f"{remedy[:1].lower()}{remedy[1:]}") if n else ""
    )
