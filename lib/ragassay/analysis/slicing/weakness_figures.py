"""What figures and tables of weak spots show: one row a question (HCAT section 6.2), the results by level.
What is weak is decided by `weak_slices.find_weak_slices`."""

from collections.abc import Sequence

import pandas as pd

from ragassay.analysis import case_scores
from ragassay.analysis.slicing.slice_units import FACTOR
from ragassay.scores.display_names import display_name, with_names
from ragassay.stats import interval_text


def score_rows(scores: pd.DataFrame, cases: pd.DataFrame, metrics: Sequence[str]) -> pd.DataFrame:
    """The scores of these metrics with every column of `cases` beside them, in the order named."""
    return pd.concat(
        [case_scores.scores_with_cases(scores, cases, metric) for metric in metrics], ignore_index=True
    )


def by_level(slices: pd.DataFrame, dimensions: Sequence[str]) -> pd.DataFrame:
    """A row for each level of these factors, a column for each metric that half of them have: mean, interval
    and n in words; a level that has too few cases of a metric says so."""
    mine = slices[slices["dimension"].isin(list(dimensions)) & (slices["kind"] == FACTOR)]
    named = with_names(mine)
    shares = mine["metric"].map(case_scores.is_share)
    told = [
        f"{interval_text(row.mean, row.low, row.high, percent=share)}, n={row.n}{' *' if row.flagged else ''}"
        for row, share in zip(mine.itertuples(), shares, strict=True)
    ]
    rows = pd.DataFrame(
        {"factor": named["dimension"], "level": named["level"], "metric": mine["metric"], "told": told}
    )
    wide = rows.pivot(index=["factor", "level"], columns="metric", values="told")
    known = wide.columns[wide.notna().mean() >= 0.5]
    order = [name for name in dict.fromkeys(slices["metric"]) if name in known]
    return wide[order].fillna("too few").rename(columns=display_name).reset_index()
