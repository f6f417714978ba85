"""Blame: for every failing case, what is at fault: the documents, the retriever, the choice to answer or to
decline, the answer made of the evidence, or the question.

Evidence, each where there is some: whether the answer declines; which reference passages were retrieved;
whether the same passages served another wording of the question; whether an extractive oracle finds the
reference answer in the reference passages, in those retrieved, in any; what the assistant answers when it is
given the reference passages. The first of RULES that the evidence meets decides.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

import numpy as np
import pandas as pd

from ragassay.analysis.case_scores import case_clusters, cluster_ids
from ragassay.stats import mean_interval
from ragassay.tables import BLAMED, GOLD_RETRIEVED, TABLES, is_blank

DOCUMENTS, RETRIEVER, DECLINING, GENERATOR, BOTH, QUESTION, UNDETERMINED = BLAMED
ALL, PART, NO, UNKNOWN = GOLD_RETRIEVED
HOLD, LACK, UNCLEAR = "hold", "lack", "unclear"
COLUMNS = list(TABLES["blame"].columns)


@dataclass(frozen=True)
class Evidence:
    """What is known of a failing case; None, unclear or not known where nothing is."""

    error: str = ""  # why there is no answer
    answerable: bool = True  # whether the documents answer it, by the case's mark
    declined: bool | None = None  # whether the answer declines and asserts nothing
    gold_known: bool | None = (
        None  # whether its reference passages are among the documents'; None: it names none
    )
    gold_retrieved: str = UNKNOWN  # which of them were retrieved: all, part, none, not known
    beside: str = ""  # another wording of the question that passages among those retrieved served
    gold: str = UNCLEAR  # whether the reference passages hold the reference answer, by the oracle
    retrieved: str = UNCLEAR  # whether those retrieved do
    documents: str = UNCLEAR  # whether any of all documents does
    given_gold: bool | None = None  # whether the answer is right when the reference passages are given


Rule = tuple[Callable[[Evidence], bool], str, str]


def _missed(e: Evidence) -> bool:
    return e.gold_retrieved in (PART, NO)


def _unnamed(e: Evidence, documents: str) -> bool:
    """Whether a case names no reference passages, and the documents hold or lack the reference answer."""
    return e.gold_known is None and e.documents == documents


def _at_hand(holds: Callable[[Evidence], bool], why: str) -> tuple[Rule, Rule]:
    """Evidence was at hand: at fault is that it declined, else what it made of the evidence."""
    return (
        (lambda e: holds(e) and e.declined is True, DECLINING, f"{why}, and it declined"),
        (holds, GENERATOR, why),
    )


RULES: tuple[Rule, ...] = (
    (lambda e: bool(e.error), UNDETERMINED, "there is no answer to read"),
    (
        lambda e: not e.answerable and e.declined is True,
        GENERATOR,
        "the documents hold no answer; declined badly",
    ),
    (lambda e: not e.answerable, DECLINING, "the documents hold no answer, and it did not just decline"),
    (lambda e: e.gold_known is False, DOCUMENTS, "its reference passages are not among the documents"),
    (lambda e: e.gold == LACK and not e.given_gold, QUESTION, "its passages lack its reference answer"),
    *_at_hand(lambda e: e.gold_retrieved == ALL, "all its reference passages were retrieved"),
    *_at_hand(lambda e: bool(e.beside), "the passages retrieved served another wording"),
    *_at_hand(lambda e: e.retrieved == HOLD, "the passages retrieved hold the reference answer"),
    (lambda e: _missed(e) and e.given_gold is True, RETRIEVER, "given its passages, it answered rightly"),
    (
        lambda e: _missed(e) and e.given_gold is False,
        BOTH,
        "passages not retrieved; given them, it still failed",
    ),
    *_at_hand(lambda e: e.given_gold is False, "given its reference passages, it still failed"),
    (lambda e: e.gold_retrieved == NO, RETRIEVER, "none of its reference passages was retrieved"),
    (
        lambda e: _missed(e) and e.retrieved == LACK,
        RETRIEVER,
        "the part retrieved lacks the reference answer",
    ),
    (_missed, UNDETERMINED, "part of its reference passages was retrieved; it may need the rest"),
    (
        lambda e: _unnamed(e, HOLD) and e.retrieved == LACK,
        RETRIEVER,
        "other passages hold the reference answer",
    ),
    (lambda e: _unnamed(e, LACK), DOCUMENTS, "no passage that was searched holds the reference answer"),
    (lambda e: True, UNDETERMINED, "the evidence does not decide it"),
)


def which_retrieved(names: Sequence[str], retrieved: Sequence[str]) -> str:
    """Whether all, part or none of the named passages were retrieved."""
    held = set(names) & set(retrieved)
    return NO if not held else ALL if held == set(names) else PART


def decide(evidence: Evidence) -> tuple[str, str]:
    """What is at fault, and why."""
    return next((blamed, why) for holds, blamed, why in RULES if holds(evidence))


def blame(failing: pd.DataFrame) -> pd.DataFrame:
    """The failing cases, one row each with what is known (columns named as in `Evidence`; a missing column is
    not known), with `blamed` and `why`."""
    named, decided = {each.name for each in fields(Evidence)}, []
    for row in failing.astype(object).to_dict("records"):
        known = {name: value for name, value in row.items() if name in named and not is_blank(value)}
        decided.append(decide(Evidence(**known)))
    return failing.assign(blamed=[blamed for blamed, _ in decided], why=[why for _, why in decided])


def count_causes(blamed: pd.DataFrame, cases: pd.DataFrame, *, seed: int = 0) -> pd.DataFrame:
    """What the failing answers to these questions are attributed to, the most frequent first: blamed, cases,
    share with its 95 % interval low, high, n; how many had all, part or none of their reference passages
    retrieved (`GOLD_RETRIEVED`). Empty where no answer failed.

    blamed : the table `blame`; cases : the questions, whose groups and conversations stay together

    Example: `blame.count_causes(run.read("blame"), run.cases())`
    """
    rows, rng = blamed[blamed["case_id"].isin(cases["case_id"])], np.random.default_rng(seed)
    ids, found = cluster_ids(rows["case_id"].map(case_clusters(cases))), []
    for name, own in rows.groupby("blamed"):
        share = mean_interval((rows["blamed"] == name).astype(float), clusters=ids, span=(0.0, 1.0), rng=rng)
        retrieved = [int((own["gold_retrieved"] == which).sum()) for which in GOLD_RETRIEVED]
        found.append([name, len(own), share.value, share.low, share.high, share.n, *retrieved])
    columns = ["blamed", "cases", "share", "low", "high", "n", *GOLD_RETRIEVED]
    return pd.DataFrame(found, columns=columns).sort_values("cases", ascending=False, ignore_index=True)
