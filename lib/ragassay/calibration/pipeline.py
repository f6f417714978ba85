"""Both stages of the calibration in one step: labelled scores in, believed probabilities and verdicts out (HCAT section 5)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ragassay import ranges
from ragassay.calibration import calibrators, conformal, probability_metrics
from ragassay.calibration.splitting import split
from ragassay.errors import LabelError
from ragassay.labels import judgements
from ragassay.stats import Interval
from ragassay.tables import DECISIONS

COLUMNS = [
    "metric",
    "dimension",
    "state",
    "n",
    "accepted",
    "curve",
    "direction",
    "auroc",
    "brier",
    "calibration_error",
    "q_hat",
    "coverage",
    "decided",
    "reason",
]

CHANCE = 0.5  # AUROC of a blind score


@dataclass(frozen=True)
class Calibration:
    """One metric calibrated to one dimension of human judgement.

    choice   : the curve from score to the probability that a human accepts, and the kinds it was chosen from
    q_hat    : threshold of the prediction sets, from the held-out half; infinite when there are too few labels
    fitting  : the half the curve was fitted on (case_id, value, label)
    held_out : the other half, with probability, prediction_set (from the threshold of all *other* held-out cases) and decision
    """

    metric: str
    dimension: str
    alpha: float
    choice: calibrators.Selection
    q_hat: float
    fitting: pd.DataFrame
    held_out: pd.DataFrame

    @property
    def curve(self) -> calibrators.Calibrator:
        """The curve chosen."""
        return self.choice.curve


def join_labels(
    scores: pd.DataFrame,
    human: pd.DataFrame,
    metric: str,
    dimension: str,
    accept_from: float,
    clusters: pd.Series | None = None,
) -> pd.DataFrame:
    """The labelled, scored cases: case_id, system, value, level (as judged), label (1 if level >= accept_from), cluster.

    `clusters`: by case_id, what was drawn independently; None takes every case for itself. Cases that share one stay in one half.
    """
    chosen = scores[(scores.metric == metric) & (scores.state == "scored")][["case_id", "system", "value"]]
    judged = judgements.reference_labels(human, dimension).rename(columns={"label": "level"})
    joined = chosen.merge(judged, on=["case_id", "system"], how="inner").sort_values(
        ["case_id", "system"], ignore_index=True
    )
    cluster = joined.case_id if clusters is None else joined.case_id.map(clusters)
    return joined.assign(label=judgements.acceptance(joined.level, accept_from), cluster=cluster)


def calibrate(
    labelled: pd.DataFrame,
    metric: str,
    dimension: str,
    *,
    alpha: float = 0.1,
    seed: int = 0,
    kind: str = "residual",
    kinds: Sequence[str] | None = None,
) -> Calibration:
    """Choose and fit the curve on one half of the labelled cases, take the threshold of the sets from the other.

    Every held-out case gets the set that follows from the threshold of the other held-out clusters, so its coverage is measured on
    cases that took no part in either stage.

    Parameters
    ----------
    labelled : as `join` gives it
    kind : the nonconformity score, `residual` or `negative_logit`
    kinds : kinds of curve to choose from by cross-validated log loss (`curves.choose`); one kind is taken without comparison

    Raises
    ------
    LabelError
        If the labels cannot carry it: one class only, fewer than 10 or than 3 of a class in the fitting half, a constant score.
    ParameterError
        If alpha is not strictly between 0 and 1.

    Source
    ------
    HCAT sections 5.1 and 5.2; FORMULAS 2.
    """
    ranges.check("alpha", alpha, "in (0, 1)")
    if len(labelled) < 2:
        raise LabelError(
            "there are too few labelled scores to calibrate",
            found=len(labelled),
            expected="20 or more",
            do="label more answers",
        )
    fitting, held_out = split(labelled, seed, together="cluster" if "cluster" in labelled else None)
    choice = _chosen(fitting, kinds, seed)
    believed = choice.curve.predict(held_out.value)
    misfit = conformal.nonconformity(believed, held_out.label, kind)
    cluster = held_out.get("cluster", held_out.case_id).to_numpy()
    own = np.array([conformal.threshold(misfit[cluster != each], alpha) for each in cluster])
    sets = conformal.sets(believed, own, kind)
    judged = held_out.assign(
        probability=believed, prediction_set=sets, decision=[conformal.decide(each) for each in sets]
    )
    return Calibration(metric, dimension, alpha, choice, conformal.threshold(misfit, alpha), fitting, judged)


def _chosen(fitting: pd.DataFrame, kinds: Sequence[str] | None, seed: int) -> calibrators.Selection:
    """The curve of the one kind asked for, or the best of several."""
    if kinds is not None and len(kinds) == 1:
        return calibrators.Selection(
            calibrators.fit(kinds[0], fitting.value, fitting.label),
            kinds[0],
            "it was asked for",
            pd.DataFrame(),
            {},
        )
    return calibrators.select_calibrator(
        fitting.value, fitting.label, seed=seed, kinds=kinds, clusters=fitting.get("cluster")
    )


def why_not_calibratable(
    labelled: pd.DataFrame,
    metric: str,
    dimension: str,
    *,
    alpha: float,
    seed: int,
    carried: pd.DataFrame | None = None,
) -> str:
    """Why these labels cannot carry a calibration, in words; empty if they can. `carried`: of `raters.carries`."""
    if why := _not_carried(dimension, carried):
        return f"{metric} is not calibrated: {why}."
    try:
        calibrate(labelled, metric, dimension, alpha=alpha, seed=seed, kinds=("logistic",))
    except LabelError as problem:
        return f"{metric} is not calibrated to {dimension}: {problem.what} (found: {problem.found})."
    return ""


def _not_carried(dimension: str, carried: pd.DataFrame | None) -> str:
    """Why the raters' labels of this dimension are refused; empty where they are not."""
    if carried is None or carried.empty:
        return ""
    rows = carried[(carried.dimension == dimension) & (carried.state == "refused")]
    return str(rows.reason.iloc[0]) if len(rows) else ""


