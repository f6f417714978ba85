"""Checks that rest on a metric which failed its examination: their numbers are shown, and decide nothing."""

from pathlib import Path

import pandas as pd

from ragassay import provenance
from ragassay.analysis.barred_verdict_parts import BARRED
from ragassay.analysis.checks import UNDECIDED
from ragassay.scores.display_names import display_name

WHY = "the metric failed its examination ([chapter](#instruments)), so its rows decide nothing"


def undecided(rows: pd.DataFrame, run_dir: str | Path) -> pd.DataFrame:
    """The rows of checks; those that measured a metric which this run's examination bars are undecided, with
    the reason. Nothing is barred before the examination."""
    is_examined = (provenance.find(run_dir) / BARRED).exists()
    barred = provenance.load(run_dir, BARRED) if is_examined else {}
    rests = rows["metric"].isin(list(barred)) & (rows["n"] > 0)
    return rows.assign(outcome=rows["outcome"].mask(rests, UNDECIDED), reason=rows["reason"].mask(rests, WHY))


def note(rows: pd.DataFrame) -> str:
    """Which metrics of these rows decide nothing, in a sentence; "" where all do."""
    named = dict.fromkeys(rows.loc[rows["reason"] == WHY, "metric"].map(display_name))
    return f"Of {', '.join(named)}: {WHY}." if named else ""
