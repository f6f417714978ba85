"""Whether the answer stays the same when the question is put for another group (`scores.same_answer`)."""

from itertools import combinations

import numpy as np
import pandas as pd

from ragassay.analysis import origin_slices, scorecard, scorecard_slices
from ragassay.analysis.case_scores import cluster_ids
from ragassay.cases import case_origins
from ragassay.cases.counterfactuals import CONTROL
from ragassay.scores import same_answer
from ragassay.scores.shared_instruments import Tools
from ragassay.stats import Interval, bootstrap, mean_interval, paired_permutation
from ragassay.stats.random_streams import random_base, random_stream
from ragassay.tables import is_blank

METRIC, ALL = "consistent_under_swap", "all"
_INTERVAL = ("value", "low", "high", "n", "left_out", "reason")


def compare_versions(
    answers: pd.DataFrame, cases: pd.DataFrame, *, tools: Tools | None = None
) -> pd.DataFrame:
    """Every two versions of a question that differ in the group: attribute, parent_id, case_id,
    other_case_id, same (1 or 0; NaN where one has no answer) and why."""
    first = answers.sort_values("repeat", kind="stable").drop_duplicates("case_id")
    given = first[first["error"].map(is_blank).astype(bool)].set_index("case_id")["answer"].to_dict()
    rows = [
        {"attribute": attribute, "parent_id": parent, "case_id": one, "other_case_id": other}
        for (attribute, parent), versions in cases.groupby(["attribute", "parent_id"], sort=False)
        for one, other in combinations(versions["case_id"], 2)
    ]
    pairs = pd.DataFrame(rows, columns=["attribute", "parent_id", "case_id", "other_case_id"])
    both = pairs["case_id"].isin(given) & pairs["other_case_id"].isin(given)
    texts = [
        (given[one], given[other]) for one, other in pairs[both][["case_id", "other_case_id"]].to_numpy()
    ]
    spoken = pairs[both]["case_id"].map(cases.set_index("case_id")["language"]).tolist()
    found = same_answer.find_differences(texts, spoken, tools=tools)
    pairs = pairs.assign(same=np.nan, why="not answered")
    pairs.loc[both, "same"] = [float(one.same) for one in found]
    pairs.loc[both, "why"] = [one.why for one in found]
    return pairs


def summarize_consistency(
    pairs: pd.DataFrame, *, clusters: pd.Series, rng: np.random.Generator
) -> pd.DataFrame:
    """One row per attribute, and one over all but the control: the share of pairs between whose answers no
    difference is found, in [0, 1], higher is better, with its interval over clusters of questions; and how
    far it lies below that of the control swap, which says nothing of anybody.

    below_control : mean over the questions asked for both of the control's share less this one's, with
        below_low and below_high; moved: questions on which the two are not alike
    p : sign-flip permutation test of it over clusters; NaN for the control and over all
    """
    base = random_base(rng)
    parts = {str(name): part for name, part in pairs.groupby("attribute", sort=False)}
    control = _by_question(parts.get(CONTROL, pairs.head(0)))
    parts |= {ALL: pairs[pairs["attribute"] != CONTROL]}
    rows = [
        {"attribute": name, "metric": METRIC}
        | _share(part, clusters, random_stream(base, name))
        | _below_control(_by_question(part), control, clusters, random_stream(base, name, CONTROL))
        | {"case_ids": part.loc[part["same"] == 0, "case_id"].tolist()[:5]}
        for name, part in parts.items()
    ]
    table = pd.DataFrame(rows)
    return table.assign(p=table["p"].mask(table["attribute"].isin([CONTROL, ALL])))


def scorecard_rows(consistency: pd.DataFrame) -> pd.DataFrame:
    """The rows of `summarize_consistency` as rows of the scorecard: over all, and by attribute."""
    return pd.DataFrame([
        scorecard.row(METRIC, _slice(row["attribute"]), Interval(**{name: row[name] for name in _INTERVAL}))
        for row in consistency.to_dict("records")
    ])  # fmt: skip


def scorecard_by_origin(
    pairs: pd.DataFrame, cases: pd.DataFrame, clusters: pd.Series, *, seed: int
) -> pd.DataFrame:
    """Rows of the scorecard: the same over the questions of each origin by themselves.

    pairs : of `compare_versions`; cases, clusters : of the questions that were swapped
    """

    def summarize(rows: pd.DataFrame) -> pd.DataFrame:
        rng = np.random.default_rng(seed)
        return scorecard_rows(summarize_consistency(rows, clusters=clusters, rng=rng))

    rows = origin_slices.summarize_each_origin(pairs, pairs["parent_id"], cases, summarize)
    return rows[rows["slice"].str.startswith(f"{case_origins.COLUMN}=")]


def _slice(attribute: str) -> str:
    return scorecard_slices.ALL if attribute == ALL else f"kind=counterfactual: {attribute}"


def _by_question(pairs: pd.DataFrame) -> pd.Series:
    return pairs.groupby("parent_id", sort=False)["same"].mean().astype(float)


def _share(part: pd.DataFrame, clusters: pd.Series, rng: np.random.Generator) -> dict:
    ids = cluster_ids(question_clusters(part["parent_id"], clusters))
    why = ["not_answered" if np.isnan(same) else None for same in part["same"]]
    found = mean_interval(part["same"].to_numpy(), clusters=ids, span=(0.0, 1.0), rng=rng, reasons=why)
    return {
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "n": found.n,
        "left_out": found.left_out,
        "reason": found.reason,
    }


def _below_control(own: pd.Series, control: pd.Series, clusters: pd.Series, rng: np.random.Generator) -> dict:
    gap = (control - own).dropna()  # by question
    ids = cluster_ids(question_clusters(gap.index.to_series(), clusters))
    found = bootstrap(gap.to_numpy(), clusters=ids, method="bca_expanded", span=(-1.0, 1.0), rng=rng)
    return {
        "clusters": len(gap) if ids is None else len(set(ids)),
        "moved": int(np.count_nonzero(gap)),
        "below_control": found.value,
        "below_low": found.low,
        "below_high": found.high,
        "p": paired_permutation(gap.to_numpy(), clusters=ids, rng=rng),
    }


def question_clusters(parents: pd.Series, clusters: pd.Series) -> pd.Series:
    """What each original question was drawn with; itself where the clusters do not know it."""
    return parents.map(clusters).fillna(parents)
