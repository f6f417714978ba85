"""What was drawn independently: every interval and every test resamples whole clusters of cases."""

import numpy as np
import pandas as pd

PREFIXES = {"parent_id": "case ", "group_id": "group ", "conversation_id": "conversation "}


def case_clusters(cases: pd.DataFrame) -> pd.Series:
    """What was drawn independently, by case_id: the conversation, else the group, else the parent question,
    else the case itself."""
    ids = "case " + cases["case_id"].astype(str).astype(object)
    for column, prefix in PREFIXES.items():
        if column in cases:
            given = cases[column].astype(object)
            ids = ids.where(given.isna() | (given.astype(str) == ""), prefix + given.astype(str))
    return pd.Series(ids.to_numpy(), index=cases["case_id"].to_numpy(), name="cluster")


def answer_clusters(answers: pd.DataFrame, cases: pd.DataFrame | None) -> dict[str, str]:
    """`case_clusters` by the columns of the answers, and of the cases where the answers do not say; empty
    where neither has such a column."""
    rows = answers.drop_duplicates("case_id").set_index("case_id").filter(items=list(PREFIXES))
    if cases is not None:
        of_cases = cases.set_index("case_id").filter(items=list(PREFIXES))
        rows = rows.combine_first(of_cases.reindex(rows.index))
    return {} if rows.columns.empty else case_clusters(rows.reset_index()).to_dict()


def cluster_ids(clusters: pd.Series) -> np.ndarray | None:
    """The clusters as an array; None when every row is its own, so that exact intervals apply."""
    return None if clusters.is_unique else clusters.to_numpy(dtype=object)
