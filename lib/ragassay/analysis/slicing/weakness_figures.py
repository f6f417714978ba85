"""What the figures of weak spots draw: the cells of two factors, and one row a question (HCAT section 6.2).
What is weak is decided by `weak_slices.find_weak_slices`."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ragassay import parameter_ranges
from ragassay.analysis import case_scores
from ragassay.defaults import FEWEST_OF_A_SLICE

TESTED, FEW, EMPTY = "tested", "too few", "empty"


ATTACHED = (
    "Fewer than half of the pairs of a topic and a kind of question have enough answers to be drawn: that "
    "picture is attached ([annex](#annex-files))."
)


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
    `flagged`, False until `weak_slice_tables.as_found` says which cells the search found weak.

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
