"""A table of scores with all four states."""

import pandas as pd

STATES = ("scored", "not_applicable", "not_measured", "error")
REASONS = {
    "scored": "",
    "not_applicable": "empty answer",
    "not_measured": "contexts not given",
    "error": "no such vector",
}


def rows(
    metric: str, values: list, system: str = "bot", cases: list | None = None, states: list | None = None
) -> pd.DataFrame:
    """One row per value; None takes the next of the three other states."""
    other = iter(["not_applicable", "not_measured", "error"] * len(values))
    states = states or ["scored" if value is not None else next(other) for value in values]
    return pd.DataFrame(
        {
            "case_id": cases or [f"c{i}" for i in range(len(values))],
            "system": system,
            "repeat": 0,
            "metric": metric,
            "value": pd.Series([float("nan") if value is None else value for value in values], dtype=float),
            "state": states,
            "reason": [REASONS[state] for state in states],
            "detail": "[]",
        }
    )
