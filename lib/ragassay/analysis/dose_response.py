"""Dose and response: how fast a score moves as a perturbation grows stronger."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ragassay.analysis import case_scores
from ragassay.analysis.variant_pairs import paired_scores
from ragassay.stats import bootstrap
from ragassay.stats.random_streams import random_base, random_stream

COLUMNS = ["metric", "kind", "slope", "slope_low", "slope_high", "slope_parents", "slope_reason"]


def dose_response(
    scores_base: pd.DataFrame,
    scores_variant: pd.DataFrame,
    cases_variant: pd.DataFrame,
    *,
    metrics: Sequence[str],
    rng: np.random.Generator,
) -> pd.DataFrame:
    """A row a metric and kind that has levels: by how much the score changes a level, in its units.

    slope : mean over the parent questions of the slope of each one's own least-squares line through the
        differences, variant minus original, at its levels and 0 at level 0; bootstrap over parents (BCa,
        expanded for few)
    slope_parents : parents with a pair scored on both sides

    Raises
    ------
    TableError
        As `robustness.compare_variants`.
    """
    base = random_base(rng)
    rows = []
    for metric in metrics:
        pairs = paired_scores(scores_base, scores_variant, cases_variant, metric)
        scored = pairs.dropna(subset=["intensity", "base", "variant"])
        for kind, part in scored.groupby("kind"):
            rows.append(_trend(metric, str(kind), part, random_stream(base, metric, str(kind))))
    return pd.DataFrame(rows, columns=COLUMNS)


def _trend(metric: str, kind: str, part: pd.DataFrame, rng: np.random.Generator) -> dict:
    slopes = [_slope(own) for _, own in part.groupby("parent_id")]
    low, high = case_scores.value_range(metric) or (np.nan, np.nan)
    reach = (low - high, high - low) if np.isfinite([low, high]).all() else None
    found = bootstrap(slopes, method="bca_expanded", span=reach, rng=rng)
    return {
        "metric": metric,
        "kind": kind,
        "slope": found.value,
        "slope_low": found.low,
        "slope_high": found.high,
        "slope_parents": len(slopes),
        "slope_reason": found.reason,
    }


def _slope(own: pd.DataFrame) -> float:
    """Of the least-squares line through (0, 0) and the differences at their levels; levels are above 0."""
    dose = np.append(0.0, own["intensity"])
    moved = np.append(0.0, own["variant"] - own["base"])
    away = dose - dose.mean()
    return float(away @ moved / (away @ away))
