"""What changed passages and contradicting premises led to, as rows of the table `checks`."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from ragassay import parameter_ranges
from ragassay.analysis.checks import HIGH, LOW, Check, checks_frame
from ragassay.analysis.passage_change_answers import (
    LEVEL,
    OTHER_PASSAGES,
    RATES,
    SHARES,
    STATES_FIGURE,
    rates,
    why_not_asked,
)
from ragassay.answers.question_inputs import ONLY_LOGS
from ragassay.cases.passage_changes import (
    CHANGED,
    DISTRACTORS,
    DROPPED,
    MISLEADING,
    PREMISE,
    REVERSED,
    SHUFFLED,
)
from ragassay.stats import Interval, benjamini_hochberg, clopper_pearson
from ragassay.tables import is_blank

STEP = "05_robustness"
MARGIN = 0.1  # a loss of more than this, on a scale from 0 to 1, must be excluded for a clear row
NEEDED = 29  # pairs from which on none lost in n excludes, at 0.95, a loss of that share
FOLLOWED = {  # kind of question -> name of the check, aspect
    PREMISE: ("misled", PREMISE),
    MISLEADING: ("misled", MISLEADING),
    CHANGED: ("misled", CHANGED),
    DROPPED: ("evidence_removed", "all"),
}
DECISIVE = {  # kind -> the score that must not fall
    REVERSED: STATES_FIGURE,
    SHUFFLED: STATES_FIGURE,
    DISTRACTORS: STATES_FIGURE,
    CHANGED: "supported_claims_rate",
}
NO_PAIR = "no such answer can be compared with its original"


def adversarial_checks(
    answers: pd.DataFrame, variants: pd.DataFrame, scores: pd.DataFrame, compared: pd.DataFrame, most: float
) -> pd.DataFrame:
    """One row for each way in which a question was changed, with an error rate of 0.05 for all of them.

    Parameters
    ----------
    answers, variants : as asked, of `cases.adversarial_cases`
    scores : of `measure_figures`, and of the metrics compared
    compared : of `compare_with_control`
    most : the largest share of answers that may follow what they should not, in [0, 1]
    """
    parameter_ranges.check("most_followed", most, "in [0, 1]")
    planted = answers[answers["case_id"].isin(variants.loc[variants["kind"] != PREMISE, "case_id"])]
    why = why_not_asked(planted)
    reasons = dict.fromkeys(RATES, why) | {PREMISE: _why_no_premise(answers, planted)}
    return checks_frame(
        [*_rate_rows(scores, most, reasons), *_paired_rows(compared, why), _used(planted, most, why)]
    )


def _rate_rows(scores: pd.DataFrame, most: float, reasons: dict[str, str]) -> Iterator[dict]:
    """The shares of answers that follow what they should not."""
    found = rates(scores)
    for kind, metric in RATES.items():
        name, aspect = FOLLOWED[kind]
        check = Check(STEP, name, aspect, metric, most, HIGH)
        shown = scores.loc[(scores["metric"] == metric) & (scores["value"] == 1), "case_id"].tolist()
        why = reasons[kind]
        yield check.not_applicable(why) if why else check.judged(found[metric], shown)


def _paired_rows(compared: pd.DataFrame, why: str) -> Iterator[dict]:
    """The decisive comparisons, their false discoveries controlled among themselves: raised where the score
    is lower than with the passages as retrieved, clear where a loss above MARGIN is excluded."""
    wanted = compared["metric"] == compared["kind"].map(DECISIVE).fillna("")
    decisive = compared[wanted] if len(compared) else compared
    adjusted = decisive.assign(q=benjamini_hochberg(decisive["p"].to_numpy(dtype=float)))
    rows = {row["kind"]: row for row in adjusted.to_dict("records")}
    for kind, metric in DECISIVE.items():
        check = Check(STEP, "passages_changed", kind, metric, -MARGIN, LOW)
        if why or kind not in rows:
            yield check.not_applicable(why or NO_PAIR)
        else:
            yield _paired_row(check, rows[kind])


def _paired_row(check: Check, row: dict) -> dict:
    worse = row["q"] < LEVEL and row["difference"] < 0
    clear = row["low"] >= -MARGIN and row["n"] >= NEEDED
    undecided = not (worse or clear)
    return check.found(
        Interval(row["difference"], row["low"], row["high"], int(row["n"]), int(row["left_out"])),
        raised=True if worse else False if clear else None,
        reason=f"{int(row['n'])} pairs do not exclude a larger loss" if undecided else "",
        q=row["q"],
    )


def _used(planted: pd.DataFrame, most: float, why: str) -> dict:
    """Whether the assistant answers from the passages given to it at all."""
    check = Check(STEP, "passages_given", "all", "names_other_passages", most, HIGH)
    if why:
        return check.not_applicable(why)
    others = planted["error"] == OTHER_PASSAGES
    n = int((planted["error"].map(is_blank).astype(bool) | others).sum())
    share = clopper_pearson(int(others.sum()), n, SHARES) if n else Interval(np.nan, np.nan, np.nan, 0)
    return check.judged(share, planted.loc[others, "case_id"].tolist())


def _why_no_premise(answers: pd.DataFrame, planted: pd.DataFrame) -> str:
    """Why no contradicting premise could be put, where only a log is at hand."""
    asked = answers[~answers["case_id"].isin(planted["case_id"])]
    errors = asked["error"].fillna("")
    return errors.iloc[0] if len(asked) and (errors == ONLY_LOGS).all() else ""
