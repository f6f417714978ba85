"""Robustness: variants against the questions they vary, in pairs; foreign questions (HCAT section 6.1)."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from ragassay.analysis import case_scores
from ragassay.analysis.clusters import cluster_ids
from ragassay.analysis.declined import declined
from ragassay.errors import TableError
from ragassay.stats import (
    Interval,
    benjamini_hochberg,
    clopper_pearson,
    mean_interval,
    not_available,
    paired_bootstrap,
    paired_permutation,
)
from ragassay.stats.random_streams import random_base, random_stream

NO_INTENSITY = -1.0
COLUMNS = [
    "metric", "kind", "intensity", "pairs", "n", "base_mean", "variant_mean", "difference", "low", "high",
    "p", "q", "worse", "left_out", "reason", "flips", "to_fail", "flip_rate", "flip_low", "flip_high",
    "threshold",
]  # fmt: skip


def compare_variants(
    scores_base: pd.DataFrame,
    scores_variant: pd.DataFrame,
    cases_variant: pd.DataFrame,
    *,
    metric: str,
    rng: np.random.Generator,
    threshold: float | None = None,
    higher_is_better: bool | None = None,
    level: float = 0.05,
) -> pd.DataFrame:
    """One row per kind and intensity of variation: what it does to the score of the same question.

    difference : mean of variant minus base over the n pairs scored on both sides, with a paired bootstrap
        over parent questions
    p, q : sign-flip permutation test, Benjamini-Hochberg over the rows; worse: q < `level` and the score
        moved the wrong way
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
    pairs = _pairs(
        case_scores.metric_scores(scores_base, metric),
        case_scores.metric_scores(scores_variant, metric),
        cases_variant,
    )
    better, base = case_scores.higher_is_better(metric, higher_is_better), random_base(rng)
    groups = pairs.groupby(["kind", "intensity"], sort=True)
    rows = [
        _kind(
            part,
            random_stream(base, metric, str(kind), f"{intensity:g}"),
            case_scores.value_range(metric),
            threshold,
            better,
        )
        for (kind, intensity), part in groups
    ]
    found = pd.DataFrame([{"metric": metric, **row} for row in rows])
    found["q"] = benjamini_hochberg(found["p"].to_numpy(dtype=float))
    moved_wrong = found["difference"] < 0 if better else found["difference"] > 0
    found["worse"] = (found["q"] < level) & moved_wrong
    found["intensity"] = found["intensity"].mask(found["intensity"] == NO_INTENSITY)
    return found[COLUMNS]


def compare_metrics(
    scores_base: pd.DataFrame,
    scores_variant: pd.DataFrame,
    cases_variant: pd.DataFrame,
    *,
    thresholds: Mapping[str, float | None],
    rng: np.random.Generator,
    level: float = 0.05,
) -> pd.DataFrame:
    """`paired` for several metrics (with the threshold of their flip rate, or None) under one control of
    false discoveries.

    Extra column `variation`: the kind and its intensity in words.
    """
    tables = [
        compare_variants(
            scores_base, scores_variant, cases_variant, metric=metric, rng=rng, threshold=cut, level=level
        )
        for metric, cut in thresholds.items()
    ]
    found = pd.concat(tables, ignore_index=True)
    better = found["metric"].map(lambda metric: case_scores.higher_is_better(metric, None))
    found["q"] = benjamini_hochberg(found["p"].to_numpy(dtype=float))
    found["worse"] = (found["q"] < level) & np.where(better, found["difference"] < 0, found["difference"] > 0)
    strength = found["intensity"].map(lambda each: "" if pd.isna(each) else f", intensity {each:g}")
    return found.assign(variation=found["kind"] + strength)


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


def _pairs(before: pd.DataFrame, after: pd.DataFrame, variants: pd.DataFrame) -> pd.DataFrame:
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
    return pairs.assign(
        intensity=pairs["intensity"].fillna(NO_INTENSITY),
        kind=pairs["kind"].fillna(case_scores.NO_LEVEL),
        **states,
    )


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


def _kind(
    part: pd.DataFrame,
    rng: np.random.Generator,
    span: tuple[float, float] | None,
    threshold: float | None,
    better: bool,
) -> dict:
    both = part.dropna(subset=["base", "variant"])
    clusters = cluster_ids(both["parent_id"])
    reach = (span[0] - span[1], span[1] - span[0]) if span else None
    moved = paired_bootstrap(both["base"], both["variant"], clusters=clusters, span=reach, rng=rng)
    chance = paired_permutation((both["variant"] - both["base"]).to_numpy(), clusters=clusters, rng=rng)
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
        "p": chance,
        "left_out": len(part) - len(both),
        "reason": _reason(part, moved),
        **_flips(both, clusters, threshold, better, rng),
    }


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
