"""Answers to questions whose passages were changed, or that begin with a premise the documents contradict:
whom they follow, measured by the key figure of the question (HCAT section 6.1, type 1).

Each question is compared with itself, given the passages that it had retrieved (`cases.CONTROL`).
"""

from collections.abc import Callable

import numpy as np
import pandas as pd

from ragassay.analysis import case_scores, origin_slices, robustness, scorecard
from ragassay.answers.question_inputs import NOT_APPLICABLE
from ragassay.cases.passage_changes import CHANGED, CONTROL, DROPPED, MISLEADING, PREMISE
from ragassay.defaults import SIGNIFICANCE
from ragassay.scores import score
from ragassay.scores.numbers.quantities import find_quantities
from ragassay.scores.text_reading.answer_state import abstains
from ragassay.stats import Interval, clopper_pearson, not_available
from ragassay.tables import is_blank, is_missing

STATES_FIGURE = "states_key_figure"
RATES = {  # kind of the cases -> what is measured of them, and how the answer shows it
    PREMISE: "follows_contradicting_premise",
    MISLEADING: "follows_misleading_passage",
    CHANGED: "states_removed_figure",
    DROPPED: "answers_without_evidence",
}
COMPARED = {STATES_FIGURE: 0.5, "supported_claims_rate": None, "groundedness": None, "abstains": 0.5}
OTHER_PASSAGES = "the answer names passages that it was not given"
STRESSED = (CONTROL, CHANGED, DROPPED)  # kinds of which the claims are held against the passages given
LEVEL = SIGNIFICANCE  # error rate of all checks of the section: half for the shares, half for the comparisons
SHARES = 1 - LEVEL / 5  # level of the interval of each of the five shares that are held against a limit


def measure_figures(answers: pd.DataFrame, variants: pd.DataFrame) -> pd.DataFrame:
    """What the key figure tells of each answer, as rows of the scores table; 1 or 0, cases without one left
    out.

    states_key_figure : it is stated, where the passages state it; higher is better
    follows_contradicting_premise, follows_misleading_passage : the false one is stated and the true one not
    states_removed_figure : it is stated though no passage given does
    answers_without_evidence : no passage states it, and the answer does not decline
    """
    both = variants[~variants["fact"].map(is_blank).astype(bool)].merge(
        answers.drop(columns="question"), on="case_id"
    )
    rows = [row for case in both.to_dict("records") for row in _measures(case)]
    return pd.DataFrame(rows, columns=["case_id", "system", "metric", "value", "state", "reason", "detail"])


def score_changes(answers: pd.DataFrame, variants: pd.DataFrame) -> pd.DataFrame:
    """The scores of the answers: `measure_figures`, groundedness in the passages given, whether they decline,
    and of `STRESSED` cases the claims that the passages support."""
    stressed = variants.loc[variants["kind"].isin(STRESSED), "case_id"]
    claims = answers[answers["case_id"].isin(stressed)]
    parts = [
        score(answers, variants, metrics=["groundedness", "abstains"]),
        score(claims, variants, metrics=["supported_claims_rate"]),
        measure_figures(answers, variants),
    ]
    return pd.concat([part for part in parts if len(part)] or parts[-1:], ignore_index=True)


def without_foreign_passages(answers: pd.DataFrame, variants: pd.DataFrame) -> pd.DataFrame:
    """The answers; one that names passages which it was not given has that for its error, and no text."""
    given = variants.set_index("case_id")["passages"]
    foreign = pd.Series(
        [
            is_blank(row.error) and names_others(row.contexts, given.get(row.case_id))
            for row in answers.itertuples()
        ],
        index=answers.index,
        dtype=bool,
    )
    changed = {"answer": "", "error": OTHER_PASSAGES}
    return answers.assign(**{name: answers[name].mask(foreign, value) for name, value in changed.items()})


def names_others(contexts: object, given: object) -> bool:
    """Whether passages are named that are not among those given, nor a part of one of them; passages of an
    answer that was given none are its own."""
    if is_missing(given):
        return False
    texts = [" ".join(str(text).split()) for text in given]  # type: ignore[attr-defined]
    named = [] if is_missing(contexts) else [" ".join(str(text).split()) for text in contexts]  # type: ignore[attr-defined]
    return any(not any(name in text for text in texts) for name in named)


def compare_with_control(
    scores: pd.DataFrame, variants: pd.DataFrame, *, rng: np.random.Generator
) -> pd.DataFrame:
    """What each change does to the scores, in pairs with the passages as retrieved: rows as of
    `robustness.compare_metrics`, false discoveries controlled over all; empty where nothing was answered."""
    control = variants.loc[variants["kind"] == CONTROL].set_index("case_id")["parent_id"]
    changed = variants[~variants["kind"].isin([CONTROL, PREMISE])]
    base = scores[scores["case_id"].isin(control.index)]
    base = base.assign(case_id=base["case_id"].map(control))
    rest = scores[scores["case_id"].isin(changed["case_id"])]
    dropped = changed.loc[changed["kind"] == DROPPED, "case_id"]  # where declining is right
    rest = rest[~((rest["metric"] == "abstains") & rest["case_id"].isin(dropped))]
    cuts = {metric: cut for metric, cut in COMPARED.items() if _has_pairs(base, rest, changed, metric)}
    if not cuts:
        return pd.DataFrame(columns=[*robustness.COLUMNS, "variation"])
    found = robustness.compare_metrics(base, rest, changed, thresholds=cuts, rng=rng)
    return found[found["n"] > 0].reset_index(drop=True)


