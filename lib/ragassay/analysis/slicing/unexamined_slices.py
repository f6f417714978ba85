"""What the search for weak slices could not examine: which levels of which factors, for which metric, how
many questions, and why. Silence about them would read as soundness."""

from collections.abc import Collection, Sequence

import pandas as pd

from ragassay.analysis import case_scores, slice_factors
from ragassay.analysis.ranking import ranked
from ragassay.analysis.resampling_clusters import case_clusters
from ragassay.analysis.slicing.slice_search import Rules
from ragassay.analysis.slicing.slice_units import FACTOR
from ragassay.scores.display_names import display_name, factor_name, level_name

TESTED, NOT_TESTED = "tested", "not tested"
LEAST_SCORED = 0.5  # share of a level's questions below which its test speaks of the scored ones alone
UNKNOWN = "its level is not known"
SINGLE = "all questions have it"


def asked_of(metric: str, scores: pd.DataFrame, cases: pd.DataFrame) -> pd.DataFrame:
    """The cases that the metric could have been measured on, as `slice_factors.comparable` compares them,
    with `value` (missing where there is none), `state` and `cluster`."""
    mine = scores[scores["metric"] == metric].drop_duplicates("case_id").set_index("case_id")
    known = cases.assign(cluster=case_clusters(cases).to_numpy())
    state = known["case_id"].map(mine["state"]).fillna("no score")
    value = known["case_id"].map(mine["value"]).where(state == "scored")
    rows = known.drop(columns=["value", "state"], errors="ignore").assign(value=value, state=state)
    rows = rows[rows["state"] != "not_applicable"]
    if "answerable" not in rows or rows.empty:
        return rows
    answerable = rows["answerable"].astype(bool)
    return rows[answerable == bool((answerable & rows["value"].notna()).any())]


def levels_asked(
    metric: str, asked: pd.DataFrame, names: Sequence[str], tested: Collection[tuple[str, str]], rules: Rules
) -> list[dict]:
    """A row for each level of the factors that the metric is compared along: metric, dimension, level, kind,
    n (scored), asked, clusters, state (tested or not), limit (why not, or in part; empty if in full).

    asked : of `asked_of`; tested : dimension and level of what the search tested
    """
    found = []
    for name in names:
        if slice_factors.by_construction(metric, name):
            continue
        levels = case_scores.levels(asked, name)
        for level, rows in asked.groupby(levels, sort=True):
            row, is_tested = _counts(metric, name, str(level), rows), (name, level) in tested
            others = asked["cluster"][asked["value"].notna() & (levels != level)].nunique()
            why = _partly(rows, row) if is_tested else _why(row, others, levels.nunique() == 1, rules)
            found.append(row | {"state": TESTED if is_tested else NOT_TESTED, "limit": why})
    return found


def _counts(metric: str, name: str, level: str, rows: pd.DataFrame) -> dict:
    scored = rows[rows["value"].notna()]
    return {
        "metric": metric,
        "dimension": name,
        "level": level,
        "kind": FACTOR,
        "n": len(scored),
        "asked": len(rows),
        "clusters": scored["cluster"].nunique(),
    }


def _why(row: dict, others: int, is_single: bool, rules: Rules) -> str:
    """Why a level was not tested, beside so many other clusters; the first reason that holds."""
    if row["level"] == case_scores.NO_LEVEL:
        return UNKNOWN
    if is_single:
        return SINGLE
    if row["asked"] < rules.minimum:
        return f"fewer than {rules.minimum} questions"
    if row["n"] < rules.minimum:
        return f"fewer than {rules.minimum} scored"
    if row["clusters"] < rules.minimum:
        return f"fewer than {rules.minimum} independent"
    if others < rules.minimum:
        return f"fewer than {rules.minimum} others scored"
    return f"fewer than {rules.minimum} comparable (one origin, as many wordings)"


def _partly(rows: pd.DataFrame, row: dict) -> str:
    """What a test of few scored questions leaves out; empty if most are scored."""
    if row["n"] >= LEAST_SCORED * row["asked"]:
        return ""
    lost = rows.loc[rows["value"].isna(), "state"].value_counts()
    counted = ", ".join(f"{count} {str(state).replace('_', ' ')}" for state, count in lost.items())
    return f"most not scored ({counted})"


def unexamined_display_table(slices: pd.DataFrame, topics: dict[str, str] | None = None) -> pd.DataFrame:
    """The limits of the table `weakness` for the report: a row for each slice and reason, with the least and
    the most questions of its metrics; those of most questions first."""
    rows = ranked(slices[slices["limit"] != ""], ["-asked"], ["dimension", "level", "metric"])
    told = pd.DataFrame({
        "slice": [_name(row.dimension, row.level, topics) for row in rows.itertuples()],
        "why": rows["limit"].to_numpy(),
        "questions": rows["asked"].to_numpy(dtype=int),
        "scored": rows["n"].to_numpy(dtype=int),
        "independent": rows["clusters"].to_numpy(dtype=int),
        "measure": [display_name(name) for name in rows["metric"]],
    })  # fmt: skip
    counts = dict.fromkeys(["questions", "scored", "independent"], _range)
    one = told.groupby(["slice", "why"], sort=False)
    return one.agg(counts | {"measure": "; ".join}).reset_index()


def _range(counts: pd.Series) -> str:
    """The least and the most of counts, or the one there is."""
    return " to ".join(f"{count:,}" for count in sorted({counts.min(), counts.max()}))


def _name(dimension: str, level: str, topics: dict[str, str] | None) -> str:
    if level == case_scores.NO_LEVEL:
        return f"{factor_name(dimension)}: unknown"
    words = level_name(dimension, level, topics)
    return words if words != level else f"{factor_name(dimension)} {level}"
