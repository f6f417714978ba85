"""Means by origin of the questions: own, generated and logged ones are never pooled."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ragassay.analysis import scorecard
from ragassay.scores.directions import with_direction

COLUMNS = ["metric", "origin", "better", "value", "low", "high", "n", "left_out"]


def summarize(
    scores: pd.DataFrame, cases: pd.DataFrame, metrics: Sequence[str], *, rng: np.random.Generator
) -> pd.DataFrame:
    """One row per metric and origin of the questions, with its 95 % interval: COLUMNS.

    A metric without scores has no row. Cases without a column `origin` have that of their kind; those of a
    log have none.
    """
    known = cases.assign(origin=cases.get("origin", cases["kind"].fillna("log")))
    asked = [
        (metric, f"origin={origin}") for metric in metrics for origin in sorted(known["origin"].unique())
    ]
    rows = with_direction(scorecard.summarize_slices(scores, known, asked, rng=rng))
    return rows.assign(origin=rows["slice"].str.removeprefix("origin="))[COLUMNS]
