"""`ragassay.score`: answers from anywhere in, scores out, batch by batch, in memory or on disk; a picture, a
table for a notebook; their summary: mean, interval, how many were left out, in which state and why."""

import shutil
import sys
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from html import escape
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from matplotlib import pyplot
from matplotlib.figure import Figure
from numpy.typing import NDArray
from tqdm import tqdm

from ragassay import output_files, plots, readable
from ragassay.analysis.case_scores import answer_clusters, value_range
from ragassay.analysis.scorecard import bars_from_gates, describe_saturation
from ragassay.answers import tool_scores
from ragassay.answers.answer_batches import Answers, MappedColumn, open_answers, read_case_facts
from ragassay.api import ray_cluster, score_files
from ragassay.documents.record_files import Flaw
from ragassay.errors import ParameterError, did_you_mean
from ragassay.models import load_instrument
from ragassay.scores import DEFAULT, JUDGED, METRICS, OFFLINE, judges_of, metric_registry, own_metrics
from ragassay.scores.score import BATCH, UNREAD, add_derived, parts_of, score_batches
from ragassay.show import clean
from ragassay.stats import Interval, mean_interval
from ragassay.stats.intervals import NORMAL_975

Source: TypeAlias = str | Path | pd.DataFrame | Iterable
NEEDED = ("case_id", "system", "metric", "value", "state", "reason")
LEFT_OUT = ("not_applicable", "not_measured", "error")
COLUMNS = ["system", "metric", "value", "low", "high", "n", "left_out", *LEFT_OUT]
COLUMNS += ["why", "method", "clustered_by", "saturated"]
LARGE = 5000  # clusters from which the normal approximation, which then agrees, replaces the bootstrap
NO_INTERVAL = "no interval: "
LONGEST_REASON = 120  # characters of a reason that are shown


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
        parts = [pd.DataFrame(columns=list(score_files.COLUMNS)), *score_files.batches(self.source)]
        return pd.concat(parts[1:] or parts, ignore_index=True)

    def summary(self) -> pd.DataFrame:
        """One row per system and metric: mean, 95 % interval and what it is clustered by, n, how many were
        left out by state, and the commonest reasons why (`summarise`)."""
        return self._summary.copy()

    def plot(self) -> Figure:
        """The means with their intervals, one row per metric (and system), of those that are about one."""
        rows = self._summary.assign(name=self._names)
        is_about_one = (rows["n"] > 0) & (rows[["low", "high", "value"]].abs().max(axis=1) <= 1)
        return drawn(plots.forest(rows[is_about_one], x="value", y="name"))

    def problems(self) -> list[str]:
        """What could not be read, a line each; the rest counted."""
        shown = [clean(str(flaw), 400) for flaw in self.flaws[:10]]
        return shown + ([f"... and {self.n_flaws - len(shown):,} more"] if self.n_flaws > len(shown) else [])

    @cached_property
    def _summary(self) -> pd.DataFrame:
        if isinstance(self.source, pd.DataFrame):
            return summarise([self.source], clusters=self.clusters)
        return summarise(score_files.batches(self.source, NEEDED), clusters=self.clusters)

    @cached_property
    def _names(self) -> list[str]:
        """Of the rows of the summary: the metric, with its system where there are several."""
        rows, several = self._summary, self._summary["system"].nunique() > 1
        named = rows["metric"] + ", " + rows["system"] if several else rows["metric"]
        return [clean(name, 80) for name in named]

    def __repr__(self) -> str:
        lines = [f"{self._caption()} ({metric_registry.LEGEND})"]
        width = max(map(len, self._names), default=0)
        for name, row in zip(self._names, self._summary.to_dict("records"), strict=True):
            why = f": {row['why']}" if row["left_out"] else ""
            if row["saturated"]:  # where the metric grades quality this bars it from gates
                barred = "saturated, no gate may rest on it: " * bars_from_gates(row["metric"])
                why += f"; {barred}{row['saturated']}"
            text = f"  {name:<{width}}  {metric_registry.arrow(row['metric'])} "
            lines.append(text + clean(f"{interval_of(row)}{why}", 0))
        return "\n".join(lines)

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


