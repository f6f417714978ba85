"""What was drawn independently: every interval and every test resamples whole clusters of cases."""

import numpy as np
import pandas as pd


def case_clusters(cases: pd.DataFrame) -> pd.Series:
    """What was drawn independently, by case_id: the conversation, else the group, else the parent question,
    else the case itself."""
    ids = cases["case_id"].astype(object)
    for column, prefix in (
        ("parent_id", "case "),
        ("group_id", "group "),
        ("conversation_id", "conversation "),
    ):
        if column in cases:
            given = cases[column].astype(object)
            ids = ids.where(given.isna() | (given.astype(str) == ""), prefix + given.astype(str))
    return pd.Series(ids.to_numpy(), index=cases["case_id"].to_numpy(), name="cluster").map(_plain_case)


def cluster_ids(clusters: pd.Series) -> np.ndarray | None:
    """The clusters as an array; None when every row is its own, so that exact intervals apply."""
    return None if clusters.is_unique else clusters.to_numpy(dtype=object)


def _plain_case(cluster: str) -> str:
    return cluster if cluster.startswith(("case ", "group ", "conversation ")) else f"case {cluster}"
