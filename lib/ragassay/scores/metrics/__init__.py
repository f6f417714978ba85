"""Every metric, one literal row each. To add one: write its function in its family's file and in `measure/`, then a row in its source's file here."""

from ragassay.scores.metrics import classical, grouse, hcat, hybrid, judged, lesson, risk, support
from ragassay.scores.metrics.row import Metric

SOURCES = (hcat, support, lesson, hybrid, grouse, classical, risk, judged)
METRICS: dict[str, Metric] = {metric.name: metric for source in SOURCES for metric in source.ROWS}
DEFAULT: tuple[str, ...] = tuple(name for name, metric in METRICS.items() if "judge" not in metric.models)

__all__ = ["DEFAULT", "METRICS", "Metric"]
