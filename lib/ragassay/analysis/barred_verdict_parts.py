"""What the instruments' verdict is cut from, where a part of it is barred from gates."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from ragassay import provenance, tables
from ragassay.analysis.saturated_metrics import gate_reason
from ragassay.scores.display_names import display_name
from ragassay.scores.metric_registry import METRICS

BARRED = "barred.json"  # of notebook 04: metric -> why no gate may rest on it
FAILED = "it failed its examination"


def caveat(run_dir: str | Path, verdict: str) -> str:
    """`of_parts`, of what the run holds by now of its examination and its scorecard."""
    is_examined = (provenance.find(run_dir) / BARRED).exists()
    barred = provenance.load(run_dir, BARRED) if is_examined else {}
    part = "functionality"
    has_card = tables.exists(run_dir, "scorecard", part=part)
    return of_parts(verdict, barred, tables.read(run_dir, "scorecard", part=part) if has_card else None)


def of_parts(verdict: str, barred: Mapping[str, str], card: pd.DataFrame | None) -> str:
    """One sentence that names the parts of the verdict on which no gate may rest, and why; "" where there is
    none, and for a verdict that is not of this kit.

    barred : metric -> why its examination bars it; card : a scorecard
    """
    parts = METRICS[verdict].cut_from if verdict in METRICS else ()
    told = {name: _why(name, barred, card) for name in parts}
    weak = "; ".join(f"{display_name(name)} ({why})" for name, why in told.items() if why)
    if not weak:
        return ""
    return f"The instruments' verdict is cut, among others, from a score on which no gate may rest: {weak}."


def _why(name: str, barred: Mapping[str, str], card: pd.DataFrame | None) -> str:
    saturated = "" if card is None else gate_reason(card, name).partition(", so ")[0]
    return ", ".join(filter(None, [FAILED * (name in barred), saturated]))
