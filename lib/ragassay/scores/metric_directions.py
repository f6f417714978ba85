"""Which way is better: of every metric, and of every rate that the scorecard shows beside them."""

from dataclasses import dataclass

import pandas as pd

from ragassay.answers.log_formats import tool_scores
from ragassay.scores.metric_registry import METRICS
from ragassay.scores.text_reading import word_lists

LEGEND = "↑ higher is better, ↓ lower is better"


@dataclass(frozen=True)
class Rate:
    """A number of the scorecard that is no metric of one answer: its name for readers, what it is a share of,
    which way is better, and whether it stands on the scorecard, where gates read it, or in a check alone."""

    display: str
    meaning: str
    higher_is_better: bool
    on_scorecard: bool


RATES = {
    row["name"]: Rate(row["display"], row["meaning"], row["better"] == "higher", row["on_scorecard"] == "yes")
    for row in word_lists.rows("rates.csv")
}
AGAIN = ("repeated_same_", "follow_up_same_")  # shares of questions answered alike when asked again
JUDGED = "judged_"  # shares of answers that raters accept


def direction(name: str) -> str:
    """ "higher" or "lower", whichever is better; "" for what is neither metric nor rate, and for a score of
    another tool that the kit does not know."""
    if tool_scores.is_given(name):
        return tool_scores.card(name).better
    if name in METRICS:
        return "higher" if METRICS[name].higher_is_better else "lower"
    if name.startswith((JUDGED, *AGAIN)) or name in RATES:
        return "higher" if name not in RATES or RATES[name].higher_is_better else "lower"
    return ""


def arrow(name: str) -> str:
    """The direction as LEGEND explains it."""
    return {"higher": "↑", "lower": "↓"}.get(direction(name), " ")


def with_direction(table: pd.DataFrame) -> pd.DataFrame:
    """The table with a column `better` beside its metrics: higher or lower."""
    return table.assign(better=table["metric"].map(direction))
