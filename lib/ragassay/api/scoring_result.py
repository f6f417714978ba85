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
from ragassay.scores import METRICS, metric_directions
from ragassay.show import clean

WIDEST = 2  # of a metric's range, for it to be drawn beside those that end at 1
MOST_TOLD = 10  # flaws printed


def lines(found: pd.DataFrame) -> list[str]:
    """One line per metric (and system): direction, mean, interval, n, what was left out and why; then, apart
    from ours, the scores that the tool of the log gave.
    """
    of_tool = found["metric"].map(is_given).astype(bool)
    printed = _rows(found[~of_tool])
    return [*printed, f"Scores {ORIGIN}:", *_rows(found[of_tool])] if of_tool.any() else printed


def _rows(found: pd.DataFrame) -> list[str]:
    """A line per metric (and system). That nearly all answers have one value is said; where the metric
    grades quality this bars it from gates."""
    names = dict.fromkeys(found["metric"])
    rows = [row for name in names for _, row in found[found["metric"] == name].iterrows()]
    labels = [row_name(row, found) for row in rows]
    width, said = max(map(len, labels), default=0), []
    for label, row in zip(labels, rows, strict=True):
        why = f": {row['why']}" if row["left_out"] else ""
        if row["saturated"]:
            barred = "saturated, no gate may rest on it: " if bars_from_gates(row["metric"]) else ""
            why += f"; {barred}{row['saturated']}"
        value = clean(f"{interval_of(row)}{why}", 0)
        said.append(f"  {label:<{width}}  {metric_directions.arrow(row['metric'])} {value}")
    return said


def row_name(row: pd.Series, found: pd.DataFrame) -> str:
    """The metric, with its system where there are several."""
    several = found["system"].nunique() > 1
    return clean(f"{row['metric']}, {row['system']}" if several else row["metric"], 80)


def count(n: int, noun: str) -> str:
    """`1 answer`, `2 answers`."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


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

    Parameters
    ----------
    source : the rows, or the file they were written to
    n_answers : how many answers were scored
    schema : which columns the input had
    notes : which models of the user's judged, and what does not hold for them
    flaws : what could not be read, the first 1,000; `n_flaws` counts all
    encoder : name, file and SHA-256 of the encoder behind the scores, nothing where none was needed; under
        `entailment` and `support` the SHA-256 of a model named in place of the kit's
    n_bad : answers that were left out because something judged of them could not be read
    clusters : case_id -> what was drawn together (`resampling_clusters.case_clusters`), where the input says
    mapped : what of the input was read as what, and what was not (`Answers.mapped`)
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
        parts = list(score_files.batches(self.source))
        return (
            pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(score_files.COLUMNS))
        )

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
        ValueError
            If there is nothing to draw.
        """
        found = self._summary
        absent = sorted(set(metrics or ()) - set(found["metric"]))
        if absent:
            raise ParameterError(
                f"no score of metric {absent[0]!r}",
                expected=", ".join(dict.fromkeys(found["metric"])),
                do="score it first",
            )
        rows = found[found["metric"].isin(metrics)] if metrics else found[_comparable(found)]
        several = found["system"].nunique() > 1
        names = [
            f"{metric}, {system}" if several else metric
            for metric, system in zip(rows["metric"], rows["system"], strict=True)
        ]
        return drawn(plots.forest(rows.assign(name=names), x="value", y="name"))

    def problems(self) -> list[str]:
        """What could not be read, a line each; the rest counted."""
        told = [clean(str(flaw), 400) for flaw in self.flaws[:MOST_TOLD]]
        return told + ([f"... and {self.n_flaws - len(told):,} more"] if self.n_flaws > len(told) else [])

    @cached_property
    def _summary(self) -> pd.DataFrame:
        is_table = isinstance(self.source, pd.DataFrame)
        batches = [self.source] if is_table else score_files.batches(self.source, NEEDED)
        return summarise(batches, clusters=self.clusters)

    def __len__(self) -> int:
        return self.n_answers

    def __repr__(self) -> str:
        head = f"{self._caption()} ({metric_directions.LEGEND})"
        return "\n".join([head, *lines(self._summary)])

    def _repr_html_(self) -> str:
        rows = [
            {
                "metric": row_name(row, self._summary),
                "better": metric_directions.direction(row["metric"]),
                "mean": str(interval_of(row)),
                "left out because": row["why"],
            }
            for _, row in self._summary.iterrows()
        ]
        frame = pd.DataFrame(rows, columns=["metric", "better", "mean", "left out because"])
        return table_html(frame, self._caption(), " ".join([*self.notes, *self.problems()]))

    def _caption(self) -> str:
        flawed = f", {count(self.n_flaws, 'unreadable value')}" if self.n_flaws else ""
        metrics = count(self._summary["metric"].nunique(), "metric")
        left_out = f", {count(self.n_bad, 'row')} left out" if self.n_bad else ""
        return f"Scores of {count(self.n_answers, 'answer')}, {metrics}{flawed}{left_out}"


def _comparable(found: pd.DataFrame) -> pd.Series:
    """Which rows of a summary can stand on one axis from -1 to 1:
    measured, within it, and of a metric whose range is not far wider.
    """
    wide = found["metric"].map(lambda name: name in METRICS and METRICS[name].high > WIDEST)
    return (found["n"] > 0) & (found[["low", "high", "value"]].abs().max(axis=1) <= 1) & ~wide
