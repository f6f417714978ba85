"""What became of the questions, in a table and in sentences."""

from typing import Any

import pandas as pd

from ragassay.answers import assistant_versions
from ragassay.answers.asking import NOT_ASKED, REUSED
from ragassay.answers.question_inputs import NOT_APPLICABLE


def summary(answers: pd.DataFrame) -> pd.DataFrame:
    """How many questions were answered, and why the others were not: system, outcome ("answered", or a kind
    of error), n, share."""
    outcome = answers["error"].map(
        lambda error: error.split(":")[0] if isinstance(error, str) and error else "answered"
    )
    counts = (
        pd.DataFrame({"system": answers["system"], "outcome": outcome})
        .value_counts()
        .rename("n")
        .reset_index()
    )
    counts["share"] = counts["n"] / counts.groupby("system")["n"].transform("sum")
    return counts.sort_values(["system", "n", "outcome"], ascending=[True, False, True], ignore_index=True)


def limits(answers: pd.DataFrame) -> list[str]:
    """Versions that are mixed or not known, answers reused of earlier runs, and questions that got no answer,
    by reason, as sentences for the report; the commonest first."""
    errors = answers.loc[answers["error"].fillna("") != "", "error"].value_counts().sort_index(kind="stable")
    listed = errors.sort_values(ascending=False, kind="stable")
    unanswered = [
        f"Not tested, {n} of {len(answers)} questions: no answer: {e[:200]}." for e, n in listed.items()
    ]
    reused = [reuse_sentence(answers)] * (REUSED in answers.attrs)
    return [*assistant_versions.sentences(assistant_versions.versions_of(answers)), *reused, *unanswered[:5]]


def reuse_sentence(answers: pd.DataFrame) -> str:
    """How many of the answers were asked in an earlier run, and when, and how many questions could not be
    asked; "" for those of a log."""
    if "asked" not in answers.attrs:
        return ""
    unasked = int(answers["error"].fillna("").str.startswith((NOT_APPLICABLE, NOT_ASKED)).sum())
    if REUSED not in answers.attrs:
        return f"Asked in this run: {len(answers) - unasked} of {len(answers)} questions."
    reused = answers.attrs[REUSED]
    return f"Of an earlier run, {in_days(reused)}: {reused['n']} of {len(answers)} answers."


def in_days(reused: dict[str, Any]) -> str:
    """When answers were asked, in words."""
    first, last = reused["first"], reused["last"]
    return f"asked on {first}" if first == last else f"asked from {first} to {last}"
