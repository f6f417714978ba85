"""What closes a weak slice. That no difference is significant is no proof: few questions show none of
anything. The slice itself meets what the gate on its measure asks, by the unfavourable end of its interval;
where there is no such gate, that end of its shortfall against the rest is within the least difference that
matters. Beside that it is not significantly worse, on as many questions as a fit system needs."""

from collections.abc import Mapping, Sequence
from math import ceil, isfinite, isnan, nan
from typing import Any, NamedTuple

import pandas as pd
from scipy.special import ndtri

from ragassay.analysis.case_scores import is_share, value_range
from ragassay.analysis.slicing import scorecard_slices
from ragassay.decision.gates.questions_needed import LEVEL, MOST, retest_of_share
from ragassay.defaults import LEAST_EFFECT, POWER
from ragassay.scores.display_names import display_name
from ragassay.scores.metric_directions import direction
from ragassay.stats import percent_text

LEAST = 30  # questions on which a retest of a weak slice rests at least
RULE = "the slice by its own interval, and not significantly worse than the rest"
SHORTFALL = "shortfall"
NOT_WORSE = "and not significantly worse than the rest"
LEAST_SPREAD = 0.05  # of a share: nearer to 0 or 1 a few questions do not tell how far its answers vary


class SliceCriterion(NamedTuple):
    """by : `low` or `high`, the end of the slice's own interval, or SHORTFALL; threshold : at least for
    `low`, else at most, in the metric's units; fewest : questions in the slice that a retest asks"""

    by: str
    threshold: float
    fewest: int


def asked_of_slice(row: Mapping[str, Any], gates: pd.DataFrame | None) -> SliceCriterion:
    """What a retest of this row of `weakness` has to show.

    gates : of `gates.evaluate`; the strictest on the slice's metric counts, of this slice before all cases
    """
    rules = _on_the_slice([] if gates is None else gates.to_dict("records"), row)
    least = max(int(row["n"]), LEAST)
    if not rules:
        margin = _margin(row)
        return SliceCriterion(SHORTFALL, margin, max(least, questions_for_margin(row, margin)))
    bound = str(rules[0]["bound"])
    limits = [float(each["threshold"]) for each in rules if each["bound"] == bound]
    limit = max(limits) if bound == "low" else min(limits)
    planned = retest_of_share(1 - limit if bound == "low" else limit) if is_share(row["metric"]) else 0
    return SliceCriterion(bound, limit, max(least, planned))


def shortfall(row: Mapping[str, Any]) -> float:
    """The unfavourable end (95 %) of how much worse the slice is than the rest, in the metric's units, above
    0 where it may be worse; NaN where no interval was measured."""
    is_higher = _is_higher_better(str(row["metric"]))
    end = float(row.get("difference_low" if is_higher else "difference_high", nan))
    return -end if is_higher else end


def questions_for_margin(row: Mapping[str, Any], margin: float) -> int:
    """About how many questions of a slice, to the next ten, show with a chance of `POWER` that it is at most
    this margin worse than a rest of as many, where it is as good; 0 where its spread is not known, or no such
    number is below 100,000.

    Source
    ------
    Chow, Shao, Wang (2008), Sample Size Calculations in Clinical Research 2, section 3.2.2 and 4.2.2
    (non-inferiority); of a share with a correction for continuity.
    """
    spread = _spread(row)
    if isnan(spread) or not margin > 0:
        return 0
    reach = float(ndtri((1 + LEVEL) / 2) + ndtri(POWER))
    steps = 2 / margin if is_share(str(row["metric"])) else 0
    found = 10 * ceil((2 * (reach * spread / margin) ** 2 + steps) / 10)
    return found if found < MOST else 0


def in_words(metric: str, by: str, threshold: float) -> str:
    """What has to be met, as the report, the register and `ragassay diff` say it."""
    amount = percent_text(threshold) if is_share(metric) else f"{threshold:g}"
    name = display_name(metric)
    if by == SHORTFALL:
        points = f"{100 * threshold:g} points" if is_share(metric) else amount
        where = "below" if _is_higher_better(metric) else "above"
        return f"{name} at most {points} {where} the rest, by the interval's end, {NOT_WORSE}"
    word, end = ("at least", "lower") if by == "low" else ("at most", "upper")
    return f"{name} {word} {amount} in the slice itself, by the {end} end, {NOT_WORSE}"


def closed_where(row: Mapping[str, Any], gates: pd.DataFrame) -> str:
    """What closes a weak slice, as a sentence of its finding; on how many questions, the table of what closes
    each finding says."""
    by, threshold, _ = asked_of_slice(row, gates)
    return f"It closes with {in_words(str(row['metric']), by, threshold)}."


def _on_the_slice(gates: Sequence[Mapping[str, Any]], row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The gates on the metric of a slice, of this slice alone where there are such."""
    own = f"{row['dimension']}={row['level']}"
    known = [gate for gate in gates if gate.get("metric") == row["metric"]]
    return next(
        (
            found
            for part in (own, scorecard_slices.ALL)
            if (found := [gate for gate in known if gate["slice"] == part])
        ),
        [],
    )


def _is_higher_better(metric: str) -> bool:
    return direction(metric) != "lower"


def _margin(row: Mapping[str, Any]) -> float:
    """The largest shortfall that does not matter, in the metric's units."""
    stated = float(row.get("margin", nan))
    low, high = value_range(str(row["metric"])) or (0.0, 1.0)
    span = high - low if isfinite(high - low) else 1.0
    return stated if stated > 0 else LEAST_EFFECT * span


def _spread(row: Mapping[str, Any]) -> float:
    """Standard deviation of a question's value: of a share by the rest's, else by the slice's interval."""
    if is_share(str(row["metric"])) and not isnan(rest := float(row.get("rest", nan))):
        share = min(max(rest, LEAST_SPREAD), 1 - LEAST_SPREAD)
        return float((share * (1 - share)) ** 0.5)
    width = float(row.get("high", nan)) - float(row.get("low", nan))
    return float(width / 2 / ndtri((1 + LEVEL) / 2) * max(int(row["n"]), 1) ** 0.5)
