"""The rows that figures draw: one a question (HCAT section 6.2)."""

from collections.abc import Sequence

import pandas as pd

from ragassay.analysis import case_scores


def score_rows(scores: pd.DataFrame, cases: pd.DataFrame, metrics: Sequence[str]) -> pd.DataFrame:
    """The scores of these metrics with every column of `cases` beside them, in the order named."""
    return pd.concat(
        [case_scores.scores_with_cases(scores, cases, metric) for metric in metrics], ignore_index=True
    )
