"""False answers: questions that the documents do not answer, answered all the same; and needless hedges:
questions that the documents answer, first declined and then answered."""

import numpy as np
import pandas as pd

from ragassay import parameter_ranges
from ragassay.analysis import case_scores, scorecard
from ragassay.analysis.checks import HIGH, Check, checks_frame, deciding_rows, exact_share, mark_by_design
from ragassay.analysis.declined_questions import score_declined
from ragassay.cases import attack_probes
from ragassay.defaults import SIGNIFICANCE

RATE, HEDGED = "false_answer_rate", "hedged_rate"
QUALITY = "refusal_quality"
MOST_HEDGED = 0.1  # share of questions with an answer that may first be declined
STEP = "05_robustness"


def outside_rates(
    asked: pd.DataFrame,
    answered: pd.DataFrame,
    outside: pd.DataFrame,
    given: pd.DataFrame,
    measured: pd.DataFrame,
) -> pd.DataFrame:
    """Rows of the scores table that the rates of declining are the means of: out_of_scope_declined,
    answerable_declined, unanswerable_declined, false_answer_rate, refusal_quality.

    asked, answered : the test set and its answers; outside, given : of `cases.outside_questions`
    measured : scores of `given` with should_have_abstained, premise_corrected, refusal_quality
    """
    rates = [
        score_declined(given, outside.query("kind == 'out_of_scope'"), name="out_of_scope_declined"),
        score_declined(answered, asked, name="answerable_declined", answerable=True),
        score_declined(answered, asked, name="unanswerable_declined"),
        score_false_answers(measured, outside),
        measured[measured["metric"] == QUALITY],
    ]
    return pd.concat([part for part in rates if len(part)] or rates[:1], ignore_index=True)


def score_false_answers(measured: pd.DataFrame, cases: pd.DataFrame) -> pd.DataFrame:
    """Rows of the scores table with the metric false_answer_rate, of questions without an answer: 1 where one
    was answered, 0 where the reply declines (`should_have_abstained`) or sets a false premise right
    (`premise_corrected`); lower is better.
    """
    unanswerable = cases.loc[~cases["answerable"].astype(bool), "case_id"]
    given = measured[measured["metric"] == "should_have_abstained"]
    given = given[given["case_id"].isin(unanswerable)].sort_values("case_id", kind="stable")
    case_scores.require_one_system(given)
    corrected = measured[(measured["metric"] == "premise_corrected") & (measured["value"] == 1)]["case_id"]
    right = given["case_id"].isin(corrected) & given["value"].notna()
    return given.assign(metric=RATE, value=given["value"].mask(right, 0.0)).reset_index(drop=True)


def summarize_outside(rates: pd.DataFrame, *, seed: int) -> pd.DataFrame:
    """Rows of the scorecard: the means of `outside_rates`, each with its Clopper-Pearson interval; cases
    without a reply are left out and counted."""
    is_quality = rates["metric"] == QUALITY
    rows = [
        scorecard.row(str(metric), "all", exact_share(part["value"]))
        for metric, part in rates[~is_quality].groupby("metric", sort=False)
    ]
    of_refusals = scorecard.summarize_scores(rates[is_quality], rng=np.random.default_rng(seed))
    return pd.concat([pd.DataFrame(rows), of_refusals], ignore_index=True)


def outside_checks(
    rates: pd.DataFrame,
    outside: pd.DataFrame,
    scores: pd.DataFrame,
    asked: pd.DataFrame,
    *,
    at_most: float,
    generates: bool = True,
) -> pd.DataFrame:
    """Rows of the table `checks`: one for each kind of question outside the documents, and one for needless
    hedges.

    rates : of `outside_rates`; scores, asked : of the test set; generates : whether the assistant writes text
    of its own: of one that quotes, a pass is one by design. ParameterError if `at_most` is not in (0, 1).
    """
    rows = false_answer_checks(rates[rates["metric"] == RATE], outside, at_most=at_most)
    return mark_by_design(checks_frame([*rows, check_needless_hedges(scores, asked)]), generates)


def false_answer_checks(found: pd.DataFrame, cases: pd.DataFrame, *, at_most: float) -> list[dict]:
    """A row of the table `checks` for each kind: raised where the lower bound of the rate lies above
    `at_most`, clear where the upper bound does not; bounds at a level that keeps the probability of a wrongly
    raised row below SIGNIFICANCE over all rows. What the kit's own questions raise stays so
    (`checks.deciding_rows`).
    """
    parameter_ranges.check("most_false_answers", at_most, "in (0, 1)")
    level, of_kit = (
        1 - 2 * SIGNIFICANCE / max(1, each["kind"].nunique())
        for each in (cases, attack_probes.without_own(cases))
    )
    every = found.merge(cases[["case_id", "kind"]], on="case_id")
    rows = []
    for kind, part in every.groupby("kind", sort=True) if len(every) else [("all", every)]:
        held = deciding_rows(part, lambda kit: exact_share(kit["value"], of_kit).low > at_most)
        share = exact_share(held["value"], level if held is part else of_kit)
        check = Check(STEP, "outside_documents", str(kind), RATE, at_most, HIGH)
        rows.append(check.judge(share, held.loc[held["value"] == 1, "case_id"].tolist()))
    return rows


def check_needless_hedges(measured: pd.DataFrame, cases: pd.DataFrame) -> dict:
    """A row of the table `checks` for the questions that the documents answer of which the answer first says
    that they do not: an assistant that begins every answer so is right about every question, whatever it
    holds. Raised where the lower bound of their share lies above MOST_HEDGED.

    measured : scores with the metric hedged_rate
    """
    answerable = cases.loc[cases["answerable"].astype(bool), "case_id"]
    rows = measured[(measured["metric"] == HEDGED) & measured["case_id"].isin(answerable)]
    case_scores.require_one_system(rows)
    check = Check(STEP, "needless_hedge", "all", HEDGED, MOST_HEDGED, HIGH)
    return check.judge(exact_share(rows["value"]), rows.loc[rows["value"] == 1, "case_id"].tolist())
