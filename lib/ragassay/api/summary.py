"""Scores in one row per system and metric:
the mean, its interval, how many were left out, in which state and why.
"""

import zlib
from collections.abc import Iterable, Mapping, Sequence

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
NO_INTERVAL = "no interval: "
LONGEST_REASON = 120  # characters of a reason that are shown


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
    seen: dict[str, int] = {}
    kept = [pd.DataFrame(columns=[*NEEDED[1:], "cluster"])]
    for batch in batches:
        names = [(clusters or {}).get(case, f"case {case}") for case in batch["case_id"]]
        codes = [seen.setdefault(name, len(seen)) for name in names]
        kept.append(batch[[*NEEDED[1:]]].assign(cluster=codes))
    table = pd.concat(kept[1:] or kept, ignore_index=True)
    rows = [
        _row(str(system), str(metric), scores, list(seen), seed)
        for system, of_system in table.groupby("system", sort=False)
        for metric, scores in of_system.groupby("metric", sort=False)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _row(system: str, metric: str, scores: pd.DataFrame, names: Sequence[str], seed: int) -> dict:
    """The row of one metric of a system; `names` of the clusters, by code."""
    scored = scores["state"] == "scored"
    values, codes = scores["value"].where(scored).to_numpy(dtype=float), scores["cluster"].to_numpy()
    rng = np.random.default_rng([seed, zlib.crc32(f"{system}\0{metric}".encode())])
    found = interval(values, codes, metric, rng)
    reasons = scores.loc[~scored, "reason"].fillna("").map(_shortened).value_counts()
    commonest = sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0]))[:3]
    found_codes, counts = np.unique(codes, return_counts=True)
    repeating = sorted({names[code].partition(" ")[0] for code in found_codes[counts > 1]})
    return {
        "system": system,
        "metric": metric,
        **{"value": found.value, "low": found.low, "high": found.high},
        **{"n": int(found.n), "left_out": len(values) - int(found.n)},
        **{name: int((scores["state"] == name).sum()) for name in LEFT_OUT},
        "why": "; ".join(f"{reason or 'no reason given'} ({n})" for reason, n in commonest),
        "method": found.method if np.isfinite(found.low) else NO_INTERVAL + (found.reason or "no value"),
        "clustered_by": ", ".join(repeating),
        "saturated": describe_saturation(values),
    }


def _shortened(reason: str) -> str:
    if reason.startswith(UNREAD):
        return UNREAD
    return reason if len(reason) <= LONGEST_REASON else f"{reason[:LONGEST_REASON]}..."


def interval_of(row: Mapping) -> Interval:
    """A row of the summary as an interval, which prints itself: `0.82 [0.78, 0.86] n=240, 6 not measured`."""
    parts = [f"{row[state]} {state.replace('_', ' ')}" for state in LEFT_OUT if row[state]]
    words = f"left out ({', '.join(parts)})" if len(parts) > 1 else "".join(parts).partition(" ")[2]
    if np.isnan(row["value"]):
        words = ", ".join(parts)
    elif np.isnan(row["low"]):
        words = row["method"].removeprefix(NO_INTERVAL)
    counts = int(row["n"]), int(row["left_out"])
    return Interval(row["value"], row["low"], row["high"], *counts, words, row["method"])


def interval(values: NDArray, clusters: NDArray, metric: str, rng: np.random.Generator) -> Interval:
    """The mean of the values that are no NaN, with the interval that `summarise` names; clusters as codes."""
    kept = ~np.isnan(values)
    several = len(np.unique(clusters)) < len(clusters)
    bootstrapped = (
        kept.any() and np.ptp(values[kept]) > 0 and (several or not np.isin(values[kept], (0, 1)).all())
    )
    if bootstrapped and len(np.unique(clusters[kept])) > LARGE:
        return _large(values[kept], clusters[kept])
    span = _span_of(metric, values[kept])
    return mean_interval(values, clusters=clusters if several else None, rng=rng, span=span)


def _large(values: NDArray, clusters: NDArray) -> Interval:
    """Normal approximation; the standard error is that of the residual sums of the clusters."""
    mean, (_, place) = float(values.mean()), np.unique(clusters, return_inverse=True)
    sums = np.bincount(place, weights=values - mean)
    n = len(sums)
    half = NORMAL_975 * float(np.sqrt((sums**2).sum() * n / (n - 1)) / len(values))
    method = f"normal approximation over {n} clusters, level 0.95"
    return Interval(mean, mean - half, mean + half, len(values), 0, "", method)


def _span_of(metric: str, values: NDArray) -> tuple[float, float] | None:
    """The ends of the metric's range, where both are finite and hold all values."""
    if metric not in METRICS and not tool_scores.is_given(metric):
        return None
    known = METRICS[metric] if metric in METRICS else tool_scores.card(metric)
    low, high = float(known.low), float(known.high)
    inside = np.isfinite([low, high]).all() and (values >= low).all() and (values <= high).all()
    return (low, high) if inside else None
