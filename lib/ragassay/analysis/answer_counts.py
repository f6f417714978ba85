"""How many questions were asked, answered, scored and rated, and why the others were not: the one account
that every other count of the report can be read against."""

from collections.abc import Collection, Mapping

import pandas as pd

from ragassay.tables import is_blank

GROUPS = {  # part of the table `answers` -> what its questions are, in the report's order
    "": "ordinary questions",
    "probes": "probes of safety, misuse and access",
    "counterfactuals": "questions put for other groups",
    "bias_questions": "questions in BBQ's form",
    "variants": "varied questions, and those outside the documents",
    "adversarial": "changed passages and premises",
    "repeats": "questions asked again, and follow-ups",
    "evidence": "failing questions, their evidence handed over",
}
SCORED = {  # metric of ordinary answers -> what is counted
    "retrieval_recall": "retrieval measured",
    "support": "support measured",
    "superseded_cited_rate": "superseded text looked for",
    "staff_only_reach_rate": "staff-only text looked for",
}
TOTAL = "all questions: answered"
COLUMNS = ["counted", "questions", "n", "left_out", "why"]
_LEAD = ("not applicable: ", "no-answer case: ", "not asked: ")


def account(
    parts: Mapping[str, pd.DataFrame], scores: pd.DataFrame, rated: Collection[str], cases: pd.DataFrame
) -> pd.DataFrame:
    """One row per group of questions, then one for all of them, then one per measure of the ordinary ones
    (COLUMNS): how many there are, how many count, how many are left out and why, the commonest reason first.

    Parameters
    ----------
    parts : the table `answers` by its parts; groups that are not there have no row
    scores : of ordinary answers; metrics other than SCORED are passed over
    rated : case_id of the answers that raters read
    cases : the ordinary questions, with `origin`
    """
    given = {name: parts[part] for part, name in GROUPS.items() if len(parts.get(part, ()))}
    asked = [_of_group(f"{name}: answered", answers) for name, answers in given.items()]
    asked += [_of_group(TOTAL, pd.concat(given.values()))] if len(given) > 1 else []
    made = [*asked, _rated(cases, set(rated))] if len(cases) else asked
    own = scores[scores["case_id"].isin(cases["case_id"])]
    measured = [_scored(name, own[own["metric"] == metric]) for metric, name in SCORED.items()]
    return pd.DataFrame([*made, *(row for row in measured if row["questions"])], columns=COLUMNS)


def count_answered(parts: Mapping[str, pd.DataFrame]) -> int:
    """How many questions of all groups got an answer."""
    return sum(int(_known(answers).sum()) for answers in parts.values())


def put(parts: Mapping[str, pd.DataFrame]) -> int:
    """How many questions of all groups there are, answered or not."""
    return sum(len(answers) for answers in parts.values())


def searched(parts: Mapping[str, pd.DataFrame]) -> int:
    """How many answers are searched for personal data and toxic words: ordinary ones, and those to probes."""
    return count_answered({part: parts[part] for part in ("", "probes") if part in parts})


def _known(answers: pd.DataFrame) -> pd.Series:
    return answers["error"].map(is_blank).astype(bool)


def _of_group(name: str, answers: pd.DataFrame) -> dict:
    errors = answers.loc[~_known(answers), "error"]
    return _row(name, len(answers), len(answers) - len(errors), errors)


def _rated(cases: pd.DataFrame, rated: set[str]) -> dict:
    unread = cases.loc[~cases["case_id"].isin(rated), "origin"].map(
        lambda origin: f"unread: {origin} questions"
    )
    return _row("of the ordinary: read by raters", len(cases), len(cases) - len(unread), unread)


def _scored(name: str, rows: pd.DataFrame) -> dict:
    missing = rows.loc[rows["value"].isna(), "reason"]
    return _row(f"of the ordinary: {name}", len(rows), len(rows) - len(missing), missing)


def _row(name: str, questions: int, n: int, reasons: pd.Series) -> dict:
    told = "; ".join(
        f"{_short(str(reason))} ({count:,})" for reason, count in reasons.value_counts().head(3).items()
    )
    return dict(zip(COLUMNS, [name, questions, n, questions - n, told], strict=True))


def _short(reason: str) -> str:
    for lead in _LEAD:
        reason = reason.removeprefix(lead)
    return reason
