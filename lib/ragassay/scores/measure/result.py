"""On its way to `scores/metric.py`."""

from ragassay.scores.metric import SHOWN, Detail, NotApplicable, Result, evidence

__all__ = ["SHOWN", "Detail", "NotApplicable", "Result", "evidence"]
