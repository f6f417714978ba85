"""Repeatability: whether the same question gets the same answer again, and a follow-up the answer of the
question that it stands for.
"""

from collections.abc import Callable, Sequence

import pandas as pd

from ragassay import parameter_ranges
from ragassay.analysis import origin_slices, scorecard
from ragassay.analysis.checks import LOW, Check, checks_frame, exact_share, mark_by_design
from ragassay.cases.repeated_questions import FOLLOW_UP, REPEAT
from ragassay.scores.families.same_answer import Agreement, compare_answers
from ragassay.stats import Interval
from ragassay.tables import is_blank

LEAST_FOLLOW_UP = 0.7  # share of follow-ups that must be answered like the whole question
RATES = {REPEAT: "repeated_same_answer", FOLLOW_UP: "follow_up_same_answer"}
Compare = Callable[[Sequence[tuple[str, str]], Sequence[str]], list[Agreement]]
_SIDE = ["answer", "error"]


def pair_answers(
    answers: pd.DataFrame,
    again: pd.DataFrame,
    variants: pd.DataFrame,
    asked: pd.DataFrame,
    compare: Compare = compare_answers,
) -> pd.DataFrame:
    """One row per answer given again, beside the first answer to its parent question: same_answer
    (`scores.same_answer`), True or False; None where an answer is missing (`reason` says why).

    answers : of the parent questions; later ones of a log are pairs of kind `repeat` too; asked : the parent
    questions, with their language; again : of `variants`, which have case_id, parent_id, kind and language
    """
    first = answers.loc[answers["repeat"] == 0, ["case_id", *_SIDE]].rename(columns={"case_id": "parent_id"})
    known = variants[variants["kind"].isin(list(RATES))][["case_id", "parent_id", "kind", "language"]]
    given = again[["case_id", *_SIDE]].merge(known, on="case_id")
    logged = answers.loc[answers["repeat"] > 0, ["case_id", *_SIDE]]
    languages = asked.drop_duplicates("case_id").set_index("case_id")["language"]
    spoken = logged["case_id"].map(languages).fillna("en")
    logged = logged.assign(parent_id=logged["case_id"], kind=REPEAT, language=spoken)
    later = pd.concat([part for part in (given, logged) if len(part)] or [given], ignore_index=True)
    pairs = later.merge(first, on="parent_id", how="left", suffixes=("_again", ""))
    pairs["reason"] = [_why_missing(row) for row in pairs.to_dict("records")]
    both = pairs[pairs["reason"] == ""]
    texts = list(zip(both["answer"], both["answer_again"], strict=True))
    agreements = compare(texts, both["language"].tolist()) if texts else []
    same = pd.Series([each.same for each in agreements], index=both.index, dtype=object)
    return pairs.assign(same_answer=same.reindex(pairs.index))


def share_repeated(pairs: pd.DataFrame, kind: str) -> Interval:
    """Share of the questions whose every answer of this kind agrees with the first, in [0, 1], higher is
    better; Clopper-Pearson over questions, those with a missing answer left out and counted."""
    part = pairs[pairs["kind"] == kind]
    same = part.groupby("parent_id")["same_answer"]
    whole = same.agg(lambda each: None if each.isna().any() else bool(all(each)))
    reasons = part.loc[part["reason"] != "", "reason"]
    return exact_share(whole, nothing=next(iter(reasons), "no question was asked again"))


def summarize_repeats(pairs: pd.DataFrame, cases: pd.DataFrame) -> pd.DataFrame:
    """Rows of the scorecard, repeated_same_answer and follow_up_same_answer: of all questions, and of those
    of each origin by themselves; cases : those asked again."""

    def summarize(rows: pd.DataFrame) -> pd.DataFrame:
        shares = {rate: share_repeated(rows, kind) for kind, rate in RATES.items()}
        return pd.DataFrame([scorecard.row(rate, "all", share) for rate, share in shares.items()])

    return origin_slices.summarize_each_origin(pairs, pairs["parent_id"], cases, summarize)


def repeat_checks(pairs: pd.DataFrame, *, least: float, generates: bool = True) -> pd.DataFrame:
    """Rows of the table `checks`: at least the share `least` of the questions asked again must be answered
    alike, and LEAST_FOLLOW_UP of the follow-ups, which leave out their subject, like the whole question; of
    an assistant that only quotes (`generates`), a pass is one by design.
    """
    parameter_ranges.check("least_repeated", least, "in [0, 1]")
    step, rows = "05_robustness", []
    again = Check(step, "repeatability", "all", RATES[REPEAT], least, LOW)
    follow_up = Check(step, "conversation", "all", RATES[FOLLOW_UP], LEAST_FOLLOW_UP, LOW)
    for kind, check in ((REPEAT, again), (FOLLOW_UP, follow_up)):
        changed = pairs.loc[(pairs["kind"] == kind) & pairs["same_answer"].eq(False), "parent_id"]
        rows.append(check.judge(share_repeated(pairs, kind), changed.unique().tolist()))
    return mark_by_design(checks_frame(rows), generates)


def _why_missing(pair: dict) -> str:
    """Why there is no pair of answers; "" if there is one."""
    if not isinstance(pair["answer"], str):
        return "the question itself was not asked"
    return next((pair[side] for side in ("error", "error_again") if not is_blank(pair[side])), "")
