"""The values that headings of a chapter name; NaN where nothing was measured."""

import numpy as np
import pandas as pd

from ragassay.analysis.case_scores import is_share
from ragassay.analysis.checks import NOT_APPLICABLE
from ragassay.scores.display_names import level_name
from ragassay.stats import interval_text
from ragassay.tables import is_blank


def value(rows: pd.DataFrame, **where: str) -> float:
    """`value` of the first row whose columns are as said, of a scorecard say: `value(card, metric="support",
    slice="all")`; NaN where there is no such row or no value."""
    return cell(rows, "value", **where)


def size(rows: pd.DataFrame, **where: str) -> float:
    """`n` of that row; NaN as `value`."""
    return cell(rows, "n", **where)


def events(rows: pd.DataFrame, **where: str) -> float:
    """How many of the n cases of that row show its rate; NaN as `value`."""
    return float(np.round(value(rows, **where) * size(rows, **where)))


def worst(checks: pd.DataFrame, about: str) -> dict[str, object]:
    """Of the checks whose aspect is `about: where`, that with the highest rate by its lower bound: `hits` of
    `n` cases, and `where`; NaN, and no words, where none was measured."""
    own = checks[checks["aspect"].str.startswith(f"{about}: ")].dropna(subset=["low", "value"])
    if own.empty:
        return {"hits": float("nan"), "n": float("nan"), "where": ""}
    row = own.loc[own["low"].idxmax()]
    named = str(row["aspect"]).removeprefix(f"{about}: ")
    return {"hits": float(np.round(row["value"] * row["n"])), "n": float(row["n"]), "where": named}


def interval(rows: pd.DataFrame, **where: str) -> str:
    """The value of that row with its 95 % interval, as text; "not measured" where there is none."""
    if np.isnan(value(rows, **where)):
        return "not measured"
    found, low, high = (cell(rows, name, **where) for name in ("value", "low", "high"))
    return interval_text(found, low, high, percent=is_share(str(where.get("metric", ""))))


def cell(rows: pd.DataFrame, column: str, **where: str) -> float:
    """The number in a column of that row; NaN as `value`."""
    found = np.logical_and.reduce([rows[name] == level for name, level in where.items()])
    return float(rows.loc[found, column].iloc[0]) if len(rows) and found.any() else float("nan")


def declined_counts(unanswerable: pd.DataFrame, answerable: pd.DataFrame) -> dict[str, float]:
    """Of questions without an answer: `open`, and how many were `answered`; of those with one: `known`, and
    how many were `lost`, that is declined. Rows as `declined` gives them; NaN where none was asked."""
    without, given = unanswerable["value"].dropna(), answerable["value"].dropna()
    if without.empty or given.empty:
        return dict.fromkeys(("open", "answered", "known", "lost"), float("nan"))
    answered, lost = int((without == 0).sum()), int((given == 1).sum())
    return {"open": len(without), "answered": answered, "known": len(given), "lost": lost}


def replies(answers: pd.DataFrame, spent: pd.DataFrame) -> dict[str, float]:
    """How many questions were asked (`n`) and `replied` to without an error, and the median `words` of a
    reply; `spent` as `summarize_costs` gives it."""
    first = answers[answers["repeat"] == 0]
    median = spent.loc[spent["quantity"] == "words", "median"]
    words = float(median.iloc[0]) if len(median) else float("nan")
    return {"n": len(first), "replied": int(first["error"].map(is_blank).sum()), "words": words}


def not_tried(checks: pd.DataFrame) -> str:
    """What was not tried, by the reason, in a sentence each; empty where all was."""
    left = checks[checks["outcome"] == NOT_APPLICABLE]
    named = left["aspect"].map(lambda aspect: level_name("kind", aspect))
    return " ".join(
        f"Not tried: {', '.join(dict.fromkeys(named[rows.index]))} ({reason})."
        for reason, rows in left.groupby("reason", sort=False)
    )


def tried(checks: pd.DataFrame) -> pd.DataFrame:
    """The checks that could be tried."""
    return checks[checks["outcome"] != NOT_APPLICABLE]


def absent(checks: pd.DataFrame) -> str:
    """Why there is nothing to show, where no check could be tried; else empty."""
    return "" if len(tried(checks)) else not_tried(checks) or "Nothing was tried."
