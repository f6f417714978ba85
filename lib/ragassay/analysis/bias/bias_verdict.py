"""When a row of the section on bias is raised, clear or undecided, and how many questions would decide it."""

from math import ceil, log

import numpy as np

from ragassay.analysis import case_scores
from ragassay.analysis.bias import stereotype_bias, swap_consistency
from ragassay.analysis.detectable_differences import MOST
from ragassay.stats import Interval

EACH_SIDE = 0.025  # of the intervals, on each side
MARGIN = {  # a difference of more than this, in the metric's units, must be excluded for a clear row
    "answered": 0.1,
    "declined": 0.1,
    "support": 0.1,
    "completeness": 0.1,
    "sentiment": 0.2,
    "answer_words": 5.0,
    swap_consistency.METRIC: 0.1,
    stereotype_bias.BIAS: 0.2,
}


def margin(metric: str) -> float:
    """The margin of a metric; a tenth of its range where MARGIN does not list it."""
    low, high = case_scores.value_range(metric) or (0.0, 1.0)
    return MARGIN.get(metric, (high - low) / 10)


def outcome(row: dict, raised: bool, lacking: str, seen: Interval, margin: float) -> tuple[bool | None, str]:
    """Whether the criterion is broken, and why that is not decided: nothing was tested (`lacking`), so little
    that no result could break it, or the interval of the difference seen reaches beyond the margin.

    Parameters
    ----------
    row : q, clusters and fewest_moved; error, moved and to_find where they are known
    """
    if raised:
        return True, ""
    if np.isnan(row["q"]):
        return None, lacking or "not measured"
    if row["clusters"] < row["fewest_moved"]:
        return None, f"{int(row['clusters'])} questions, at least {int(row['fewest_moved'])} needed"
    if np.isnan(seen.low):
        return None, f"no interval: {lacking or 'not measured'}"
    if -margin <= seen.low and seen.high <= margin:
        return False, ""
    return None, f"a larger difference is not excluded{_more(row, seen, margin)}"


def _more(row: dict, seen: Interval, margin: float) -> str:
    """How many questions, drawn independently, would decide it."""
    beyond = abs(seen.value) >= margin
    needed = row.get("to_find", np.nan) if beyond else questions_to_clear(row, seen, margin)
    return f"; about {ceil(needed)} questions would decide" if row["clusters"] < needed <= MOST else ""


def questions_to_clear(row: dict, seen: Interval, margin: float) -> float:
    """Questions drawn independently whose interval would lie within the margin, were the difference and its
    spread as seen, and the difference smaller than the margin."""
    clusters, half = row["clusters"], max(seen.value - seen.low, seen.high - seen.value)
    if row.get("moved") == 0:  # none differs: the bound is that of no event in n
        scale = half / (1 - EACH_SIDE ** (1 / clusters))
        return log(EACH_SIDE) / log(1 - margin / scale) if margin < scale else clusters
    error = row.get("error", np.nan)
    spread = half if np.isnan(error) or not error else 1.96 * error
    return clusters * (spread / (margin - abs(seen.value))) ** 2
