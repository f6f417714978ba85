"""What `ragassay.score` gives back:
the scores in memory or on disk, their summary, a picture, a table for a notebook.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from ragassay import plots, readable
from ragassay.analysis.scorecard import bars_from_gates
from ragassay.answers.answer_batches import MappedColumn
from ragassay.answers.log_files import Flaw
from ragassay.answers.log_formats.tool_scores import ORIGIN, is_given
from ragassay.api import score_files
from ragassay.api.summary import NEEDED, interval_of, summarise
from ragassay.errors import ParameterError
from ragassay.scores import METRICS, metric_registry
from ragassay.show import clean

WIDEST = 2  # of a metric's range, for it to be drawn beside those that end at 1
MOST_FLAWS = 10  # printed


def drawn(axes: Any) -> Figure:
    """The figure of these Axes, which a notebook shows once: where it stands last in a cell."""
    from matplotlib import pyplot

    found: Figure = getattr(axes, "flat", [axes])[0].figure
    pyplot.close(found)
    return found


def drawing(figure: Figure) -> str:
    """A figure as SVG text; the same figure gives the same text."""
    from matplotlib import rc_context

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
    """One row per answer and metric: case_id, system, repeat, metric, value, state, reason, detail;
        answers in the order they came.

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
        left out by state, and the commonest reasons why (`api.summary.summarise`).
        """
        return self._summary.copy()

    def plot(self, metrics: Sequence[str] | None = None) -> Figure:
        """The means with their intervals, one row per metric (and system);
        without `metrics`, those measured on a scale of about one.

        Raises
        ------
        ParameterError
            If a metric was not scored.
        """
        found = self._summary.assign(name=self._names)
        if absent := sorted(set(metrics or ()) - set(found["metric"])):
            expected = ", ".join(dict.fromkeys(found["metric"]))
            raise ParameterError(f"no score of metric {absent[0]!r}", expected=expected, do="score it first")
        rows = found[found["metric"].isin(metrics)] if metrics else found[_comparable(found)]
        return drawn(plots.forest(rows, x="value", y="name"))

    def problems(self) -> list[str]:
        """What could not be read, a line each; the rest counted."""
        shown = [clean(str(flaw), 400) for flaw in self.flaws[:MOST_FLAWS]]
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
            text = f"  {name:<{width}}  {metric_registry.arrow(row['metric'])} {_line(row)}"
            lines[is_given(row["metric"])].append(text)
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
        flawed = f", {_count(self.n_flaws, 'unreadable value')}" if self.n_flaws else ""
        metrics = _count(self._summary["metric"].nunique(), "metric")
        left_out = f", {_count(self.n_bad, 'row')} left out" if self.n_bad else ""
        return f"Scores of {_count(self.n_answers, 'answer')}, {metrics}{flawed}{left_out}"


def _line(row: dict[str, Any]) -> str:
    """A mean with what was left out and why. That nearly all answers have one value is said; where the metric
    grades quality this bars it from gates."""
    why = f": {row['why']}" if row["left_out"] else ""
    if row["saturated"]:
        barred = "saturated, no gate may rest on it: " if bars_from_gates(row["metric"]) else ""
        why += f"; {barred}{row['saturated']}"
    return clean(f"{interval_of(row)}{why}", 0)


def _count(n: int, noun: str) -> str:
    """`1 answer`, `2 answers`."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def _comparable(found: pd.DataFrame) -> pd.Series:
    """Which rows of a summary can stand on one axis from -1 to 1:
    measured, within it, and of a metric whose range is not far wider.
    """
    wide = found["metric"].map(lambda name: name in METRICS and METRICS[name].high > WIDEST)
    return (found["n"] > 0) & (found[["low", "high", "value"]].abs().max(axis=1) <= 1) & ~wide
