"""Which scores can be believed: every metric beside the judgement it should predict."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ragassay.calibration import probability_metrics
from ragassay.calibration.calibration_pipeline import join
from ragassay.scores.metric_registry import direction, reads_key
from ragassay.stats import Interval

COLUMNS = [
    *("metric", "dimension", "auroc", "low", "high", "n", "rarer_class", "reads_key", "conclusion", "reason")
]
CHANCE = 0.5  # AUROC of a blind score
PREDICTS, BLIND, UNKNOWN = "predicts the raters", "not shown better than chance", "not measured"


def rank_metrics(
    scores: pd.DataFrame,
    judged: pd.DataFrame,
    pairs: Mapping[str, str] | None = None,
    *,
    agreement: pd.DataFrame | None = None,
    clusters: Mapping[str, str] | pd.Series | None = None,
) -> pd.DataFrame:
    """How well each score predicts the raters, on all labelled answers: COLUMNS, the best first, scores that
    read the answer key last, for no production has one. Nothing is fitted.

    auroc : chance that an accepted answer scores better than a rejected one, in [0, 1]; 0.5 is blind. Scores
        of which lower is better are turned
    low, high : 95 %, over clusters (DeLong)
    rarer_class : labelled answers of the rarer of the two judgements
    conclusion : whether the lower bound is above 0.5; reason : why there is no AUROC

    Parameters
    ----------
    scores : case_id, system, metric, value, state
    judged : of `raters.accepted`
    pairs : metric -> the dimension it should predict; None tries every metric on every dimension
    agreement : of `raters.agreement`: where raters hardly agree nothing is compared with them
    clusters : by case_id, what was drawn independently

    Example: `rank_metrics(scores, raters.accepted(labels, {"grounded": 1})).head(15)`
    """
    if pairs is not None:
        tried = [*pairs.items()]
    else:
        tried = [(one, each) for each in judged["dimension"].unique() for one in scores["metric"].unique()]
    refused = pd.DataFrame(columns=["dimension", "state", "reason"]) if agreement is None else agreement
    why_not = refused[refused["state"] == "refused"].set_index("dimension")["reason"].to_dict()
    rows = []
    for metric, dimension in tried:
        labelled = join(scores, judged, metric=metric, dimension=dimension, clusters=clusters)
        found, ones = score_auroc(labelled, metric), int(labelled["label"].sum())
        reason, n = why_not.get(dimension, found.reason), len(labelled)
        bounds = [np.nan] * 3 if dimension in why_not else [found.value, found.low, found.high]
        said = UNKNOWN if np.isnan(bounds[0]) else PREDICTS if bounds[1] > CHANCE else BLIND
        rows.append((metric, dimension, *bounds, n, min(ones, n - ones), reads_key(metric), said, reason))
    table = pd.DataFrame(rows, columns=COLUMNS).astype({"auroc": float, "reads_key": bool})
    ranked = table.assign(worst=-table["auroc"].round(6))
    by = ["reads_key", "worst", "metric", "dimension"]
    return ranked.sort_values(by, ignore_index=True).drop(columns="worst")


def score_auroc(labelled: pd.DataFrame, metric: str) -> Interval:
    """Chance that an answer accepted scores better than one rejected, in [0, 1]; 0.5 is blind. Nothing is
    fitted, so it is measured on all labelled answers (`join`), over their clusters."""
    better = -labelled["value"] if direction(metric) == "lower" else labelled["value"]
    return probability_metrics.auroc(better, labelled["label"], clusters=labelled["cluster"])
