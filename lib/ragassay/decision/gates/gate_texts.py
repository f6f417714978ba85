"""A gate in words: what it measures and on which questions, what was measured, what is required."""

from collections.abc import Mapping

import pandas as pd

from ragassay.analysis import origin_slices
from ragassay.analysis.case_scores import is_share
from ragassay.analysis.slicing import scorecard_slices
from ragassay.decision.gates.gate_case_counts import fewest_cases
from ragassay.decision.gates.gates import FAIL, INCOMPLETE, PASS, amount
from ragassay.scores.display_names import display_name, in_words, level_name, slice_name
from ragassay.stats import interval_text

BESIDE = "beside"
MISSES = {"value": "the value misses", "bound": "only the bound misses"}


def zero_tolerance(gates: pd.DataFrame, checks: pd.DataFrame) -> str:
    """What makes a finding whatever these gates say: each metric of them of which a check tolerates none."""
    strict = checks.loc[checks["bound"] == "value", "metric"]
    named = [display_name(metric) for metric in dict.fromkeys(gates["metric"]) if metric in set(strict)]
    if not named:
        return ""
    return f"One case is a finding of its own, whatever the gate says, for {', '.join(named)}."


def name(row: Mapping) -> str:
    """`grounded (raters), own questions`: what a gate measures, and on which questions."""
    part = "" if row["slice"] == scorecard_slices.ALL else slice_name(row["slice"])
    return ", ".join(filter(None, [display_name(row["metric"]), questions(row["origin"]), part]))


def questions(origin: str) -> str:
    """The questions of an origin, in words; empty for the pool."""
    return "" if origin == origin_slices.POOLED else level_name("origin", origin)


def measured(row: Mapping) -> str:
    """`76 % [70, 81], n = 264`; of what is no share its number."""
    if row["value"] != row["value"]:
        return "not measured"
    return f"{_interval(row)}, n = {int(row['n']):,}"


def required(row: Mapping) -> str:
    """`at least 80 %`: what the unfavourable end of the interval has to reach."""
    word = "at least" if row["bound"] == "low" else "at most"
    return f"{word} {amount(row['metric'], row['threshold'])}"


def sentence(row: Mapping) -> str:
    """What became of a gate, in a sentence that begins with whether it is critical."""
    kind = "Critical gate" if row["critical"] else "Gate"
    said = {PASS: "passed", FAIL: "failed", INCOMPLETE: "is incomplete"}[row["outcome"]]
    if row["outcome"] == INCOMPLETE:
        why = in_words(row["reason"].removeprefix(f"{row['metric']} "))
        return f"{kind} {said}: {name(row)}: {why}."
    side = "lower" if row["bound"] == "low" else "upper"
    missed = f"; {MISSES[row['missed']]}" if row["missed"] else ""
    beside = f"; {row['beside']}" if row.get("beside") else ""
    return (
        f"{kind} {said}: {name(row)}: {measured(row)}; {side} end {required(row)} required{missed}{beside}."
    )


def gate_table(gates: pd.DataFrame) -> pd.DataFrame:
    """The gates as the report prints them: what, on which questions, required, measured, outcome, and what a
    failed one misses, or why one is incomplete."""
    rows = [
        {
            "gate": display_name(row["gate"]),
            "questions": questions(row["origin"]).replace("questions", "").strip() or "all",
            "critical": "yes" if row["critical"] else "no",
            "required": required(row),
            "measured": measured(row),
            "outcome": BESIDE if _is_beside(row) else row["outcome"],
            "why": _why(row),
        }
        for row in gates.to_dict("records")
    ]
    columns = ["gate", "questions", "critical", "required", "measured", "outcome", "why"]
    return pd.DataFrame(rows, columns=columns)


def _is_beside(row: Mapping) -> bool:
    """Whether too few cases stand beside those that decide: the gate is not incomplete by that."""
    return row["outcome"] == INCOMPLETE and not row["decides"]


def _why(row: Mapping) -> str:
    if not _is_beside(row):
        told = row["outcome"] == INCOMPLETE or row.get("by_design")
        why = str(row["reason"]) if told else MISSES.get(row["missed"], "")
        return "; ".join(filter(None, (why, row.get("beside"))))
    needed = fewest_cases(row["bound"], row["threshold"])
    return f"does not decide: {row['n']} are too few, {needed} needed"


def _interval(row: Mapping) -> str:
    numbers, percent = (row["value"], row["low"], row["high"]), is_share(row["metric"])
    return interval_text(*numbers, percent=percent, bar=row["threshold"])
