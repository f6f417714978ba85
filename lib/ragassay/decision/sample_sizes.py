"""How many questions a gate needs whose value meets its threshold while its bound does not."""

from collections.abc import Mapping
from math import ceil, floor

from ragassay.decision.few_cases import meets
from ragassay.decision.gate_texts import is_share
from ragassay.stats import clopper_pearson

MOST = 100_000  # questions beyond which no number is told


def questions_to_pass(row: Mapping) -> int:
    """The smallest number of independent questions, to the next ten, whose bound (Clopper-Pearson, 95 %)
    would meet the gate's threshold at the share measured; 0 where the measure is no share, the share itself
    misses, or no such number is below 100,000."""
    value, threshold, bound = row["value"], row["threshold"], row["bound"]
    if not (is_share(row["metric"]) and meets(bound, threshold, value) and value != threshold):
        return 0
    low, high = 1, MOST // 10
    if not _passes(10 * high, value, bound, threshold):
        return 0
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _passes(10 * middle, value, bound, threshold) else (middle + 1, high)
    return 10 * low


def _passes(n: int, value: float, bound: str, threshold: float) -> bool:
    found = clopper_pearson(floor(value * n) if bound == "low" else ceil(value * n), n)
    return meets(bound, threshold, found.low if bound == "low" else found.high)
