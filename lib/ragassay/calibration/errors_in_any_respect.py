"""How often an answer that the machine decides is wrong in any respect, not in the calibrated one alone: what
is released as relevant may still be incomplete. Taken over all rated answers, those included that shaped the
calibrator, so that on average the machine looks better than it is."""

import pandas as pd

from ragassay.calibration.decision_errors import ACCEPT, REJECT, RIGHT
from ragassay.labels.human_labels import IN_EVERY_RESPECT
from ragassay.stats import clopper_pearson

COLUMNS = ["decision", "respect", "n", "wrong", "value", "low", "high", "reason"]


def respect_errors(decided: pd.DataFrame, accepted: pd.DataFrame) -> pd.DataFrame:
    """The table `respect_errors`: for accept a row for every respect in which raters judged, in every respect
    first; for reject one, since an answer is wrongly withheld only if it is acceptable in every respect.

    decided : the verdicts; accepted : the raters' verdicts, 0 or 1, by metric (`judged_grounded`, ...)
    n, wrong : rated answers so decided, and those of them whose raters say otherwise; value, low, high : the
        share of wrong ones (Clopper-Pearson, 95 %), lower is better; NaN with a reason where none was rated
    """
    both = decided[["case_id", "system", "decision"]].merge(
        accepted[["case_id", "system", "metric", "value"]].dropna(), on=["case_id", "system"]
    )
    others = [name for name in dict.fromkeys(accepted["metric"]) if name != IN_EVERY_RESPECT]
    pairs = [*((ACCEPT, respect) for respect in (IN_EVERY_RESPECT, *others)), (REJECT, IN_EVERY_RESPECT)]
    rows = [_row(both, *pair) for pair in pairs]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"n": int, "wrong": int})


def _row(both: pd.DataFrame, decision: str, respect: str) -> dict:
    mine = both[(both["decision"] == decision) & (both["metric"] == respect)]
    wrong = int((mine["value"] != RIGHT[decision]).sum())
    found = clopper_pearson(wrong, len(mine))
    return {
        "decision": decision,
        "respect": respect,
        "n": len(mine),
        "wrong": wrong,
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "reason": "" if found.n else f"no rated answer was decided so ({decision})",
    }


def overall(table: pd.DataFrame, decision: str = ACCEPT) -> dict:
    """The row on acceptance in every respect; empty where no rated answer was so decided."""
    rows = table[(table["decision"] == decision) & (table["respect"] == IN_EVERY_RESPECT) & (table["n"] > 0)]
    return dict(rows.iloc[0]) if len(rows) else {}
