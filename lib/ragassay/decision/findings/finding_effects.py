"""The effect of a finding: how often users would meet it, by the share measured, and what harm that is, by
what its check measures or the class of harm of the case shown."""

import csv
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources

from ragassay.decision.findings.finding_causes import is_before_answers
from ragassay.decision.findings.finding_texts import FROM_CHECK
from ragassay.decision.findings.presuppositions import is_planted
from ragassay.scores.display_names import display_name
from ragassay.scores.metric_registry import METRICS
from ragassay.stats import interval_text

SAME = 1e-9  # a share and a value that are one number
ROUNDED = 1e-3  # of a number of cases
OF_YES_OR_NO = "1 if "  # how the meaning of a metric of 0 and 1 begins


def effect(draft: Mapping, harm: str, *, is_right: bool = False) -> str:
    """How often, and what harm; the draft's own words where no harm is known, or it is only suspected.

    draft : with `share`, `value`, `low`, `high`, `metric` and `source`; harm : the class of harm
        (`tables.HARMS`) of the case that shows it, "" where it has none; is_right : whether the answer of
        that case is good, which a measure of retrieval does not tell
    """
    texts = _texts()
    measured, seen = texts.get(draft.get("metric", ""), ""), texts.get(harm, "")
    told, often = measured or seen, frequency(draft)
    if not told or draft.get("suspected"):
        return str(draft["effect"])
    first = f"{often}: {told}." if often else f"{told[:1].upper()}{told[1:]}."
    if is_right and is_before_answers(draft.get("metric", "")):
        return f"{first} In the case shown, the answer is right nevertheless."
    of_answers = not draft["source"].startswith(FROM_CHECK) and not is_before_answers(draft.get("metric", ""))
    by_case = of_answers and seen not in ("", told)
    return f"{first} In the case shown, {seen}." if by_case else first


def frequency(draft: Mapping) -> str:
    """The share that fails with its interval, as what it means in use; "" where it was not measured. Cases
    are counted where each fails or does not; a mean of parts, and a loss between two askings, are called so.
    """
    share, n = float(draft["share"]), int(draft["n"])
    if share != share:
        return ""
    low, high = _bounds(draft)
    bounds = interval_text(share, low, high, percent=True) if low == low else f"{100 * share:.2g} %"
    planted = ", and such text is retrieved" if is_planted(draft["source"]) else ""
    start = f"If users ask as these questions do{planted}"
    if float(draft["value"]) < 0:
        return f"{start}, {bounds} more often than in the original wording, by {n:,} questions"
    if (count := _counted(draft, share, n)) is None:
        return f"{start}, {_in_part(draft, bounds)} on average over {n:,} cases"
    return f"{start}, as in {count:,} of {n:,} cases here, {bounds}"


def _in_part(draft: Mapping, bounds: str) -> str:
    """What falls short where a case may fail in part: of what, by the metric."""
    metric = str(draft.get("metric", ""))
    told = _rows().get(metric, {}).get("in_part")
    return (
        told.format(share=bounds)
        if told
        else f"{display_name(metric) or 'the measure'} falls short by {bounds}"
    )


def _counted(draft: Mapping, share: float, n: int) -> int | None:
    """How many of the cases fail; None where a case may fail in part, so that the share is a mean."""
    count = round(share * n)
    metric = METRICS.get(str(draft.get("metric", "")))
    is_graded = metric is not None and not metric.meaning.startswith(OF_YES_OR_NO)
    in_part = is_graded and len(draft["failing"]) > count
    return None if in_part or abs(share * n - count) > ROUNDED else count


def _bounds(draft: Mapping) -> tuple[float, float]:
    """The interval of the failing share, from that of the value: a rate of failures or successes, a loss."""
    share, value, low, high = (float(draft[name]) for name in ("share", "value", "low", "high"))
    if abs(share - value) < SAME:
        return low, high
    if value < 0:
        return max(0.0, -high), min(1.0, -low)
    return 1 - high, 1 - low


def _texts() -> Mapping[str, str]:
    return {of: row["harm"] for of, row in _rows().items()}


@lru_cache(maxsize=1)
def _rows() -> Mapping[str, Mapping[str, str]]:
    path = resources.files("ragassay.decision.findings").joinpath("effect_texts.csv")
    return {row["of"]: row for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines())}
