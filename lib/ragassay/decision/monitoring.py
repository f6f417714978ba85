"""The monitoring plan: what is watched after approval, against which line, how often, and what happens when
it is crossed (decision 24)."""

import pandas as pd

from ragassay.decision.gates import PASS

EVERY = {"high": "monthly", "medium": "quarterly", "low": "every six months"}
LABELS_A_PERIOD = {"high": 60, "medium": 40, "low": 30}
COLUMNS = ["watched", "baseline bound", "alarm", "how often", "on a breach", "state now"]


def monitoring_plan(gates: pd.DataFrame, tier: str) -> pd.DataFrame:
    """One row per gate: metric, baseline (bound found now), alarm (the gate's line), how often, and who acts
    on a breach.

    tier : high, medium or low; a higher tier is watched more often
    """
    rows = [
        {
            "watched": row["metric"],
            "baseline bound": row[row["bound"]],
            "alarm": row["rule"].removesuffix(", critical"),
            "how often": EVERY[tier],
            "on a breach": "stop and inform the approver"
            if row["critical"]
            else "finding, cause within 30 days",
            "state now": row["outcome"],
        }
        for row in gates.to_dict("records")
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def standing_tasks(gates: pd.DataFrame, tier: str, triggers: list[str]) -> list[str]:
    """What is done besides watching the gates, as sentences."""
    weak = gates.loc[gates["outcome"] != PASS, "metric"].tolist()
    sentences = [
        f"Label at least {LABELS_A_PERIOD[tier]} fresh answers {EVERY[tier]}, drawn at random, and repeat "
        "the calibration of chapter 4.",
        "Compare the mix of topics in the questions received with the topics of chapter 1.",
        "Keep a log of incidents: wrong answers reported by customers or staff.",
    ]
    sentences += [f"Watch first what did not pass now: {', '.join(weak)}."] if weak else []
    return sentences + [f"Validate again on: {trigger}." for trigger in triggers]
