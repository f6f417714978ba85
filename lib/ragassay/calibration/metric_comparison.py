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
    refused_labels,
    why_not_calibratable,
)
from ragassay.scores.metric_directions import direction
from ragassay.scores.metric_registry import reads_key
from ragassay.stats import Interval, not_available

COLUMNS = [
    *("metric", "dimension", "reads_key", "n", "rarer_class", "auroc", "state", "calibrator", "direction"),
    *("brier", "calibration_error", "q_hat", "decided", "wrong", "reason"),
]
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
    """One row per metric and dimension: whether it reads the answer key, how many labelled answers there are
    (`rarer_class`: of the rarer judgement), their AUROC, and what needs a fit, on the held-out half, or why
    there is none (`state`, `reason`).

    pairs : metric -> the dimension it should predict; alpha, seed as in `calibrate`
    """
    rows = []
    for metric, dimension in pairs.items():
        labelled = judged.join(scores, metric, dimension)
        n, accepted = len(labelled), int(labelled.label.sum())
        row = {"metric": metric, "dimension": dimension, "reads_key": reads_key(metric), "n": n}
        row["rarer_class"] = min(accepted, n - accepted)
        why_none = refused_labels(judged.reliability, dimension)
        row["auroc"] = not_available(why_none) if why_none else score_auroc(labelled, metric)
        if why_not := judged.why_not(labelled, dimension, seed):
            rows.append(row | {"state": "not_measured", "reason": why_not})
        else:
            found = calibrate(labelled, metric, dimension, alpha=alpha, seed=seed)
            rows.append(row | {"state": "scored", "reason": ""} | _measures(found, seed))
    return pd.DataFrame(rows, columns=COLUMNS)


def score_auroc(labelled: pd.DataFrame, metric: str) -> Interval:
    """Chance that an answer accepted scores better than one rejected, in [0, 1]; 0.5 is blind. Nothing is
    fitted, so it is measured on all labelled answers (`join_labels`), over their clusters."""
    better = -labelled["value"] if direction(metric) == "lower" else labelled["value"]
    return probability_metrics.auroc(better, labelled["label"], clusters=labelled["cluster"])


def _measures(found: Calibration, seed: int) -> dict:
    held = found.held_out
    rng, clusters = np.random.default_rng(seed), None if held.cluster.is_unique else held.cluster.to_numpy()
    return {
        "calibrator": found.selection.kind,
        "direction": found.calibrator.direction,
        "brier": probability_metrics.brier(held.probability, held.label, clusters=clusters, rng=rng),
        "calibration_error": probability_metrics.expected_calibration_error(held.probability, held.label),
        "q_hat": round(found.q_hat, 4),
        **conformal.coverage(held, found.alpha, rng=rng).loc[0, ["decided", "wrong"]],
    }


def conclusions(compared: pd.DataFrame) -> pd.DataFrame:
    """The comparison with a column `conclusion`: PREDICTS where the lower bound of the AUROC is above chance,
    BLIND where it is not, else why nothing can be said. The best AUROC comes first; scores that read the
    answer key come last, for no production has one."""
    value, low = ([getattr(found, name) for found in compared["auroc"]] for name in ("value", "low"))
    known, predicts = pd.notna(value), np.array(low, dtype=float) > CHANCE
    said = np.where(known, np.where(predicts, PREDICTS, BLIND), compared["reason"])
    ranked = compared.assign(conclusion=said, worst=-np.round(np.array(value, dtype=float), 6))
    by = ["reads_key", "worst", "metric", "dimension"]
    return ranked.sort_values(by, ignore_index=True).drop(columns="worst")
