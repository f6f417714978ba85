"""Measures -> decision: gates -> error rates -> findings -> rating.

of_run             the functions below, of an open run
gate_grammar       how a gate is written; gates: thresholds on the interval's bound, by origin; waivers
error_rates        kinds of error of the taxonomy against what is tolerated
findings           what was breached or flagged, one finding a subject, with its rows
severity           likelihood from the interval, impact from a table that a bank edits; days until due
earlier_findings   what became of the previous validation's findings
rating             the rule from gates and findings to the rating and the exit code
monitoring         what is watched after release, from which count on an alarm
risk_register      what may go wrong, what of a run tests it, what no test covers
independence       whether raters and validator are independent; whether one version answered
"""

from typing import Any

DOORS = {
    **dict.fromkeys(
        ("judge_gates", "read_waivers", "count_errors", "raise_findings", "carry_findings"), "of_run"
    ),
    **dict.fromkeys(("coverage", "untested"), "of_run"),
    "worst_rows": "gates",
    **dict.fromkeys(("conditional", "breaches_without_finding", "gate_holders"), "findings"),
    "followed_up": "earlier_findings",
    **dict.fromkeys(("RiskMatrix", "DueDays"), "severity"),
    "rate": "rating",
    "monitoring_plan": "monitoring",
}  # what a notebook calls, and where it is: loaded when first asked for


def __getattr__(name: str) -> Any:
    if name not in DOORS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"{__name__}.{DOORS[name]}"), name)
