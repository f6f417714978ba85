"""What `ragassay.score` gives back: the scores in memory or on disk, a picture, a table for a notebook; their
summary: the mean, its interval, how many were left out, in which state and why."""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot, rc_context
from matplotlib.figure import Figure
from numpy.typing import NDArray

from ragassay import plots, readable
from ragassay.analysis.scorecard import bars_from_gates, describe_saturation
from ragassay.answers import tool_scores
from ragassay.answers.answer_batches import MappedColumn
from ragassay.answers.tool_scores import ORIGIN, is_given
from ragassay.api import score_files
from ragassay.documents.record_files import Flaw
from ragassay.errors import ParameterError
from ragassay.scores import METRICS, metric_registry
from ragassay.scores.score import UNREAD
from ragassay.show import clean
from ragassay.stats import Interval, mean_interval
from ragassay.stats.intervals import NORMAL_975

NEEDED = ("case_id", "system", "metric", "value", "state", "reason")
LEFT_OUT = ("not_applicable", "not_measured", "error")
COLUMNS = ["system", "metric", "value", "low", "high", "n", "left_out", *LEFT_OUT]
COLUMNS += ["why", "method", "clustered_by", "saturated"]
LARGE = 5000  # clusters from which the normal approximation, which then agrees, replaces the bootstrap
NO_INTERVAL = "no interval: "
LONGEST_REASON = 120  # characters of a reason that are shown
WIDEST = 2  # of a metric's range, for it to be drawn beside those that end at 1


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
    table, names, rows = pd.concat(kept[1:] or kept, ignore_index=True), list(seen), []
    for system, of_system in table.groupby("system", sort=False):
        for metric, scores in of_system.groupby("metric", sort=False):
            scored, codes = scores["state"] == "scored", scores["cluster"].to_numpy()
            values = scores["value"].where(scored).to_numpy(dtype=float)
            rng = np.random.default_rng([seed, zlib.crc32(f"{system}\0{metric}".encode())])
            found = interval(values, codes, str(metric), rng)
            reasons = scores.loc[~scored, "reason"].fillna("").astype(str)
            reasons = reasons.mask(reasons.str.startswith(UNREAD), UNREAD)
            longer = reasons.str.len() > LONGEST_REASON
            reasons = reasons.mask(longer, reasons.str[:LONGEST_REASON] + "...").value_counts()
            commonest = sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0]))[:3]
            found_codes, counts = np.unique(codes, return_counts=True)
            repeating = {names[code].partition(" ")[0] for code in found_codes[counts > 1]}
            row = {
                "system": str(system),
                "metric": str(metric),
                **{"value": found.value, "low": found.low, "high": found.high},
                **{"n": int(found.n), "left_out": len(values) - int(found.n)},
                **{name: int((scores["state"] == name).sum()) for name in LEFT_OUT},
                "why": "; ".join(f"{reason or 'no reason given'} ({n})" for reason, n in commonest),
                "method": found.method
                if np.isfinite(found.low)
                else NO_INTERVAL + (found.reason or "no value"),
                "clustered_by": ", ".join(sorted(repeating)),
                "saturated": describe_saturation(values),
            }
            rows.append(row)
    return pd.DataFrame(rows, columns=COLUMNS)


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
    exact = not several and np.isin(values[kept], (0, 1)).all()
    if kept.any() and np.ptp(values[kept]) > 0 and not exact and len(np.unique(clusters[kept])) > LARGE:
        # normal approximation; the standard error is that of the residual sums of the clusters
        mean, (_, place) = float(values[kept].mean()), np.unique(clusters[kept], return_inverse=True)
        sums = np.bincount(place, weights=values[kept] - mean)
        n = len(sums)
        half = NORMAL_975 * float(np.sqrt((sums**2).sum() * n / (n - 1)) / kept.sum())
        method = f"normal approximation over {n} clusters, level 0.95"
        return Interval(mean, mean - half, mean + half, int(kept.sum()), 0, "", method)
    span = None
    if metric in METRICS or tool_scores.is_given(metric):  # its range, where finite and holding all values
        known = METRICS[metric] if metric in METRICS else tool_scores.card(metric)
        low, high = float(known.low), float(known.high)
        if np.isfinite([low, high]).all() and (values[kept] >= low).all() and (values[kept] <= high).all():
            span = (low, high)
    return mean_interval(values, clusters=clusters if several else None, rng=rng, span=span)


def drawn(axes: Any) -> Figure:
    """The figure of these Axes, which a notebook shows once: where it stands last in a cell."""
    found: Figure = getattr(axes, "flat", [axes])[0].figure
    pyplot.close(found)
    return found


