"""What perturbations found, as rows of the table `checks`: one a kind, whatever its levels and metrics."""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, log2

import numpy as np
import pandas as pd

from ragassay.analysis import case_scores, checks
from ragassay.analysis.ranking import ranked
from ragassay.analysis.robustness import mean_change, paired_scores
from ragassay.defaults import SIGNIFICANCE
from ragassay.scores.display_names import display_name
from ragassay.stats import Interval, adjusted_confidence
from ragassay.stats.random_streams import random_base, random_stream

NO_PARAPHRASE = "no language model was named to paraphrase"
EXAMPLES = 5
LARGEST_UNSEEN = 0.1  # loss that the intervals of a kind must exclude before it is clear


def perturbation_checks(
    compared: pd.DataFrame,
    scores_base: pd.DataFrame,
    scores_variant: pd.DataFrame,
    cases_variant: pd.DataFrame,
    *,
    kinds: Sequence[str],
    level: float = SIGNIFICANCE,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """The table `checks`, a row a kind, with the comparison that speaks most against it: the smallest p, then
    the greatest loss.

    Raised where any comparison of the kind is `worse`. Not decided where one would be by itself but is not
    among so many, where there are fewer pairs than could ever bring p below `level` over their number, or
    where an interval leaves room for a loss above LARGEST_UNSEEN. A kind without a pair does not apply.

    low, high : of rows selected among all comparisons (`stats.adjusted_confidence`): of such intervals at
        most `level` miss on average

    compared : of `robustness.compare_metrics` on these scores; kinds : those asked for, in the rows' order
    """
    made, base = compared[compared["n"] > 0], random_base(rng)
    tried = made["kind"][made["kind"].isin(kinds)].nunique()
    confidence = adjusted_confidence(tried, len(made), level)
    rows = []
    for kind in kinds:
        part = made[made["kind"] == kind]
        if part.empty:
            rows.append(_not_tried(kind))
            continue
        worst = ranked(part.assign(loss=_loss(part)), ["p", "-loss"], ["metric", "intensity"]).iloc[0]
        pairs = paired_scores(scores_base, scores_variant, cases_variant, worst["metric"])
        own = pairs[(pairs["kind"] == kind) & pairs["intensity"].isin([worst["intensity"]])]
        found = mean_change(own, worst["metric"], random_stream(base, kind), level=confidence)
        part.loc[worst.name, ["low", "high"]] = found.low, found.high
        rows.append(
            _row(kind, part, worst, found, _examples(own, worst), _doubt(part, worst, len(made), level))
        )
    return checks.checks_frame(rows)


def _not_tried(kind: str) -> dict:
    why = NO_PARAPHRASE if kind == "paraphrase" else "no variant of the kind was answered"
    return _check(kind, "all", better=True).not_applicable(why)


def _row(
    kind: str, part: pd.DataFrame, worst: pd.Series, found: Interval, examples: list[str], doubt: str
) -> dict:
    raised = bool(part["worse"].any())
    better = case_scores.higher_is_better(worst["metric"], None)
    return _check(kind, worst["metric"], better).found(
        replace(found, left_out=int(worst["left_out"]), reason=""),
        raised=True if raised else None if doubt else False,
        cases=worst["to_fail"],
        case_ids=examples if raised else [],
        reason="" if raised else doubt,
        level="" if pd.isna(worst["intensity"]) else f"{worst['intensity']:g}",
        q=worst["q"],
    )


def _check(kind: str, metric: str, better: bool) -> checks.Check:
    limit, bound = (-LARGEST_UNSEEN, checks.LOW) if better else (LARGEST_UNSEEN, checks.HIGH)
    return checks.Check("05_robustness", "perturbation", kind, metric, limit, bound)


def _doubt(part: pd.DataFrame, worst: pd.Series, comparisons: int, level: float) -> str:
    """Why a kind that is not raised is not clear either; "" where it is: enough pairs, nothing beyond chance
    by itself, and no loss above LARGEST_UNSEEN within any interval of what could fall."""
    needed = ceil(log2(comparisons / level))
    if worst["n"] < needed:
        return f"{int(worst['n'])} pairs, at least {needed} needed"
    if worst["p"] < level:
        return f"significant by itself (p = {worst['p']:.2g}), not among {comparisons} comparisons"
    falling = part[part["base_mean"] > 0].assign(bound=_bound_of_loss)
    if falling.empty:
        return "no score is above 0 that could fall"
    widest = ranked(falling, ["-bound"], ["metric", "intensity"]).iloc[0]
    loss = widest["bound"]
    return f"{display_name(widest['metric'])} may fall by {loss:.2f}" if loss > LARGEST_UNSEEN else ""


def _bound_of_loss(part: pd.DataFrame) -> pd.Series:
    """The end of each interval that speaks for a loss, as a loss."""
    better = part["metric"].map(lambda metric: case_scores.higher_is_better(metric, None))
    return part["high"].where(~better, -part["low"])


def _loss(part: pd.DataFrame) -> pd.Series:
    better = part["metric"].map(lambda metric: case_scores.higher_is_better(metric, None))
    return part["difference"].where(~better, -part["difference"])


def _examples(own: pd.DataFrame, worst: pd.Series) -> list[str]:
    """The variants behind a comparison that lost most, the gravest first."""
    moved = own.assign(metric=worst["metric"], difference=own["variant"] - own["base"])
    own = moved.assign(loss=_loss(moved))
    lost = ranked(own[own["loss"] > 0], ["-loss"], ["case_id"])
    return lost["case_id"].head(EXAMPLES).tolist()
