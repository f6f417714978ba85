"""What a calibration says of every scored answer: probability, prediction set, decision."""

import numpy as np
import pandas as pd

from ragassay.calibration import conformal
from ragassay.calibration.calibration_pipeline import Calibration
from ragassay.calibration.conformal.partition import NO_GROUP
from ragassay.cases.case_origins import OF_USERS
from ragassay.tables import DECISIONS

COLUMNS = ["case_id", "system", "metric", "dimension", "probability", "prediction_set", "decision"]
REVIEW = "review"


def verdicts(calibration: Calibration, scores: pd.DataFrame, groups: pd.Series | None = None) -> pd.DataFrame:
    """The verdicts table for every scored case of the metric; no row where it could not be calibrated.

    probability is rounded to 6 decimals. groups : by case_id, the topic, where the calibration has a
    threshold for each; an answer of a topic it has none for is left to people.
    """
    if calibration.why_not:
        return pd.DataFrame(columns=COLUMNS)
    rows = scores[(scores.metric == calibration.metric) & (scores.state == "scored")]
    probability = calibration.calibrator.predict(rows.value)
    topics = rows.case_id.map({} if groups is None else groups).fillna(NO_GROUP)
    sets = conformal.sets(probability, calibration.thresholds.per_case(topics), calibration.score)
    table = rows[["case_id", "system", "metric"]].reset_index(drop=True)
    return table.assign(
        dimension=calibration.dimension,
        probability=np.round(probability, 6),
        prediction_set=sets,
        decision=[conformal.decide(each) for each in sets],
    )


def like_users(decided: pd.DataFrame, scores: pd.DataFrame, cases: pd.DataFrame) -> pd.DataFrame:
    """The decision on each answer that users are like to get: to the questions of users, or of the validator
    for them (`OF_USERS`); where there are none, to all. Columns case_id, system, probability (NaN without a
    score), scored, decision; no row where nothing was decided.

    An answer without a score, as a refusal has none, is left to people: the rule cannot decide it.

    decided : of `verdicts`; scores : rows of the systems looked at, those without a value too
    """
    own = scores[scores["metric"].isin(decided["metric"].unique())][["case_id", "system"]].drop_duplicates()
    of_users = set(cases.loc[cases["origin"].isin(OF_USERS), "case_id"])
    kept = own[own["case_id"].isin(of_users)] if own["case_id"].isin(of_users).any() else own
    known = decided[["case_id", "system", "probability", "decision"]]
    rows = kept.merge(known, on=["case_id", "system"], how="left")
    scored = rows["decision"].notna()
    return rows.assign(scored=scored, decision=rows["decision"].where(scored, REVIEW))


def count_decisions(table: pd.DataFrame) -> pd.DataFrame:
    """How many answers the machine may accept or reject alone, and how many go to a person:
    decision, n, share.
    """
    counts = table["decision"].value_counts().reindex(DECISIONS, fill_value=0)
    counts = counts.rename_axis("decision").rename("n").reset_index()
    return counts.assign(share=counts["n"] / len(table) if len(table) else np.nan)
