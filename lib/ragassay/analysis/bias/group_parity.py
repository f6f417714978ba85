"""Whether groups of customers are served alike: the same questions asked for each group.

Scores are compared in pairs (`compare_groups`): for every question, a group's score less the mean of the
other groups' scores on that question; where an attribute has two groups, one less the other. Answers are
compared with each other (`compare_versions`, `summarize_consistency`), against a control swap that says
nothing of anybody. Intervals and tests resample whole clusters of questions.
"""

from collections.abc import Sequence
from dataclasses import asdict
from itertools import combinations
from math import ceil, log2

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ragassay import stats
from ragassay.analysis import case_scores
from ragassay.analysis.case_scores import ALL, cluster_ids, rank_rows
from ragassay.cases.counterfactuals import CONTROL
from ragassay.defaults import CONFIDENCE, SIGNIFICANCE
from ragassay.scores.families import same_answer
from ragassay.stats import Interval, bootstrap, mean_interval, not_available, paired_permutation
from ragassay.stats.random_streams import random_base, random_stream
from ragassay.tables import is_blank

CONSISTENT = "consistent_under_swap"
WIDEST = 2.0  # of a scale whose ends tell something of an unseen difference: 0 to 1, -1 to 1
EXAMPLES = 5
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
    p : sign-flip permutation test over clusters, two-sided; NaN for the control swap
    moved : clusters whose difference is not 0; case_ids: versions of the group that differ most
    left_out : questions without a score on either side
    paired : the differences by question, their clusters, and the seed of their wider interval

    scores : rows of the scores table of `cases`, of `cases.swap_groups`; clusters : of the original
    questions, by case_id (`case_clusters`)
    """
    base, rows = random_base(rng), []
    for metric in metrics:
        is_scored = (scores["metric"] == metric).any()
        measured = case_scores.metric_scores(scores, metric) if is_scored else scores.head(0)
        for attribute, versions in cases.groupby("attribute", sort=False):
            stream = random_stream(base, metric, str(attribute))
            groups = list(dict.fromkeys(versions["swapped_to"]))
            both = versions.merge(measured[["case_id", "value"]], on="case_id", how="left")
            means = both.astype({"value": float}).groupby(["parent_id", "swapped_to"])["value"].mean()
            values = means.unstack()[groups]
            ids = cluster_ids(_drawn_with(pd.Series(values.index), clusters))
            for group in groups[:1] if len(groups) == 2 else groups:
                difference = values[group] - values.drop(columns=group).mean(axis=1)
                named = {"attribute": attribute, "metric": metric, "group": group}
                named["against"] = groups[1] if len(groups) == 2 else "the others"
                row = _compare_pairs(difference.to_numpy(), ids, metric, stream, tested=attribute != CONTROL)
                gaps = difference.abs().rename("gap").rename_axis("parent_id").reset_index()
                apart = rank_rows(gaps[gaps["gap"] > 0], ["-gap"], ["parent_id"]).head(EXAMPLES)
                own = versions[versions["swapped_to"] == group].set_index("parent_id")["case_id"]
                rows.append(named | row | {"case_ids": own.loc[apart["parent_id"]].tolist()})
    return pd.DataFrame(rows, columns=COLUMNS)


def compare_versions(answers: pd.DataFrame, cases: pd.DataFrame) -> pd.DataFrame:
    """Every two versions of a question that differ in the group: attribute, parent_id, case_id,
    other_case_id, same (1 or 0, by `scores.same_answer`; NaN where one has no answer)."""
    first = answers.sort_values("repeat", kind="stable").drop_duplicates("case_id")
    given = first[first["error"].map(is_blank).astype(bool)].set_index("case_id")["answer"].to_dict()
    rows = [
        {"attribute": attribute, "parent_id": parent, "case_id": one, "other_case_id": other}
        for (attribute, parent), versions in cases.groupby(["attribute", "parent_id"], sort=False)
        for one, other in combinations(versions["case_id"], 2)
    ]
    pairs = pd.DataFrame(rows, columns=["attribute", "parent_id", "case_id", "other_case_id"]).assign(
        same=np.nan
    )
    both = pairs["case_id"].isin(given) & pairs["other_case_id"].isin(given)
    compared = pairs.loc[both, ["case_id", "other_case_id"]].to_numpy()
    texts = [(given[one], given[other]) for one, other in compared]
    spoken = pairs.loc[both, "case_id"].map(cases.set_index("case_id")["language"]).tolist()
    pairs.loc[both, "same"] = [float(one.same) for one in same_answer.compare_answers(texts, spoken)]
    return pairs


def summarize_consistency(
    pairs: pd.DataFrame, *, clusters: pd.Series, rng: np.random.Generator
) -> pd.DataFrame:
    """One row per attribute, and one over all but the control: the share of pairs between whose answers no
    difference is found, in [0, 1], higher is better, with its interval over clusters of questions.

    below_control : mean over the questions asked for both of the control swap's share less this one's, with
        below_low and below_high; moved: questions on which the two are not alike
    p : sign-flip permutation test of it over clusters; NaN for the control and over all
    """
    base, rows = random_base(rng), []
    parts = {str(name): part for name, part in pairs.groupby("attribute", sort=False)}
    control = parts.get(CONTROL, pairs.head(0)).groupby("parent_id", sort=False)["same"].mean().astype(float)
    for name, part in {**parts, ALL: pairs[pairs["attribute"] != CONTROL]}.items():
        ids, why = cluster_ids(_drawn_with(part["parent_id"], clusters)), ["not_answered"] * len(part)
        stream = random_stream(base, name)
        share = mean_interval(part["same"], clusters=ids, span=(0.0, 1.0), rng=stream, reasons=why)
        own = part.groupby("parent_id", sort=False)["same"].mean().astype(float)
        gap, stream = (control - own).dropna(), random_stream(base, name, CONTROL)  # by question
        ids = cluster_ids(_drawn_with(gap.index.to_series(), clusters))
        below = bootstrap(gap.to_numpy(), clusters=ids, method="bca_expanded", span=(-1.0, 1.0), rng=stream)
        p = paired_permutation(gap.to_numpy(), clusters=ids, rng=stream)
        rows.append(
            {
                "attribute": name,
                "metric": CONSISTENT,
                **asdict(share),
                "clusters": len(gap) if ids is None else len(set(ids)),
                "moved": int(np.count_nonzero(gap)),
                "below_control": below.value,
                "below_low": below.low,
                "below_high": below.high,
                "p": np.nan if name in (CONTROL, ALL) else p,
                "case_ids": part.loc[part["same"] == 0, "case_id"].tolist()[:EXAMPLES],
            }
        )
    return pd.DataFrame(rows)


def control_false_discoveries(*tables: pd.DataFrame) -> list[pd.DataFrame]:
    """The tables with q and differs (q < SIGNIFICANCE): Benjamini and Hochberg over the p of all of them.
    Of groups that differ, low and high have the confidence of rows selected so (`stats.adjusted_confidence`).
    fewest_moved : clusters that must move the same way to be found, were they the only ones.
    """
    p = np.concatenate([table["p"].to_numpy(dtype=float) for table in tables])
    q, tests = stats.benjamini_hochberg(p), int((~np.isnan(p)).sum())
    needed = ceil(1 + log2(max(tests, 1) / SIGNIFICANCE) - 1e-9)  # of a sign-flip test at that level / tests
    confidence = stats.adjusted_confidence(int((q < SIGNIFICANCE).sum()), tests)
    ends, found = np.cumsum([len(table) for table in tables]), []
    for table, part in zip(tables, np.split(q, ends[:-1]), strict=True):
        table = table.assign(q=part, differs=part < SIGNIFICANCE, fewest_moved=needed)
        for row in table[table["differs"]].itertuples() if "paired" in table else ():
            difference, clusters, seed = row.paired
            rng = np.random.default_rng(seed)
            wide = mean_difference(difference, clusters, row.metric, rng, level=confidence)
            table.loc[row.Index, ["low", "high", "reason"]] = wide.low, wide.high, wide.reason
        found.append(table)
    return found


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
    low, high = case_scores.value_range(metric) or (0.0, 1.0)
    span, kept = (low - high, high - low), difference[~np.isnan(difference)]
    if high - low > WIDEST and len(kept) > 1 and np.ptp(kept) == 0:
        why = f"all {len(kept)} differences equal {kept[0]:g}"
        return not_available(why, value=float(kept[0]), n=len(kept), left_out=len(difference) - len(kept))
    return bootstrap(difference, clusters=clusters, method="bca_expanded", level=level, span=span, rng=rng)


def _compare_pairs(
    difference: NDArray, ids: NDArray | None, metric: str, rng: np.random.Generator, *, tested: bool
) -> dict:
    found = mean_difference(difference, ids, metric, rng)
    kept = pd.Series(difference).dropna()
    sums = kept.groupby(kept.index if ids is None else ids[kept.index]).sum()
    p = paired_permutation(difference, clusters=ids, rng=rng) if tested else np.nan
    return asdict(found) | {
        "difference": found.value,
        "p": p,
        "clusters": len(sums),
        "moved": int((sums.abs() > 1e-12).sum()),
        "paired": (difference, ids, rng.spawn(1)[0].bit_generator.seed_seq),
    }


def _drawn_with(parents: pd.Series, clusters: pd.Series) -> pd.Series:
    """What each original question was drawn with; itself where the clusters do not know it."""
    return parents.map(clusters).fillna(parents)
