"""GRAMMAR's modular evaluation (section 3.3): what an assistant does not know, what it knows in some words
only, and which of its modules fails then.

The results are one row a query: its group, whether the answer and the retrieval were right. Groups of queries
that ask the same are gap, robust or non-robust; accuracy, robustness R and lambda follow. R rises and lambda
falls with the wordings of a group: compare systems on the same groups and wordings. Two linguistic clusters
are held against each other (section 4.2), and evaluators without a gold answer against gold (4.1).
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ragassay.analysis.case_scores import cluster_ids, require_columns
from ragassay.defaults import CONFIDENCE
from ragassay.errors import TableError
from ragassay.stats import Interval, bootstrap, mean_interval, not_available, random_base, random_stream
from ragassay.tables import is_blank, is_missing

RECORDED, GOLD, COMPARED, UNKNOWN = "recorded", "gold passages", "compared contexts", "not known"
GAP, ROBUST, NON_ROBUST = "gap", "robust", "non_robust"
KINDS = (GAP, ROBUST, NON_ROBUST)
ALL_GAP = "every group is a gap group: nothing was answered in any wording"
ALL_ONE = "every group has one query: none can be non-robust"
QUANTITIES = ("accuracy", "robustness", "lambda", "accuracy_retrieval", "robustness_retrieval")
GENERATOR, RETRIEVAL_SUSPECTED, UNDETERMINED = "generator", "retrieval_suspected", "undetermined"
RETRIEVAL, BOTH, NO_FAILURE = "retrieval", "both", "none"
MODULES = (RETRIEVAL, GENERATOR, RETRIEVAL_SUSPECTED, UNDETERMINED)
MAJORITY, PART = 0.5, 0.2
SHARE = (0.0, 1.0)
RULE = f"lower bound of its failures' share above {MAJORITY:g}; both above {PART:g}"
_JUDGEMENTS = {
    **dict.fromkeys(("true", "correct", "1", "1.0"), 1.0),
    **dict.fromkeys(("false", "incorrect", "0", "0.0"), 0.0),
    "": np.nan,
}


def read_results(
    given: pd.DataFrame, *, closed_domain: bool = False, where: str = "the results"
) -> pd.DataFrame:
    """The results, checked: query, group, correct (1, 0, NaN: not judged), retrieval (1, 0, NaN: not known),
    retrieved (ids, None: not recorded), retrieval_from, reclassified; further columns as they are.

    Retrieval is right where `retrieval_correct` says so; where that is not given, if every passage of `gold`
    is among those `retrieved`.

    closed_domain : the closed-domain rule of GRAMMAR: an answer whose retrieval failed counts as incorrect,
        and retrieval counts as right where it is not known and the answer is correct

    Raises TableError if a column is missing, a query stands twice, a group is blank, or a judgement is
    neither true nor false; with its row, from 1.
    """
    require_columns(given, ("query", "group", "correct"), where=where)
    if given.empty:
        raise TableError("there is no result", where=where, found="0 rows", expected="one row a query")
    results = given.reset_index(drop=True).astype({"query": str})
    for name in ("query", "group"):
        blank = results[name].map(is_blank).astype(bool)
        _refuse(blank, results[name], f"column {name!r} is blank", where, "a text in every row")
    again = results["query"].str.strip().duplicated()
    _refuse(again, results["query"], "a query stands twice", where, "each query once, of one system")
    results["group"] = results["group"].map(_id)
    results["correct"] = _judgements(results, "correct", where)
    results["retrieved"] = _lists(results, "retrieved")
    recorded = _judgements(results, "retrieval_correct", where)
    pairs = zip(results["retrieved"], _lists(results, "gold"), strict=True)
    held = [float(set(gold) <= set(ids)) if ids is not None and gold else np.nan for ids, gold in pairs]
    found = pd.Series(held, dtype=float)
    results["retrieval"] = recorded.where(recorded.notna(), found)
    results["retrieval_from"] = np.select(
        [recorded.notna(), found.notna(), results["retrieved"].notna()], [RECORDED, GOLD, COMPARED], UNKNOWN
    )
    right, retrieval = closed_domain & (results["correct"] == 1), results["retrieval"]
    reclassified = right & (retrieval == 0)
    corrected = {"correct": results["correct"].mask(reclassified, 0.0), "reclassified": reclassified}
    return results.assign(retrieval=retrieval.mask(right & retrieval.isna(), 1.0), **corrected)


def _refuse(flawed: pd.Series, values: pd.Series, what: str, where: str, expected: str) -> None:
    """TableError at the first flawed row."""
    if flawed.any():
        row = int(flawed.to_numpy().argmax())
        raise TableError(
            what, where=f"{where}, row {row + 1}", found=repr(values.iloc[row]), expected=expected
        )


def _judgements(results: pd.DataFrame, name: str, where: str) -> pd.Series:
    """A column of judgements as 1, 0 or NaN; all NaN where there is no such column."""
    if name not in results:
        return pd.Series(np.nan, index=results.index)
    words = results[name].map(lambda value: "" if is_blank(value) else str(value).strip().lower())
    expected, what = (
        "true or false, 1 or 0; empty where not judged",
        f"column {name!r} holds what is no judgement",
    )
    _refuse(~words.isin(list(_JUDGEMENTS)), results[name], what, where, expected)
    return words.map(_JUDGEMENTS).astype(float)


def _lists(results: pd.DataFrame, name: str) -> pd.Series:
    """A column of ids as tuples (of a list, one id, or a text with a JSON list); None where not given."""
    found: list[tuple[str, ...] | None] = []
    for value in results[name] if name in results else [None] * len(results):
        if isinstance(value, str) and value.strip().startswith("["):
            with suppress(ValueError):
                value = json.loads(value)
        if isinstance(value, list | tuple | np.ndarray):
            found.append(tuple(_id(one) for one in value if not is_missing(one)))
        else:
            found.append(None if is_blank(value) else (_id(value),))
    return pd.Series(found, index=results.index, dtype=object)


def _id(value: Any) -> str:
    """An id as text; 3.0 as 3, which a table has made a number."""
    whole = isinstance(value, float | np.floating) and np.isfinite(value) and value == int(value)
    return str(int(value) if whole else value).strip()


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
    found = (
        results[results["correct"].notna()]
        .groupby("group", sort=False)
        .agg(n=("correct", "size"), correct=("correct", "sum"), retrieval=("retrieval", "mean"))
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
    gap, (_, n_compared) = in_gap(results["correct"], results["group"]), retrieval_values(results)
    no_robustness = ALL_GAP if gap[judged].all() else ALL_ONE if results["group"][judged].is_unique else ""
    base, clusters, values, found = random_base(rng), cluster_ids(results["group"]), _quantities(results), {}
    for name in QUANTITIES:
        value, is_robustness, is_retrieval = values[name], "robust" in name, "retrieval" in name
        no_retrieval = "nothing is known of the retrieval" if is_retrieval and value.isna().all() else ""
        if nothing := (no_robustness if is_robustness else "") or no_retrieval:
            found[name] = not_available(nothing, left_out=len(value))
            continue
        why = np.select(
            [~judged, gap & is_robustness], ["not judged", "in a gap group"], "retrieval not known"
        )
        lost, stream = why.tolist(), random_stream(base, name)
        share = mean_interval(value, clusters=clusters, reasons=lost, span=SHARE, rng=stream, level=level)
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
    right, found = results[(results["correct"] == 1) & results["retrieved"].map(bool)], []
    served = {
        group: list(zip(part["query"], part["retrieved"].map(set), strict=True))
        for group, part in right.groupby("group")
    }
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


def modules(results: pd.DataFrame) -> pd.DataFrame:
    """The results (as `read_results` takes or gives them) with `kind` of their group, `comparison`, `beside`,
    `module` of each failure (empty where the answer is right or was not judged) and the `evidence` for it.

    >>> results = {"query": ["1", "2"], "group": "a", "correct": [True, False], "retrieval_correct": True}
    >>> modules(pd.DataFrame(results))[["query", "kind", "module"]].to_numpy().tolist()
    [['1', 'non_robust', ''], ['2', 'non_robust', 'generator']]

    Source: GRAMMAR section 3.3.
    """
    results = results if "retrieval_from" in results else read_results(results)
    kinds = group_table(results).set_index("group")["kind"]
    rows = results.assign(kind=results["group"].map(kinds), **compare_contexts(results))
    rules = [
        (rows["correct"] != 0, "", ""),
        (rows["retrieval"] == 1, GENERATOR, "retrieval was right (" + rows["retrieval_from"] + ")"),
        (rows["retrieval"] == 0, RETRIEVAL, "retrieval was wrong (" + rows["retrieval_from"] + ")"),
        (rows["comparison"] == GENERATOR, GENERATOR, "the same passages served: " + rows["beside"]),
        (
            rows["comparison"] == RETRIEVAL_SUSPECTED,
            RETRIEVAL_SUSPECTED,
            "no correct answer had its passages",
        ),
    ]
    masks, names, why = ([*part] for part in zip(*rules, strict=True))
    nothing = "nothing to compare: no passages, or no correct answer"
    found = {"module": np.select(masks, names, UNDETERMINED), "evidence": np.select(masks, why, nothing)}
    return rows.assign(**{name: pd.Series(each, rows.index, dtype=object) for name, each in found.items()})


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
        return Defect(
            NO_FAILURE, dict.fromkeys(MODULES, not_available("no failure")), "no non-robust group failed"
        )

    def share_of(*modules: str) -> Interval:
        named = failed["module"].isin(modules).astype(float)
        return mean_interval(named, clusters=cluster_ids(failed["group"]), span=SHARE, rng=rng)

    shares = {module: share_of(module) for module in MODULES}
    rules = {
        RETRIEVAL: shares[RETRIEVAL].low > MAJORITY,
        GENERATOR: shares[GENERATOR].low > MAJORITY,
        RETRIEVAL_SUSPECTED: share_of(RETRIEVAL, RETRIEVAL_SUSPECTED).low > MAJORITY,
        BOTH: min(shares[GENERATOR].low, shares[RETRIEVAL].low) > PART,
    }
    module = next((name for name, holds in rules.items() if holds), UNDETERMINED)
    counts, groups = failed["module"].value_counts(), failed["group"].nunique()
    told = [f"{name.replace('_', ' ')} {n} ({shares[name]})" for name, n in counts.items()]
    return Defect(module, shares, f"{len(failed)} failures in {groups} non-robust groups: {', '.join(told)}")


def contrast_clusters(results: pd.DataFrame, column: str, *, rng: np.random.Generator) -> pd.DataFrame:
    """accuracy, robustness, their retrieval-specific kin, robustness_generator (share right of the queries
    whose retrieval was right) and lambda: first cluster less second, its interval from resampled groups.

    A gap group is one without a correct answer in either cluster. Clusters are taken in the order of their
    names; `.attrs["clusters"]` names them.

    Raises TableError if the column is missing, or names another number of clusters than two.
    """
    require_columns(results, [column], where="the results")
    names = sorted({str(name) for name in results[column] if not is_blank(name)})
    if len(names) != 2:
        where, seen = f"the results, column {column!r}", f"{len(names)}: {', '.join(names[:10]) or 'none'}"
        do = "name a column with two clusters, or leave out the others"
        raise TableError("a hypothesis contrasts two clusters", where=where, found=seen, do=do)
    rows = results[results["correct"].notna() & ~results[column].map(is_blank).astype(bool)]
    in_first = (rows[column].astype(str) == names[0]).to_numpy()
    groups = rows["group"].to_numpy(dtype=str)
    base, found = random_base(rng), []
    for quantity, values in _quantities(rows).items():
        known, stream = values.notna().to_numpy(), random_stream(base, quantity, "as sampled")
        found.append(
            {"quantity": quantity}
            | _contrast(values.to_numpy()[known], in_first[known], groups[known], stream)
        )
    table = pd.DataFrame(found, columns="quantity first second difference low high n groups reason".split())
    table.attrs["clusters"] = tuple(names)
    return table


def compare_evaluators(
    results: pd.DataFrame, evaluators: Mapping[str, float], *, rng: np.random.Generator
) -> pd.DataFrame:
    """One row an evaluator and mark: evaluator, mark (precision, recall, f1), value, low, high, n, left_out,
    reason. The positive class is a correct answer: can the evaluator be believed when it says so?

    evaluators : a column of the results -> the value from which it calls an answer correct. Answers that
        either side did not judge are left out. Intervals resample groups.

    Raises TableError if there is no such column, or it is no number.
    """
    require_columns(results, list(evaluators), where="the results")
    base, rows = random_base(rng), []
    for name, least in evaluators.items():
        scores = pd.to_numeric(results[name], errors="coerce").astype(float)
        if scores.isna().all():
            found, expected = repr(results[name].iloc[0]), "a score, or true and false"
            raise TableError(
                f"column {name!r} holds no number", where="the results", found=found, expected=expected
            )
        both = results["correct"].notna() & scores.notna()
        said, gold = (scores[both] >= least).to_numpy(), (results["correct"][both] == 1).to_numpy()
        groups, stream = results["group"][both].to_numpy(), random_stream(base, name)
        marks = {
            "precision": _share(gold[said], groups[said], "the evaluator calls no answer correct", stream),
            "recall": _share(said[gold], groups[gold], "no answer is correct", stream),
            "f1": _f1(said, gold, groups, stream),
        }
        rows += [
            {"evaluator": name, "mark": mark, **asdict(each), "left_out": int((~both).sum())}
            for mark, each in marks.items()
        ]
    return pd.DataFrame(rows).drop(columns="method")


def _quantities(rows: pd.DataFrame) -> dict[str, pd.Series]:
    """Each quantity as values that are 1, 0, or NaN where a query does not count in it."""
    gap, judged = in_gap(rows["correct"], rows["group"]), rows["correct"].notna()
    retrieval = retrieval_values(rows)[0].where(judged)
    return {
        "accuracy": rows["correct"],
        "robustness": rows["correct"].mask(gap),
        "accuracy_retrieval": retrieval,
        "robustness_retrieval": retrieval.mask(gap),
        "robustness_generator": rows["correct"].where(rows["retrieval"] == 1).mask(gap),
        "lambda": pd.Series(gap, rows.index, dtype=float).where(judged),
    }


def _contrast(values: NDArray, in_first: NDArray, groups: NDArray, rng: np.random.Generator) -> dict:
    def difference(drawn: NDArray) -> float:
        some, first = values[drawn.astype(int)], in_first[drawn.astype(int)]
        return _mean(some[first]) - _mean(some[~first])

    found, rows = not_available("one cluster has no query that counts"), np.arange(len(values))
    if in_first.any() and not in_first.all():
        found = bootstrap(rows, clusters=groups, statistic=difference, rng=rng)
    return {
        "first": _mean(values[in_first]),
        "second": _mean(values[~in_first]),
        "difference": found.value,
        "low": found.low,
        "high": found.high,
        "n": len(values),
        "groups": len(np.unique(groups)),
        "reason": found.reason,
    }


def _share(values: NDArray, groups: NDArray, empty: str, rng: np.random.Generator) -> Interval:
    if not len(values):
        return not_available(empty)
    return mean_interval(values.astype(float), clusters=cluster_ids(pd.Series(groups)), span=SHARE, rng=rng)


def _f1(said: NDArray, gold: NDArray, groups: NDArray, rng: np.random.Generator) -> Interval:
    """2 TP / (2 TP + FP + FN), with an interval over groups."""
    if not (said | gold).any():
        return not_available("neither side calls an answer correct", n=len(said))

    def f1(drawn: NDArray) -> float:
        yes, right = said[drawn.astype(int)], gold[drawn.astype(int)]
        either = int(yes.sum() + right.sum())
        return 2 * float((yes & right).sum()) / either if either else np.nan

    return bootstrap(np.arange(len(said)), clusters=groups, statistic=f1, rng=rng)


def _mean(values: NDArray) -> float:
    return float(values.mean()) if len(values) else np.nan
