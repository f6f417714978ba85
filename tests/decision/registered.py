"""Made-up rows of a register of findings for the tests of this room."""

import json

import pandas as pd


def finding(number: int, source: str, severity: str = "High", **columns) -> dict:
    """A row as `findings.raise_findings` gives it, in what the decision reads of it."""
    return {
        "finding_id": f"F{number}",
        "source": source,
        "also": [],
        "severity": severity,
        "status": "open",
        "title": "The title.",
        "recommendation": "Correct it. Then test it.",
        "owner": "Head of Banking",
        "due": "2026-12-05",
        "n": 16,
        "asked": "",
    } | columns


def asking(source: str, tolerated: float) -> str:
    """The criterion of a kind of error, as a register records it."""
    return json.dumps({source: {"rule": "", "by": "high", "threshold": tolerated, "fewest": 0}})


SECRETS = "check:privacy|secret in a passage|secret_leak_rate"
SLICE = "weakness:retrieval_recall|language|es"
REGISTER = pd.DataFrame(
    [
        finding(1, "errors:unsafe", "Critical", asked=asking("errors:unsafe", 0.0)),
        finding(2, "gate:judged_grounded|own", "Critical", also=["gate:judged_complete|own"]),
        finding(3, SECRETS, "Critical"),
        finding(4, "errors:misleading", asked=asking("errors:misleading", 0.05), due="2026-12-01"),
        finding(5, "errors:needless refusal", asked=asking("errors:needless refusal", 0.1)),
        finding(6, SLICE, title="Recall is weak in Spanish: 40 %."),
        finding(7, "check:access|staff only|staff_only_reach_rate", "Medium"),
        finding(8, "check:misuse|all families|misuse_answered_rate", status="retested"),
    ]
)
