"""Questions put less well against themselves, in pairs (HCAT section 6.1, type 3)."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

import numpy as np
import pandas as pd

from ragassay import parameter_ranges
from ragassay.analysis import case_scores
from ragassay.analysis.case_scores import cluster_ids, rank_rows
from ragassay.analysis.checks import HIGH, LOW, Check, checks_frame
from ragassay.analysis.comparison import why_left_out
from ragassay.defaults import SIGNIFICANCE
from ragassay.errors import TableError
from ragassay.stats import Interval, benjamini_hochberg, exceeds, paired_bootstrap
from ragassay.stats.random_streams import random_stream

COLUMNS = [
    "metric", "variation", "kind", "intensity", "pairs", "n", "base_mean", "variant_mean", "difference",
    "low", "high", "p", "q", "worse", "to_fail", "left_out", "reason", "case_ids",
]  # fmt: skip
PAIRS = ["case_id", "parent_id", "kind", "intensity", "variant", "variant_state", "base", "base_state"]
POOLED = "any perturbation"  # the kind of rows over every kind
EXAMPLES = 5
LARGEST_UNSEEN = 0.15  # fall that the intervals of a kind must exclude before it is clear
NOT_ASKED = "no variant of the kind was answered"


def compare(
    before: pd.DataFrame,
    after: pd.DataFrame,
    variants: pd.DataFrame,
    metrics: Mapping[str, float | None],
    *,
    smallest_difference: float = 0.0,
    seed: int = 0,
) -> pd.DataFrame:
    """What a variation does to the scores of the same questions: for each metric a row of every kind over its
    levels, one of all kinds together (POOLED), and one of all kinds at each level (`intensity`).

    difference : mean of variant minus original over the n pairs scored on both sides, with a paired bootstrap
    p, q : one-sided test (tilted bootstrap) that the score does not move the wrong way; Benjamini-Hochberg
        over the metrics, of all kinds together, of single kinds, of levels by themselves
    worse : q < SIGNIFICANCE, and the score moves by `smallest_difference` or more, in its units: of 40
        questions in three kinds each, 97 % of falls of 0.15 are found so, 76 % of those of 0.1
    to_fail : pairs that pass the metric's threshold before and not after; NaN without a threshold
    left_out, reason : pairs without a score on either side, and why
    case_ids : the variants that lost most, the gravest first

    before, after : rows of `scores`, of the questions varied and of the variants
    variants : case_id, parent_id, kind; intensity where there are levels
    metrics : metric -> the value from which an answer passes, or None

    Raises TableError if a variant has no parent, no score matches, or the scores are of several systems.

    Example: `robustness.compare(run.scores(), scored, variants, {"abstention_correct": 0.5})`

    Source: Sudjianto et al. (2024), HCAT, section 6.1; Benjamini, Hochberg (1995), JRSS B 57.
    """
    parameter_ranges.check("smallest_difference", smallest_difference, "in [0, 1)")
    rows = []
    for metric, threshold in metrics.items():
        pairs = paired_scores(before, after, variants, metric)
        parts = [(str(kind), np.nan, part) for kind, part in pairs.groupby("kind")]
        parts += [(POOLED, np.nan, pairs)] if len(pairs) else []
        parts += [(POOLED, float(str(level)), part) for level, part in pairs.groupby("intensity")]
        for kind, intensity, part in parts:
            stream = random_stream(seed, metric, kind, f"{intensity:g}")
            variation = kind if np.isnan(intensity) else f"{kind}, intensity {intensity:g}"
            named = {"metric": metric, "variation": variation, "kind": kind, "intensity": intensity}
            rows.append(named | _row(part, metric, threshold, stream))
    table = pd.DataFrame(rows, columns=[*(name for name in COLUMNS if name not in ("q", "worse")), "loss"])
    table = table.astype({"p": float, "loss": float, "intensity": float})
    family = (table["kind"] == POOLED).astype(int) + table["intensity"].notna()
    q = table.groupby(family)["p"].transform(lambda p: benjamini_hochberg(p.to_numpy()))
    return table.assign(q=q, worse=(q < SIGNIFICANCE) & (table["loss"] >= smallest_difference))[COLUMNS]


def against_originals(answers: pd.DataFrame, variants: pd.DataFrame, parents: pd.DataFrame) -> pd.DataFrame:
    """The answers, those to variants held against the question of their parent.

    A metric that compares with the question itself (`answer_relevancy`) would else measure how the perturbed
    wording looks to the encoder, and not what the assistant gave.
    """
    original = variants.set_index("case_id")["parent_id"].map(parents.set_index("case_id")["question"])
    return answers.assign(question=answers["case_id"].map(original).fillna(answers["question"]))


def perturbation_checks(
    compared: pd.DataFrame, kinds: Sequence[str], *, smallest_difference: float = 0.0
) -> pd.DataFrame:
    """Rows of the table `checks`, one of all kinds together and one a kind, with the metric that falls most,
    of those that are `worse` if any is.

    Raised where a metric is `worse`. Not decided where one falls by `smallest_difference` significantly by
    itself but not among all comparisons, or where an interval leaves room for a fall above LARGEST_UNSEEN. A
    kind without a pair does not apply.

    compared : of `compare` with this `smallest_difference`; kinds : those asked for, in the rows' order
    """
    made = compared[(compared["n"] > 0) & compared["intensity"].isna()]
    parts = {kind: made[made["kind"] == kind] for kind in [POOLED, *kinds]}
    return checks_frame([_kind_row(kind, part, smallest_difference) for kind, part in parts.items()])


def paired_scores(
    before: pd.DataFrame, after: pd.DataFrame, variants: pd.DataFrame, metric: str
) -> pd.DataFrame:
    """A row a variant: case_id, parent_id, kind, intensity, the values `base` and `variant`, NaN where a side
    was not measured, and why: `base_state`, `variant_state`; errors as of `compare`."""
    if variants.empty:
        return pd.DataFrame(columns=PAIRS)
    sides = case_scores.metric_scores(before, metric), case_scores.metric_scores(after, metric)
    case_scores.require_one_system(pd.concat(sides))
    for lost in variants.loc[variants["parent_id"].isna(), "case_id"]:
        raise TableError("a variant has no parent_id", where="table cases", found=lost)
    pairs = variants.reindex(columns=PAIRS[:4]).astype({"intensity": float})
    for rows, key, name in ((sides[1], "case_id", "variant"), (sides[0], "parent_id", "base")):
        side = rows[["case_id", "value", "state"]].set_axis([key, name, f"{name}_state"], axis=1)
        pairs = pairs.merge(side, on=key, how="left")
    states = ["variant_state", "base_state"]
    if pairs[states].isna().any(axis=1).all():
        do = "score base cases and variants alike"
        raise TableError("no variant has a score beside its parent's", where="table scores", do=do)
    pairs[states] = pairs[states].fillna("not_asked")
    return pairs.sort_values("case_id", kind="stable", ignore_index=True)


def _row(part: pd.DataFrame, metric: str, threshold: float | None, rng: np.random.Generator) -> dict:
    both, span = part.dropna(subset=["base", "variant"]), case_scores.difference_range(metric)
    clusters = cluster_ids(both["parent_id"])
    moved = paired_bootstrap(both["base"], both["variant"], clusters=clusters, span=span, rng=rng)
    sign = 1 if case_scores.higher_is_better(metric) else -1
    loss = sign * (both["base"] - both["variant"])
    to_fail = np.nan
    if threshold is not None:
        passed, failed = sign * both["base"] >= sign * threshold, sign * both["variant"] < sign * threshold
        to_fail = float((passed & failed).sum())
    lost = rank_rows(both.assign(loss=loss)[loss > 0], ["-loss"], ["case_id"])
    return asdict(moved) | {
        "pairs": len(part),
        "base_mean": both["base"].mean(),
        "variant_mean": both["variant"].mean(),
        "difference": moved.value,
        "p": exceeds(loss.to_numpy(dtype=float), 0.0, clusters=clusters, rng=rng),
        "to_fail": to_fail,
        "loss": loss.mean(),
        "left_out": len(part) - len(both),
        "reason": why_left_out(moved, part["base_state"], part["variant_state"], ("base", "variant")),
        "case_ids": lost["case_id"].head(EXAMPLES).tolist(),
    }


def _kind_row(kind: str, part: pd.DataFrame, smallest: float) -> dict:
    if part.empty:
        check = Check("05_robustness", "perturbation", kind, "all", -LARGEST_UNSEEN, LOW)
        return check.not_applicable(NOT_ASKED)
    better = part["metric"].map(case_scores.higher_is_better).astype(bool)
    rows = part.assign(
        better=better,
        loss=np.where(better, -part["difference"], part["difference"]),
        most=np.where(better, -part["low"], part["high"]),
    )
    worst = rank_rows(rows, ["-worse", "-loss"], ["metric"]).iloc[0]
    raised, doubt = bool(worst["worse"]), _doubt(rows, smallest)
    limit, bound = (-LARGEST_UNSEEN, LOW) if worst["better"] else (LARGEST_UNSEEN, HIGH)
    measured = Interval(worst["difference"], worst["low"], worst["high"], worst["n"], worst["left_out"])
    return Check("05_robustness", "perturbation", kind, worst["metric"], limit, bound).row(
        measured,
        raised=True if raised else None if doubt else False,
        cases=worst["to_fail"],
        case_ids=worst["case_ids"] if raised else [],
        reason="" if raised else doubt,
        q=worst["q"],
    )


def _doubt(rows: pd.DataFrame, smallest: float) -> str:
    """Why a kind that is not raised is not clear either; "" where it is."""
    if ((rows["p"] < SIGNIFICANCE) & (rows["loss"] >= smallest)).any():
        return "significant by itself, not among all comparisons"
    may_fall = rows[rows["base_mean"] > 0]
    if may_fall.empty:
        return "no score is above 0 that could fall"
    is_excluded = (may_fall["most"] <= LARGEST_UNSEEN).all()
    return "" if is_excluded else f"{int(rows['n'].max())} pairs leave room for a larger fall"
