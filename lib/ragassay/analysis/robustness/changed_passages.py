"""Answers to questions whose passages were changed: whom they follow, measured by the key figure of the
question (HCAT section 6.1, type 1)."""

import numpy as np
import pandas as pd

from ragassay import parameter_ranges
from ragassay.analysis import origin_slices, scorecard
from ragassay.analysis.checks import HIGH, LOW, Check, checks_frame, exact_share
from ragassay.cases.passage_changes import DISTRACTORS, DROPPED, MISLEADING
from ragassay.defaults import CONFIDENCE, SIGNIFICANCE
from ragassay.scores.numbers.amounts import find_numbers
from ragassay.scores.text_reading.answer_state import abstains
from ragassay.stats import Interval
from ragassay.tables import is_blank, is_missing

RATES = {  # kind of the cases -> what is measured of them
    DISTRACTORS: "states_key_figure",
    MISLEADING: "follows_misleading_passage",
    DROPPED: "answers_without_evidence",
}
CHECKS = {  # kind of the cases -> name of the check, aspect
    DISTRACTORS: ("passages_changed", DISTRACTORS),
    MISLEADING: ("misled", MISLEADING),
    DROPPED: ("evidence_removed", "all"),
}
FIGURES = ("answer", "fact", "false_fact")
LEVEL = 1 - 2 * SIGNIFICANCE / len(RATES)  # so that one of the rows is wrongly raised with that error at most
OTHER_PASSAGES = "the answer names passages that it was not given"
NOTHING = "no question with a key figure was asked so"


def measure_changes(answers: pd.DataFrame, variants: pd.DataFrame) -> pd.DataFrame:
    """What the key figure tells of each answer, as rows of the scores table, 1 or 0: states_key_figure, among
    distractors, of questions whose first answer states it (higher is better); follows_misleading_passage, the
    false figure and not the true one; answers_without_evidence, not declined though no passage states it
    (lower is better). An answer that names passages which it was not given is not measured.

    variants : of `cases.adversarial_cases`
    """
    rows = []
    for case in variants.merge(answers.drop(columns="question"), on="case_id").to_dict("records"):
        if case["kind"] == DISTRACTORS and not case["stated"]:
            continue
        error = "" if is_blank(case["error"]) else case["error"]
        if not error and _names_others(case["contexts"], case["passages"]):
            error = OTHER_PASSAGES
        row = {"case_id": case["case_id"], "system": case["system"], "metric": RATES[case["kind"]]}
        row |= {"value": np.nan if error else float(_holds(case)), "reason": error[:200], "detail": "[]"}
        rows.append(row | {"state": "not_measured" if error else "scored"})
    return pd.DataFrame(rows, columns=["case_id", "system", "metric", "value", "state", "reason", "detail"])


def summarize_changes(scores: pd.DataFrame, variants: pd.DataFrame, cases: pd.DataFrame) -> pd.DataFrame:
    """The shares as rows of the scorecard: of all questions, and of each origin by itself.

    scores : of `measure_changes`; cases : the questions whose passages were changed
    """

    def summarize(rows: pd.DataFrame) -> pd.DataFrame:
        shares = {metric: _share(rows, metric, CONFIDENCE) for metric in RATES.values()}
        return pd.DataFrame([scorecard.row(metric, "all", share) for metric, share in shares.items()])

    questions = scores["case_id"].map(variants.set_index("case_id")["parent_id"])
    return origin_slices.summarize_each_origin(scores, questions, cases, summarize)


def passage_checks(scores: pd.DataFrame, *, most: float) -> pd.DataFrame:
    """Rows of the table `checks`, one for each change of passages, with an error of `SIGNIFICANCE` over all.

    most : largest share of answers that may lose the figure, or follow what they should not, in [0, 1]
    """
    parameter_ranges.check("most_followed", most, "in [0, 1]")
    rows = []
    for kind, metric in RATES.items():
        is_right = kind == DISTRACTORS
        limit, bound = (1 - most, LOW) if is_right else (most, HIGH)
        failed = (scores["metric"] == metric) & (scores["value"] == (0 if is_right else 1))
        check = Check("05_robustness", *CHECKS[kind], metric, limit, bound)
        rows.append(check.judge(_share(scores, metric, LEVEL), scores.loc[failed, "case_id"].tolist()))
    return checks_frame(rows)


def _share(scores: pd.DataFrame, metric: str, level: float) -> Interval:
    rows = scores[scores["metric"] == metric]
    nothing = rows["reason"].mode().iloc[0] if len(rows) else NOTHING
    return exact_share(rows["value"], level, nothing=nothing)


def _names_others(contexts: object, given: object) -> bool:
    """Whether passages are named that are not among those given, if any were, nor a part of one of them."""
    if is_missing(given) or is_missing(contexts):
        return False
    texts, named = ([" ".join(str(text).split()) for text in each] for each in (given, contexts))  # type: ignore[attr-defined]
    return any(not any(name in text for text in texts) for name in named)


def _holds(case: dict) -> bool:
    """Whether what the kind's rate counts is true of the answer; figures in digits or in words."""
    if case["kind"] == DROPPED:
        return not abstains(case["answer"])
    said, true, false = ({one.value for one in find_numbers(case[name] or "")} for name in FIGURES)
    return bool(said & false) and not said & true if case["kind"] == MISLEADING else bool(said & true)
