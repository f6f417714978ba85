"""Variants beside what they vary: the two scores of each pair."""

import numpy as np
import pandas as pd

from ragassay.analysis import case_scores
from ragassay.errors import TableError

COLUMNS = ["case_id", "parent_id", "kind", "intensity", "variant", "variant_state", "base", "base_state"]


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
        return pd.DataFrame(columns=COLUMNS)
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