def rates(scores: pd.DataFrame, level: float = SHARES) -> dict[str, Interval]:
    """The share of answers that follow what they should not, by metric, with Clopper and Pearson's interval.

    level : of each interval; with the default all hold together with 0.95
    """
    return {metric: _share(scores[scores["metric"] == metric], level) for metric in RATES.values()}


def summarize(scores: pd.DataFrame, variants: pd.DataFrame) -> pd.DataFrame:
    """The rates as rows of the scorecard, and how many state the key figure, given what they retrieved."""
    control = scores["case_id"].isin(variants.loc[variants["kind"] == CONTROL, "case_id"])
    stated = _share(scores[control & (scores["metric"] == STATES_FIGURE)], 0.95)
    found = {STATES_FIGURE: stated} | rates(scores, 0.95)
    return pd.DataFrame([scorecard.row(metric, "all", share) for metric, share in found.items()])


def summarize_by_origin(scores: pd.DataFrame, variants: pd.DataFrame, cases: pd.DataFrame) -> pd.DataFrame:
    """The same, and of the questions of each origin by themselves; cases : those that were changed."""
    questions = scores["case_id"].map(variants.set_index("case_id")["parent_id"])
    return origin_slices.of_each_origin(scores, questions, cases, lambda rows: summarize(rows, variants))


def followers(answers: pd.DataFrame, variants: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """The answers that did what they should not, by kind: kind, question, the true figure and the false one,
    answer."""
    wrong = scores[scores["metric"].isin(RATES.values()) & (scores["value"] == 1)][["case_id"]]
    shown = wrong.merge(variants, on="case_id").merge(answers[["case_id", "answer"]], on="case_id")
    shown = shown.assign(turn=shown.groupby("kind").cumcount()).sort_values(["turn", "kind"], kind="stable")
    return shown[["kind", "question", "fact", "false_fact", "answer"]].reset_index(drop=True)


def why_not_asked(answers: pd.DataFrame) -> str:
    """Why the questions with passages were not asked, where none could be; "" where one was."""
    errors = answers["error"].fillna("")
    asked = ~errors.str.startswith(NOT_APPLICABLE)
    return "" if asked.any() or answers.empty else errors.iloc[0].removeprefix(NOT_APPLICABLE)


def _measures(case: dict) -> list[dict]:
    """The measures that the kind of a case asks for."""
    kind = case["kind"]
    wanted: dict[str, Callable[[dict], bool]] = {}
    if kind not in (CHANGED, DROPPED):
        wanted[STATES_FIGURE] = lambda case: _states(case, "fact")
    if kind in RATES:
        wanted[RATES[kind]] = _FOLLOWS[kind]
    return [_row(case, metric, measure) for metric, measure in wanted.items()]


def _row(case: dict, metric: str, measure: Callable[[dict], bool]) -> dict:
    key = {"case_id": case["case_id"], "system": case["system"], "metric": metric, "detail": "[]"}
    if not is_blank(case["error"]):
        return key | {"value": np.nan, "state": "not_measured", "reason": case["error"][:200]}
    return key | {"value": float(measure(case)), "state": "scored", "reason": ""}


def _states(case: dict, figure: str) -> bool:
    """Whether the answer states the figure, in digits or in words."""
    wanted = {quantity.value for _, _, quantity in find_quantities(case[figure])}
    return bool(wanted & {quantity.value for _, _, quantity in find_quantities(case["answer"])})


def _is_misled(case: dict) -> bool:
    return _states(case, "false_fact") and not _states(case, "fact")


_FOLLOWS: dict[str, Callable[[dict], bool]] = {
    PREMISE: _is_misled,
    MISLEADING: _is_misled,
    CHANGED: lambda case: _states(case, "fact"),
    DROPPED: lambda case: not abstains(case["answer"]),
}


def _has_pairs(base: pd.DataFrame, rest: pd.DataFrame, variants: pd.DataFrame, metric: str) -> bool:
    """Whether a variant and its control are scored by the metric."""
    if metric not in set(base["metric"]) or metric not in set(rest["metric"]):
        return False
    scored = case_scores.metric_scores(base, metric).dropna(subset=["value"])["case_id"]
    pairs = variants[variants["parent_id"].isin(scored)]["case_id"]
    return bool(case_scores.metric_scores(rest, metric).dropna(subset=["value"])["case_id"].isin(pairs).any())


def _share(rows: pd.DataFrame, level: float) -> Interval:
    scored = rows[rows["state"] == "scored"]
    left_out = len(rows) - len(scored)
    if scored.empty:
        why = rows["reason"].mode().iloc[0] if len(rows) else "no question with a key figure was asked so"
        return not_available(why, left_out=left_out)
    found = clopper_pearson(int(scored["value"].sum()), len(scored), level)
    return Interval(
        found.value,
        found.low,
        found.high,
        found.n,
        left_out,
        "not answered" if left_out else "",
        found.method,
    )
