"""On its way to `scores/metric.py`."""

from ragassay.scores.metric import ENCODER, ENTAILMENT, NO_MODEL, Metric

__all__ = ["ENCODER", "ENTAILMENT", "NO_MODEL", "Metric"]
