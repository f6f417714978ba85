"""From gates and findings to the rating and the exit code."""

from collections.abc import Mapping

import pandas as pd

from ragassay.decision.gates import FAIL, INCOMPLETE, OPEN, rated_by_people, worst_rows

FIT, CONDITIONS, NOT_FIT, NOT_ASSESSABLE = "Fit for use", "Fit with conditions", "Not fit", "Not assessable"
CRITICAL_GATE, CRITICAL_FINDING = "critical gate failed", "Critical finding open"
NO_LABELS = "no rater's label"
INCOMPLETE_GATE, GATE_FAILED, HIGH_FINDING = "gate incomplete", "gate failed", "High finding open"
SHORT = "evidence short"
PASSED, FAILED, UNKNOWN = 0, 2, 3  # exit codes; 1 is an error


def rate(
    gates: pd.DataFrame, findings: pd.DataFrame, *, coverage: Mapping[str, tuple[float, float]] | None = None
) -> dict:
    """The record of the decision: rating, exit_code, and `reasons`, pairs of what and name, gravest first.

    Not fit : a critical gate failed, or a Critical finding is open
    Not assessable : otherwise, if no gate rests on what raters say of the answers
    Fit with conditions : otherwise, if any gate failed or is incomplete, a High finding is open, or the
        evidence covers less than was asked for
    Fit for use : otherwise
    exit_code : 0 fit, 2 a gate failed or a Critical or High finding is open, 3 neither, but the evidence is
        incomplete

    gates : of `gates.evaluate`; findings : of `findings.raise_findings`
    coverage : what the evidence had to reach, name -> (found, least)
    """
    worst = worst_rows(gates)
    failed = worst[worst["outcome"] == FAIL]
    short = [name for name, (found, least) in (coverage or {}).items() if not found >= least]
    rated = worst[worst["metric"].map(rated_by_people).astype(bool) & (worst["n"] > 0)]
    reasons = {
        NOT_FIT: [
            *((CRITICAL_GATE, name) for name in failed.loc[failed["critical"].astype(bool), "gate"]),
            *((CRITICAL_FINDING, name) for name in open_findings(findings, "Critical")["finding_id"]),
        ],
        NOT_ASSESSABLE: [(NO_LABELS, "")] if rated.empty else [],
        CONDITIONS: [
            *((GATE_FAILED, name) for name in failed.loc[~failed["critical"].astype(bool), "gate"]),
            *((INCOMPLETE_GATE, name) for name in worst.loc[worst["outcome"] == INCOMPLETE, "gate"]),
            *((HIGH_FINDING, name) for name in open_findings(findings, "High")["finding_id"]),
            *((SHORT, name) for name in short),
        ],
    }
    rating = next((name for name, held in reasons.items() if held), FIT)
    told = [reason for held in reasons.values() for reason in held]
    kinds = {what for what, _ in told}
    is_failed = bool(kinds & {CRITICAL_GATE, CRITICAL_FINDING, GATE_FAILED, HIGH_FINDING})
    exit_code = FAILED if is_failed else UNKNOWN if told else PASSED
    return {"rating": rating, "exit_code": exit_code, "reasons": [list(reason) for reason in told]}


def open_findings(findings: pd.DataFrame, severity: str) -> pd.DataFrame:
    """The open findings of this severity; a waived gate's is not open."""
    return findings[(findings["severity"] == severity) & (findings["status"] == OPEN)]