def score(
    answers: Source,
    *,
    metrics: Sequence[str] | str = DEFAULT,
    cases: Source | None = None,
    out: str | Path | None = None,
    replace: bool = False,
    schema: str = "",
    mapping: Mapping[str, str] | None = None,
    batch: int = BATCH,
    progress: bool = False,
    **settings: Any,
) -> Scores:
    """Score answers by the metrics named.

    Parameters
    ----------
    answers : a file (.jsonl, .csv, .tsv, .parquet, .json, .xlsx), a DataFrame, or records; our columns or
        those of another tool (SCHEMAS)
    metrics : names in METRICS or `file.py:name`, as a list or parted by commas; "default", "judge", or "all"
        that need none
    cases : what is known of the cases, by case_id: reference_answer, answerable, ...; conversation_id,
        group_id or parent_id, here or in the answers, say what was drawn together, which the intervals heed
    out : a .parquet, .jsonl or .csv file; the scores are then written batch by batch
    replace : whether `out` may be written over where it is there already; an input never is
    schema : a name in SCHEMAS; empty detects it
    mapping : ours -> theirs, before the schema's: {"question": "prompt"}
    batch : answers held in memory at once
    progress : whether a terminal says what was detected, and in a changing line how far the scoring is
    settings : cluster, a `Cluster` (docs/scale.md); entailment, support, toxicity, thresholds and device in
        place of the run's (docs/bigger-models.md); further parameters of `scores.score.score_batches`: model
        (the encoder), premise, chunks, instruments (a judge among them), ...

    Returns
    -------
    Scores : answers in the order they came, metrics in the order named, derived ones last; beside them the
        scores that the answers' tool gave (`ragas:faithfulness`)

    Raises ParameterError if a metric or schema is unknown, or `out` cannot be written, is there already, or
    is an input; InputError if the answers cannot be read, nothing tells which column is which, or no row can
    be judged (a single broken line or value is no error: see `Scores.flaws`); ModelError if a model that is
    named cannot be used, or the device is not on this machine; ClusterError if the cluster cannot be reached,
    is lost, or fails: the same call goes on where it ended.
    """
    names = metric_names(metrics)
    cluster: ray_cluster.Cluster | None = settings.pop("cluster", None)
    if batch < 1:
        raise ParameterError("batch must be at least 1", found=batch)
    if out is not None:
        inputs = [source for source in (answers, cases) if isinstance(source, str | Path)]
        output_files.check(score_files.check_path(out), inputs=inputs, replace=replace)
    if cluster is not None:
        cluster.check(out, settings)
        own_metrics.refuse(names, "on a cluster")
    rows = batch if cluster is None else cluster.part
    opened = open_answers(answers, schema=schema, mapping=mapping, batch=rows)
    known = None if cases is None else read_case_facts(cases)
    clusters: dict[str, str] = {}
    with load_instrument.use_models(**{kind: settings.pop(kind, "") for kind in load_instrument.NAMED}):
        # which models judge in place of the kit's, and which thresholds do not hold for them
        kinds = {kind for name in names for kind in judges_of(name)}
        kinds |= {"entailment"} if "citations_supported" in names else set()
        models_named = load_instrument.limits(sorted(kinds), str(settings.get("model") or ""))
        if progress:
            lines = (clean(opened.description(), 500), *models_named)
            sys.stderr.writelines(f"{clean(line, 0)}\n" for line in lines)
        encoder = ray_cluster.identities(names, settings)
        scorer = partial(score_batches, metrics=names, cases=known, **settings)
        if cluster is not None:
            work = ray_cluster.Work.of(names, known, settings, batch)
            kept = Path(f"{out}.parts")
            scorer = partial(ray_cluster.score_parts, cluster=cluster, work=work, kept=kept)
        scored = _scored(opened, names, progress, scorer, known, clusters)
        if out is None:
            source: pd.DataFrame | Path = pd.concat(scored, ignore_index=True)[list(score_files.COLUMNS)]
        else:
            source = score_files.write(scored, out, encoder)
        if cluster is not None:
            shutil.rmtree(kept, ignore_errors=True)
    return Scores(
        source,
        opened.n,
        opened.schema.name,
        tuple(models_named),
        tuple(opened.flaws),
        opened.n_flaws,
        encoder,
        opened.n_bad,
        opened.mapped(),
        clusters,
    )


