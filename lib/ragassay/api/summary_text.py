"""A summary as lines for a terminal: headline metrics, each with its direction, and why answers were left
out."""

import pandas as pd

from ragassay.analysis.saturated_metrics import bars_from_gates
from ragassay.answers.log_formats.tool_scores import ORIGIN, is_given
from ragassay.api.summary import interval_of
from ragassay.scores import headlines, metric_directions
from ragassay.show import clean

MOST = 12  # metrics printed unless all are asked for
SAFETY = ("privacy_leaks", "toxicity_rule")  # among them whatever else is
MOST_REASONS = 6  # reasons why metrics have no value that are printed
FEW = 4  # metrics named for one reason


def lines(found: pd.DataFrame, everything: bool = False) -> list[str]:
    """One line per metric (and system): direction, mean, interval, n, what was left out and why.

    Without `everything` they are at most twelve, safety among them, those with any value first; the others
    are counted, and those without a value named by their reasons.
    """
    of_tool = found["metric"].map(is_given).astype(bool)
    found, of_tools = found[~of_tool], found[of_tool]
    names = list(dict.fromkeys(found["metric"]))
    shown = names if everything else _headline(found, names)
    rest = found[~found["metric"].isin(shown)]
    printed = _rows(found, shown) + _without_value(rest) + _saturated_metrics(rest) + _counted(rest)
    return printed + _of_tools(of_tools, everything)


def _rows(found: pd.DataFrame, names: list[str]) -> list[str]:
    """A line per metric named (and system)."""
    rows = [row for name in names for _, row in found[found["metric"] == name].iterrows()]
    labels = [row_name(row, found) for row in rows]
    width = max(map(len, labels), default=0)
    return [
        f"  {label:<{width}}  {metric_directions.arrow(row['metric'])} {_told(row)}"
        for label, row in zip(labels, rows, strict=True)
    ]


def _of_tools(found: pd.DataFrame, everything: bool) -> list[str]:
    """The scores that the tool of the log gave, apart from ours."""
    names = list(dict.fromkeys(found["metric"]))
    shown = names if everything else names[:MOST]
    more = [] if len(shown) == len(names) else [f"  {count(len(names) - len(shown), 'further score')}: --all"]
    return [f"Scores {ORIGIN}:", *_rows(found, shown), *more] if names else []


def row_name(row: pd.Series, found: pd.DataFrame) -> str:
    """The metric, with its system where there are several."""
    several = found["system"].nunique() > 1
    return clean(f"{row['metric']}, {row['system']}" if several else row["metric"], 80)


def count(n: int, noun: str) -> str:
    """`1 answer`, `2 answers`."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def _headline(found: pd.DataFrame, names: list[str]) -> list[str]:
    if len(names) <= MOST:
        return names
    measured = set(found.loc[found["n"] > 0, "metric"])
    order = [name for name in dict.fromkeys([*headlines(), *SAFETY, *names]) if name in names]
    safe = [name for name in SAFETY if name in names]
    others = sorted((name for name in order if name not in safe), key=lambda name: name not in measured)
    return [*others[: MOST - len(safe)], *safe]


def _told(row: pd.Series) -> str:
    why = f": {row['why']}" if row["left_out"] else ""
    return clean(f"{interval_of(row)}{why}{_saturated(row)}", 0)


def _saturated(row: pd.Series) -> str:
    """That nearly all answers have one value, and that this tells nothing where the metric grades quality."""
    if not row["saturated"]:
        return ""
    barred = "saturated, no gate may rest on it: " if bars_from_gates(row["metric"]) else ""
    return f"; {barred}{row['saturated']}"


def _without_value(rest: pd.DataFrame) -> list[str]:
    """The metrics not shown that have no value, by the reason why."""
    none = rest[rest["n"] == 0]
    told = []
    for why, names in list(none.groupby("why", sort=False)["metric"])[:MOST_REASONS]:
        known = list(dict.fromkeys(names))
        more = f" and {len(known) - FEW} more" if len(known) > FEW else ""
        told.append(clean(f"  no value: {', '.join(known[:FEW])}{more}: {why}", 0))
    return told


def _saturated_metrics(rest: pd.DataFrame) -> list[str]:
    """The metrics not shown that grade quality and gave nearly all answers one value."""
    names = [name for name in rest.loc[rest["saturated"] != "", "metric"] if bars_from_gates(name)]
    known = list(dict.fromkeys(names))
    more = f" and {len(known) - FEW} more" if len(known) > FEW else ""
    said = f"  saturated, no gate may rest on them: {', '.join(known[:FEW])}{more}"
    return [said] if known else []


def _counted(rest: pd.DataFrame) -> list[str]:
    n = rest["metric"].nunique()
    said = f"  {count(n, 'further metric')}: --all prints them; the file and summary() hold every one"
    return [said] if n else []
