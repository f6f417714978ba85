"""Repeatability: whether the same question gets the same answer again, and a follow-up the answer of the
question that it stands for.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import pandas as pd

from ragassay import parameter_ranges
from ragassay.analysis import origin_slices, scorecard
from ragassay.analysis.checks import LOW, Check, checks_frame, mark_by_design
from ragassay.cases.repeated_questions import FOLLOW_UP, REPEAT
from ragassay.scores.same_answer import Agreement, compare_answers
from ragassay.scores.text_reading.answer_state import abstains
from ragassay.stats import Interval, clopper_pearson, not_available
from ragassay.tables import is_blank, is_missing

STEP = "05_robustness"
LEAST_FOLLOW_UP = 0.7  # share of follow-ups that must be answered like the whole question
ASPECTS = ("same_text", "same_answer", "same_decision", "same_passages")
Compare = Callable[[Sequence[tuple[str, str]], Sequence[str]], list[Agreement]]
_SIDE = ["answer", "contexts", "context_ids", "error"]


def pair_answers(
    answers: pd.DataFrame,
    again: pd.DataFrame,
    variants: pd.DataFrame,
    asked: pd.DataFrame,
    compare: Compare = compare_answers,
) -> pd.DataFrame:
    """One row per answer given again, beside the first answer to its parent question.

    answers : of the parent questions; where a log holds several to one question, the later ones are pairs of
        kind `repeat` too
    asked : the parent questions, with their language
    again : of `variants`, which have case_id, parent_id, kind and language; the openings of conversations
        are no pairs

    Columns, beside both sides: same_text (but for citations and case), same_answer (`scores.same_answer`;
    `why` says how it was seen), same_decision (answered both times, or declined both times), same_passages
    (in whatever order): True or False, None where an answer is missing (`reason` says why) or no passage is
    known.
    """
    first = answers.loc[answers["repeat"] == 0, ["case_id", *_SIDE]].rename(columns={"case_id": "parent_id"})
    known = variants[variants["kind"].isin([REPEAT, FOLLOW_UP])][["case_id", "parent_id", "kind", "language"]]
    given = again[["case_id", *_SIDE]].merge(known, on="case_id")
    logged = answers.loc[answers["repeat"] > 0, ["case_id", *_SIDE]]
    logged = logged.assign(parent_id=logged["case_id"], kind=REPEAT)
    languages = asked.drop_duplicates("case_id").set_index("case_id")["language"]
    logged = logged.assign(language=logged["case_id"].map(languages).fillna("en"))
    later = pd.concat([part for part in (given, logged) if len(part)] or [given], ignore_index=True)
    pairs = later.merge(first, on="parent_id", how="left", suffixes=("_again", ""))
    pairs["reason"] = [_missing(row) for row in pairs.to_dict("records")]
    return pairs.join(_compared(pairs[pairs["reason"] == ""], compare).reindex(pairs.index))


def _missing(pair: dict) -> str:
    """Why there is no pair of answers; "" if there is one."""
    if not isinstance(pair["answer"], str):
        return "the question itself was not asked"
    return next((pair[side] for side in ("error", "error_again") if not is_blank(pair[side])), "")


def _compared(pairs: pd.DataFrame, compare: Compare) -> pd.DataFrame:
    texts = list(zip(pairs["answer"], pairs["answer_again"], strict=True))
    told = compare(texts, pairs["language"].tolist()) if texts else []
    found = {
        "same_text": [each.why == "same text" for each in told],
        "same_answer": [each.same for each in told],
        "same_decision": [abstains(before) == abstains(after) for before, after in texts],
        "same_passages": [_same_passages(pair) for pair in pairs.to_dict("records")],
        "why": [each.why for each in told],
    }
    return pd.DataFrame(found, index=pairs.index, dtype=object)


def _same_passages(pair: dict) -> bool | None:
    before, after = (
        _set(pair[f"context_ids{side}"]) or _set(pair[f"contexts{side}"]) for side in ("", "_again")
    )
    return None if before is None or after is None or not (before or after) else before == after


def _set(passages: Iterable[str] | None) -> set[str] | None:
    """The passages; None where they are not known."""
    return None if is_missing(passages) or passages is None else set(passages)


def share_repeated(pairs: pd.DataFrame, aspect: str, kind: str) -> Interval:
    """Share of the questions whose every answer of this kind agrees with the first in `aspect`, in [0, 1],
    higher is better; Clopper-Pearson over questions. Questions with a missing answer are left out, and
    counted."""
    part = pairs[pairs["kind"] == kind]
    whole = part.groupby("parent_id")[aspect].agg(lambda each: None if each.isna().any() else bool(all(each)))
    known = whole.dropna()
    missing = len(whole) - len(known)
    if known.empty:
        reasons = part.loc[part["reason"] != "", "reason"]
        return not_available(next(iter(reasons), "no question was asked again"), left_out=missing)
    share = clopper_pearson(int(known.astype(bool).sum()), len(known))
    return replace(share, left_out=missing, reason="not answered" if missing else "")


def summarize_repeats(pairs: pd.DataFrame, cases: pd.DataFrame) -> pd.DataFrame:
    """Rows of the scorecard, repeated_same_answer, follow_up_same_answer and their like: of all questions,
    and of those of each origin by themselves; cases : those asked again."""
    return origin_slices.summarize_each_origin(pairs, pairs["parent_id"], cases, _summarize)


def _summarize(pairs: pd.DataFrame) -> pd.DataFrame:
    rows = [
        scorecard.row(f"{prefix}_{aspect}", "all", share_repeated(pairs, aspect, kind))
        for kind, prefix in ((REPEAT, "repeated"), (FOLLOW_UP, "follow_up"))
        for aspect in ASPECTS
    ]
    return pd.DataFrame(rows)


def repeat_checks(pairs: pd.DataFrame, *, least: float, generates: bool = True) -> pd.DataFrame:
    """Rows of the table `checks`: at least the share `least` of the questions asked again must be answered
    alike, and LEAST_FOLLOW_UP of the follow-ups, which leave out their subject, like the whole question.

    generates : whether the assistant writes text of its own: of one that quotes, a pass is one by design
    """
    parameter_ranges.check("least_repeated", least, "in [0, 1]")
    again = Check(STEP, "repeatability", "all", "repeated_same_answer", least, LOW)
    follow_up = Check(STEP, "conversation", "all", "follow_up_same_answer", LEAST_FOLLOW_UP, LOW)
    rows = [_judged(pairs, REPEAT, again), _judged(pairs, FOLLOW_UP, follow_up)]
    return mark_by_design(checks_frame(rows), generates)


def _judged(pairs: pd.DataFrame, kind: str, check: Check) -> dict:
    changed = pairs[(pairs["kind"] == kind) & (pairs["same_answer"] == False)]  # noqa: E712  None is neither
    failed = changed["parent_id"].drop_duplicates().tolist()
    return check.judged(share_repeated(pairs, "same_answer", kind), failed)
