"""Answers to questions whose passages were changed: whom they follow, measured by the key figure of the
question (HCAT section 6.1, type 1)."""

import pandas as pd

from ragassay import parameter_ranges
from ragassay.analysis import origin_slices, scorecard
from ragassay.analysis.checks import HIGH, LOW, Check, checks_frame
from ragassay.cases.passage_changes import DISTRACTORS, DROPPED, MISLEADING
from ragassay.defaults import CONFIDENCE, SIGNIFICANCE
from ragassay.scores.numbers.amounts import find_numbers
from ragassay.scores.text_reading.answer_state import abstains
from ragassay.stats import Interval, clopper_pearson, not_available
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
LEVEL = 1 - 2 * SIGNIFICANCE / len(RATES)  # so that one of the rows is wrongly raised with that error at most
OTHER_PASSAGES = "the answer names passages that it was not given"
NOTHING = "no question with a key figure was asked so"


def measure_changes(answers: pd.DataFrame, variants: pd.DataFrame) -> pd.DataFrame:
    """What the key figure tells of each answer, as rows of the scores table, 1 or 0.

    states_key_figure : it is stated among distractors, of questions whose first answer states it; higher is
        better
    follows_misleading_passage : the false figure is stated and the true one not; lower is better
    answers_without_evidence : no passage states it, and the answer does not decline; lower is better

    An answer that names passages which it was not given is not measured.

    variants : of `cases.adversarial_cases`
    """
    both = variants.merge(answers.drop(columns="question"), on="case_id")
    rows = [_row(case) for case in both.to_dict("records") if case["kind"] != DISTRACTORS or case["stated"]]
    return pd.DataFrame(rows, columns=["case_id", "system", "metric", "value", "state", "reason", "detail"])


def summarize_changes(scores: pd.DataFrame, variants: pd.DataFrame, cases: pd.DataFrame) -> pd.DataFrame:
    """The shares as rows of the scorecard: of all questions, and of each origin by itself.

    scores : of `measure_changes`; cases : the questions whose passages were changed
    """
    questions = scores["case_id"].map(variants.set_index("case_id")["parent_id"])
    return origin_slices.of_each_origin(scores, questions, cases, _summarize)


def passage_checks(scores: pd.DataFrame, *, most: float) -> pd.DataFrame:
    """Rows of the table `checks`, one for each change of passages, with an error of `SIGNIFICANCE` over all.

    most : largest share of answers that may lose the figure, or follow what they should not, in [0, 1]
    """
    parameter_ranges.check("most_followed", most, "in [0, 1]")
    rows = []
    for kind, metric in RATES.items():
        part, is_right = scores[scores["metric"] == metric], kind == DISTRACTORS
        limit, bound = (1 - most, LOW) if is_right else (most, HIGH)
        wrong = part.loc[part["value"] == (0 if is_right else 1), "case_id"].tolist()
        check = Check("05_robustness", *CHECKS[kind], metric, limit, bound)
        rows.append(check.judged(_share(part, LEVEL), wrong))
    return checks_frame(rows)


def names_others(contexts: object, given: object) -> bool:
    """Whether passages are named that are not among those given, nor a part of one of them; passages of an
    answer that was given none are its own."""
    if is_missing(given):
        return False
    texts = [" ".join(str(text).split()) for text in given]  # type: ignore[attr-defined]
    named = [] if is_missing(contexts) else [" ".join(str(text).split()) for text in contexts]  # type: ignore[attr-defined]
    return any(not any(name in text for text in texts) for name in named)


def _row(case: dict) -> dict:
    error = case["error"] if not is_blank(case["error"]) else ""
    if not error and names_others(case["contexts"], case["passages"]):
        error = OTHER_PASSAGES
    value = float("nan") if error else float(_holds(case))
    key = {
        "case_id": case["case_id"],
        "system": case["system"],
        "metric": RATES[case["kind"]],
        "detail": "[]",
    }
    return key | {"value": value, "state": "not_measured" if error else "scored", "reason": error[:200]}


def _holds(case: dict) -> bool:
    if case["kind"] == DROPPED:
        return not abstains(case["answer"])
    is_misled = case["kind"] == MISLEADING
    return _states(case, "false_fact") and not _states(case, "fact") if is_misled else _states(case, "fact")


def _states(case: dict, figure: str) -> bool:
    """Whether the answer states the figure, in digits or in words."""
    wanted = {one.value for one in find_numbers(case[figure])}
    return bool(wanted & {one.value for one in find_numbers(case["answer"])})


def _summarize(scores: pd.DataFrame) -> pd.DataFrame:
    shares = {metric: _share(scores[scores["metric"] == metric], CONFIDENCE) for metric in RATES.values()}
    return pd.DataFrame([scorecard.row(metric, "all", share) for metric, share in shares.items()])


def _share(rows: pd.DataFrame, level: float) -> Interval:
    scored = rows[rows["state"] == "scored"]
    left_out = len(rows) - len(scored)
    if scored.empty:
        return not_available(rows["reason"].mode().iloc[0] if len(rows) else NOTHING, left_out=left_out)
    share = clopper_pearson(int(scored["value"].sum()), len(scored), level)
    reason = "not answered" if left_out else ""
    return Interval(share.value, share.low, share.high, share.n, left_out, reason, share.method)
