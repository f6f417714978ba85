"""What figures and tables of weak spots show: the cells of two factors, one row a question (HCAT section
6.2), the results by level. What is weak is decided by `weak_slices.find_weak_slices`."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ragassay import parameter_ranges
from ragassay.analysis import case_scores
from ragassay.analysis.slicing.slice_units import FACTOR
from ragassay.analysis.slicing.unexamined_slices import NOT_TESTED
from ragassay.defaults import FEWEST_OF_A_SLICE
from ragassay.scores.display_names import display_name, with_names
from ragassay.stats import interval_text

TESTED, FEW, EMPTY = "tested", "too few", "empty"


def bivariate(
    scores: pd.DataFrame,
    cases: pd.DataFrame,
    a: str,
    b: str,
    *,
    metric: str,
    minimum: int = FEWEST_OF_A_SLICE,
) -> pd.DataFrame:
    """One row per cell of two columns of `cases`: a, b (the cell's levels), metric, dimension, level, n, mean
    in the metric's units, left_out, state (`tested`; `too few` under `minimum` scored cases; `empty`), and
    `flagged`, False until `as_found` says which cells the search found weak.

    Every pair of levels is there: one that was never asked has n 0 and no mean.

    Raises
    ------
    TableError
        If the metric or a column is missing, or the scores are of several systems.
    """
    parameter_ranges.check("minimum", minimum, "in [2, inf)")
    rows = case_scores.scores_with_cases(scores, cases, metric)
    rows = rows.assign(a=case_scores.levels(rows, a), b=case_scores.levels(rows, b))
    every = pd.MultiIndex.from_product([sorted(rows[side].unique()) for side in "ab"], names=["a", "b"])
    told = rows.groupby(["a", "b"])["value"].agg(n="count", mean="mean", asked="size").reindex(every)
    cells = told.fillna({"n": 0, "asked": 0}).astype({"n": int, "asked": int}).reset_index()
    both = f"{a}={{}}{case_scores.BETWEEN}{b}={{}}"
    return cells.assign(
        metric=metric,
        dimension=f"{a}{case_scores.BETWEEN}{b}",
        level=[both.format(*pair) for pair in zip(cells["a"], cells["b"], strict=True)],
        left_out=cells["asked"] - cells["n"],
        state=np.select([cells["n"] == 0, cells["n"] < minimum], [EMPTY, FEW], TESTED),
        flagged=False,
    ).drop(columns="asked")


def is_mostly_filled(cells: pd.DataFrame) -> bool:
    """Whether half of the cells of `bivariate` or more have answers enough to be drawn."""
    return bool((cells["state"] == TESTED).mean() >= 0.5)


def score_rows(scores: pd.DataFrame, cases: pd.DataFrame, metrics: Sequence[str]) -> pd.DataFrame:
    """The scores of these metrics with every column of `cases` beside them, in the order named."""
    return pd.concat(
        [case_scores.scores_with_cases(scores, cases, metric) for metric in metrics], ignore_index=True
    )


def by_level(slices: pd.DataFrame, dimensions: Sequence[str]) -> pd.DataFrame:
    """A row for each level of these factors, a column for each metric that half of them have: mean, interval
    and n in words; a level that has too few cases of a metric says so."""
    tested = slices[slices["state"] != NOT_TESTED]
    mine = tested[tested["dimension"].isin(list(dimensions)) & (tested["kind"] == FACTOR)]
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


def as_found(cells: pd.DataFrame, slices: pd.DataFrame) -> pd.DataFrame:
    """Cells of `bivariate`, flagged as the search flagged them: one
    judgement of what is weak, whatever shows it."""
    flagged = slices[slices["flagged"]]
    names = set(zip(flagged["metric"], flagged["dimension"], flagged["level"], strict=True))
    mine = zip(cells["metric"], cells["dimension"], cells["level"], strict=True)
    return cells.assign(flagged=[name in names for name in mine])
