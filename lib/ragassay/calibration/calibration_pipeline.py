"""Both stages in one step: labelled scores in, a calibrated metric out, or the reason why there is none (HCAT
section 5).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from ragassay import parameter_ranges
from ragassay.calibration import calibrators, conformal
from ragassay.calibration.calibrator_selection import NO_LOSSES, Selection, select_calibrator
from ragassay.calibration.calibrators.base import check_scores_and_labels
from ragassay.calibration.label_split import split
from ragassay.defaults import ALPHA
from ragassay.errors import LabelError
from ragassay.labels import human_labels

LABELLED = ["case_id", "system", "value", "level", "label", "cluster"]


@dataclass(frozen=True)
class Calibration:
    """One metric calibrated to one dimension of human judgement.

    selection : the calibrator from score to the probability that a rater accepts, and the kinds it was
        selected from
    thresholds : of the prediction sets, from the held-out half: one for all answers, or one for each topic or
        verdict; infinite with too few labels
    score     : the nonconformity score the thresholds are of, `residual` or `negative_logit`
    fitting   : the half the calibrator was fitted on (case_id, value, label)
    held_out  : the other half, with probability
    why_not   : why the labels cannot carry it, with tables without a row then; empty: it is calibrated
    """

    metric: str
    dimension: str
    alpha: float
    selection: Selection
    thresholds: conformal.Thresholds
    fitting: pd.DataFrame
    held_out: pd.DataFrame
    score: str = "residual"
    why_not: str = ""

    @property
    def q_hat(self) -> float:
        """One threshold for all answers and both verdicts, whatever the partition (HCAT section 5.2)."""
        scores = conformal.nonconformity(self.held_out["probability"], self.held_out["label"], self.score)
        return conformal.threshold(scores, self.alpha, conformal.clusters_of(self.held_out))

    @property
    def calibrator(self) -> calibrators.Calibrator:
        """The calibrator selected."""
        return self.selection.calibrator


def uncalibrated(metric: str, dimension: str, alpha: float, why_not: str) -> Calibration:
    """What stands for a metric that the labels cannot calibrate: no calibrator, tables without a row."""
    none = Selection(calibrators.Calibrator(), "none", why_not, NO_LOSSES)
    halves = (pd.DataFrame(columns=LABELLED), pd.DataFrame(columns=[*LABELLED, "probability"]))
    return Calibration(metric, dimension, alpha, none, conformal.NO_THRESHOLDS, *halves, why_not=why_not)


def join_labels(
    scores: pd.DataFrame,
    human: pd.DataFrame,
    metric: str,
    dimension: str,
    accept_from: float,
    clusters: pd.Series | None = None,
    groups: pd.Series | None = None,
) -> pd.DataFrame:
    """The labelled, scored cases: case_id, system, value, level (as judged), label (1 if level >=
    accept_from), cluster; and group, where `groups` are given.

    `clusters`: by case_id, what was drawn independently; None takes every case for itself. Cases that share
    one stay in one half. `groups`: by case_id, the topic, for thresholds of its own.
    """
    scored = scores[(scores.metric == metric) & (scores.state == "scored")][["case_id", "system", "value"]]
    judged = human_labels.reference_labels(human, dimension).rename(columns={"label": "level"})
    joined = scored.merge(judged, on=["case_id", "system"], how="inner")
    joined = joined.sort_values(["case_id", "system"], ignore_index=True)
    cluster = joined.case_id if clusters is None else joined.case_id.map(clusters)
    found = joined.assign(label=human_labels.acceptance(joined.level, accept_from), cluster=cluster)
    return found if groups is None else found.assign(group=joined.case_id.map(groups))


def split_in_halves(labelled: pd.DataFrame, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The half a calibrator is fitted on and the held-out half, where the labels can carry a calibration.

    Raises LabelError if they cannot: no two parts, a missing score or label, a constant score, one class
    only, fewer than 10 labels or fewer than 3 of a class in the fitting half.
    """
    fitting, held_out = split(labelled, seed, together="cluster" if "cluster" in labelled else None)
    check_scores_and_labels(fitting.value, fitting.label)
    return fitting, held_out


