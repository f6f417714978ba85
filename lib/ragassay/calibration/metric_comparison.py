"""Which scores can be believed: every metric beside the judgement it should predict, or why nothing can be
said.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ragassay.calibration import conformal, probability_metrics
from ragassay.calibration.calibration_pipeline import (
    Calibration,
    calibrate,
    join_labels,
    why_not_calibratable,
)

COLUMNS = [
    *("metric", "dimension", "state", "n", "accepted", "calibrator", "direction", "auroc", "brier"),
    *("calibration_error", "q_hat", "decided", "wrong", "reason"),
]
FILE = "scores_not_shown.json"  # of a run: `not_shown`
CHANCE = 0.5  # AUROC of a blind score
PREDICTS, BLIND = "predicts the raters", "not shown better than chance"


@dataclass(frozen=True)
class RaterJudgements:
    """What scores are compared with.

    labels : the raters' labels, as the table `labels`
    accept_from : dimension -> the lowest label that accepts
    clusters : as in `join_labels`
    reliability : as in `why_not_calibratable`
    """

    labels: pd.DataFrame
    accept_from: Mapping[str, float]
    clusters: pd.Series | None = None
    reliability: pd.DataFrame | None = None

    def join(self, scores: pd.DataFrame, metric: str, dimension: str) -> pd.DataFrame:
        """The labelled, scored cases of one metric, as `join_labels` gives them."""
        cut = self.accept_from[dimension]
        return join_labels(scores, self.labels, metric, dimension, cut, self.clusters)

    def why_not(self, labelled: pd.DataFrame, dimension: str, seed: int) -> str:
        """Why these cases cannot carry a calibration; empty if they can."""
        return why_not_calibratable(labelled, dimension, seed=seed, label_reliability=self.reliability)


def compare_metrics(
    scores: pd.DataFrame, pairs: Mapping[str, str], judged: RaterJudgements, *, alpha: float, seed: int
) -> pd.DataFrame:
    """One row per metric and dimension: what the labels say of it, or why they cannot (`state`, `reason`).

    pairs : metric -> the dimension it should predict; alpha, seed as in `calibrate`
    """
    rows = []
    for metric, dimension in pairs.items():
        labelled = judged.join(scores, metric, dimension)
        row = {"metric": metric, "dimension": dimension, "n": len(labelled)}
        row["accepted"] = int(labelled.label.sum())
        if why_not := judged.why_not(labelled, dimension, seed):
            rows.append(row | {"state": "not_measured", "reason": why_not})
        else:
            found = calibrate(labelled, metric, dimension, alpha=alpha, seed=seed)
            rows.append(row | {"state": "scored", "reason": ""} | _measures(found, seed))
    return pd.DataFrame(rows, columns=COLUMNS)


def _measures(found: Calibration, seed: int) -> dict:
    held = found.held_out
    rng, clusters = np.random.default_rng(seed), None if held.cluster.is_unique else held.cluster.to_numpy()
    auroc = probability_metrics.auroc(held.value, held.label, clusters=clusters, rng=rng)
    return {
        "calibrator": found.selection.kind,
        "direction": found.calibrator.direction,
        "auroc": auroc,
        "brier": probability_metrics.brier(held.probability, held.label, clusters=clusters, rng=rng),
        "calibration_error": probability_metrics.expected_calibration_error(held.probability, held.label),
        "q_hat": round(found.q_hat, 4),
        **conformal.coverage(held, found.alpha, rng=rng).loc[0, ["decided", "wrong"]],
    }


def conclusions(compared: pd.DataFrame) -> pd.DataFrame:
    """The comparison with a column `conclusion`, the best AUROC first: PREDICTS where the lower bound of the
    AUROC is above chance, BLIND where it is not, else why nothing can be said."""
    measured = (compared["state"] == "scored").to_numpy()
    said = [
        (PREDICTS if row.auroc.low > CHANCE else BLIND) if scored else row.reason
        for row, scored in zip(compared.itertuples(), measured, strict=True)
    ]
    order = [
        -round(row.auroc.value, 6) if scored else 1.0
        for row, scored in zip(compared.itertuples(), measured, strict=True)
    ]
    ranked = compared.assign(conclusion=said, order=order)
    by = ["order", "metric", "dimension"]
    return ranked.sort_values(by, ignore_index=True).drop(columns="order")


def not_shown(concluded: pd.DataFrame) -> dict[str, str]:
    """Score -> why the raters' labels do not show that it predicts them, of each that predicts no judgement;
    `concluded` of `conclusions`."""
    proven = set(concluded.loc[concluded["conclusion"] == PREDICTS, "metric"])
    rows = concluded[~concluded["metric"].isin(proven)]
    return dict(zip(rows["metric"], rows["conclusion"].astype(str), strict=True))