def metric_names(metrics: Sequence[str] | str) -> list[str]:
    """The names, in order and once each, with "default", "judge" and "all" spelled out; ParameterError if a
    name is no metric, or there is none."""
    given = [part.strip() for part in metrics.split(",")] if isinstance(metrics, str) else list(metrics)
    given = own_metrics.resolve(given)
    groups = {"default": list(DEFAULT), "judge": list(JUDGED), "all": list(OFFLINE)}
    names = list(dict.fromkeys(name for part in given if part for name in groups.get(part, [part])))
    unknown = next((name for name in names if name not in METRICS), None)
    if unknown is not None or not names:
        raise ParameterError(
            f"unknown metric {unknown!r}" if names else "no metric is named",
            expected="names that `ragassay score --list` shows, default, judge or all",
            do=did_you_mean(unknown, METRICS, "`ragassay score --list` shows them all"),
        )
    return names


def _scored(
    opened: Answers, metrics: list[str], progress: bool, scorer: Callable, cases: Any, clusters: dict
) -> Iterator[pd.DataFrame]:
    """The scores of each batch, with the `repeat` of each answer; then, of all answers together, those of the
    derived metrics. The cluster of each case goes into `clusters`."""
    late = [name for name in metrics if METRICS[name].derived]
    asked, keys, kept = parts_of(metrics), list[NDArray](), list[pd.DataFrame]()
    noted: deque[tuple[NDArray, pd.DataFrame]] = deque()
    places = [asked.index(name) for name in parts_of(late)]
    bar = tqdm(unit=" answers", disable=None if progress else True, leave=False, delay=1)

    def noting() -> Iterator[pd.DataFrame]:  # a scorer may read ahead of the scores it gives
        for answers in opened:
            repeats, n = answers["repeat"].to_numpy(), len(tool_scores.score_columns(answers))
            noted.append((repeats, tool_scores.as_scores(answers).assign(repeat=np.repeat(repeats, n))))
            clusters.update(answer_clusters(answers, cases))
            yield answers

    for scores in scorer(noting()):
        repeats, of_tool = noted.popleft()
        if late:
            keys.append(repeats)
            # values, states and reasons of the parts, in the order `add_derived` wants them
            rows = (np.arange(0, len(scores), len(asked))[:, None] + places).ravel()
            kept.append(scores[["case_id", "system", "value", "state", "reason"]].iloc[rows])
        yield scores.assign(repeat=np.repeat(repeats, len(asked)))[scores["metric"].isin(metrics).to_numpy()]
        if len(of_tool):
            yield of_tool
        bar.total = round(opened.n / opened.share) if opened.share else None
        bar.update(opened.n - bar.n)
    if late:
        found = add_derived(pd.concat(kept, ignore_index=True), late)
        yield found.assign(repeat=np.repeat(np.concatenate(keys), len(late)))
    opened.check_rows()
    bar.close()


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
            counts = reasons.str[:LONGEST_REASON].value_counts()
            commonest = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:3]
            found_codes, times = np.unique(codes, return_counts=True)
            repeating = {names[code].partition(" ")[0] for code in found_codes[times > 1]}
            rows.append(
                {
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
            )
    return pd.DataFrame(rows, columns=COLUMNS)


def interval_of(row: Mapping) -> Interval:
    """A row of the summary as an interval, which prints itself: `0.82 [0.78, 0.86] n=240, 6 not measured`."""
    parts = [f"{row[state]} {state.replace('_', ' ')}" for state in LEFT_OUT if row[state]]
    words = f"left out ({', '.join(parts)})" if len(parts) > 1 else "".join(parts).partition(" ")[2]
    if np.isnan(row["value"]):
        words = ", ".join(parts)
    elif np.isnan(row["low"]):
        words = row["method"].removeprefix(NO_INTERVAL)
    values = (row["value"], row["low"], row["high"], int(row["n"]), int(row["left_out"]))
    return Interval(*values, words, row["method"])


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
    low, high = span = value_range(metric) or (-np.inf, np.inf)
    holds = np.isfinite(span).all() and ((values[kept] >= low) & (values[kept] <= high)).all()
    where = clusters if several else None
    return mean_interval(values, clusters=where, rng=rng, span=span if holds else None)


def drawn(axes: Any) -> Figure:
    """The figure of these Axes, which a notebook shows once: where it stands last in a cell."""
    found: Figure = getattr(axes, "flat", [axes])[0].figure
    pyplot.close(found)
    return found


def table_html(frame: pd.DataFrame, caption: str, note: str = "") -> str:
    """A table for readers as HTML, every text escaped."""
    below = f"<p>{escape(clean(note, 0))}</p>" if note else ""
    return readable(frame).set_caption(escape(clean(caption, 400))).to_html() + below
