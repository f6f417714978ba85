"""The gates of both runs side by side: what each measured, on its own questions, and what came of it."""

import pandas as pd

from ragassay.diff.run_side import Side

KEY = ["gate", "origin"]
SHOWN = ("value", "low", "high", "n", "threshold", "outcome")
ALL = "all"
NO_GATE = "no such gate"


def compare_gates(a: Side, b: Side) -> pd.DataFrame:
    """One row per gate and origin of either run: value, low, high, n, threshold and outcome of A and of B
    (`value_a`, `value_b`, ...), and `changed`, whether the outcome or the threshold is another one.

    The values are of each run's own questions and not paired: what the system itself did is in the paired
    measures.
    """
    one, other = _gates(a), _gates(b)
    found = one.merge(other, on=KEY, how="outer", suffixes=("_a", "_b"), sort=False)
    found = found.fillna({"outcome_a": NO_GATE, "outcome_b": NO_GATE})
    moved = found["threshold_a"].notna() & found["threshold_b"].notna()
    moved &= found["threshold_a"] != found["threshold_b"]
    return found.assign(changed=(found["outcome_a"] != found["outcome_b"]) | moved)


def _gates(side: Side) -> pd.DataFrame:
    rows = side.read_rows("gates", needs=("gate", *SHOWN))
    return rows.assign(origin=rows.get("origin", ALL))[[*KEY, *SHOWN]].drop_duplicates(KEY)
