"""The playbook: symptoms that were measured, what they point to, and what to do (Lesson 7.4, section 9).

A rule looks at the answers that it is about and says which of them are as they should be. The symptom is
there where the share of these stays below the rule's line; how surely, its interval says. Its words stand in
`playbook.csv`. What is at fault in the answers that show it comes from `blame`, where that was established.
"""

import csv
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from ragassay.analysis.blame import UNDETERMINED
from ragassay.analysis.case_scores import rank_rows
from ragassay.stats import clopper_pearson

COLUMNS = [
    "rule", "symptom", "measure", "value", "low", "high", "n", "line", "left_out", "evidence", "attributed",
    "likely_cause", "what_to_do", "case_ids",
]  # fmt: skip
GENERATED = "generated"
FOUND = 0.999  # retrieval recall of an answer whose evidence was all retrieved
MOST_ANSWERED = 0.2  # of questions without an answer: largest share tolerated, of findings and symptoms alike
MOST_REFUSED = 0.1  # of questions with an answer
Facts: TypeAlias = pd.DataFrame


class Rule(NamedTuple):
    """A symptom: `about` tells which answers it is read from, `good` which of them are as they should be
    (NaN: not measured); below `line` it is there."""

    about: Callable[[Facts], pd.Series]
    good: Callable[[Facts], pd.Series]
    line: float


def diagnose(facts: Facts, blame: pd.DataFrame | None = None, *, has_prompt: bool = True) -> pd.DataFrame:
    """The table `playbook`: a row for each symptom that is there, the largest shortfall first; value, low,
    high: the share of answers as they should be, with its exact 95 % interval.

    Generated questions are left out where there are others: they are easier by how they are made.

    facts : of `answer_facts.gather`, with `origin`; blame : the table of that name; has_prompt : whether
        there is a prompt to change, without which no remedy speaks of one
    """
    made = facts["origin"] == GENERATED
    kept = facts if made.all() else facts[~made]
    rows = [row for name in RULES if (row := _read(name, kept, blame, has_prompt)) is not None]
    table = pd.DataFrame(rows, columns=COLUMNS).astype({"n": int, "left_out": int})
    ordered = rank_rows(table.assign(shortfall=table["line"] - table["value"]), ["-shortfall"], ["rule"])
    return ordered[COLUMNS].reset_index(drop=True)


def _read(name: str, facts: Facts, blame: pd.DataFrame | None, has_prompt: bool) -> dict | None:
    rule, words = RULES[name], _words()[name]
    about = facts[rule.about(facts).eq(True)]
    good = rule.good(about).astype(float)
    known = good.notna()
    share = clopper_pearson(int(good[known].sum()), int(known.sum())) if known.any() else None
    if share is None or share.value >= rule.line:
        return None
    wrong = about.loc[known & (good == 0), "case_id"]
    remedies = [words["what_to_do"], words["prompted"] if has_prompt else ""]
    return {
        **{column: words[column] for column in ("rule", "symptom", "measure", "evidence", "likely_cause")},
        "what_to_do": "; ".join(filter(None, remedies)),
        "value": share.value,
        "low": share.low,
        "high": share.high,
        "n": share.n,
        "line": rule.line,
        "left_out": int((~known).sum()),
        "attributed": _attributed(set(wrong), blame),
        "case_ids": list(wrong),
    }


def _attributed(cases: set, blame: pd.DataFrame | None) -> str:
    """What the failures are attributed to, each with its count: `retriever 2, generator 1`."""
    if blame is None or blame.empty:
        return ""
    mine = blame[blame["case_id"].isin(cases) & (blame["blamed"] != UNDETERMINED)]
    counts = mine.drop_duplicates("case_id")["blamed"].value_counts()
    return ", ".join(f"{name} {n}" for name, n in counts.items())


@lru_cache(maxsize=1)
def _words() -> dict[str, dict[str, str]]:
    """The words of each rule, of `playbook.csv`."""
    text = Path(__file__).with_name("playbook.csv").read_text(encoding="utf-8")
    return {row["rule"]: row for row in csv.DictReader(text.splitlines())}


def _scored(facts: Facts, *names: str) -> pd.Series:
    """The first of these columns that has a value; NaN without any."""
    return next(
        (facts[name] for name in names if name in facts and facts[name].notna().any()),
        pd.Series(np.nan, index=facts.index),
    )


def _from(facts: Facts, cut: float, *names: str) -> pd.Series:
    """1 where the score is `cut` at least, 0 below, NaN where not scored."""
    values = _scored(facts, *names)
    return (values >= cut).astype(float).where(values.notna())


def _answerable(facts: Facts) -> pd.Series:
    return facts["answerable"].astype(bool)


def _answered(facts: Facts) -> pd.Series:
    return _answerable(facts) & (facts["declined"] == 0)


def _found(facts: Facts) -> pd.Series:
    return _from(facts, FOUND, "retrieval_recall") == 1


def _grounded(facts: Facts) -> pd.Series:
    return 1 - facts["misled"] if facts["misled"].notna().any() else _from(facts, 0.5, "support")


def _complete(facts: Facts) -> pd.Series:
    return _scored(facts, "judged_complete", "judged_completeness")


def _relevant(facts: Facts) -> pd.Series:
    return _scored(facts, "judged_relevant", "judged_directness", "judged_appropriateness")


RULES: dict[str, Rule] = {
    "evidence_not_found": Rule(_answerable, lambda facts: _from(facts, FOUND, "retrieval_recall"), 0.9),
    "found_not_grounded": Rule(
        lambda facts: _answered(facts) & (_found(facts) | _scored(facts, "retrieval_recall").isna().all()),
        _grounded,
        0.9,
    ),
    "grounded_incomplete": Rule(lambda facts: _answered(facts) & (_grounded(facts) == 1), _complete, 0.9),
    "grounded_irrelevant": Rule(lambda facts: _answered(facts) & (_grounded(facts) == 1), _relevant, 0.9),
    "unanswerable_answered": Rule(
        lambda facts: ~_answerable(facts), lambda facts: facts["declined"], 1 - MOST_ANSWERED
    ),
    "refused_with_evidence": Rule(
        lambda facts: _answerable(facts) & _found(facts),
        lambda facts: 1 - facts["declined"],
        1 - MOST_REFUSED,
    ),
    "foreign_citations": Rule(
        lambda facts: _answered(facts) & (_scored(facts, "citations_present") == 1),
        lambda facts: _from(facts, 1.0, "citation_correctness"),
        0.9,
    ),
    "other_language": Rule(_answered, lambda facts: _from(facts, 1.0, "language_match"), 0.98),
    "superseded_cited": Rule(
        lambda facts: facts["declined"] == 0, lambda facts: 1 - _scored(facts, "superseded_cited_rate"), 1.0
    ),
    "staff_only_reached": Rule(
        lambda facts: facts["declined"] == 0, lambda facts: 1 - _scored(facts, "staff_only_reach_rate"), 1.0
    ),
    "wrong_release": Rule(lambda facts: facts["decision"] == "accept", lambda facts: facts["accepted"], 0.9),
}
