"""A table of scores with all four states; an encoder that counts letters."""

import numpy as np
import pandas as pd

REASONS = {"scored": "", "not_applicable": "empty answer", "not_measured": "not given", "error": "no vector"}


def encode(texts: list[str]) -> np.ndarray:
    """Counts of letters, of length 1."""
    letters = [[text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts]
    vectors = np.array(letters, dtype=float) + 0.1
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


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
