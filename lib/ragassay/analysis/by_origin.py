"""Means by origin of the questions: own, generated and logged ones stand apart."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ragassay.analysis import scorecard
from ragassay.cases.case_origins import OF_USERS, with_origin
from ragassay.scores.metric_directions import with_direction

COLUMNS = ["metric", "origin", "better", "value", "low", "high", "n", "left_out"]


def summarize(
    scores: pd.DataFrame, cases: pd.DataFrame, metrics: Sequence[str], *, rng: np.random.Generator | int
) -> pd.DataFrame:
    """One row per metric and origin of the questions, with its 95 % interval: COLUMNS, and its `method`.

    A metric without scores of an origin has no row for it.
    """
    known = with_origin(cases)
    asked = [(metric, f"origin={origin}") for metric in metrics for origin in _order(known["origin"])]
    rows = with_direction(scorecard.summarize_slices(scores, known, asked, rng=rng))
    told = rows[(rows["n"] > 0) | (rows["left_out"] > 0)]
    return told.assign(origin=told["slice"].str.removeprefix("origin="))[[*COLUMNS, "method"]].reset_index(
        drop=True
    )


def foremost(cases: pd.DataFrame) -> str:
    """The origin that speaks most for the questions of customers: of a log, else own, else any other."""
    return _order(with_origin(cases)["origin"])[0]


def rows_of_origin(rows: pd.DataFrame, cases: pd.DataFrame, origin: str) -> pd.DataFrame:
    """The rows, by case_id, whose cases are of this origin."""
    return rows[rows["case_id"].isin(cases.loc[with_origin(cases)["origin"] == origin, "case_id"])]


def _order(given: pd.Series) -> list[str]:
    of_users = {origin: place for place, origin in enumerate(OF_USERS)}
    return sorted(given.unique(), key=lambda origin: (of_users.get(origin, len(of_users)), origin))
