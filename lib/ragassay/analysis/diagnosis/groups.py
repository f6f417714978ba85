"""Groups of queries that ask the same: what the assistant does not know, what it knows in some words only,
and which module fails then.

R rises and lambda falls with the wordings of a group: of many wordings one is more likely answered. Compare
systems on the same groups and wordings.
"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ragassay.analysis.case_scores import cluster_ids
from ragassay.analysis.diagnosis.results import COMPARED
from ragassay.defaults import CONFIDENCE
from ragassay.stats import Interval, mean_interval, not_available
from ragassay.stats.random_streams import random_base, random_stream

GAP, ROBUST, NON_ROBUST = "gap", "robust", "non_robust"
KINDS = (GAP, ROBUST, NON_ROBUST)
ALL_GAP = "every group is a gap group: nothing was answered in any wording"
ALL_ONE = "every group has one query: none can be non-robust"
QUANTITIES = ("accuracy", "robustness", "lambda", "accuracy_retrieval", "robustness_retrieval")
GENERATOR, RETRIEVAL_SUSPECTED, UNDETERMINED = "generator", "retrieval_suspected", "undetermined"
RETRIEVAL, BOTH, NO_FAILURE = "retrieval", "both", "none"
MODULES = (RETRIEVAL, GENERATOR, RETRIEVAL_SUSPECTED, UNDETERMINED)
MAJORITY, PART = 0.5, 0.2
RULE = f"lower bound of its failures' share above {MAJORITY:g}; both above {PART:g}"


@dataclass(frozen=True)
class Defect:
    """Which module is defective: retrieval; retrieval_suspected, where comparison of contexts stands behind
    it; generator; both; none (no failure in a non-robust group); undetermined; by the shares of the failures
    in non-robust groups, with intervals over groups. why : the evidence, in a sentence."""

    module: str
    shares: dict[str, Interval]
    why: str


def in_gap(correct: ArrayLike, groups: ArrayLike) -> NDArray[np.bool_]:
    """Which instances stand in a group without a correct answer; NaN counts as not asked. GRAMMAR 3.3."""
    values = pd.Series(np.asarray(correct, dtype=float))
    return (values.groupby(np.asarray(groups)).transform("sum") == 0).to_numpy()


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
    """Each of QUANTITIES, in [0, 1], with an interval over groups at this level.

    accuracy : share of the queries answered correctly; robustness, R : the same outside gap groups; lambda :
        share of the queries in gap groups; Acc = R (1 - lambda)
    accuracy_retrieval : share of the queries whose retrieval was right; robustness_retrieval : the same
        outside the gap groups of the answers. Where retrieval is known by comparing contexts alone, both are
        the least it can be; robustness is not available where every group is a gap group, or has one query.

    Source: GRAMMAR section 3.3, equations 1 and 2.
    """
    judged = results["correct"].notna()
    if not judged.any():
        return dict.fromkeys(QUANTITIES, not_available("no answer was judged", left_out=len(results)))
    gap = pd.Series(in_gap(results["correct"], results["group"]), index=results.index)
    retrieval, n_compared = retrieval_values(results)
    values = {
        "accuracy": results["correct"],
        "robustness": results["correct"].mask(gap),
        "lambda": gap.astype(float).where(judged),
        "accuracy_retrieval": retrieval.where(judged),
        "robustness_retrieval": retrieval.where(judged).mask(gap),
    }
    no_robustness = ALL_GAP if gap[judged].all() else ALL_ONE if results["group"][judged].is_unique else ""
    base, clusters, found = random_base(rng), cluster_ids(results["group"]), {}
    for name, value in values.items():
        is_robustness, is_retrieval = "robust" in name, "retrieval" in name
        no_retrieval = "nothing is known of the retrieval" if is_retrieval and value.isna().all() else ""
        if nothing := (no_robustness if is_robustness else "") or no_retrieval:
            found[name] = not_available(nothing, left_out=len(value))
            continue
        why = np.select(
            [~judged, gap & is_robustness], ["not judged", "in a gap group"], "retrieval not known"
        )
        share = mean_interval(
            value,
            clusters=clusters,
            reasons=why.tolist(),
            span=(0.0, 1.0),
            rng=random_stream(base, name),
            level=level,
        )
        least = f"; at least: {n_compared} by comparing contexts" if n_compared and is_retrieval else ""
        found[name] = replace(share, left_out=int(value.isna().sum()), method=share.method + least)
    return found


def retrieval_values(results: pd.DataFrame) -> tuple[pd.Series, int]:
    """Whether the retrieval of each row was right, as recorded, by gold, or as far as comparison of contexts
    clears it (1 where it did, or the answer is correct; else 0, so that the mean is the least that retrieval
    got right, as in GRAMMAR table 2); and how many rows were compared."""
    served = (results["correct"] == 1) | (compare_contexts(results)["comparison"] == GENERATOR)
    known = results["retrieved"].notna() & results["correct"].notna()
    compared = results["retrieval"].isna() & (results["retrieval_from"] == COMPARED)
    return results["retrieval"].mask(compared, served.astype(float).where(known)), int(compared.sum())


def compare_contexts(results: pd.DataFrame) -> pd.DataFrame:
    """For each row of the results its `comparison` (empty for a correct or unjudged answer): generator, its
    passages hold all those of a correct answer of its group; retrieval_suspected, they hold those of none;
    undetermined, nothing to compare; and `beside`: the query of its group that these passages served.

    Source: GRAMMAR section 3.3, "context comparison": the source asks for the same passages; more of them
    hold what is needed as well.
    """
    served: dict[object, list[tuple[str, set]]] = {}
    right = results[results["correct"] == 1]
    for group, query, ids in zip(right["group"], right["query"], right["retrieved"], strict=True):
        if ids:
            served.setdefault(group, []).append((query, set(ids)))
    found = []
    rows = zip(results["correct"] == 0, results["group"], results["retrieved"], strict=True)
    for failed, group, ids in rows:
        if not failed:
            found.append(("", ""))
        elif ids is None or group not in served:
            found.append((UNDETERMINED, ""))
        else:
            beside = next((query for query, needed in served[group] if needed <= set(ids)), None)
            found.append((RETRIEVAL_SUSPECTED, "") if beside is None else (GENERATOR, beside))
    return pd.DataFrame(found, columns=["comparison", "beside"], index=results.index, dtype=object)


def assign_modules(results: pd.DataFrame) -> pd.DataFrame:
    """The results with `kind` of their group, `comparison`, `beside`, `module` of each failure (empty where
    the answer is right or was not judged) and the `evidence` for it."""
    kinds = group_table(results).set_index("group")["kind"]
    rows = results.assign(kind=results["group"].map(kinds), **compare_contexts(results))
    found = []
    for row in rows.itertuples():
        if row.correct != 0:
            found.append(("", ""))
        elif row.retrieval == 1:
            found.append((GENERATOR, f"retrieval was right ({row.retrieval_from})"))
        elif row.retrieval == 0:
            found.append((RETRIEVAL, f"retrieval was wrong ({row.retrieval_from})"))
        elif row.comparison == GENERATOR:
            found.append((GENERATOR, f"the same passages served: {row.beside}"))
        elif row.comparison == RETRIEVAL_SUSPECTED:
            found.append((RETRIEVAL_SUSPECTED, "no correct answer of the group had its passages"))
        else:
            found.append((UNDETERMINED, "nothing to compare: no passages, or no correct answer"))
    return rows.assign(module=[module for module, _ in found], evidence=[why for _, why in found])


def count_modules(assigned: pd.DataFrame) -> pd.DataFrame:
    """Failures by kind of group and module: columns kind, module, failures, share; of gap groups too, which
    say what is not known in any wording."""
    rows = []
    for kind in (NON_ROBUST, GAP):
        part = assigned[(assigned["module"] != "") & (assigned["kind"] == kind)]
        counts = part["module"].value_counts().reindex(MODULES, fill_value=0)
        rows += [(kind, module, n, n / len(part) if len(part) else np.nan) for module, n in counts.items()]
    return pd.DataFrame(rows, columns=["kind", "module", "failures", "share"])


def defective_module(assigned: pd.DataFrame, *, rng: np.random.Generator) -> Defect:
    """The module that non-robust groups fail by, if one stands out (`RULE`)."""
    failed = assigned[(assigned["module"] != "") & (assigned["kind"] == NON_ROBUST)]
    if failed.empty:
        nothing = dict.fromkeys(MODULES, not_available("no failure"))
        return Defect(NO_FAILURE, nothing, "no non-robust group failed")

    def share_of(*modules: str) -> Interval:
        named = failed["module"].isin(modules).astype(float)
        return mean_interval(named, clusters=cluster_ids(failed["group"]), span=(0.0, 1.0), rng=rng)

    shares = {module: share_of(module) for module in MODULES}
    either = share_of(RETRIEVAL, RETRIEVAL_SUSPECTED)
    if shares[RETRIEVAL].low > MAJORITY:
        module = RETRIEVAL
    elif shares[GENERATOR].low > MAJORITY:
        module = GENERATOR
    elif either.low > MAJORITY:
        module = RETRIEVAL_SUSPECTED
    else:
        both = min(shares[GENERATOR].low, shares[RETRIEVAL].low) > PART
        module = BOTH if both else UNDETERMINED
    counts = [
        f"{name.replace('_', ' ')} {(failed['module'] == name).sum()} ({share.text(2)})"
        for name, share in shares.items()
        if (failed["module"] == name).any()
    ]
    groups = failed["group"].nunique()
    return Defect(
        module, shares, f"{len(failed)} failures in {groups} non-robust groups: {', '.join(counts)}"
    )
