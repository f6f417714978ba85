"""Groups of queries that ask the same: what the assistant does not know, and what it knows in some words
only.

R rises and lambda falls with the wordings of a group: of many wordings one is more likely answered. Compare
systems on the same groups and wordings.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ragassay.analysis.diagnosis.results import COMPARED
from ragassay.defaults import CONFIDENCE
from ragassay.stats import Interval, mean_interval, not_available
from ragassay.stats.random_streams import random_base, random_stream

GAP, ROBUST, NON_ROBUST = "gap", "robust", "non_robust"
KINDS = (GAP, ROBUST, NON_ROBUST)
ALL_GAP = "every group is a gap group: nothing was answered in any wording"
ALL_ONE = "every group has one query: none can be non-robust"
QUANTITIES = ("accuracy", "robustness", "lambda", "accuracy_retrieval", "robustness_retrieval")
AT_LEAST = "at least: {n} by comparing contexts"
GENERATOR, RETRIEVAL_SUSPECTED, UNDETERMINED = "generator", "retrieval_suspected", "undetermined"
OUTCOMES = (GENERATOR, RETRIEVAL_SUSPECTED, UNDETERMINED)


def in_gap(correct: ArrayLike, groups: ArrayLike) -> NDArray[np.bool_]:
    """Which instances stand in a group without a correct answer; NaN counts as not asked. GRAMMAR 3.3."""
    values = pd.Series(np.asarray(correct, dtype=float))
    return (values.groupby(np.asarray(groups)).transform("sum") == 0).to_numpy()


def accuracy(correct: ArrayLike) -> float:
    """Share of the instances answered correctly, in [0, 1]; higher is better."""
    return float(np.nanmean(np.asarray(correct, dtype=float)))


def robustness(correct: ArrayLike, groups: ArrayLike) -> float:
    """R: share answered correctly of the instances outside gap groups, in [0, 1]; higher is better.

    Raises
    ------
    ValueError
        If every group is a gap group: R does not exist (decision 11).

    Source
    ------
    GRAMMAR section 3.3, equation 1; equation 2 is Acc = R (1 - lambda).
    """
    values, gap = np.asarray(correct, dtype=float), in_gap(correct, groups)
    if gap.all():
        raise ValueError(ALL_GAP)
    return float(np.nanmean(values[~gap]))


def group_table(results: pd.DataFrame) -> pd.DataFrame:
    """One row a group: group, kind (gap, robust, non_robust), n judged, correct, retrieval (share of it
    right, where known); groups without a judgement are left out."""
    judged = results[results["correct"].notna()]
    found = judged.groupby("group", sort=False).agg(
        n=("correct", "size"), correct=("correct", "sum"), retrieval=("retrieval", "mean")
    )
    found["kind"] = np.select(
        [found["correct"] == 0, found["correct"] == found["n"]], [GAP, ROBUST], NON_ROBUST
    )
    return found.astype({"correct": int}).reset_index()[["group", "kind", "n", "correct", "retrieval"]]


def count_kinds(groups: pd.DataFrame) -> dict[str, int]:
    """How many groups there are of each kind, and of one query."""
    kinds = groups["kind"].value_counts()
    return {kind: int(kinds.get(kind, 0)) for kind in KINDS} | {"of_one": int((groups["n"] == 1).sum())}


def measure_groups(
    results: pd.DataFrame, *, rng: np.random.Generator, level: float = CONFIDENCE
) -> dict[str, Interval]:
    """accuracy, robustness, lambda, accuracy_retrieval and robustness_retrieval, each with an interval over
    groups at this level.

    accuracy_retrieval : share of the queries whose retrieval was right; robustness_retrieval : the same
        outside
    gap groups, which are those of the answers (GRAMMAR table 2 and its authors' code). Where retrieval is
    known by comparing contexts alone, both are the least it can be; robustness and its like are not available
    where every group is a gap group, or has one query.
    """
    judged = results["correct"].notna()
    if not judged.any():
        return dict.fromkeys(QUANTITIES, not_available("no answer was judged", left_out=len(results)))
    gap = pd.Series(in_gap(results["correct"], results["group"]), index=results.index)
    retrieval, note = retrieval_values(results)
    values = {
        "accuracy": results["correct"],
        "robustness": results["correct"].mask(gap),
        "lambda": gap.astype(float).where(judged),
        "accuracy_retrieval": retrieval.where(judged),
        "robustness_retrieval": retrieval.where(judged).mask(gap),
    }
    base, why = random_base(rng), _why_no_robustness(gap[judged], results["group"][judged])
    return {
        name: _interval(value, results, gap, base, name, why if "robust" in name else "", note, level)
        for name, value in values.items()
    }


def retrieval_values(results: pd.DataFrame) -> tuple[pd.Series, str]:
    """Whether the retrieval of each row was right, as recorded, by gold, or as far as comparison clears it;
    and what that means."""
    by_comparison = cleared(results, compare_all(results)["comparison"])
    lacking = results["retrieval"].isna() & (results["retrieval_from"] == COMPARED)
    values = results["retrieval"].mask(lacking, by_comparison)
    return values, AT_LEAST.format(n=int(lacking.sum())) if lacking.any() else ""


def identity_gap(figures: Mapping[str, Interval]) -> float:
    """Acc - R (1 - lambda): 0 but for rounding, NaN where R does not exist. GRAMMAR equation 2."""
    return figures["accuracy"].value - figures["robustness"].value * (1 - figures["lambda"].value)


def _why_no_robustness(gap: pd.Series, groups: pd.Series) -> str:
    if gap.all():
        return ALL_GAP
    return ALL_ONE if groups.is_unique else ""


def _interval(
    values: pd.Series,
    results: pd.DataFrame,
    gap: pd.Series,
    base: int,
    name: str,
    why_not: str,
    note: str,
    level: float,
) -> Interval:
    if why_not:
        return not_available(why_not, left_out=len(values))
    if "retrieval" in name and values.isna().all():
        return not_available("nothing is known of the retrieval", left_out=len(values))
    groups = results["group"]
    reasons = np.select(
        [results["correct"].isna(), gap & ("robust" in name)],
        ["not judged", "in a gap group"],
        "retrieval not known",
    )
    clusters = None if groups.is_unique else groups.to_numpy()
    found = mean_interval(
        values,
        clusters=clusters,
        reasons=reasons.tolist(),
        span=(0.0, 1.0),
        rng=random_stream(base, name),
        level=level,
    )
    how = f"{found.method}; {note}" if note and "retrieval" in name else found.method
    return replace(found, left_out=int(values.isna().sum()), method=how)


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
