"""Scores in one row per system and metric:
the mean, its interval, how many were left out, in which state and why.
"""

import zlib
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ragassay.analysis.scorecard import describe_saturation
from ragassay.answers.log_formats import tool_scores
from ragassay.scores import METRICS
from ragassay.scores.score import UNREAD
from ragassay.stats import Interval, mean_interval
from ragassay.stats.intervals import NORMAL_975

NEEDED = ("case_id", "system", "metric", "value", "state", "reason")
LEFT_OUT = ("not_applicable", "not_measured", "error")
COLUMNS = ["system", "metric", "value", "low", "high", "n", "left_out", *LEFT_OUT]
COLUMNS += ["why", "method", "clustered_by", "saturated"]
LARGE = 5000  # clusters from which the normal approximation, which then agrees, replaces the bootstrap
MOST_REASONS = 200  # different reasons counted per metric; the others are counted together
NO_INTERVAL = "no interval: "
LONGEST_REASON = 120  # characters of a reason that are shown


@dataclass
class _Column:
    """What is kept of the scores of one metric: sixteen bytes each, and what was left out: how many in which
    state, and the reasons counted."""

    values: array = field(default_factory=lambda: array("d"))
    clusters: array = field(default_factory=lambda: array("q"))
    states: Counter = field(default_factory=Counter)
    reasons: Counter = field(default_factory=Counter)

    def add(self, rows: pd.DataFrame, codes: NDArray) -> None:
        """Keep rows of scores, whose clusters have these codes."""
        scored = (rows["state"] == "scored").to_numpy()
        self.values.extend(np.where(scored, rows["value"].to_numpy(dtype=float), np.nan))
        self.clusters.extend(codes[rows.index.to_numpy()])
        self.states.update(rows.loc[~scored, "state"])
        for reason, n in (
            rows.loc[~scored, "reason"]
            .fillna("")
            .map(lambda reason: UNREAD if reason.startswith(UNREAD) else reason)
            .value_counts()
            .items()
        ):
            known = reason in self.reasons or len(self.reasons) < MOST_REASONS
            self.reasons[reason if known else "other reasons"] += n

    def row(self, system: str, metric: str, names: Sequence[str], seed: int) -> dict:
        """The row of a summary; `names` of the clusters, by code."""
        values, codes = np.array(self.values), np.array(self.clusters)
        rng = np.random.default_rng([seed, zlib.crc32(f"{system}\0{metric}".encode())])
        found = interval(values, codes, metric, rng)
        commonest = sorted(self.reasons.items(), key=lambda pair: (-pair[1], pair[0]))[:3]
        why = "; ".join(f"{_cut(reason) or 'no reason given'} ({n})" for reason, n in commonest)
        found_codes, counts = np.unique(codes, return_counts=True)
        repeating = sorted({names[code].partition(" ")[0] for code in found_codes[counts > 1]})
        method = found.method if np.isfinite(found.low) else NO_INTERVAL + (found.reason or "no value")
        return {
            "system": system,
            "metric": metric,
            **{"value": found.value, "low": found.low, "high": found.high},
            **{"n": int(found.n), "left_out": len(values) - int(found.n)},
            **{name: self.states[name] for name in LEFT_OUT},
            **{"why": why, "method": method, "clustered_by": ", ".join(repeating)},
            "saturated": describe_saturation(values),
        }


