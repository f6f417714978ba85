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
    right = _correct_ones(results[results["correct"] == 1])
    rows = zip(results["correct"] == 0, results["group"], results["retrieved"], strict=True)
    found = [_compared(ids, right.get(group, [])) if failed else ("", "") for failed, group, ids in rows]
    return pd.DataFrame(found, columns=["comparison", "beside"], index=results.index, dtype=object)


def _correct_ones(right: pd.DataFrame) -> dict[object, list[tuple[str, Collection[str] | None]]]:
    """Query and passages of each correct answer, by its group."""
    found: dict[object, list] = {}
    for group, query, ids in zip(right["group"], right["query"], right["retrieved"], strict=True):
        found.setdefault(group, []).append((query, ids))
    return found


def _compared(
    failed: Collection[str] | None, right: list[tuple[str, Collection[str] | None]]
) -> tuple[str, str]:
    """The outcome of one failed query, and the query that its passages served."""
    outcome = compare_contexts(failed, [ids for _, ids in right])
    if failed is None or outcome != GENERATOR:
        return outcome, ""
    return outcome, next(query for query, ids in right if ids and set(ids) <= set(failed))


def cleared(results: pd.DataFrame, comparison: pd.Series) -> pd.Series:
    """Retrieval as far as comparison clears it: 1 where it did, or the answer is correct; 0 where it does
    not; NaN where no passages are recorded or the answer was not judged. Its mean is the least that retrieval
    got right, as in GRAMMAR table 2."""
    served = (results["correct"] == 1) | (comparison == GENERATOR)
    known = results["retrieved"].notna() & results["correct"].notna()
    return pd.Series(np.where(known, served.astype(float), np.nan), index=results.index)