def refused_labels(label_reliability: pd.DataFrame | None, dimension: str) -> str:
    """Why nothing may rest on the labels of a dimension, whose raters hardly agree; empty if it may."""
    if label_reliability is None or label_reliability.empty:
        return ""
    refused = label_reliability.query("dimension == @dimension and state == 'refused'")
    return str(refused.reason.iloc[0]) if len(refused) else ""


def why_not_calibratable(
    labelled: pd.DataFrame, dimension: str, *, seed: int, label_reliability: pd.DataFrame | None = None
) -> str:
    """Why these labels cannot carry a calibration, in words; empty if they can. Decided before
    anything is fitted.

    `label_reliability`: of `labels.reliability.label_reliability`. The rule of `split_in_halves`, which
    `calibrate` asks too.
    """
    if refused := refused_labels(label_reliability, dimension):
        return refused
    try:
        split_in_halves(labelled, seed)
    except LabelError as problem:
        return f"{problem.what} (found: {problem.found})"
    return ""


def calibrate_if_possible(
    labelled: pd.DataFrame,
    metric: str,
    dimension: str,
    *,
    alpha: float = ALPHA,
    seed: int = 0,
    label_reliability: pd.DataFrame | None = None,
    score: str = "residual",
    mondrian: str = "none",
) -> Calibration:
    """`calibrate`, or where the labels cannot carry it what stands for a calibration, with the reason.

    ParameterError if alpha is not strictly between 0 and 1, whatever the labels.
    """
    parameter_ranges.check("alpha", alpha, "in (0, 1)")
    if why_not := why_not_calibratable(labelled, dimension, seed=seed, label_reliability=label_reliability):
        return uncalibrated(metric, dimension, alpha, f"not calibrated to {dimension}: {why_not}")
    return calibrate(labelled, metric, dimension, alpha=alpha, seed=seed, score=score, mondrian=mondrian)


def calibrate(
    labelled: pd.DataFrame,
    metric: str,
    dimension: str,
    *,
    alpha: float = ALPHA,
    seed: int = 0,
    score: str = "residual",
    mondrian: str = "none",
    kinds: Sequence[str] | None = None,
) -> Calibration:
    """Select and fit the calibrator on one half of the labelled cases, take the threshold of the sets from
    the other. How often the sets hold the label is measured by `conformal.coverage`.

    Parameters
    ----------
    labelled : as `join_labels` gives it
    score : the nonconformity score, `residual` or `negative_logit`
    mondrian : one threshold for all answers (`none`), or one for each `topic` or `verdict` by itself
    kinds : kinds of calibrator to select from by cross-validated log loss; one kind is taken without
        comparison

    Raises
    ------
    LabelError
        If the labels cannot carry it: see `split_in_halves`.
    ParameterError
        If alpha is not strictly between 0 and 1.

    Source: HCAT sections 5.1 and 5.2; decision 2.
    """
    parameter_ranges.check("alpha", alpha, "in (0, 1)")
    fitting, held_out = split_in_halves(labelled, seed)
    selection = _select(fitting, kinds, seed)
    held_out = held_out.assign(probability=selection.calibrator.predict(held_out.value))
    found = conformal.fit_thresholds(held_out, alpha, score=score, by=mondrian)
    return Calibration(metric, dimension, alpha, selection, found, fitting, held_out, score)


def _select(fitting: pd.DataFrame, kinds: Sequence[str] | None, seed: int) -> Selection:
    """The calibrator of the one kind asked for, or the best of several."""
    if kinds is not None and len(kinds) == 1:
        asked_for = calibrators.fit(kinds[0], fitting.value, fitting.label)
        return Selection(asked_for, kinds[0], "asked for", NO_LOSSES)
    clusters = fitting.get("cluster")
    return select_calibrator(fitting.value, fitting.label, seed=seed, kinds=kinds, clusters=clusters)
