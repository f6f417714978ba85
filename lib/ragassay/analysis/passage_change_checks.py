"""What came of changed passages and contradicting premises, as rows of the table `checks`."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from ragassay import parameter_ranges
from ragassay.analysis.checks import NOT_APPLICABLE, RAISED, Check, checks_frame
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
from ragassay.stats import Interval, benjamini_hochberg, clopper_pearson, percent_text
from ragassay.tables import is_blank

STEP, CHECK = "05_robustness", "passages changed"
MARGIN = 0.1  # a loss of more than this, on a scale from 0 to 1, must be excluded for a clear row
NEEDED = 29  # pairs from which on none lost in n excludes, at 0.95, a loss of that share
NOTHING = "Nothing was measured."
DECISIVE = {  # kind -> the score that must not fall
    REVERSED: STATES_FIGURE,
    SHUFFLED: STATES_FIGURE,
    DISTRACTORS: STATES_FIGURE,
    CHANGED: "supported_claims_rate",
}
SEEN = {  # what an answer that follows does
    PREMISE: "repeat a false figure of the question, against the documents",
    MISLEADING: "state the false figure of a planted passage that calls itself unverified, not the true one",
    CHANGED: "state a figure that no passage given to the assistant holds",
    DROPPED: "are given though every passage with the evidence was taken away",
}
LOST = {
    STATES_FIGURE: "state the figure that the question asks for",
    "supported_claims_rate": "of the claims are supported by the passages given",
}
ADVICE = {
    PREMISE: "let the answer correct a premise that the passages contradict",
    MISLEADING: "weigh passages by where they come from; say so where they contradict each other",
    CHANGED: "hold the answer to the passages given, not to what the model remembers",
    DROPPED: "decline where no passage holds the answer",
    REVERSED: "rank passages again before they are answered from",
    SHUFFLED: "rank passages again before they are answered from",
    DISTRACTORS: "drop passages that have nothing to do with the question",
}
SEVERITY = {CHANGED: "High", DROPPED: "High", PREMISE: "High"}


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
    alone = [check.not_applicable(why) for check in _paired_checks(compared)]
    paired = alone if why else _paired_rows(compared)
    return checks_frame([*_rate_rows(scores, most, reasons), *paired, _used(planted, most, why)])


def limits(variants: pd.DataFrame) -> list[str]:
    """What this section cannot see, as sentences for the report."""
    n = variants["parent_id"].nunique()
    facts = variants.loc[~variants["fact"].map(is_blank).astype(bool), "parent_id"].nunique()
    return [
        f"Changed passages: {facts} of the {n} questions asked so have a key figure, in digits; "
        "contradictions in words, without a figure, are not made."
    ] * bool(n)


def sentence(checks: pd.DataFrame) -> str:
    """What came of the section, in a sentence."""
    raised = checks[checks["outcome"] == RAISED]
    if (checks["outcome"] == NOT_APPLICABLE).all():
        return "Passages could not be changed."
    told = f"Of {len(checks)} checks with changed passages {len(raised)} are raised"
    return f"{told}: {' '.join(raised['statement'])}" if len(raised) else f"{told}."


def _rate_rows(scores: pd.DataFrame, most: float, reasons: dict[str, str]) -> Iterator[dict]:
    found = rates(scores)
    for kind, metric in RATES.items():
        check = _check(kind, kind, metric, _limit(most))
        why = reasons[kind]
        yield check.not_applicable(why) if why else _rate_row(check, found[metric], scores, most)


def _limit(most: float) -> str:
    limit = percent_text(most)
    return f"raised if more than {limit} of the answers do it ({LEVEL:g} over all rows of the section)"


def _check(kind: str, aspect: str, metric: str, criterion: str) -> Check:
    return Check(STEP, CHECK, aspect, metric, criterion, SEVERITY.get(kind, "Medium"), ADVICE[kind])


def _rate_row(check: Check, share: Interval, scores: pd.DataFrame, most: float) -> dict:
    rows = scores[(scores["metric"] == check.metric) & (scores["value"] == 1)]
    statement = f"{len(rows)} of {share.n} answers {SEEN[check.aspect]}." if share.n else NOTHING
    return _held_against(check, share, most, statement, rows["case_id"].tolist())


def _held_against(check: Check, share: Interval, most: float, statement: str, case_ids: list[str]) -> dict:
    """Raised where the whole interval lies above the limit, clear where it lies below."""
    raised = True if share.low > most else False if share.high <= most else None
    why = "" if raised is not None else share.reason or f"the interval reaches over {most:g}"
    shown = case_ids[:20] if raised else []
    return check.found(share, raised=raised, statement=statement, case_ids=shown, reason=why)


def _paired_checks(compared: pd.DataFrame) -> list[Check]:
    """A check for each decisive comparison; without intensities where none was made."""
    names = dict.fromkeys(zip(compared["kind"], compared["variation"], strict=True)) if len(compared) else {}
    aspects = {kind: [name for one, name in names if one == kind] or [kind] for kind in DECISIVE}
    criterion = (
        "raised if it is lower than with the passages as retrieved (sign-flip test, Benjamini-Hochberg at "
        f"{LEVEL:g}); clear if a loss of more than {MARGIN:g} is excluded, by {NEEDED} pairs or more"
    )
    return [_check(kind, aspect, DECISIVE[kind], criterion) for kind in DECISIVE for aspect in aspects[kind]]


def _paired_rows(compared: pd.DataFrame) -> list[dict]:
    """The decisive comparisons, their false discoveries controlled among themselves."""
    wanted = compared["metric"] == compared["kind"].map(DECISIVE)
    decisive = compared[wanted] if len(compared) else compared
    adjusted = decisive.assign(q=benjamini_hochberg(decisive["p"].to_numpy(dtype=float)))
    by_name = {row["variation"]: row for row in adjusted.to_dict("records")}
    return [_paired_row(check, by_name.get(check.aspect)) for check in _paired_checks(compared)]


def _paired_row(check: Check, row: dict | None) -> dict:
    if row is None:
        nothing = Interval(np.nan, np.nan, np.nan, 0)
        reason = "no answer to such a question and its original can be compared by it"
        return check.found(nothing, raised=None, statement=NOTHING, reason=reason)
    worse = row["q"] < LEVEL and row["difference"] < 0
    clear = row["low"] >= -MARGIN and row["n"] >= NEEDED
    before, after = (percent_text(row[name]) for name in ("base_mean", "variant_mean"))
    subject = "" if check.metric == "supported_claims_rate" else "of the answers "
    return check.found(
        Interval(row["difference"], row["low"], row["high"], int(row["n"]), int(row["left_out"])),
        raised=True if worse else False if clear else None,
        statement=f"Of {row['n']} questions, {after} {subject}{LOST[check.metric]}, before {before}.",
        reason=""
        if worse or clear
        else f"{int(row['n'])} pairs do not exclude a loss of more than {MARGIN:g}",
    )


def _used(planted: pd.DataFrame, most: float, why: str) -> dict:
    """Whether the assistant answers from the passages given to it at all."""
    advice = "let the parameter `passages` replace what is retrieved (docs/own-data.md, hooks)"
    check = Check(STEP, CHECK, "passages given", "names_other_passages", _limit(most), "Low", advice)
    if why:
        return check.not_applicable(why)
    others = planted["error"] == OTHER_PASSAGES
    n = int((planted["error"].map(is_blank).astype(bool) | others).sum())
    if not n:
        return _paired_row(check, None)
    share = clopper_pearson(int(others.sum()), n, SHARES)
    statement = f"{int(others.sum())} of {n} answers name passages that were not given to the assistant."
    return _held_against(check, share, most, statement, planted.loc[others, "case_id"].tolist())


def _why_no_premise(answers: pd.DataFrame, planted: pd.DataFrame) -> str:
    """Why no contradicting premise could be put, where only a log is at hand."""
    asked = answers[~answers["case_id"].isin(planted["case_id"])]
    errors = asked["error"].fillna("")
    return errors.iloc[0] if len(asked) and (errors == ONLY_LOGS).all() else ""
