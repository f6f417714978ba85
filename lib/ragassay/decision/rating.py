"""From gates and findings to the rating and the exit code."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from ragassay.decision.gates import FAIL, INCOMPLETE, OPEN, rated_by_people, worst_rows

# what is found, the rating that it leads to, and its words; gravest first, last what holds where nothing is
RULES = pd.read_csv(Path(__file__).with_name("rating_rules.csv"), index_col="what", keep_default_na=False)
PASSED, FAILED, UNKNOWN = 0, 2, 3  # exit codes; 1 is an error


def rate(
    gates: pd.DataFrame, findings: pd.DataFrame, *, coverage: Mapping[str, tuple[float, float]] | None = None
) -> dict:
    """The record of the decision: rating, exit_code, and `reasons`, pairs of what and name, gravest first.

    The rating is that of the first of RULES whose `what` is found, else that of the last; the exit code is
    the least of what is found.

    gates : of `gates.evaluate`; findings : of `findings.raise_findings`
    coverage : what the evidence had to reach, name -> (found, least)

    Example: `rating.rate(run.read("gates"), run.read("findings"))["rating"]`
    """
    worst = worst_rows(gates)
    failed = worst[worst["outcome"] == FAIL]
    rated = worst[worst["metric"].map(rated_by_people).astype(bool) & (worst["n"] > 0)]
    found = {
        "critical gate failed": failed.loc[failed["critical"].astype(bool), "gate"],
        "Critical finding open": open_findings(findings, "Critical")["finding_id"],
        "no rater's label": [""] if rated.empty else [],
        "gate failed": failed.loc[~failed["critical"].astype(bool), "gate"],
        "gate incomplete": worst.loc[worst["outcome"] == INCOMPLETE, "gate"],
        "High finding open": open_findings(findings, "High")["finding_id"],
        "evidence short": [name for name, (have, least) in (coverage or {}).items() if not have >= least],
    }
    *rules, (_, otherwise) = RULES["rating"].items()
    reasons = [[what, name] for what, _ in rules for name in found[what]]
    rating = next((led_to for what, led_to in rules if len(found[what])), otherwise)
    exit_code = min((int(RULES["exit_code"][what]) for what, _ in reasons), default=PASSED)
    return {"rating": rating, "exit_code": exit_code, "reasons": reasons}


def open_findings(findings: pd.DataFrame, severity: str) -> pd.DataFrame:
    """The open findings of this severity; a waived gate's is not open."""
    return findings[(findings["severity"] == severity) & (findings["status"] == OPEN)]