def verdicts(found: Calibration, scores: pd.DataFrame, kind: str = "residual") -> pd.DataFrame:
    """The verdicts table for every scored case of the metric: probability (rounded to 6 decimals), prediction set, decision."""
    rows = scores[(scores.metric == found.metric) & (scores.state == "scored")]
    believed = found.curve.predict(rows.value)
    sets = conformal.sets(believed, found.q_hat, kind)
    return pd.DataFrame(
        {
            "case_id": rows.case_id.to_numpy(),
            "system": rows.system.to_numpy(),
            "metric": found.metric,
            "dimension": found.dimension,
            "probability": np.round(believed, 6),
            "prediction_set": sets,
            "decision": [conformal.decide(each) for each in sets],
        }
    )


def compare_metrics(
    scores: pd.DataFrame,
    human: pd.DataFrame,
    pairs: Mapping[str, str],
    accept_from: Mapping[str, float],
    *,
    alpha: float,
    seed: int,
    clusters: pd.Series | None = None,
    carried: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """One row per metric and dimension: what the labels say of the metric, or why they cannot say anything (`state`, `reason`).

    `clusters` as in `join`; `carried` of `raters.carries`: what a dimension's labels cannot carry is not calibrated to it.
    """
    rows = []
    for metric, dimension in pairs.items():
        labelled = join_labels(scores, human, metric, dimension, accept_from[dimension], clusters)
        known = {
            "metric": metric,
            "dimension": dimension,
            "n": len(labelled),
            "accepted": int(labelled.label.sum()),
        }
        rows.append(
            known | _compared(labelled, metric, dimension, alpha, seed, _not_carried(dimension, carried))
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def _compared(labelled: pd.DataFrame, metric: str, dimension: str, alpha: float, seed: int, why: str) -> dict:
    if why:
        return {"state": "not_measured", "reason": why}
    try:
        found = calibrate(labelled, metric, dimension, alpha=alpha, seed=seed)
    except LabelError as problem:
        return {"state": "not_measured", "reason": f"{problem.what} (found: {problem.found})"}
    return {"state": "scored", "reason": "", **_figures(found, seed)}


def _figures(found: Calibration, seed: int) -> dict:
    held = found.held_out
    overall = conformal.coverage(held.prediction_set, held.label).iloc[0]
    rng, clusters = np.random.default_rng(seed), None if held.cluster.is_unique else held.cluster.to_numpy()
    return {
        "curve": found.choice.kind,
        "direction": getattr(found.curve, "direction", ""),
        "auroc": probability_metrics.auroc(held.value, held.label, clusters=clusters, rng=rng),
        "brier": probability_metrics.brier(held.probability, held.label, clusters=clusters, rng=rng),
        "calibration_error": probability_metrics.expected_calibration_error(held.probability, held.label),
        "q_hat": round(found.q_hat, 4),
        "coverage": Interval(
            overall.value, overall.low, overall.high, int(overall.n), method="Clopper-Pearson"
        ),
        "decided": float((held.decision != "review").mean()),
    }


def judged_answers(
    found: Calibration, scores: pd.DataFrame, clusters: pd.Series | None = None
) -> pd.DataFrame:
    """Every scored answer that the curve was not fitted on: case_id, system, machine (probability), human (0, 1 or NaN), cluster.

    What true success is estimated from: a label that shaped the curve would make the machine look better than it is.
    """
    rows = scores[(scores.metric == found.metric) & (scores.state == "scored")][
        ["case_id", "system", "value"]
    ]
    known = pd.concat([found.fitting.assign(used=True), found.held_out.assign(used=False)])[
        ["case_id", "system", "label", "used"]
    ]
    both = rows.merge(known, on=["case_id", "system"], how="left")
    both = both[~both.used.fillna(False).astype(bool)].reset_index(drop=True)
    cluster = both.case_id if clusters is None else both.case_id.map(clusters)
    return both.assign(
        machine=found.curve.predict(both.value), human=both.label.astype(float), cluster=cluster
    )[["case_id", "system", "machine", "human", "cluster"]]


def no_verdicts() -> pd.DataFrame:
    """The verdicts table of a score that could not be calibrated: no row."""
    return pd.DataFrame(
        columns=["case_id", "system", "metric", "dimension", "probability", "prediction_set", "decision"]
    )


def count_decisions(table: pd.DataFrame) -> pd.DataFrame:
    """How many answers the machine may accept or reject alone, and how many go to a person: decision, n, share."""
    counts = (
        table["decision"]
        .value_counts()
        .reindex(DECISIONS, fill_value=0)
        .rename_axis("decision")
        .rename("n")
        .reset_index()
    )
    return counts.assign(share=counts["n"] / len(table) if len(table) else np.nan)


def limits(compared: pd.DataFrame) -> list[str]:
    """What the labels cannot carry, as sentences for the report."""
    refused = [
        f"{row.metric} is not calibrated to {row.dimension}: {row.reason}."
        for row in compared[compared.state != "scored"].itertuples()
    ]
    blind = [
        f"{row.metric} does not predict {row.dimension} beyond chance (AUROC {row.auroc})."
        for row in compared[compared.state == "scored"].itertuples()
        if not row.auroc.low > CHANCE
    ]
    thin = [
        f"{row.metric}: {row.n} labels are too few for prediction sets at this error rate; every set is full and every answer goes to review."
        for row in compared[np.isinf(compared.q_hat.astype(float))].itertuples()
    ]
    return refused + blind + thin
