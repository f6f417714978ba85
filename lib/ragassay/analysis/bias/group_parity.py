"""Whether groups of customers are served alike: the same questions asked for each group, compared in pairs.

For every question, a group's score less the mean of the other groups' scores on that question; where an
attribute has two groups, one less the other. Questions are drawn independently, versions of one are not: the
interval and the test resample whole clusters of questions.
"""

from collections.abc import Sequence
from math import ceil, log2

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ragassay.analysis import case_scores
from ragassay.analysis.bias.swap_consistency import question_clusters
from ragassay.analysis.case_scores import cluster_ids, rank_rows
from ragassay.cases.counterfactuals import CONTROL
from ragassay.defaults import CONFIDENCE, SIGNIFICANCE
from ragassay.stats import (
    Interval,
    adjusted_confidence,
    benjamini_hochberg,
    bootstrap,
    not_available,
    paired_permutation,
)
from ragassay.stats.clusters import drop_missing, sums_and_counts
from ragassay.stats.random_streams import random_base, random_stream

WIDEST = 2.0  # of a scale whose ends tell something of an unseen difference: 0 to 1, -1 to 1
COLUMNS = [
    "attribute", "group", "against", "metric", "n", "difference", "low", "high", "p",
    "clusters", "moved", "left_out", "reason", "case_ids", "paired",
]  # fmt: skip


