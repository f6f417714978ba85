"""The playbook: symptoms that were measured, what they point to, and what to do (Lesson 7.4, section 9).

A rule looks at the answers that it is about and says which of them are as they should be. The symptom is
there where the share of these stays below the rule's line; how surely, its interval says. Its words stand in
`playbook.csv`. What is at fault in the answers that show it comes from `blame`, where that was established.
"""

import csv
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from ragassay.analysis.blame import UNDETERMINED
from ragassay.analysis.case_scores import rank_rows
from ragassay.defaults import ALPHA
from ragassay.stats import mean_interval

COLUMNS = [
    "rule", "symptom", "measure", "value", "low", "high", "n", "line", "left_out", "evidence", "attributed",
    "likely_cause", "what_to_do", "case_ids",
]  # fmt: skip
GENERATED, RELEASE = "generated", "wrong_release"
FOUND = 0.999  # retrieval recall of an answer whose evidence was all retrieved
MOST_ANSWERED = 0.2  # of questions without an answer: largest share tolerated, of findings and symptoms alike
MOST_REFUSED = 0.1  # of questions with an answer


class Rule(NamedTuple):
    """A symptom: `about` tells which answers it is read from, `good` which of them are as they should be
    (NaN: not measured); below `line` it is there."""

    about: Callable[[pd.DataFrame], pd.Series]
    good: Callable[[pd.DataFrame], pd.Series]
    line: float


def diagnose(
    facts: pd.DataFrame, blame: pd.DataFrame, releases: pd.DataFrame, *, has_prompt: bool = True
) -> pd.DataFrame:
    """The table `playbook`: a row for each symptom that is there, the largest shortfall first; value, low,
    high: the share of answers as they should be, with its exact 95 % interval.

    Generated questions are left out where there are others: they are easier by how they are made.

    facts : of `answer_facts.gather`, with `origin`; blame, releases : the tables of these names, whose
        `allowed` is the error rate of the calibrated rule; has_prompt : whether there is a prompt to change
    """
    made, allowed = facts["origin"] == GENERATED, releases["allowed"].max()
    kept, rows = facts if made.all() else facts[~made], []
    for name, rule in RULES.items():
        about, words = kept[rule.about(kept).eq(True)], _words()[name]
        line = 1 - allowed if name == RELEASE else rule.line
        good = rule.good(about).astype(float)
        share = mean_interval(good, rng=np.random.default_rng(0))
        if not share.value < line:  # NaN where nothing was measured or calibrated
            continue
        wrong = about.loc[good == 0, "case_id"]
        remedies = [words["what_to_do"], words["prompted"] if has_prompt else ""]
        texts = ("rule", "symptom", "measure", "evidence", "likely_cause")
        rows.append(
            {
                **{column: words[column] for column in texts},
                "what_to_do": "; ".join(filter(None, remedies)),
                **asdict(share),
                "line": line,
                "attributed": _count_causes(blame[blame["case_id"].isin(wrong)]),
                "case_ids": list(wrong),
            }
        )
    table = pd.DataFrame(rows, columns=COLUMNS).astype({"n": int, "left_out": int})
    ordered = rank_rows(table.assign(shortfall=table["line"] - table["value"]), ["-shortfall"], ["rule"])
    return ordered[COLUMNS].reset_index(drop=True)


def _count_causes(blamed: pd.DataFrame) -> str:
    """What these failures are attributed to, each with its count: `retriever 2, generator 1`."""
    known = blamed[blamed["blamed"] != UNDETERMINED].drop_duplicates("case_id")
    return ", ".join(f"{name} {n}" for name, n in known["blamed"].value_counts().items())


@cache
def _words() -> dict[str, dict[str, str]]:
    """The words of each rule, of `playbook.csv`."""
    text = Path(__file__).with_name("playbook.csv").read_text(encoding="utf-8")
    return {row["rule"]: row for row in csv.DictReader(text.splitlines())}


def _scored(facts: pd.DataFrame, *names: str) -> pd.Series:
    """The first of these columns that has a value; NaN without any."""
    for name in names:
        if name in facts and facts[name].notna().any():
            return facts[name]
    return pd.Series(np.nan, index=facts.index)


def _at_least(facts: pd.DataFrame, cut: float, name: str) -> pd.Series:
    """1 where the score is `cut` at least, 0 below, NaN where not scored."""
    values = _scored(facts, name)
    return (values >= cut).astype(float).where(values.notna())


def _answerable(facts: pd.DataFrame) -> pd.Series:
    return facts["answerable"].astype(bool)


def _answered(facts: pd.DataFrame) -> pd.Series:
    return _answerable(facts) & (facts["declined"] == 0)


def _found(facts: pd.DataFrame) -> pd.Series:
    return _at_least(facts, FOUND, "retrieval_recall")


def _grounded(facts: pd.DataFrame) -> pd.Series:
    return 1 - facts["misled"] if facts["misled"].notna().any() else _at_least(facts, 0.5, "support")


def _answered_and_grounded(facts: pd.DataFrame) -> pd.Series:
    return _answered(facts) & (_grounded(facts) == 1)


RULES: dict[str, Rule] = {
    "evidence_not_found": Rule(_answerable, _found, 0.9),
    "found_not_grounded": Rule(
        lambda facts: _answered(facts) & ((_found(facts) == 1) | _found(facts).isna().all()), _grounded, 0.9
    ),
    "grounded_incomplete": Rule(
        _answered_and_grounded, lambda facts: _scored(facts, "judged_complete", "judged_completeness"), 0.9
    ),
    "grounded_irrelevant": Rule(
        _answered_and_grounded,
        lambda facts: _scored(facts, "judged_relevant", "judged_directness", "judged_appropriateness"),
        0.9,
    ),
    "unanswerable_answered": Rule(
        lambda facts: ~_answerable(facts), lambda facts: facts["declined"], 1 - MOST_ANSWERED
    ),
    "refused_with_evidence": Rule(
        lambda facts: _answerable(facts) & (_found(facts) == 1),
        lambda facts: 1 - facts["declined"],
        1 - MOST_REFUSED,
    ),
    "foreign_citations": Rule(
        lambda facts: _answered(facts) & (_scored(facts, "citations_present") == 1),
        lambda facts: _at_least(facts, 1.0, "citation_correctness"),
        0.9,
    ),
    "other_language": Rule(_answered, lambda facts: _at_least(facts, 1.0, "language_match"), 0.98),
    "superseded_cited": Rule(
        lambda facts: facts["declined"] == 0, lambda facts: 1 - _scored(facts, "superseded_cited_rate"), 1.0
    ),
    "staff_only_reached": Rule(
        lambda facts: facts["declined"] == 0, lambda facts: 1 - _scored(facts, "staff_only_reach_rate"), 1.0
    ),
    RELEASE: Rule(lambda facts: facts["decision"] == "accept", lambda facts: facts["accepted"], 1 - ALPHA),
}
