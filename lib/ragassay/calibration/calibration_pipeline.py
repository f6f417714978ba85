"""From a score to a decision, step by step (HCAT section 5), and which scores can be believed at all
(`rank_metrics`):

    join -> require -> split -> cross_validate -> fit -> conformal.split -> apply

Each step takes and gives data frames, whose columns are those of `join`. `calibrate` takes them all at once.

What a machine may release alone (`releases`): prediction sets bound the error over all answers, not over
those decided: full sets are never wrong, so errors gather where the sets decide. From which probability on
the share of wrong answers among those released keeps a limit is bounded by itself (Learn then Test).
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import inf, nan
from typing import Any

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike

from ragassay import parameter_ranges
from ragassay.calibration import calibrators, conformal, probability_metrics
from ragassay.calibration.calibrators import cross_validate, fit, split
from ragassay.cases.case_table import OF_USERS
from ragassay.defaults import ALPHA, CONFIDENCE
from ragassay.errors import LabelError, NotMeasuredError
from ragassay.scores.metric_registry import direction, reads_key
from ragassay.stats import Interval, clopper_pearson
from ragassay.tables import filled

VERDICTS = [
    *("case_id", "system", "metric", "dimension", "probability", "prediction_set", "decision", "part")
]
NO_VERDICTS = pd.DataFrame(columns=VERDICTS)
RELEASES = [
    *("decision", "labelled", "n", "wrong", "bound", "allowed", "threshold", "alone", "share", "reason")
]
NO_RELEASES = pd.DataFrame(columns=RELEASES)
FIRST = 5  # the first size of releases that is tried is at least one in so many of the labels
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
    scores : case_id, metric, value; system if there are several; state, without it all are scored
    judged : of `raters.accepted`
    clusters : by case_id, what was drawn independently; None takes every case for itself. Cases that share
        one stay in one half
    groups : by case_id, the topic, for thresholds of its own

    >>> scores = pd.DataFrame({"case_id": ["a", "b"], "metric": "support", "value": [0.9, 0.2]})
    >>> judged = pd.DataFrame({"case_id": ["a", "c"], "dimension": "grounded", "level": 1, "accepted": 1})
    >>> join(scores, judged, metric="support", dimension="grounded")[["case_id", "value", "label"]].to_numpy()
    array([['a', 0.9, 1]], dtype=object)
    """
    scored = filled(scores[scores["metric"] == metric], "system", "state").query("state == 'scored'")
    own = filled(judged[judged["dimension"] == dimension], "system").rename(columns={"accepted": "label"})
    if scored["system"].nunique() == 1:  # judgements that name no system are of the only one scored
        own = own.assign(system=own["system"].mask(own["system"].fillna("") == "", scored["system"].iloc[0]))
    joined = scored[["case_id", "system", "value"]].merge(
        own.drop(columns="dimension"), on=["case_id", "system"], how="inner"
    )
    joined = joined.sort_values(["case_id", "system"], ignore_index=True)
    found = joined.assign(cluster=joined["case_id"] if clusters is None else joined["case_id"].map(clusters))[
        ["case_id", "system", "value", "level", "label", "cluster"]
    ]
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

    >>> require(pd.DataFrame({"value": np.arange(40) / 40, "label": [0] * 20 + [1] * 20}))
    """
    if agreement is not None:
        refused = agreement[(agreement["dimension"] == dimension) & (agreement["state"] == "refused")]
        if len(refused):
            others = ", ".join(agreement.loc[agreement["state"] != "refused", "dimension"])
            other = f"; or name metric and dimension of another judgement in 04_calibration: {others}"
            raise NotMeasuredError(
                f"agreement on {dimension!r} is not sufficient for a calibration",
                found=refused["reason"].iloc[0],
                do="have more answers read twice, or make the guide clearer" + (other if others else ""),
            )
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
    scores : case_id, value; system, metric, dimension and state where there are any
    fit, held : the halves of the labelled answers
    groups : by case_id, the topic, where thresholds are by topic; an answer of a topic that has none is left
        to people

    >>> data = pd.DataFrame({"case_id": range(40), "value": np.arange(40) / 40, "label": [0] * 20 + [1] * 20})
    >>> calibrator = fit(data)
    >>> sets = conformal.split(data.assign(probability=calibrator.predict(data["value"])), alpha=0.1)
    >>> apply(data.iloc[[0, 39]], calibrator, sets)["decision"].tolist()
    ['reject', 'accept']
    """
    rows = filled(scores, "system", "metric", "dimension", "state").query("state == 'scored'")
    probability = calibrator.predict(rows["value"])
    sets = thresholds.sets(
        probability, rows["case_id"].map({} if groups is None else groups).fillna(conformal.NO_GROUP)
    )
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

    Example: `calibration.like_users(run.verdicts(), run.scores(), run.cases()).decision.value_counts()`
    """
    own = scores[scores["metric"].isin(decided["metric"].unique())][["case_id", "system"]].drop_duplicates()
    of_users = set(cases.loc[cases["origin"].isin(OF_USERS), "case_id"])
    kept = own[own["case_id"].isin(of_users)] if own["case_id"].isin(of_users).any() else own
    rows = kept.merge(
        decided[["case_id", "system", "probability", "decision"]], on=["case_id", "system"], how="left"
    )
    scored = rows["decision"].notna()
    return rows.assign(scored=scored, decision=rows["decision"].where(scored, "review"))


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
    return Calibration(
        metric, dimension, alpha, calibrator, conformal.split(held, alpha), compared, fitting, held
    )


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
    scores : case_id, metric, value; system if there are several; state, without it all are scored
    judged : of `raters.accepted`
    pairs : metric -> the dimension it should predict; None tries every metric on every dimension
    agreement : of `raters.agreement`: where raters hardly agree nothing is compared with them
    clusters : by case_id, what was drawn independently

    >>> scores = pd.DataFrame({"case_id": range(40), "metric": "support", "value": np.arange(40) / 40})
    >>> judged = pd.DataFrame({"case_id": range(40), "dimension": "grounded", "level": 1})
    >>> judged = judged.assign(accepted=[0] * 20 + [1] * 20)
    >>> rank_metrics(scores, judged)[["auroc", "n", "conclusion"]].to_numpy().tolist()
    [[1.0, 40, 'predicts the raters']]
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
    return (
        table.assign(worst=-table["auroc"].round(6))
        .sort_values(["reads_key", "worst", "metric", "dimension"], ignore_index=True)
        .drop(columns="worst")
    )


def score_auroc(labelled: pd.DataFrame, metric: str) -> Interval:
    """Chance that an answer accepted scores better than one rejected, in [0, 1]; 0.5 is blind. Nothing is
    fitted, so it is measured on all labelled answers (`join`), over their clusters."""
    better = -labelled["value"] if direction(metric) == "lower" else labelled["value"]
    return probability_metrics.auroc(better, labelled["label"], clusters=labelled["cluster"])


@dataclass(frozen=True)
class Release:
    """From which probability on a machine may release answers; where it may not, of the first one tried.

    threshold : release where p >= threshold; infinite: nothing, and the reason
    labelled : answers it was chosen by, one of each cluster; n, wrong : of these at or above it
    bound : upper bound of the share of wrong ones with 95 % confidence, in [0, 1] (Clopper-Pearson)
    """

    threshold: float
    labelled: int
    n: int
    wrong: int
    bound: float
    reason: str = ""


def release(
    p: ArrayLike, y: ArrayLike, error: float, *, clusters: ArrayLike | None = None, seed: int = 0
) -> Release:
    """The lowest threshold at which at most `error` of the answers released are wrong, with 95 % confidence;
    or none.

    Thresholds are tried from the top down, in a sequence that no label shapes, and the first that fails ends
    it, so that one test's error serves all (fixed-sequence testing). Tried are the sizes at which the
    binomial test first bears one wrong answer more (29, 46, 61 labels, ... for 0.1), from a fifth of the
    labels on, and all of them. Of each of the `clusters` one answer, drawn at random, is used.

    Measured, in 2,000 worlds each: how often more than `error` was wrong (at most 5 % allowed; standard error
    0.4 % at most), and the share of answers released on average.

    informative score, 130 labels, error 0.1      1.7 %    19 %
    the same, 400 labels                          3.1 %    46 %
    weak score, 130 labels, error 0.2             2.6 %    30 %
    blind, 11 % wrong, 150 labels, error 0.1      3.1 %     1 %
    reversed score, 150 labels, error 0.1         0.0 %     0 %
    ties (about nine values), 200 labels, 0.1     0.4 %    14 %
    80 clusters of 5, error 0.2                   1.5 %    10 %

    Parameters
    ----------
    p : (n,) probability that the answer is right, from a calibrator that saw none of these labels; any order
        of preference serves. For what to reject alone: 1 - p and 1 - y
    y : (n,) 1 right, 0 wrong
    error : share of wrong answers allowed, strictly between 0 and 1

    Raises ValueError if p and y differ in length, one is missing, y is not 0 or 1, or error is not in (0, 1).

    Source: Angelopoulos, Bates, Candes, Jordan, Lei (2025), Learn then Test, Annals of Applied Statistics,
    section 3 (fixed-sequence testing). One answer of each cluster: Dunn, Wasserman, Ramdas (2023), JASA 118.
    """
    score, wrong = np.asarray(p, dtype=float), 1 - np.asarray(y, dtype=float)
    if score.shape != wrong.shape or np.isnan(score).any() or not np.isin(wrong, (0, 1)).all():
        raise ValueError(f"every p needs a y of 0 or 1; found shapes {score.shape} and {wrong.shape}")
    if not 0 < error < 1:
        raise ValueError(f"error lies in (0, 1); found {error}")
    if clusters is not None:
        order = np.random.default_rng(seed).permutation(len(score))
        one = order[np.unique(np.asarray(clusters)[order], return_index=True)[1]]
        score, wrong = score[one], wrong[one]
    ranked = np.append(-np.sort(-score), -inf)
    too_many = scipy.stats.binom.ppf(
        1 - CONFIDENCE, np.arange(len(score) + 1), error
    )  # so many wrong fail the test
    steps = np.flatnonzero(np.diff(too_many) > 0) + 1  # the sizes at which it bears one more; none: too few
    sizes: Any = np.unique([*steps[steps * FIRST >= len(score)], len(score)]) if len(steps) else []
    found = Release(inf, len(score), 0, 0, nan, "too few labels")
    for size in sizes:
        limit = float(np.nextafter(ranked[size], inf)) if size < len(score) else -inf
        n, mistakes = int((score >= limit).sum()), int(wrong[score >= limit].sum())
        if n < sizes[0]:
            continue  # ties at the top
        bound = clopper_pearson(mistakes, n, 2 * CONFIDENCE - 1).high
        if bound > error:
            return found if found.n else Release(inf, len(score), n, mistakes, bound, "too many wrong")
        found = Release(limit, len(score), n, mistakes, bound)
    return found


def releases(
    held: pd.DataFrame, right: pd.DataFrame, answers: pd.DataFrame, *, alpha: float, seed: int = 0
) -> pd.DataFrame:
    """The table `releases`: what the machine may accept and what it may reject alone, a row each.

    An answer is wrongly accepted where raters do not accept it, and wrongly rejected where they do.

    held : labelled answers that the calibrator has not seen: case_id, system, cluster, probability
    right : case_id, system, accepted (0 or 1), such as `raters.in_every_respect` gives them
    answers : of `like_users`; share : of these, the share so decided
    alpha : share of wrong ones allowed

    Example: `releases(held, right, like_users(verdicts, scores, cases), alpha=0.1)`
    """
    known = right[["case_id", "system", "accepted"]].rename(columns={"accepted": "right"})
    both = held.merge(known, on=["case_id", "system"])
    p, y, new = both["probability"].to_numpy(dtype=float), both["right"], answers["probability"]
    rows = []
    for decision, sure, is_right, of in (("accept", p, y, new), ("reject", 1 - p, 1 - y, 1 - new)):
        found = release(sure, is_right, alpha, clusters=both["cluster"], seed=seed)
        share = float((of >= found.threshold).mean()) if len(of) else 0.0
        limit = found.threshold if decision == "accept" else 1 - found.threshold
        rows.append(
            {
                "decision": decision,
                **asdict(found),
                "allowed": alpha,
                "threshold": limit,
                "alone": not found.reason,
                "share": share,
            }
        )
    return pd.DataFrame(rows, columns=RELEASES)