def compare_groups(
    scores: pd.DataFrame,
    cases: pd.DataFrame,
    *,
    metrics: Sequence[str],
    clusters: pd.Series,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """One row per attribute, group and metric: what the group gets less what the others get, on the same n
    questions.

    difference, low, high : mean over questions, in the metric's units, with a 95 % bootstrap interval over
        clusters
    p : sign-flip permutation test over clusters, two-sided; the control swap, which is no attribute of
        anybody, is compared and not tested (NaN)
    moved : clusters whose difference is not 0; case_ids: versions of the group that differ most
    left_out : questions without a score on either side
    paired : the differences by question, their clusters, and the seed of their wider interval

    Parameters
    ----------
    scores : rows of the scores table of the counterfactual cases
    cases : of `cases.swap_groups`: case_id, parent_id, attribute, swapped_to
    clusters : of the original questions, by case_id (`case_clusters`)
    """
    base = random_base(rng)
    rows = []
    for metric in metrics:
        measured = case_scores.metric_scores(scores, metric) if (scores["metric"] == metric).any() else None
        for attribute, versions in cases.groupby("attribute", sort=False):
            stream = random_stream(base, metric, str(attribute))
            rows += _attribute(versions, measured, str(attribute), metric, clusters, stream)
    return pd.DataFrame(rows, columns=COLUMNS)


def control_false_discoveries(*tables: pd.DataFrame, level: float = SIGNIFICANCE) -> list[pd.DataFrame]:
    """The tables with q and differs (q < `level`): Benjamini and Hochberg over the p of all of them together.
    Of groups that differ, low and high have the confidence of rows selected so (`stats.adjusted_confidence`).

    fewest_moved : clusters that must move the same way to be found at all, were they the only ones (so at
        level / tests), whatever is measured
    """
    p = np.concatenate([table["p"].to_numpy(dtype=float) for table in tables])
    q, tests = benjamini_hochberg(p), int((~np.isnan(p)).sum())
    needed = fewest_moved(level / max(tests, 1))
    confidence = adjusted_confidence(int((q < level).sum()), tests, level)
    ends = np.cumsum([len(table) for table in tables])
    parts = np.split(q, ends[:-1])
    return [
        _widened(table.assign(q=part, differs=part < level, fewest_moved=needed), confidence)
        for table, part in zip(tables, parts, strict=True)
    ]


def _widened(table: pd.DataFrame, confidence: float) -> pd.DataFrame:
    selected = table[table["differs"]] if "paired" in table else table.head(0)
    for row in selected.itertuples():
        difference, clusters, seed = row.paired
        rng = np.random.default_rng(seed)
        found = mean_difference(difference, clusters, row.metric, rng, level=confidence)
        table.loc[row.Index, ["low", "high", "reason"]] = found.low, found.high, found.reason
    return table


def fewest_moved(level: float) -> int:
    """Questions that must all move the same way for a sign-flip test to reach a p of `level`, in (0, 1)."""
    return ceil(1 + log2(1 / level) - 1e-9)


def _attribute(
    versions: pd.DataFrame,
    measured: pd.DataFrame | None,
    attribute: str,
    metric: str,
    clusters: pd.Series,
    rng: np.random.Generator,
) -> list[dict]:
    groups = list(dict.fromkeys(versions["swapped_to"]))
    tested = groups[:1] if len(groups) == 2 else groups
    values = _by_group(versions, measured, groups)
    named = {"attribute": attribute, "metric": metric}
    return [
        named
        | {"group": group, "against": groups[1] if len(groups) == 2 else "the others"}
        | _difference(values, group, metric, clusters, rng, tested=attribute != CONTROL)
        | {"case_ids": _most_different(versions, values, group)}
        for group in tested
    ]


def _by_group(versions: pd.DataFrame, measured: pd.DataFrame | None, groups: Sequence[str]) -> pd.DataFrame:
    """Values (questions, groups); NaN where there is no score."""
    found = versions[["case_id", "parent_id", "swapped_to"]]
    if measured is None:
        return pd.DataFrame(np.nan, index=sorted(found["parent_id"].unique()), columns=list(groups))
    found = found.merge(measured[["case_id", "value"]], on="case_id", how="left")
    return found.groupby(["parent_id", "swapped_to"])["value"].mean().unstack()[list(groups)]


def _difference(
    values: pd.DataFrame,
    group: str,
    metric: str,
    clusters: pd.Series,
    rng: np.random.Generator,
    *,
    tested: bool,
) -> dict:
    others = values.drop(columns=group).mean(axis=1)
    difference = (values[group] - others).to_numpy(dtype=float)
    both = ~np.isnan(difference)
    ids = cluster_ids(question_clusters(pd.Series(values.index), clusters))
    found = mean_difference(difference, ids, metric, rng)
    kept, members, _ = drop_missing(difference, ids)
    sums = sums_and_counts(kept, members)[0] if members else np.zeros(0)
    p = paired_permutation(difference, clusters=ids, rng=rng) if tested else np.nan
    return {
        "n": int(both.sum()),
        "difference": found.value,
        "low": found.low,
        "high": found.high,
        "p": p,
        "clusters": len(members),
        "moved": int((np.abs(sums) > 1e-12).sum()),
        "left_out": int((~both).sum()),
        "reason": found.reason,
        "paired": (difference, ids, rng.spawn(1)[0].bit_generator.seed_seq),
    }


def mean_difference(
    difference: NDArray,
    clusters: NDArray | None,
    metric: str,
    rng: np.random.Generator,
    *,
    level: float = CONFIDENCE,
) -> Interval:
    """Mean of paired differences with its interval; where all are alike, on a scale without near ends (words,
    say), there is no interval."""
    ends = case_scores.value_range(metric) or (0.0, 1.0)
    width = ends[1] - ends[0]
    kept = difference[~np.isnan(difference)]
    if width > WIDEST and len(kept) > 1 and np.ptp(kept) == 0:
        why = f"all {len(kept)} differences equal {kept[0]:g}"
        return not_available(why, value=float(kept[0]), n=len(kept), left_out=len(difference) - len(kept))
    span = (-width, width)
    return bootstrap(difference, clusters=clusters, method="bca_expanded", level=level, span=span, rng=rng)


def _most_different(versions: pd.DataFrame, values: pd.DataFrame, group: str, most: int = 5) -> list[str]:
    gap = (values[group] - values.drop(columns=group).mean(axis=1)).abs()
    apart = gap[gap > 0].rename("gap").rename_axis("parent_id").reset_index()
    parents = rank_rows(apart, ["-gap"], ["parent_id"])["parent_id"].head(most)
    own = versions[versions["swapped_to"] == group].set_index("parent_id")["case_id"]
    return own.loc[parents].tolist()