def drawing(figure: Figure) -> str:
    """A figure as SVG text; the same figure gives the same text."""
    page = StringIO()
    with rc_context({"svg.hashsalt": "ragassay", "svg.fonttype": "path"}):
        figure.savefig(page, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    return page.getvalue()


def table_html(frame: pd.DataFrame, caption: str, note: str = "") -> str:
    """A table for readers as HTML, every text escaped."""
    styled = readable(frame).set_caption(escape(clean(caption, 400)))
    return styled.to_html() + (f"<p>{escape(clean(note, 0))}</p>" if note else "")


@dataclass(frozen=True)
class Scores:
    """One row per answer and metric: case_id, system, repeat, metric, value, state, reason, detail; answers
    in the order they came.

    source : the rows, or the file they were written to
    n_answers, n_bad : answers scored, and of them those left out because they could not be read
    schema, mapped : which columns the input had, what was read as what
    notes : which models of the user's judged, and what does not hold for them
    flaws : what could not be read, the first 1,000; `n_flaws` counts all
    encoder : name, file and SHA-256 of the encoder behind the scores, where one was needed; under
        `entailment` and `support` the SHA-256 of a model named in place of the kit's
    clusters : case_id -> what was drawn together, where the input says
    """

    source: pd.DataFrame | Path
    n_answers: int
    schema: str
    notes: tuple[str, ...] = ()
    flaws: tuple[Flaw, ...] = ()
    n_flaws: int = 0
    encoder: dict[str, str] = field(default_factory=dict)
    n_bad: int = 0
    mapped: tuple[MappedColumn, ...] = ()
    clusters: dict[str, str] = field(default_factory=dict)

    def to_pandas(self) -> pd.DataFrame:
        """All scores as one table; read from disk if they were written there."""
        if isinstance(self.source, pd.DataFrame):
            return self.source.copy()
        none = pd.DataFrame(columns=list(score_files.COLUMNS))
        return pd.concat(list(score_files.batches(self.source)) or [none], ignore_index=True)

    def summary(self) -> pd.DataFrame:
        """One row per system and metric: mean, 95 % interval and what it is clustered by, n, how many were
        left out by state, and the commonest reasons why (`summarise`)."""
        return self._summary.copy()

    def plot(self, metrics: Sequence[str] | None = None) -> Figure:
        """The means with their intervals, one row per metric (and system); without `metrics`, those measured
        on a scale of about one. ParameterError if a metric was not scored."""
        found = self._summary.assign(name=self._names)
        if absent := sorted(set(metrics or ()) - set(found["metric"])):
            raise ParameterError(
                f"no score of metric {absent[0]!r}",
                expected=", ".join(dict.fromkeys(found["metric"])),
                do="score it first",
            )
        wide = found["metric"].map(lambda name: name in METRICS and METRICS[name].high > WIDEST)
        is_about_one = (found["n"] > 0) & (found[["low", "high", "value"]].abs().max(axis=1) <= 1) & ~wide
        rows = found[found["metric"].isin(metrics) if metrics else is_about_one]
        return drawn(plots.forest(rows, x="value", y="name"))

    def problems(self) -> list[str]:
        """What could not be read, a line each; the rest counted."""
        shown = [clean(str(flaw), 400) for flaw in self.flaws[:10]]
        return shown + ([f"... and {self.n_flaws - len(shown):,} more"] if self.n_flaws > len(shown) else [])

    @cached_property
    def _summary(self) -> pd.DataFrame:
        is_table = isinstance(self.source, pd.DataFrame)
        batches = [self.source] if is_table else score_files.batches(self.source, NEEDED)
        return summarise(batches, clusters=self.clusters)

    @cached_property
    def _names(self) -> list[str]:
        """Of the rows of the summary: the metric, with its system where there are several."""
        rows, several = self._summary, self._summary["system"].nunique() > 1
        named = rows["metric"] + ", " + rows["system"] if several else rows["metric"]
        return [clean(name, 80) for name in named]

    def __len__(self) -> int:
        return self.n_answers

    def __repr__(self) -> str:
        """A line per metric (and system); apart from ours, the scores that the tool of the log gave."""
        lines: dict[bool, list[str]] = {False: [], True: []}
        width = max(map(len, self._names), default=0)
        order = list(dict.fromkeys(self._summary["metric"]))
        rows = zip(self._names, self._summary.to_dict("records"), strict=True)
        for name, row in sorted(rows, key=lambda pair: order.index(pair[1]["metric"])):
            why = f": {row['why']}" if row["left_out"] else ""
            if row["saturated"]:  # where the metric grades quality this bars it from gates
                barred = "saturated, no gate may rest on it: " * bars_from_gates(row["metric"])
                why += f"; {barred}{row['saturated']}"
            text = f"  {name:<{width}}  {metric_registry.arrow(row['metric'])} "
            lines[is_given(row["metric"])].append(text + clean(f"{interval_of(row)}{why}", 0))
        head = f"{self._caption()} ({metric_registry.LEGEND})"
        return "\n".join([head, *lines[False], *([f"Scores {ORIGIN}:", *lines[True]] if lines[True] else [])])

    def _repr_html_(self) -> str:
        rows = self._summary
        columns = {
            "metric": self._names,
            "better": rows["metric"].map(metric_registry.direction),
            "mean": [str(interval_of(row)) for row in rows.to_dict("records")],
            "left out because": rows["why"],
        }
        return table_html(pd.DataFrame(columns), self._caption(), " ".join([*self.notes, *self.problems()]))

    def _caption(self) -> str:
        n_metrics = self._summary["metric"].nunique()
        flawed = f", {self.n_flaws:,} unreadable value(s)" if self.n_flaws else ""
        left_out = f", {self.n_bad:,} row(s) left out" if self.n_bad else ""
        return f"Scores of {self.n_answers:,} answer(s), {n_metrics} metric(s){flawed}{left_out}"
