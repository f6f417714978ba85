"""Which module fails: the failures of non-robust groups, each laid to retrieval or generator by its
evidence."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ragassay.analysis.diagnosis.groups import (
    GAP,
    GENERATOR,
    NON_ROBUST,
    RETRIEVAL_SUSPECTED,
    UNDETERMINED,
    compare_all,
    group_table,
)
from ragassay.stats import Interval, mean_interval, not_available

RETRIEVAL, BOTH, NONE = "retrieval", "both", "none"
MODULES = (RETRIEVAL, GENERATOR, RETRIEVAL_SUSPECTED, UNDETERMINED)
MAJORITY, PART = 0.5, 0.2
RULE = f"lower bound of its failures' share above {MAJORITY:g}; both above {PART:g}"


@dataclass(frozen=True)
class Defect:
    """Which module is defective, and the evidence.

    module : retrieval; retrieval_suspected, where comparison of contexts stands behind it; generator; both;
        none (no failure in a non-robust group); undetermined
    shares : of the failures in non-robust groups, by module, with intervals over groups
    why : the evidence, in a sentence
    """

    module: str
    shares: dict[str, Interval]
    why: str


def assign_modules(results: pd.DataFrame) -> pd.DataFrame:
    """The results with `kind` of their group, `comparison`, `beside`, `module` of each failure (empty where
    the answer is right or was not judged) and the `evidence` for it."""
    kinds = group_table(results).set_index("group")["kind"]
    rows = results.assign(kind=results["group"].map(kinds), **compare_all(results))
    told = [_module(row) if row.correct == 0 else ("", "") for row in rows.itertuples()]
    return rows.assign(module=[one for one, _ in told], evidence=[why for _, why in told])


def count_modules(assigned: pd.DataFrame) -> pd.DataFrame:
    """Failures by kind of group and module: columns kind, module, failures, share; of gap groups too, which
    say what is not known in any wording."""
    failed = assigned[assigned["module"] != ""]
    rows = [
        {
            "kind": kind,
            "module": module,
            "failures": int((part["module"] == module).sum()),
            "share": float((part["module"] == module).mean()) if len(part) else np.nan,
        }
        for kind in (NON_ROBUST, GAP)
        for part in [failed[failed["kind"] == kind]]
        for module in MODULES
    ]
    return pd.DataFrame(rows)


def defective_module(assigned: pd.DataFrame, *, rng: np.random.Generator) -> Defect:
    """The module that non-robust groups fail by, if one stands out (`RULE`)."""
    failed = assigned[(assigned["module"] != "") & (assigned["kind"] == NON_ROBUST)]
    if failed.empty:
        return Defect(NONE, dict.fromkeys(MODULES, not_available("no failure")), "no non-robust group failed")
    shares = {module: _share(failed, (module,), rng) for module in MODULES}
    either = _share(failed, (RETRIEVAL, RETRIEVAL_SUSPECTED), rng)
    return Defect(_named(shares, either), shares, _why(failed, shares))


def _named(shares: dict[str, Interval], either: Interval) -> str:
    """By `RULE`; `either` is the share of failures that retrieval is known for or suspected of."""
    for module in (RETRIEVAL, GENERATOR):
        if shares[module].low > MAJORITY:
            return module
    if either.low > MAJORITY:
        return RETRIEVAL_SUSPECTED
    return BOTH if min(shares[GENERATOR].low, shares[RETRIEVAL].low) > PART else UNDETERMINED


def _share(failed: pd.DataFrame, modules: tuple[str, ...], rng: np.random.Generator) -> Interval:
    clusters = None if failed["group"].is_unique else failed["group"].to_numpy()
    named = failed["module"].isin(modules).astype(float)
    return mean_interval(named, clusters=clusters, span=(0.0, 1.0), rng=rng)


def _why(failed: pd.DataFrame, shares: dict[str, Interval]) -> str:
    told = [
        f"{module.replace('_', ' ')} {int((failed['module'] == module).sum())} ({shares[module].text(2)})"
        for module in MODULES
        if (failed["module"] == module).any()
    ]
    return f"{len(failed)} failures in {failed['group'].nunique()} non-robust groups: {', '.join(told)}"


def _module(row) -> tuple[str, str]:
    """The module of one failure, and why."""
    if row.retrieval == 1:
        return GENERATOR, f"retrieval was right ({row.retrieval_from})"
    if row.retrieval == 0:
        return RETRIEVAL, f"retrieval was wrong ({row.retrieval_from})"
    if row.comparison == GENERATOR:
        return GENERATOR, f"the same passages served: {row.beside}"
    if row.comparison == RETRIEVAL_SUSPECTED:
        return RETRIEVAL_SUSPECTED, "no correct answer of the group had its passages"
    return UNDETERMINED, "nothing to compare: no passages, or no correct answer"
