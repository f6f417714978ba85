"""The playbook: symptoms that were measured, what they point to, and what to do (Lesson 7.4, section 9).

A rule looks at the answers that it is about and says which of them are as they should be. The symptom is
there where the share of these stays below the rule's line; how surely, its interval says. Its line and words
stand in `playbook.csv`. What is at fault in the answers that show it comes from `blame`.
"""

from collections.abc import Callable, Hashable
from dataclasses import asdict
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from ragassay.analysis.blame import UNDETERMINED
from ragassay.analysis.case_scores import rank_rows
from ragassay.stats import mean_interval

COLUMNS = [
    "rule", "symptom", "measure", "value", "low", "high", "n", "line", "left_out", "evidence", "attributed",
    "likely_cause", "what_to_do", "case_ids",
]  # fmt: skip
GENERATED, RELEASE = "generated", "wrong_release"
FOUND = 0.999  # retrieval recall of an answer whose evidence was all retrieved


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
    for name, (is_about, is_good) in RULES.items():
        about, words = kept[is_about(kept).eq(True)], _words()[name]
        line = 1 - allowed if name == RELEASE else words["line"]
        good = is_good(about).astype(float)
        share = mean_interval(good, rng=np.random.default_rng(0))
        if not share.value < line:  # NaN where nothing was measured or calibrated
            continue
        wrong = about.loc[good == 0, "case_id"]
        remedies = [words["what_to_do"], words["prompted"] if has_prompt else ""]
        rows.append(
            {
                **words,
                "rule": name,
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
def _words() -> dict[Hashable, dict]:
    """The line and the words of each rule, of `playbook.csv`."""
    table = pd.read_csv(Path(__file__).with_name("playbook.csv"), keep_default_na=False, index_col="rule")
    return table.to_dict("index")


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


def _not_declined(facts: pd.DataFrame) -> pd.Series:
    return facts["declined"] == 0


def _answered(facts: pd.DataFrame) -> pd.Series:
    return _answerable(facts) & _not_declined(facts)


def _found(facts: pd.DataFrame) -> pd.Series:
    return _at_least(facts, FOUND, "retrieval_recall")


def _grounded(facts: pd.DataFrame) -> pd.Series:
    return 1 - facts["misled"] if facts["misled"].notna().any() else _at_least(facts, 0.5, "support")


def _answered_and_grounded(facts: pd.DataFrame) -> pd.Series:
    return _answered(facts) & (_grounded(facts) == 1)


Reads = Callable[[pd.DataFrame], pd.Series]
RULES: dict[
    str, tuple[Reads, Reads]
] = {  # which answers it is about; which are as they should be, NaN unknown
    "evidence_not_found": (_answerable, _found),
    "found_not_grounded": (
        lambda facts: _answered(facts) & ((_found(facts) == 1) | _found(facts).isna().all()),
        _grounded,
    ),
    "grounded_incomplete": (
        _answered_and_grounded,
        lambda facts: _scored(facts, "judged_complete", "judged_completeness"),
    ),
    "grounded_irrelevant": (
        _answered_and_grounded,
        lambda facts: _scored(facts, "judged_relevant", "judged_directness", "judged_appropriateness"),
    ),
    "unanswerable_answered": (lambda facts: ~_answerable(facts), lambda facts: facts["declined"]),
    "refused_with_evidence": (
        lambda facts: _answerable(facts) & (_found(facts) == 1),
        lambda facts: 1 - facts["declined"],
    ),
    "foreign_citations": (
        lambda facts: _answered(facts) & (_scored(facts, "citations_present") == 1),
        lambda facts: _at_least(facts, 1.0, "citation_correctness"),
    ),
    "other_language": (_answered, lambda facts: _at_least(facts, 1.0, "language_match")),
    "superseded_cited": (_not_declined, lambda facts: 1 - _scored(facts, "superseded_cited_rate")),
    "staff_only_reached": (_not_declined, lambda facts: 1 - _scored(facts, "staff_only_reach_rate")),
    RELEASE: (lambda facts: facts["decision"] == "accept", lambda facts: facts["accepted"]),
}
