"""Errors that instruments alone found: suspects that raters read first. They are no finding of how often the
assistant fails, for nobody has confirmed one of them."""

from collections.abc import Mapping
from math import nan

import pandas as pd

from ragassay.decision.findings.finding_texts import Draft
from ragassay.stats import Interval, interval_text

SEVERITY = "Medium"
SUSPECTED: Mapping[str, str] = {  # kind of error -> what instruments suspect that the answers do
    "misleading": "mislead",
    "should have declined": "answer what the documents do not",
    "needless refusal": "refuse what the documents answer",
}
REFUSALS = (
    "Elsewhere 95 % [94, 96] of what is read as a refusal was one, and 90 % [89, 92] of the refusals were "
    "found (2,789 written answers, bench/refusals.json)."
)
SUPPORT = (
    "Elsewhere, of the answers whose support is below 0.5, 96 % [95, 98] were not supported in BEGIN (of all "
    "72 %), 72 % [69, 76] in SummEdits (of all 64 %) and 63 % [58, 68] on tables (of all 50 %; "
    "bench/support.json). The fewer answers are wrong, the more suspicions are mistaken."
)
ELSEWHERE: Mapping[str, str] = {  # kind of error -> how often its instrument was right on data of others
    "misleading": SUPPORT,
    "should have declined": REFUSALS,
    "needless refusal": REFUSALS,
}
UNCONFIRMED = "not confirmed by a rater"  # how the title of such a finding ends
ADVICE = (
    "Let raters read these answers in the order given, and as many others drawn at random; then judge by "
    "their labels."
)


def unconfirmed(base: pd.DataFrame, kind: str) -> bool:
    """Whether no rater judged any of the answers that are of this kind, one of SUSPECTED; `base` has category
    and judged_by."""
    return kind in SUSPECTED and bool((base.loc[base["category"] == kind, "judged_by"] == "machine").all())


def in_order(failing: pd.DataFrame) -> list[str]:
    """The cases to be read, the least supported first; those whose support was not measured last."""
    order = ["support", "case_id"] if "support" in failing else ["case_id"]
    return failing.sort_values(order, kind="stable")["case_id"].tolist()


def as_suspects(draft: Draft, kind: str, share: Interval, among: str) -> Draft:
    """The draft of an error in the words of a suspicion: at most Medium, its share in use not known."""
    k, did = len(draft["failing"]), SUSPECTED[kind]
    bounds = interval_text(share.value, share.low, share.high, percent=True)
    condition = (
        f"Instruments alone suspect {k} of {share.n} {among}: {bounds}. No rater read them, and how often "
        f"the suspicion is right was not measured on this assistant. {ELSEWHERE[kind]}"
    )
    return draft | {
        "title": f"{k} answer{'s' * (k > 1)} to be read first: instruments suspect that they {did}; "
        f"{UNCONFIRMED}",
        "condition": condition,
        "effect": f"Not known before raters have read them. Where it is confirmed: {draft['effect']}",
        "severity": SEVERITY,
        "share": nan,
        "recommendation": ADVICE,
        "suspected": True,
    }