def summarise(
    batches: Iterable[pd.DataFrame], seed: int = 0, clusters: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """One row per system and metric, metrics in the order they come, with a 95 % interval of the mean.

    clusters : case_id -> what was drawn independently, as `case_scores.case_clusters` names it; a
        case without one, as one scored several times (repeats), is a cluster by itself

    The interval is Clopper and Pearson's for 0/1 values drawn one by one, else the bootstrap of
    `stats.mean_interval` over clusters; above 5,000 of them the normal approximation with cluster-robust
    standard error. `clustered_by`: what holds several of the row's scores: conversation, group or case;
    empty where each was drawn by itself. `why`: the commonest reasons, with their counts. `saturated`: the
    value that nearly all answers have, and how many; empty if there is none.

    Measured coverage for a promised 0.95, 20 conversations of 10 answers, correlation 0.3 within: 0.957 for
    a score on a scale and 0.960 for a pass mark (2,000 simulations, standard error 0.005; `make simulate`);
    were each answer taken for itself, 0.665 (400 simulations) and 0.817.
    """
    columns: dict[tuple[str, str], _Column] = {}
    seen: dict[str, int] = {}
    for batch in batches:
        names = [(clusters or {}).get(case, f"case {case}") for case in batch["case_id"]]
        codes = np.array([seen.setdefault(name, len(seen)) for name in names], dtype=np.int64)
        for key, rows in batch.reset_index(drop=True).groupby(["system", "metric"], sort=False):
            columns.setdefault(key, _Column()).add(rows, codes)  # type: ignore[arg-type]
    rows = [column.row(*key, list(seen), seed) for key, column in columns.items()]
    systems = list(dict.fromkeys(row["system"] for row in rows))
    return pd.DataFrame(sorted(rows, key=lambda row: systems.index(row["system"])), columns=COLUMNS)


def interval_of(row: pd.Series) -> Interval:
    """A row of the summary as an interval, which prints itself: `0.82 [0.78, 0.86] n=240, 6 not measured`."""
    parts = [f"{row[state]} {state.replace('_', ' ')}" for state in LEFT_OUT if row[state]]
    words = f"left out ({', '.join(parts)})" if len(parts) > 1 else "".join(parts).partition(" ")[2]
    if np.isnan(row["value"]):
        words = ", ".join(parts)
    elif np.isnan(row["low"]):
        words = row["method"].removeprefix(NO_INTERVAL)
    return Interval(
        row["value"], row["low"], row["high"], int(row["n"]), int(row["left_out"]), words, row["method"]
    )


def _cut(reason: str) -> str:
    return reason if len(reason) <= LONGEST_REASON else f"{reason[:LONGEST_REASON]}..."


def interval(values: NDArray, clusters: NDArray, metric: str, rng: np.random.Generator) -> Interval:
    """The mean of the values that are no NaN, with the interval that `summarise` names; clusters as codes."""
    kept = ~np.isnan(values)
    several = len(np.unique(clusters)) < len(clusters)
    bootstrapped = (
        len(values[kept])
        and np.ptp(values[kept]) > 0
        and (several or not np.isin(values[kept], (0, 1)).all())
    )
    if bootstrapped and len(np.unique(clusters[kept])) > LARGE:
        return _large(values[kept], clusters[kept])
    return mean_interval(
        values, clusters=clusters if several else None, rng=rng, span=_span_of(metric, values[kept])
    )


def _large(values: NDArray, clusters: NDArray) -> Interval:
    """Normal approximation; the standard error is that of the residual sums of the clusters."""
    mean, (_, place) = float(values.mean()), np.unique(clusters, return_inverse=True)
    sums = np.bincount(place, weights=values - mean)
    n = len(sums)
    error = float(np.sqrt((sums**2).sum() * n / (n - 1)) / len(values))
    method = f"normal approximation over {n} clusters, level 0.95"
    return Interval(mean, mean - NORMAL_975 * error, mean + NORMAL_975 * error, len(values), 0, "", method)


def _span_of(metric: str, values: NDArray) -> tuple[float, float] | None:
    """The ends of the metric's range, where both are finite and hold all values."""
    if metric not in METRICS and not tool_scores.is_given(metric):
        return None
    known = METRICS[metric] if metric in METRICS else tool_scores.card(metric)
    low, high = known.low, known.high
    inside = np.isfinite([low, high]).all() and (values >= low).all() and (values <= high).all()
    return (float(low), float(high)) if inside else None
