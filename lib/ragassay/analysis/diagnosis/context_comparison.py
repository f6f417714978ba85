"""Context comparison (GRAMMAR 3.3): did the generator fail on passages that served another wording?

It can clear retrieval and never convict it (decision 11): other passages than those that served may serve
too.
"""

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

GENERATOR, RETRIEVAL_SUSPECTED, UNDETERMINED = "generator", "retrieval_suspected", "undetermined"
OUTCOMES = (GENERATOR, RETRIEVAL_SUSPECTED, UNDETERMINED)


def compare_contexts(failed: Collection[str] | None, correct: Sequence[Collection[str] | None]) -> str:
    """The outcome for one failed query of a group.

    generator : its passages hold all those of a correct answer of its group, so that they were sufficient
    retrieval_suspected : no correct answer of the group had its passages
    undetermined : its passages, or those of every correct answer, are not recorded; or none is correct

    Source
    ------
    GRAMMAR section 3.3, "context comparison": the source asks for the same passages; more of them hold what
    is needed as well.
    """
    served = [set(ids) for ids in correct if ids]
    if failed is None or not served:
        return UNDETERMINED
    return GENERATOR if any(ids <= set(failed) for ids in served) else RETRIEVAL_SUSPECTED


def compare_all(results: pd.DataFrame) -> pd.DataFrame:
    """For each row of the results its `comparison` (an outcome; empty for a correct or unjudged answer) and
    `beside`: the query of its group that the same passages served."""
    outcome = pd.Series("", index=results.index, dtype=object)
    beside = pd.Series("", index=results.index, dtype=object)
    for _, part in results.groupby("group", sort=False):
        right = part[part["correct"] == 1]
        for row, ids in part.loc[part["correct"] == 0, "retrieved"].items():
            outcome[row] = compare_contexts(ids, right["retrieved"].tolist())
            if outcome[row] == GENERATOR:
                beside[row] = next(
                    query
                    for query, served in zip(right["query"], right["retrieved"], strict=True)
                    if served and set(served) <= set(ids)
                )
    return pd.DataFrame({"comparison": outcome, "beside": beside})


def cleared(results: pd.DataFrame, comparison: pd.Series) -> pd.Series:
    """Retrieval as far as comparison clears it: 1 where it did, or the answer is correct; 0 where it does
    not; NaN where no passages are recorded or the answer was not judged. Its mean is the least that retrieval
    got right, as in GRAMMAR table 2."""
    served = (results["correct"] == 1) | (comparison == GENERATOR)
    known = results["retrieved"].notna() & results["correct"].notna()
    return pd.Series(np.where(known, served.astype(float), np.nan), index=results.index)
