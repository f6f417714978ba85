"""From a score to a decision, step by step (HCAT section 5), and which scores can be believed at all
(`rank_metrics`):

    join -> require -> split -> cross_validate -> fit -> conformal.split -> apply

Each step takes and gives data frames, whose columns are those of `join`. `calibrate` takes them all at once.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ragassay import parameter_ranges
from ragassay.calibration import calibrators, conformal, probability_metrics
from ragassay.calibration.calibrator_selection import cross_validate, fit, split
from ragassay.cases.case_table import OF_USERS
from ragassay.defaults import ALPHA
from ragassay.errors import LabelError, NotMeasuredError
from ragassay.scores.metric_registry import direction, reads_key
from ragassay.stats import Interval

LABELLED = ["case_id", "system", "value", "level", "label", "cluster"]
VERDICTS = [
    *("case_id", "system", "metric", "dimension", "probability", "prediction_set", "decision", "part")
]
NO_VERDICTS = pd.DataFrame(columns=VERDICTS)
REVIEW = "review"
RANKED = [
    *("metric", "dimension", "auroc", "low", "high", "n", "rarer_class", "reads_key", "conclusion", "reason")
]
CHANCE = 0.5  # AUROC of a blind score
PREDICTS, BLIND, UNKNOWN = "predicts the raters", "not shown better than chance", "not measured"


@dataclass(frozen=True)
class Calibration:
    """One metric calibrated to one dimension of human judgement.

    kinds : of calibrator that were compared, as `cross_validate` gives them; no row where one was named
    fitting, held_out : the half the calibrator was fitted on, and that which set the thresholds
    """

    metric: str
    dimension: str
    alpha: float
    calibrator: calibrators.Calibrator
    thresholds: conformal.Thresholds
    kinds: pd.DataFrame
    fitting: pd.DataFrame
    held_out: pd.DataFrame

    @property
    def q_hat(self) -> float:
        """One threshold for all answers and both verdicts, whatever the partition (HCAT section 5.2)."""
        held = self.held_out
        scores = conformal.nonconformity(held["probability"], held["label"])
        return conformal.threshold(scores, self.alpha, conformal.clusters_of(held))

    def apply(self, scores: pd.DataFrame) -> pd.DataFrame:
        """`apply` to these scores of the metric."""
        rows = scores[scores["metric"] == self.metric].assign(dimension=self.dimension)
        return apply(rows, self.calibrator, self.thresholds, fit=self.fitting, held=self.held_out)


def join(
    scores: pd.DataFrame,
    judged: pd.DataFrame,
    *,
    metric: str,
    dimension: str,
    clusters: Mapping[str, str] | pd.Series | None = None,
    groups: Mapping[str, str] | pd.Series | None = None,
) -> pd.DataFrame:
    """The labelled, scored answers: case_id, system, value (the score), level (as judged), label (1 accepted,
    0 not), cluster; and group, where `groups` are given. No row where none is both.

    Parameters
    ----------
    scores : case_id, system, metric, value, state
    judged : of `raters.accepted`
    clusters : by case_id, what was drawn independently; None takes every case for itself. Cases that share
        one stay in one half
    groups : by case_id, the topic, for thresholds of its own

    Example: `join(scores, raters.accepted(labels, {"grounded": 1}), metric="support", dimension="grounded")`
    """
    scored = scores[(scores["metric"] == metric) & (scores["state"] == "scored")]
    own = judged[judged["dimension"] == dimension].rename(columns={"accepted": "label"})
    columns = ["case_id", "system", "value"]
    joined = scored[columns].merge(own.drop(columns="dimension"), on=["case_id", "system"], how="inner")
    joined = joined.sort_values(["case_id", "system"], ignore_index=True)
    cluster = joined["case_id"] if clusters is None else joined["case_id"].map(clusters)
    found = joined.assign(cluster=cluster)[LABELLED]
    return found if groups is None else found.assign(group=joined["case_id"].map(groups))


def require(
    data: pd.DataFrame, agreement: pd.DataFrame | None = None, *, dimension: str = "", seed: int = 0
) -> None:
    """Nothing, where these labels can carry a calibration; else NotMeasuredError, with the reason: a chapter
    of a run ends there, and the next goes on.

    They cannot where raters hardly agree on the dimension, the halves would have fewer than 10 labels or 3 of
    a class, a score or label is missing, or every score is the same.

    Parameters
    ----------
    data : of `join`
    agreement : of `raters.agreement`; with the dimension that the data is of

    Example: `require(data, raters.agreement(labels), dimension="grounded")`
    """
    if agreement is not None:
        refused = agreement[(agreement["dimension"] == dimension) & (agreement["state"] == "refused")]
        if len(refused):
            what = f"agreement on {dimension!r} is not sufficient for a calibration"
            do = "make the guide clearer, label anew"
            raise NotMeasuredError(what, found=refused["reason"].iloc[0], do=do)
    if data.empty:
        raise NotMeasuredError("no answer has both a score and a rater's judgement", do="label answers")
    try:
        fitting, _ = split(data, seed, together="cluster" if "cluster" in data else None)
        calibrators.check_scores_and_labels(fitting["value"], fitting["label"])
    except LabelError as problem:
        raise NotMeasuredError(problem.what, found=problem.found, do="label more answers") from None


def apply(
    scores: pd.DataFrame,
    calibrator: calibrators.Calibrator,
    thresholds: conformal.Thresholds,
    *,
    fit: pd.DataFrame | None = None,
    held: pd.DataFrame | None = None,
    groups: Mapping[str, str] | pd.Series | None = None,
) -> pd.DataFrame:
    """The table `verdicts` for every scored answer: probability, prediction_set, decision (accept, reject,
    review), and its part: `fit` (the calibrator has seen its label), `held` (the threshold) or `unlabelled`.

    Parameters
    ----------
    scores : case_id, system, metric, value; state and dimension where there are any
    fit, held : the halves of the labelled answers
    groups : by case_id, the topic, where thresholds are by topic; an answer of a topic that has none is left
        to people

    Example: `apply(scores[scores.metric == "support"], calibrator, sets, fit=fit, held=held)`
    """
    rows = scores[scores["state"] == "scored"] if "state" in scores else scores
    rows = rows.assign(dimension=rows.get("dimension", ""))
    probability = calibrator.predict(rows["value"])
    topics = rows["case_id"].map({} if groups is None else groups).fillna(conformal.NO_GROUP)
    sets = thresholds.sets(probability, topics)
    part_of = {key: name for name, half in (("fit", fit), ("held", held)) for key in _keys(half)}
    return pd.DataFrame(
        {
            **{name: rows[name].to_numpy() for name in VERDICTS[:4]},
            "probability": probability,
            "prediction_set": pd.Series(sets, dtype=object),
            "decision": [conformal.decide(each) for each in sets],
            "part": [part_of.get(key, "unlabelled") for key in _keys(rows)],
        }
    )


def like_users(decided: pd.DataFrame, scores: pd.DataFrame, cases: pd.DataFrame) -> pd.DataFrame:
    """The decision on each answer that users are like to get: to the questions of users, or of the validator
    for them (`OF_USERS`); where there are none, to all. Columns case_id, system, probability (NaN without a
    score), scored, decision; no row where nothing was decided.

    An answer without a score, as a refusal has none, is left to people: the rule cannot decide it.

    decided : of `apply`; scores : rows of the systems looked at, those without a value too
    """
    own = scores[scores["metric"].isin(decided["metric"].unique())][["case_id", "system"]].drop_duplicates()
    of_users = set(cases.loc[cases["origin"].isin(OF_USERS), "case_id"])
    kept = own[own["case_id"].isin(of_users)] if own["case_id"].isin(of_users).any() else own
    known = decided[["case_id", "system", "probability", "decision"]]
    rows = kept.merge(known, on=["case_id", "system"], how="left")
    scored = rows["decision"].notna()
    return rows.assign(scored=scored, decision=rows["decision"].where(scored, REVIEW))


def calibrate(
    labelled: pd.DataFrame,
    metric: str,
    dimension: str,
    *,
    alpha: float = ALPHA,
    seed: int = 0,
    kind: str | None = None,
) -> Calibration:
    """All steps at once: the calibrator from one half of the labelled cases, the threshold of the sets from
    the other. How often the sets hold the label is measured by `conformal.coverage`.

    Parameters
    ----------
    labelled : as `join` gives it
    kind : of calibrator; None compares all kinds by cross-validation

    Raises NotMeasuredError if the labels cannot carry it (see `require`), ParameterError if alpha is not
    strictly between 0 and 1.

    Source: HCAT sections 5.1 and 5.2; decision 2.
    """
    parameter_ranges.check("alpha", alpha, "in (0, 1)")
    require(labelled, seed=seed)
    fitting, held = split(labelled, seed, together="cluster" if "cluster" in labelled else None)
    compared = cross_validate(fitting, seed=seed) if kind is None else pd.DataFrame()
    calibrator = fit(fitting, compared if kind is None else kind)
    held = held.assign(probability=calibrator.predict(held["value"]))
    thresholds = conformal.split(held, alpha)
    return Calibration(metric, dimension, alpha, calibrator, thresholds, compared, fitting, held)


def _keys(rows: pd.DataFrame | None) -> list[tuple[str, str]]:
    if rows is None or rows.empty:
        return []
    return list(zip(rows["case_id"], rows["system"], strict=True))


def rank_metrics(
    scores: pd.DataFrame,
    judged: pd.DataFrame,
    pairs: Mapping[str, str] | None = None,
    *,
    agreement: pd.DataFrame | None = None,
    clusters: Mapping[str, str] | pd.Series | None = None,
) -> pd.DataFrame:
    """How well each score predicts the raters, on all labelled answers: RANKED, the best first, scores that
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
    table = pd.DataFrame(rows, columns=RANKED).astype({"auroc": float, "reads_key": bool})
    ranked = table.assign(worst=-table["auroc"].round(6))
    by = ["reads_key", "worst", "metric", "dimension"]
    return ranked.sort_values(by, ignore_index=True).drop(columns="worst")


def score_auroc(labelled: pd.DataFrame, metric: str) -> Interval:
    """Chance that an answer accepted scores better than one rejected, in [0, 1]; 0.5 is blind. Nothing is
    fitted, so it is measured on all labelled answers (`join`), over their clusters."""
    better = -labelled["value"] if direction(metric) == "lower" else labelled["value"]
    return probability_metrics.auroc(better, labelled["label"], clusters=labelled["cluster"])
