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
    reused = [reuse_sentence(answers) + " They say what the assistant said then."] * (REUSED in answers.attrs)
    return [*assistant_versions.sentences(assistant_versions.versions_of(answers)), *reused, *unanswered[:5]]


def reuse_sentence(answers: pd.DataFrame) -> str:
    """How many of the answers were asked in an earlier run, and when, and how many questions could not be
    asked; "" for those of a log."""
    if "asked" not in answers.attrs:
        return ""
    unasked = int(answers["error"].fillna("").str.startswith((NOT_APPLICABLE, NOT_ASKED)).sum())
    could_not = f"; {unasked} could not be asked" * (unasked > 0)
    if REUSED not in answers.attrs:
        asked = (
            f": {len(answers) - unasked} of {len(answers)} questions{could_not}" if unasked else ", every one"
        )
        return f"Asked in this run{asked}; the journal holds the time of each."
    reused = answers.attrs[REUSED]
    return (
        f"{reused['n']} of {len(answers)} answers were taken from an earlier run, {in_days(reused)}, and not "
        f"asked again: the system is recorded as the same{could_not}. A fresh run asks every question again."
    )


def in_days(reused: dict[str, Any]) -> str:
    """When answers were asked, in words."""
    first, last = reused["first"], reused["last"]
    return f"asked on {first}" if first == last else f"asked from {first} to {last}"
