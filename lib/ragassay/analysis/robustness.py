"""Robustness: variants against the questions they vary, in pairs; foreign questions (HCAT section 6.1)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from ragassay import parameter_ranges
from ragassay.analysis import case_scores
from ragassay.analysis.declined_questions import declined
from ragassay.analysis.resampling_clusters import cluster_ids
from ragassay.defaults import CONFIDENCE, SIGNIFICANCE
from ragassay.errors import TableError
from ragassay.stats import (
    Interval,
    benjamini_hochberg,
    bootstrap,
    clopper_pearson,
    exceeds,
    mean_interval,
    not_available,
    paired_bootstrap,
)
from ragassay.stats.random_streams import random_base, random_stream

COLUMNS = [
    "metric", "kind", "intensity", "pairs", "n", "base_mean", "variant_mean", "difference", "low", "high",
    "p", "q", "worse", "left_out", "reason", "flips", "to_fail", "flip_rate", "flip_low", "flip_high",
    "threshold", "smallest_difference",
]  # fmt: skip
NO_INTENSITY = -1.0
PAIRS = ["case_id", "parent_id", "kind", "intensity", "variant", "variant_state", "base", "base_state"]
SLOPES = ["metric", "kind", "slope", "slope_low", "slope_high", "slope_parents", "slope_reason"]


def compare_variants(
    scores_base: pd.DataFrame,
    scores_variant: pd.DataFrame,
    cases_variant: pd.DataFrame,
    *,
    metric: str,
    rng: np.random.Generator,
    threshold: float | None = None,
    level: float = SIGNIFICANCE,
    smallest_difference: float = 0.0,
) -> pd.DataFrame:
    """One row per kind and intensity of variation: what it does to the score of the same question.

    difference : mean of variant minus base over the n pairs scored on both sides, with a paired bootstrap
        over parent questions
    p, q : one-sided test (tilted bootstrap over parents) that the score moves the wrong way by no more than
        `smallest_difference`, in its units; Benjamini-Hochberg over the rows
    worse : q < `level`
    flip_rate : share of the n pairs that pass on one side of `threshold` and fail on the other, in [0, 1],
        Clopper-Pearson (bootstrap over parents where one has several variants); to_fail: those that passed
        and now fail. NaN without a threshold
    left_out : pairs without a score on either side, and why

    `cases_variant` needs case_id, parent_id and kind; intensity where there is one.

    Raises
    ------
    TableError
        If a variant has no parent, no score matches, or the scores are of several systems.
    """
    pairs = paired_scores(scores_base, scores_variant, cases_variant, metric)
    better, base = case_scores.higher_is_better(metric, None), random_base(rng)
    groups = pairs.fillna({"intensity": NO_INTENSITY}).groupby(["kind", "intensity"], sort=True)
    rows = [
        _kind(
            part,
            metric,
            random_stream(base, metric, str(kind), f"{intensity:g}"),
            threshold,
            better,
            smallest_difference,
        )
        for (kind, intensity), part in groups
    ]
    found = pd.DataFrame([{"metric": metric, **row} for row in rows], columns=COLUMNS)
    found["smallest_difference"] = smallest_difference
    found = _judged(found, level)
    found["intensity"] = found["intensity"].mask(found["intensity"] == NO_INTENSITY)
    return found[COLUMNS]


def compare_metrics(
    scores_base: pd.DataFrame,
    scores_variant: pd.DataFrame,
    cases_variant: pd.DataFrame,
    *,
    thresholds: Mapping[str, float | None],
    rng: np.random.Generator,
    level: float = SIGNIFICANCE,
    smallest_difference: float = 0.0,
) -> pd.DataFrame:
    """`compare_variants` for several metrics (with the threshold of their flip rate, or None) under one
    control of false discoveries.

    Extra column `variation`: the kind and its intensity in words.
    """
    parameter_ranges.check("smallest_difference", smallest_difference, "in [0, 1)")
    tables = [
        compare_variants(
            scores_base,
            scores_variant,
            cases_variant,
            metric=metric,
            rng=rng,
            threshold=cut,
            level=level,
            smallest_difference=smallest_difference,
        )
        for metric, cut in thresholds.items()
    ]
    found = _judged(pd.concat(tables, ignore_index=True), level)
    strength = found["intensity"].map(lambda each: "" if pd.isna(each) else f", intensity {each:g}")
    return found.assign(variation=found["kind"] + strength)


def against_originals(answers: pd.DataFrame, variants: pd.DataFrame, parents: pd.DataFrame) -> pd.DataFrame:
    """The answers, those to variants held against the question of their parent.

    A metric that compares with the question itself (`answer_relevancy`, `context_relevancy`) would else
    measure how the perturbed wording looks to the encoder, and not what the assistant gave.
    """
    original = dict(zip(parents["case_id"], parents["question"], strict=True))
    asked = {
        case_id: original[parent]
        for case_id, parent in zip(variants["case_id"], variants["parent_id"], strict=True)
    }
    return answers.assign(question=answers["case_id"].map(asked).fillna(answers["question"]))


def abstention_rate(answers: pd.DataFrame, cases: pd.DataFrame, *, answerable: bool = False) -> Interval:
    """Share of questions declined, in [0, 1], with Clopper-Pearson; first repeat of each answer.

    Of those the documents do not answer (`answerable=False`, the default): higher is better, out-of-scope
    questions correctly refused.
    Of those they do answer: lower is better, refused without need. Answers that ended in an error are left
        out and counted.
    """
    found = declined(answers, cases, name="declined", answerable=answerable)
    given = found[found["state"] == "scored"]
    missing = len(found) - len(given)
    if given.empty:
        why = f"none of {len(found)} answered" if len(found) else "no case asked"
        return not_available(why, left_out=missing)
    share = clopper_pearson(int(given["value"].sum()), len(given))
    return replace(share, left_out=missing, reason="not answered" if missing else "")


def mean_change(
    pairs: pd.DataFrame, metric: str, rng: np.random.Generator, *, level: float = CONFIDENCE
) -> Interval:
    """Mean of variant minus base over the pairs (of `paired_scores`) scored on both sides, with a paired
    bootstrap over parent questions."""
    both, span = pairs.dropna(subset=["base", "variant"]), case_scores.value_range(metric)
    reach = (span[0] - span[1], span[1] - span[0]) if span else None
    clusters = cluster_ids(both["parent_id"])
    return paired_bootstrap(
        both["base"], both["variant"], clusters=clusters, level=level, span=reach, rng=rng
    )


def _kind(
    part: pd.DataFrame,
    metric: str,
    rng: np.random.Generator,
    threshold: float | None,
    better: bool,
    smallest: float,
) -> dict:
    both = part.dropna(subset=["base", "variant"])
    clusters = cluster_ids(both["parent_id"])
    moved = mean_change(part, metric, rng)
    loss = (both["base"] - both["variant"] if better else both["variant"] - both["base"]).to_numpy()
    return {
        "kind": part["kind"].iloc[0],
        "intensity": part["intensity"].iloc[0],
        "pairs": len(part),
        "n": len(both),
        "base_mean": both["base"].mean(),
        "variant_mean": both["variant"].mean(),
        "difference": moved.value,
        "low": moved.low,
        "high": moved.high,
        "p": exceeds(loss, smallest, clusters=clusters, rng=rng),
        "left_out": len(part) - len(both),
        "reason": _reason(part, moved),
        **_flips(both, clusters, threshold, better, rng),
    }


def _judged(found: pd.DataFrame, level: float) -> pd.DataFrame:
    q = benjamini_hochberg(found["p"].to_numpy(dtype=float))
    return found.assign(q=q, worse=q < level)


def _flips(
    both: pd.DataFrame,
    clusters: np.ndarray | None,
    threshold: float | None,
    better: bool,
    rng: np.random.Generator,
) -> dict:
    if threshold is None:
        return dict.fromkeys(["flips", "to_fail", "flip_rate", "flip_low", "flip_high", "threshold"], np.nan)
    sides = both["base"], both["variant"]
    passed = [side >= threshold if better else side <= threshold for side in sides]
    flipped = passed[0] != passed[1]
    if clusters is None:
        rate = clopper_pearson(int(flipped.sum()), len(flipped))
    else:
        rate = mean_interval(flipped.to_numpy(dtype=float), clusters=clusters, span=(0.0, 1.0), rng=rng)
    return {
        "flips": float(flipped.sum()),
        "to_fail": float((passed[0] & ~passed[1]).sum()),
        "flip_rate": rate.value,
        "flip_low": rate.low,
        "flip_high": rate.high,
        "threshold": float(threshold),
    }


def _reason(part: pd.DataFrame, moved: Interval) -> str:
    why = [
        f"{side} {state.replace('_', ' ')}"
        for base, variant in zip(part["base_state"], part["variant_state"], strict=True)
        for side, state in [("base", base) if base != "scored" else ("variant", variant)]
        if state != "scored"
    ]
    lost = ", ".join(f"{why.count(one)} {one}" for one in sorted(set(why)))
    return "; ".join(filter(None, [moved.reason if np.isnan(moved.low) and moved.n else "", lost]))


def paired_scores(
    scores_base: pd.DataFrame, scores_variant: pd.DataFrame, cases_variant: pd.DataFrame, metric: str
) -> pd.DataFrame:
    """A row a variant: case_id, parent_id, kind, intensity, the values `base` and `variant`, NaN where a side
    was not measured, and why: `base_state`, `variant_state`.

    Raises
    ------
    TableError
        If a variant has no parent, no score matches, or the scores are of several systems.
    """
    variants = cases_variant
    if variants.empty:
        return pd.DataFrame(columns=PAIRS)
    before, after = (case_scores.metric_scores(scores, metric) for scores in (scores_base, scores_variant))
    _check_variants(before, after, variants)
    known = variants[["case_id", "parent_id", "kind"]].assign(
        intensity=variants.get("intensity", pd.Series(np.nan, index=variants.index)).astype(float)
    )
    sides = [
        rows[["case_id", "value", "state"]].rename(
            columns={"case_id": key, "value": name, "state": f"{name}_state"}
        )
        for rows, key, name in ((after, "case_id", "variant"), (before, "parent_id", "base"))
    ]
    pairs = known.merge(sides[0], on="case_id", how="left").merge(sides[1], on="parent_id", how="left")
    pairs = pairs.sort_values("case_id", kind="stable", ignore_index=True)
    if pairs[["variant_state", "base_state"]].isna().any(axis=1).all():
        raise TableError(
            "no variant has a score beside its parent's",
            where="table scores",
            found=f"{len(pairs)} variants",
            do="score base cases and variants alike",
        )
    states = {f"{name}_state": pairs[f"{name}_state"].fillna("not_asked") for name in ("base", "variant")}
    return pairs.assign(kind=pairs["kind"].fillna(case_scores.NO_LEVEL), **states)


def _check_variants(before: pd.DataFrame, after: pd.DataFrame, variants: pd.DataFrame) -> None:
    orphans = variants[variants["parent_id"].isna()]
    if len(orphans):
        raise TableError(
            "a variant has no parent_id",
            where="table cases",
            found=orphans["case_id"].iloc[0],
            do="pass only cases with a parent_id",
        )
    if before["system"].iloc[0] != after["system"].iloc[0]:
        raise TableError(
            "base and variants are of two systems",
            where="table scores",
            found=[before["system"].iloc[0], after["system"].iloc[0]],
            expected="one system",
        )


def dose_response(
    scores_base: pd.DataFrame,
    scores_variant: pd.DataFrame,
    cases_variant: pd.DataFrame,
    *,
    metrics: Sequence[str],
    rng: np.random.Generator,
) -> pd.DataFrame:
    """A row a metric and kind that has levels: by how much the score changes a level, in its units.

    slope : mean over the parent questions of the slope of each one's own least-squares line through the
        differences, variant minus original, at its levels and 0 at level 0; bootstrap over parents (BCa,
        expanded for few)
    slope_parents : parents with a pair scored on both sides

    Raises
    ------
    TableError
        As `robustness.compare_variants`.
    """
    base = random_base(rng)
    rows = []
    for metric in metrics:
        pairs = paired_scores(scores_base, scores_variant, cases_variant, metric)
        scored = pairs.dropna(subset=["intensity", "base", "variant"])
        for kind, part in scored.groupby("kind"):
            rows.append(_trend(metric, str(kind), part, random_stream(base, metric, str(kind))))
    return pd.DataFrame(rows, columns=SLOPES)


def _trend(metric: str, kind: str, part: pd.DataFrame, rng: np.random.Generator) -> dict:
    slopes = [_slope(own) for _, own in part.groupby("parent_id")]
    low, high = case_scores.value_range(metric) or (np.nan, np.nan)
    reach = (low - high, high - low) if np.isfinite([low, high]).all() else None
    found = bootstrap(slopes, method="bca_expanded", span=reach, rng=rng)
    return {
        "metric": metric,
        "kind": kind,
        "slope": found.value,
        "slope_low": found.low,
        "slope_high": found.high,
        "slope_parents": len(slopes),
        "slope_reason": found.reason,
    }


def _slope(own: pd.DataFrame) -> float:
    """Of the least-squares line through (0, 0) and the differences at their levels; levels are above 0."""
    dose = np.append(0.0, own["intensity"])
    moved = np.append(0.0, own["variant"] - own["base"])
    away = dose - dose.mean()
    return float(away @ moved / (away @ away))
